// This file tests searches of ranks on several machines: those that exchange within their machine first.

package engine

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// groupings name the machine of each rank.
var groupings = []string{"a", "aa", "ab", "aab", "abb", "aba", "abc", "aabb", "abab", "aaab", "baaa", "abcc", "aaaabbc", "aaabbb", "aabbcc", "abcabc", "abbccc", "aaaaaa"}

func TestMachines(t *testing.T) {
	m := newMachines(strings.Split("abcabca", ""))
	want := &machines{of: []int{0, 1, 2, 0, 1, 2, 0}, place: []int{0, 0, 0, 1, 1, 1, 2}, ranks: [][]int{{0, 3, 6}, {1, 4}, {2, 5}}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("%+v, want %+v", m, want)
	}
	for _, c := range []struct {
		rank              int
		carries, partners []int
	}{{0, []int{1, 2}, []int{1, 2}}, {1, []int{0, 2, 6}, []int{0, 2, 6}}, {3, []int{4, 5}, []int{4, 5}}, {6, nil, []int{1, 2}}} {
		if carries, partners := m.carries(c.rank), m.partners(c.rank); !slices.Equal(carries, c.carries) || !slices.Equal(partners, c.partners) {
			t.Errorf("rank %d carries for %v, has partners %v; want %v, %v", c.rank, carries, partners, c.carries, c.partners)
		}
	}
	for _, g := range groupings {
		m := newMachines(strings.Split(g, ""))
		sends := map[[2]int]int{} // by machine and rank
		for r := range m.of {
			for _, to := range m.carries(r) {
				sends[[2]int{m.of[r], to}]++
				if !slices.Contains(m.partners(r), to) || !slices.Contains(m.partners(to), r) {
					t.Errorf("%s: %d carries for %d, but isn't its partner", g, r, to)
				}
			}
			for _, other := range m.partners(r) {
				if !slices.Contains(m.partners(other), r) {
					t.Errorf("%s: %d is no partner of %d", g, r, other)
				}
			}
		}
		for pair, n := range sends {
			if n != 1 {
				t.Errorf("%s: %d ranks of machine %d send to rank %d", g, n, pair[0], pair[1])
			}
		}
		if want := (len(m.ranks) - 1) * len(m.of); len(sends) != want {
			t.Errorf("%s: %d messages, want %d", g, len(sends), want)
		}
	}
}

// TestFindMachines: the ranks of this process are on one machine, unless it is said how many are.
func TestFindMachines(t *testing.T) {
	for each, want := range map[int][]int{0: {0, 0, 0, 0, 0}, 2: {0, 0, 1, 1, 2}, 1: {0, 1, 2, 3, 4}, 9: {0, 0, 0, 0, 0}} {
		onRanks(t, 5, func(c comm.Comm) error {
			m, err := findMachines(t.Context(), c, each)
			if err == nil && !slices.Equal(m.of, want) {
				t.Errorf("%d a machine: %v, want %v", each, m.of, want)
			}
			return err
		})
	}
	if system() == "" {
		t.Error("this machine has no name")
	}
}

// TestRandomMachines: whatever machines ranks are on, a search over them finds what package bfs does.
func TestRandomMachines(t *testing.T) {
	smallTiles(t)
	for seed := testlong.Seed(0); seed < testlong.Seed(0)+uint64(testlong.Rounds(38, 20_000)); seed++ {
		r := rand.New(rand.NewPCG(seed, 4))
		names := strings.Split(groupings[r.IntN(len(groupings))], "")
		in, o, so, sources := randomCase(r, seed)
		so.LocalAllToAll = true
		in.place = func(_ context.Context, p *Part) (io.Closer, error) {
			p.machines = newMachines(names)
			return io.NopCloser(nil), nil
		}
		if !t.Run(fmt.Sprintf("%d %s, directed %t, ranks on %v, threshold %d, %+v", seed, in.name, in.directed, names, o.Threshold, so), func(t *testing.T) {
			want, ref := in.depths(t, sources, so.Targets, so.DepthLimit)
			in.compare(t, len(names), o, so, sources, want, ref)
		}) {
			break
		}
	}
}

// TestSentAcross: bytes and messages between ranks, and between machines, are those that loops over all edges between
// normal vertices count.
func TestSentAcross(t *testing.T) {
	smallTiles(t)
	for seed := range uint64(testlong.Rounds(15, 3000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		names := strings.Split(groupings[r.IntN(len(groupings))], "")
		in, o, _, sources := randomCase(r, seed)
		if o.Threshold == Auto {
			o.Threshold = 3
		}
		m := newMachines(names)
		depths, _ := in.depths(t, sources, nil, 0)
		_, parts := in.parts(homes{uint64(len(names)), in.dense}, uint64(o.Threshold))
		for _, so := range []SearchOptions{{}, {Twice: true}, {LocalAllToAll: true}, {LocalAllToAll: true, Twice: true}} {
			want := map[int32]sent{}
			// What goes from one rank to another by level, and what crosses in it.
			type way struct {
				depth    int32
				from, to int // ranks; the former behind all ranks a machine, or behind these a rank by way of another one
			}
			lists := map[way][]uint64{}
			put := func(w way, v uint64) { lists[w] = append(lists[w], v) }
			machine := len(names)
			again := machine + len(m.ranks)
			for rank, p := range parts {
				for u, row := range p.nn {
					d := depths[p.ids[u]]
					for _, v := range row {
						to := place(v).owner()
						switch {
						case d < 0 || to == rank:
						case m.of[rank] == m.of[to] || !so.LocalAllToAll || !m.gain():
							put(way{d, rank, to}, v)
						default:
							put(way{d, machine + m.of[rank], to}, v)
							if m.carrier(m.of[rank], to) != rank {
								put(way{d, again + rank, to}, v)
							}
						}
					}
				}
			}
			for w, list := range lists {
				if !so.Twice {
					slices.Sort(list)
					list = slices.Compact(list)
				}
				s := want[w.depth]
				s.add(4*len(list), w.from < again && (w.from >= machine || m.of[w.from] != m.of[w.to]))
				want[w.depth] = s
			}
			onRanks(t, len(names), func(c comm.Comm) error {
				p, err := Build(t.Context(), c, in.edges(c.Rank(), c.Size()), o)
				if err != nil {
					return err
				}
				p.machines = m
				found, err := p.Search(t.Context(), sources, so)
				if err != nil {
					return err
				}
				for _, l := range found.Stats {
					w := want[l.Depth]
					heads := l.Sent - w.bytes // the lengths of lists in messages within machines
					if l.Across != w.across || l.Messages != w.messages || heads > 0 && (!so.LocalAllToAll || !m.gain()) || heads > uint64(4*len(names)*len(names)) {
						t.Errorf("seed %d, %s, ranks on %v, %+v: level %d sent %d, %d of it in %d messages to other machines; want %d, %d in %d",
							seed, in.name, names, so, l.Depth, l.Sent, l.Across, l.Messages, w.bytes, w.across, w.messages)
					}
				}
				return nil
			})
			if t.Failed() {
				return
			}
		}
	}
}

// TestMachinesCanceled: a rank's context ends in the middle of a search, in either exchange.
func TestMachinesCanceled(t *testing.T) {
	g, err := gen.Parse("path:3000")
	if err != nil {
		t.Fatal(err)
	}
	for calls := range 4 {
		fails(t, "rank 1, in Exchange", context.Canceled, func(ctx context.Context, c comm.Comm) error {
			p, err := Build(ctx, c, generated(g, c.Rank(), c.Size()), Options{Threshold: 1 << 40})
			if err != nil {
				return err
			}
			p.machines = newMachines([]string{"a", "b", "b"})
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if c.Rank() == 1 {
				p.comm = &cancels{c, cancel, 100 + calls}
			}
			_, err = p.Search(ctx, []int64{0}, SearchOptions{LocalAllToAll: true})
			return err
		})
	}
}

// cancels ends a context before one of the exchanges.
type cancels struct {
	comm.Comm
	cancel context.CancelFunc
	left   int
}

func (c *cancels) Exchange(ctx context.Context, out [][]byte) ([][]byte, error) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return c.Comm.Exchange(ctx, out)
}
