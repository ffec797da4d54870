// This file tests invalid uses of functors with accumulators.

package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// scalar makes one, on a device, that the test frees.
func scalar[T operators.Number](t *testing.T, dev device.Device, how operators.Reduction) *operators.Scalar[T] {
	x, err := step.NewScalar[T](dev, how)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return (*operators.Scalar[T])(x)
}

// spreadAsPull has the method of a functor for pulls, which Spread itself lacks.
type spreadAsPull struct{ *composed.SpreadFunctor }

func (spreadAsPull) Found(operators.Worker, []uint32, []uint32) {}

// AccumulatorsMisused tests functors with accumulators that are given what doesn't fit.
func (s Suite) AccumulatorsMisused(t *testing.T) {
	g := built(t, graph.Options{Reverse: true}, []int64{0, 1, 2, 2}, []int64{1, 2, 0, 3})
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	sum, other := scalar[uint64](t, s.Device, operators.Sum), scalar[uint64](t, s.Device, operators.Sum)
	foreign, least := scalar[uint64](t, host.New(1), operators.Sum), scalar[uint64](t, s.Device, operators.Min)
	low, high, into := scalar[float64](t, s.Device, operators.Min), scalar[float64](t, s.Device, operators.Max), scalar[float64](t, s.Device, operators.Min)
	freed := scalar[uint64](t, s.Device, operators.Sum)
	if err := (*link.Scalar[uint64])(freed).Close(); err != nil {
		t.Fatal(err)
	}
	most := scalar[int64](t, s.Device, operators.Max)
	lost, err := device.NewBuffer[int32](s.Device, p.NumVertices())
	if err := errors.Join(err, lost.Close()); err != nil {
		t.Fatal(err)
	}
	push := func(looked, found *operators.Scalar[uint64]) func(x *traverse.Traversal) []operators.Step {
		return func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Push(composed.NewSpread(traverse.Array[int32](x, -1), looked, found)), filter.Unique()}
		}
	}
	visit := func(into *operators.Scalar[float64]) func(x *traverse.Traversal) []operators.Step {
		return func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{foreach.All(composed.NewValues(traverse.Array(x, 1.0), sum, low, high), into)}
		}
	}
	for _, c := range []struct {
		name  string
		steps func(x *traverse.Traversal) []operators.Step
		want  error
		text  string
	}{
		{"nil", push(nil, other), graph.ErrOptions, "functor Spread: graph: bad option: Looked is nil; make it by traverse.Scalar(t, operators.Sum)"},
		{"another reduction", push(sum, least), graph.ErrOptions, "Found reduces by Sum, its scalar by Min; make it by traverse.Scalar(t, operators.Sum)"},
		{"freed", push(freed, other), device.ErrClosed, "functor Spread: Looked: closed: the scalar"},
		{"of another device", push(sum, foreign), device.ErrNotSupported, "functor Spread: Found: device not supported here: the scalar is on "},
		{"one for two", push(sum, sum), graph.ErrOptions, "Looked and Found are one scalar; make two by traverse.Scalar"},
		{"freed array", func(*traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Push(composed.NewSpread(lost, sum, other)), filter.Unique()}
		}, device.ErrClosed, "functor Spread: closed: Depth, by its Close"},
		{"nil array of a pull", func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Pull(composed.NewFoster(nil, sum, most), x.Bits())}
		}, graph.ErrOptions, "functor Foster: graph: bad option: Parent is nil; make it by traverse.Array"},
		{"a push as a pull", func(x *traverse.Traversal) []operators.Step {
			return []operators.Step{advance.Pull(spreadAsPull{composed.NewSpread(traverse.Array[int32](x, -1), sum, other)}, x.Bits())}
		}, graph.ErrOptions, "functor Spread: graph: bad option: it has no method Hit, which this step calls"},
		{"right", push(sum, other), nil, ""},
		{"the step's own", visit(low), graph.ErrOptions, "Least is the scalar too that the step reduces into; make two by traverse.Scalar"},
		{"not the step's own", visit(into), nil, ""},
	} {
		for _, e := range s.engines() {
			x := traverse.New(t.Context(), p, traverse.Options{Engine: e})
			if steps := c.steps(x); steps[0].Name() == "pull" { // which is in no persistent kernel
				x.Do(x.All(), steps...)
			} else {
				x.Repeat(x.All(), append(steps, traverse.MaxRounds(1))...)
			}
			if c.want == nil && traverse.Get(x, sum) == 0 {
				t.Errorf("%s, %s: nothing was added up", e, c.name)
			}
			if err := x.Close(); !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s, %s: %v, want %q", e, c.name, err, c.text)
			} else if c.want != nil && (strings.Count(err.Error(), c.text) != 1 || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s, %s: %v says it twice", e, c.name, err)
			}
		}
	}
	stream, err := s.Device.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	a, err := advance.New(stream, p)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	from, to := frontier.New(p), frontier.New(p)
	defer from.Close()
	defer to.Close()
	if err := errors.Join(from.Fill(), to.Clear(frontier.Queue)); err != nil {
		t.Fatal(err)
	}
	depth, err := device.NewBuffer[int32](s.Device, p.NumVertices())
	if err != nil {
		t.Fatal(err)
	}
	defer depth.Close()
	if _, err := a.Push(from, to, composed.NewSpread(depth, sum, other)); !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "functor Spread has accumulators; give it to a step") {
		t.Errorf("a push without a step: %v", err)
	}
}
