// This file holds the test of searches that a GPU has too little memory for.

package conformance

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testsearch"
)

var twoSizes = regexp.MustCompile(`takes at least [0-9.]+ .?B of .* more than .*, [0-9.]+ .?B are free`)

// Refused searches a graph when no memory of a GPU is free. The search is refused
// before it allocates, unless earlier searches have left all the memory that it
// needs. The test takes all memory of the device.
func (s Suite) Refused(t *testing.T) {
	dev := s.Device.(*gpu.Device)
	ctx := context.Background()
	for _, name := range []string{"skewed-reverse", "road-undirected"} {
		for _, v := range s.variants()[:5] {
			for _, o := range []bfs.Options{{}, {Outputs: bfs.Depths | bfs.Parents, Stats: true}, {Outputs: bfs.Depths | bfs.Parents, ByID: true}} {
				before := dev.Used()
				g, _ := lent(t, s.caseOf(name).Graph(151))
				p, err := g.On(dev)
				if err != nil {
					t.Fatal(err)
				}
				search := func(kept bool, refused string) (found *bfs.Result) {
					t.Helper()
					found, err := v.run(p, []uint32{1}, o)
					switch {
					case refused == "":
						if err == nil {
							err = testsearch.Check(g, []uint32{1}, o, found)
						}
						if err != nil {
							t.Fatalf("%s, %s, %+v: %v", name, v.name, o, err)
						}
					case !errors.Is(err, device.ErrMemory) || !twoSizes.MatchString(err.Error()):
						t.Errorf("%s, %s, %+v, %s: %v", name, v.name, o, refused, err)
					}
					if !kept {
						found.Close()
					}
					return found
				}
				taken := fill(t, dev)
				empty := func() {
					for _, m := range taken {
						if err := m.Close(); err != nil {
							t.Fatal(err)
						}
					}
					taken = nil
				}
				was := dev.Context().Live()
				dev.Context().FailAlloc(1) // an allocation would return a different error
				search(false, "the first search")
				one, err := v.searcher(p, o)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := one.Run(ctx, bfs.Query{Sources: []uint32{1}}); !errors.Is(err, device.ErrMemory) || !twoSizes.MatchString(err.Error()) {
					t.Errorf("%s, %s, %+v, a searcher: %v", name, v.name, o, err)
				}
				if now := dev.Context().Live(); now != was {
					t.Errorf("%s, %s, %+v: %+v is in use, %+v was", name, v.name, o, now, was)
				}
				dev.Context().FailAlloc(0)
				empty()

				search(false, "")
				search(false, "") // which has learned
				taken = fill(t, dev)
				search(false, "")
				held := search(true, "")
				dev.Context().FailAlloc(1)
				search(false, "its arrays are a result's")
				dev.Context().FailAlloc(0)
				held.Close()
				search(false, "")
				empty()
				if err := errors.Join(one.Close(), p.Close()); err != nil {
					t.Fatal(err)
				}
				if left := dev.Used(); left != before {
					t.Errorf("%s, %s, %+v: %d bytes are left, there were %d", name, v.name, o, left, before)
				}
			}
		}
	}
}
