// This file holds the test of operators on a GPU that has no memory left.

package conformance

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/operators/intersect"
	"github.com/foray-graph/foray/operators/scan"
)

// OperatorAllocations lets the k-th allocation of some operators fail, for every
// k: each time there is one clear error, and nothing stays behind.
func (s Suite) OperatorAllocations(t *testing.T) {
	dev := s.Device.(*gpu.Device)
	g := sortRows(t, testgraph.Skewed(400, 8, testgraph.Undirected).Graph(61))
	for name, f := range map[string]func(device.Stream, *graph.Placed) error{"scan": scanSome, "filter": filterSome, "intersect": intersectSome} {
		run := func() error {
			p, err := g.On(dev)
			if err != nil {
				return err
			}
			stream, err := dev.NewStream(context.Background())
			if err != nil {
				return errors.Join(err, p.Close())
			}
			return errors.Join(f(stream, p), stream.Close(), p.Close())
		}
		if err := run(); err != nil { // afterwards the device has its permanent memory
			t.Fatal(name, err)
		}
		before, k := dev.Context().Live(), 1
		for ; ; k++ {
			dev.Context().FailAlloc(k)
			err := run()
			if left := dev.Context().Live(); left != before {
				t.Fatalf("%s, allocation %d: %+v is in use, %+v was", name, k, left, before)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, driver.ErrOutOfMemory) || !strings.Contains(err.Error(), "made to fail") {
				t.Fatalf("%s, allocation %d: %v", name, k, err)
			}
		}
		dev.Context().FailAlloc(0)
		if k < 6 {
			t.Errorf("%s: only %d allocations", name, k-1)
		}
	}
}

func scanSome(s device.Stream, p *graph.Placed) error {
	c, err := scan.New(s)
	if err != nil {
		return err
	}
	b, err := device.NewBuffer[uint32](p.Device(), 20_000)
	if err == nil {
		_, err = scan.Exclusive(c, b, b, b.Len())
	}
	return errors.Join(err, b.Close(), c.Close())
}

func filterSome(s device.Stream, p *graph.Placed) error {
	f, err := filter.New(s, p)
	if err != nil {
		return err
	}
	keys, err := device.NewBuffer[uint32](p.Device(), p.NumVertices())
	if err != nil {
		return errors.Join(err, f.Close())
	}
	list, bits, seen := frontier.New(p), frontier.New(p), frontier.New(p)
	for _, op := range []func() error{
		func() error { return list.Add(1, 2, 3, 4, 5) },
		func() error { return f.Unique(list) },
		func() error { return f.Keep(list, composed.NewBelow(keys, 1)) },
		func() error { return errors.Join(bits.Clear(frontier.Bitmap), seen.Clear(frontier.Bitmap)) },
		func() error { return bits.Add(1, 2, 3) },
		func() error { return f.Keep(bits, composed.NewBelow(keys, 1)) },
		func() error { return f.Unvisited(bits, seen) },
	} {
		if err = op(); err != nil {
			break
		}
	}
	return errors.Join(err, keys.Close(), list.Close(), bits.Close(), seen.Close(), f.Close())
}

func intersectSome(s device.Stream, p *graph.Placed) error {
	x, err := intersect.New(s, p)
	if err != nil {
		return err
	}
	tuning.IntersectBy = "table"
	defer func() { tuning.IntersectBy = "auto" }()
	from := frontier.New(p)
	if err = from.Add(1, 2, 3); err == nil {
		err = x.Run(intersect.Options{From: from}, intersect.Count(nil))
	}
	if err == nil {
		err = x.Run(intersect.Options{}, intersect.Count(nil))
	}
	if err == nil {
		_, _, err = x.Totals()
	}
	return errors.Join(err, from.Close(), x.Close())
}
