// This file tests that a graph can be closed while others read it.

package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/foray-graph/foray/device"
)

// closing is a graph that is closed while others read it, with what they must find.
type closing struct {
	g     *Graph
	c     CSR      // copies of its rows, of those of its reverse, and of its ids
	in    CSR      //
	names []string // by vertex
	byID  []uint32
	key   []int64
	ell4  bool
}

// readers are the ways to read a graph. Each returns an error if the data that it read is wrong.
// Methods without an error result panic if the graph was closed.
func (c *closing) readers() map[string]func(r *rand.Rand) error {
	g, n := c.g, len(c.names)
	vertex := func(r *rand.Rand) uint32 { return uint32(r.IntN(n)) }
	want := func(got, want any) error {
		if got != want {
			return fmt.Errorf("%v, want %v", got, want)
		}
		return nil
	}
	ids := g.IDs() // as a caller may have kept it
	found := func(v, x uint32, err error) error {
		if err != nil {
			return err
		}
		return want(x, v)
	}
	all := map[string]func(r *rand.Rand) error{
		"ParseVertex": func(r *rand.Rand) error {
			v := vertex(r)
			x, err := g.ParseVertex(c.names[v])
			return found(v, x, err)
		},
		"IDs.Format":       func(r *rand.Rand) error { v := vertex(r); return want(ids.Format(v), c.names[v]) },
		"IDs().Format":     func(r *rand.Rand) error { v := vertex(r); return want(g.IDs().Format(v), c.names[v]) },
		"IDs.AtRank":       func(r *rand.Rand) error { i := r.IntN(n); return want(ids.AtRank(uint32(i)), c.byID[i]) },
		"IDs.Rank":         func(r *rand.Rand) error { i := r.IntN(n); return want(ids.Rank(c.byID[i]), uint32(i)) },
		"IDs.Side":         func(r *rand.Rand) error { return want(ids.Side(vertex(r)), Source) },
		"IDs.Dense":        func(*rand.Rand) error { return want(g.IDs().Dense(), ids.Dense()) },
		"IDs.Kinds":        func(*rand.Rand) error { return want(len(ids.Kinds()), 0) },
		"NumVertices":      func(*rand.Rand) error { return want(g.NumVertices(), n) },
		"NumEdges":         func(*rand.Rand) error { return want(g.NumEdges(), uint64(len(c.c.Targets))) },
		"NumDirectedEdges": func(*rand.Rand) error { return want(g.NumDirectedEdges(), uint64(len(c.c.Targets))) },
		"HasReverse":       func(*rand.Rand) error { return want(g.HasReverse(), true) },
		"Degree":           func(r *rand.Rand) error { v := vertex(r); return want(g.Degree(v), c.c.Degree(v)) },
		"InDegree":         func(r *rand.Rand) error { v := vertex(r); return want(g.InDegree(v), c.in.Degree(v)) },
		"Out":              func(*rand.Rand) error { return want(len(g.Out().Targets), len(c.c.Targets)) },
		"In":               func(*rand.Rand) error { return want(len(g.In().Targets), len(c.c.Targets)) },
		"Offsets":          func(*rand.Rand) error { return want(len(g.State().Offsets()), n+1) },
		"DegreeHistogram":  func(*rand.Rand) error { return want(g.DegreeHistogram().Max, uint64(1)) },
		"Prepare":          func(*rand.Rand) error { return want(g.State().Prepare().Candidates, n) },
		"Ell4":             func(*rand.Rand) error { return want(g.State().Ell4() != nil, c.ell4) },
		"Fetch":            func(*rand.Rand) error { return g.Fetch() },
		"Hold": func(r *rand.Rand) error {
			release, err := g.Hold()
			if err != nil {
				return err
			}
			defer release()
			v := vertex(r)
			return want(g.Out().Neighbors(v)[0], c.c.Neighbors(v)[0])
		},
		"Checksum": func(*rand.Rand) error { _, err := g.Checksum(context.Background()); return err },
		"Induced": func(r *rand.Rand) error {
			v := vertex(r)
			h, err := g.InducedSubgraph([]uint32{v})
			if err != nil {
				return err
			}
			return want(h.IDs().Format(0), c.names[v])
		},
		"Reorder": func(*rand.Rand) error {
			h, err := g.Reorder(context.Background(), ReorderOptions{Order: OrderDegree, Workers: 1})
			if err != nil {
				return err
			}
			return want(h.NumVertices(), n)
		},
		"Append": func(*rand.Rand) error {
			h, err := g.Append(context.Background(), g, AppendOptions{Workers: 1})
			if err != nil {
				return err
			}
			return want(h.NumEdges(), uint64(len(c.c.Targets)))
		},
	}
	if c.key != nil {
		all["Vertex"] = func(r *rand.Rand) error { v := vertex(r); x, err := g.Vertex(c.key[v]); return found(v, x, err) }
		all["IDs.Int"] = func(r *rand.Rand) error { v := vertex(r); return want(ids.Int(v), c.key[v]) }
		all["IDs.FindInt"] = func(r *rand.Rand) error {
			v := vertex(r)
			x, ok := ids.FindInt(Source, c.key[v])
			return errors.Join(want(ok, true), want(x, v))
		}
	} else {
		all["VertexString"] = func(r *rand.Rand) error {
			v := vertex(r)
			x, err := g.VertexString(c.names[v])
			return found(v, x, err)
		}
		all["IDs.FindBytes"] = func(r *rand.Rand) error {
			v := vertex(r)
			x, ok := ids.FindBytes(Source, []byte(c.names[v]))
			return errors.Join(want(ok, true), want(x, v))
		}
	}
	return all
}

// newClosing makes a directed cycle of n vertices whose external ids are of that form. A mapped
// one spoils its arrays when it gives them back.
func newClosing(t *testing.T, form string, n int, mapped bool) *closing {
	c := &closing{ell4: true}
	c.c.Offsets, c.in.Offsets = []uint64{0}, []uint64{0}
	for v := range n {
		c.c.Offsets, c.c.Targets = append(c.c.Offsets, uint64(v+1)), append(c.c.Targets, uint32((v+1)%n))
		c.in.Offsets, c.in.Targets = append(c.in.Offsets, uint64(v+1)), append(c.in.Targets, uint32((v+n-1)%n))
		c.byID = append(c.byID, uint32(n-1-v))
	}
	ids := &IDs{Len: n}
	switch form {
	case "dense":
		ids.Type = Int64
	case "renumbered":
		ids.Type = Uint32
	case "integers":
		ids.Type = Int64
	case "strings":
		ids.Type, ids.StringOffsets = String, []uint64{0}
	}
	for v := range n {
		key := int64(n-1-v) * 1_000_003
		switch form {
		case "dense":
			key, c.byID[v] = int64(v), uint32(v)
		case "renumbered":
			key = int64(n - 1 - v)
			ids.Dense32 = append(ids.Dense32, uint32(key))
		case "integers":
			ids.Ints = append(ids.Ints, key)
		case "strings":
			name := fmt.Sprintf("%09d", key)
			ids.Data = append(ids.Data, name...)
			ids.StringOffsets = append(ids.StringOffsets, uint64(len(ids.Data)))
			c.names = append(c.names, name)
			continue
		}
		c.key, c.names = append(c.key, key), append(c.names, fmt.Sprint(key))
	}
	clone := func(c CSR) CSR { return CSR{Offsets: slices.Clone(c.Offsets), Targets: slices.Clone(c.Targets)} }
	in := clone(c.in)
	out, o := clone(c.c), CSROptions{In: &in, Directed: true, IDs: ids}
	if mapped {
		ids.setByID(slices.Clone(c.byID))
		o.Stored.Release = func() error {
			for _, a := range [][]uint32{out.Targets, in.Targets, ids.Dense32, ids.index.byID} {
				clear(a)
			}
			for _, a := range [][]uint64{out.Offsets, in.Offsets, ids.StringOffsets} {
				clear(a)
			}
			clear(ids.Ints)
			clear(ids.Data)
			return nil
		}
	}
	g, err := FromCSR(out, o)
	if err != nil {
		t.Fatal(err)
	}
	c.g = g
	return c
}

// TestCloseMeanwhile: whatever reads a graph that another goroutine closes finds what is right, or
// device.ErrClosed. The race detector sees what is read of arrays that were given back.
func TestCloseMeanwhile(t *testing.T) {
	for _, form := range []string{"dense", "renumbered", "integers", "strings"} {
		for _, mapped := range []bool{false, true} {
			name := fmt.Sprintf("%s, mapped %v", form, mapped)
			for round := range 40 {
				c := newClosing(t, form, 200, mapped)
				var wait sync.WaitGroup
				start := make(chan struct{})
				read := c.readers()
				for who, read := range read {
					wait.Go(func() {
						r := rand.New(rand.NewPCG(uint64(round), 1))
						<-start
						for i := 0; ; i++ {
							err := caught(func() error { return read(r) })
							if err == nil && i < 100 {
								continue // some reads continue after Close
							}
							if err != nil && !errors.Is(err, device.ErrClosed) {
								t.Errorf("%s: %s: %v", name, who, err)
							}
							return
						}
					})
				}
				wait.Go(func() {
					<-start
					if err := c.g.Close(); err != nil {
						t.Error(err)
					}
				})
				close(start)
				wait.Wait()
				for who, read := range read {
					err := caught(func() error { return read(rand.New(rand.NewPCG(1, 1))) })
					if err != nil && !errors.Is(err, device.ErrClosed) {
						t.Errorf("%s: %s after Close: %v", name, who, err)
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// caught returns what do returns, or panics with.
func caught(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(error)
			if !ok {
				e = fmt.Errorf("%v", p)
			}
			err = e
		}
	}()
	return do()
}

// TestCloseHeld: a holder of a closed graph can read all of it, also by methods without an error result.
func TestCloseHeld(t *testing.T) {
	c := newClosing(t, "integers", 200, true)
	release, err := c.g.Hold()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.g.Close(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for who, read := range c.readers() {
		switch who {
		case "Hold", "Vertex", "ParseVertex", "Checksum", "Induced", "Reorder", "Append": // these take a new hold
		default:
			if err := caught(func() error { return read(r) }); err != nil {
				t.Errorf("%s of a graph that is held: %v", who, err)
			}
		}
	}
	release()
	for _, who := range []string{"Out", "In", "Offsets", "Degree", "InDegree", "Prepare", "Ell4", "IDs.Int", "IDs.Format", "IDs().Format", "IDs.FindInt"} {
		if err := caught(func() error { return c.readers()[who](r) }); !errors.Is(err, device.ErrClosed) {
			t.Errorf("%s of a graph whose arrays were given back: %v", who, err)
		}
	}
}

func BenchmarkVertex(b *testing.B) {
	for _, mapped := range []bool{false, true} {
		c := newClosing(&testing.T{}, "integers", 200, mapped)
		b.Run(fmt.Sprintf("mapped=%v", mapped), func(b *testing.B) {
			b.RunParallel(func(p *testing.PB) {
				for i := 0; p.Next(); i++ {
					if _, err := c.g.Vertex(c.key[i%200]); err != nil {
						b.Error(err)
					}
				}
			})
		})
		b.Run(fmt.Sprintf("Int mapped=%v", mapped), func(b *testing.B) {
			b.RunParallel(func(p *testing.PB) {
				for i := 0; p.Next(); i++ {
					if c.g.IDs().Int(uint32(i%200)) < 0 {
						b.Error("less")
					}
				}
			})
		})
	}
}
