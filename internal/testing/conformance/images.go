// This file holds the tests of functors that bring images of kernels: packed or
// not, with all kernels or without some.

package conformance

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/advance"
)

// Strategy returns a strategy by its name: those of the laboratory have no other.
func Strategy(name string) advance.Strategy {
	s, err := advance.ParseStrategy(name)
	if err != nil {
		panic(err)
	}
	return s
}

// claim is advance.Claim with its kernels.
type claim interface {
	advance.Functor
	step.ExtraKernels
}

// brought is advance.Claim with another image, and without an image for
// optional kernels.
type brought struct {
	claim claim
	seen  *frontier.Frontier
	image []byte
}

func bring(image []byte, seen *frontier.Frontier) *brought {
	return &brought{advance.Claim(seen).(claim), seen, image}
}

func (f *brought) Visit(w operators.Worker, source uint32, first uint64, targets, out []uint32) int {
	return f.claim.Visit(w, source, first, targets, out)
}
func (f *brought) Found(operators.Worker, []uint32, []uint32) {}
func (f *brought) Unique() bool                               { return true }
func (f *brought) Kernels() ([]byte, string)                  { return f.image, "claim" }
func (f *brought) Params(words *step.Params)                  { f.claim.Params(words) }

// Images tests that a functor's image may be packed or not, that one image may hold all
// kernels, and that the error names the macro that makes missing kernels.
func (s Suite) Images(t *testing.T) {
	x := s.rig(t, s.caseOf("skewed-undirected").Graph(7), 5)
	main, _ := bring(nil, nil).claim.Kernels()
	extra, _ := bring(nil, nil).claim.ExtraKernels()
	plain, err := gpu.UnpackImage(main)
	x.must(err)
	plainExtra, err := gpu.UnpackImage(extra)
	x.must(err)
	n := x.g.NumVertices()
	levels, err := device.NewBuffer[int32](s.Device, n)
	x.must(err)
	defer func() { x.must(levels.Close()) }()
	list, err := frontier.NewEdges(x.p, true)
	x.must(err)
	defer func() { x.must(list.Close()) }()
	vs := []uint32{0, 1, 2}
	x.must(x.a.Expand(x.queue(vs), list, advance.TWC))
	x.must(x.s.Sync())
	next, err := frontier.NewEdges(x.p, true)
	x.must(err)
	defer func() { x.must(next.Close()) }()

	// Inputs of the kernels: all vertices have level 0 in levels, which are zero.
	everyone := make([]uint32, n)
	for v := range everyone {
		everyone[v] = uint32(v)
	}
	some, all := unique(neighbors(x.g, vs)), unique(neighbors(x.g, everyone))
	push := func(b advance.Strategy) func(*brought, *frontier.Frontier) error {
		return func(f *brought, out *frontier.Frontier) error {
			x.a.Strategy = b
			_, err := x.a.Push(x.queue(vs), out, f)
			return err
		}
	}
	depths := func(b advance.Strategy) func(*brought, *frontier.Frontier) error {
		return func(f *brought, out *frontier.Frontier) error {
			x.a.Strategy = b
			_, _, err := x.a.PushLevel(levels, 0, out, f)
			return err
		}
	}
	for _, c := range []struct {
		name  string
		do    func(*brought, *frontier.Frontier) error
		extra bool
		says  string // where its kernel is missing
		want  []uint32
	}{
		{"auto", push(advance.AutoBalance), false, "strategy ", some},
		{"thread", push(advance.ThreadMapped), false, "strategy thread", some},
		{"twc", push(advance.TWC), false, "strategy twc", some},
		{"merge", push(advance.MergePath), false, "strategy merge", some},
		{"warp", push(Strategy("warp")), true, "strategies warp and buckets", some},
		{"scan", push(Strategy("scan")), true, "strategy scan", some},
		{"levels", depths(advance.AutoBalance), true, "push by level", all},
		{"levels by thread", depths(advance.ThreadMapped), true, "push by level with strategy thread", all},
		{"levels by edge", depths(Strategy("edges")), true, "push by level with strategy edges", all},
		{"contract", func(f *brought, out *frontier.Frontier) error { return x.a.Contract(list, out, f) }, true, "contract", some},
		{"contract and expand", func(f *brought, _ *frontier.Frontier) error { return x.a.ContractExpand(list, next, f) }, false, "contract and expand", nil},
		// These take kernels of both.
		{"hubs", push(Strategy("hubs")), true, "", nil},
		{"buckets", push(Strategy("buckets")), true, "", nil},
	} {
		for _, image := range [][]byte{main, plain, extra, plainExtra} {
			isExtra := &image[0] == &extra[0] || &image[0] == &plainExtra[0]
			f, out := bring(image, x.bitmap(nil)), frontier.New(x.p)
			err := c.do(f, out)
			if c.extra == isExtra && c.says != "" {
				x.must(err)
				x.must(x.s.Sync())
				if c.want != nil {
					x.same(c.name, out, c.want)
				}
			} else {
				macro := "FORAY_PUSH(claim"
				if !isExtra {
					macro = "FORAY_PUSH_EXTRA(claim"
				}
				for _, says := range []string{c.says, macro, "*conformance.brought"} {
					if !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), says) {
						t.Errorf("%s: %v, want ErrNotSupported with %q", c.name, err, says)
					}
				}
				if out.Len() != 0 || f.seen.Len() != 0 || len(f.seen.Vertices()) != 0 {
					t.Errorf("%s: failed, and left something", c.name)
				}
			}
			x.must(out.Close())
		}
	}
	x.a.Strategy = advance.AutoBalance

	// A sink without its kernel.
	out := frontier.New(x.p)
	defer func() { x.must(out.Close()) }()
	seen := x.bitmap(vs)
	sink := bring(main, seen)
	if _, err := x.a.Pull(seen, seen, out, sink); !errors.Is(err, device.ErrNotSupported) || !strings.Contains(err.Error(), "FORAY_PULL(claim") {
		t.Errorf("pull: %v", err)
	}
	// Invalid images.
	for name, image := range map[string][]byte{"damaged": spoiled(main), "cut short": slices.Clone(main[:len(main)/2]), "empty": {}} {
		if err := push(advance.TWC)(bring(image, x.bitmap(nil)), out); err == nil || name != "empty" && !strings.Contains(err.Error(), "packed image") {
			t.Errorf("%s: %v", name, err)
		}
	}
	x.a.Strategy = advance.AutoBalance
	x.must(push(advance.TWC)(bring(plain, x.bitmap(nil)), out))
	x.same("after all that", out, some)
}

// spoiled is a packed image with one byte changed.
func spoiled(image []byte) []byte {
	image = bytes.Clone(image)
	image[len(image)/2] ^= 0x55
	return image
}
