//go:build linux && (amd64 || arm64) && !nocuda

// This file tests rows that stay on the GPUs that made them.

package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// madeCase is a random generated graph, and how its parts are made.
func madeCase(r *rand.Rand) (spec string, o Options, directed bool) {
	spec = []string{"kron7:seed=%d", "kron:scale=10,edgefactor=3,seed=%d", "kron:scale=5,edgefactor=40,seed=%d", "urand9:seed=%d", "urand:n=77,edgefactor=2,seed=%d"}[r.IntN(5)]
	spec = fmt.Sprintf(spec, r.IntN(1000))
	if r.IntN(4) == 0 {
		spec = []string{"grid2d:9x7", "grid3d:3x4x5", "grid2d:8x8,torus", "kron1"}[r.IntN(4)]
	}
	o = Options{Threshold: []int64{Auto, 0, 1, 3, 20, 1 << 40}[r.IntN(6)], Workers: 1 + r.IntN(2)}
	return spec, o, r.IntN(3) == 0
}

// made builds a rank's part on a GPU, and on the host.
func (g *gpuTeam) made(t testing.TB, c comm.Comm, graph gen.Generator, directed bool, o Options) (byGPU, byHost *Part, err error) {
	e := generated(graph, c.Rank(), c.Size())
	e.Directed = directed
	other, on := e, o
	other.Read, other.Generator, on.GPU = nil, graph, g.streams[c.Rank()].GPU()
	byGPU, err = Build(t.Context(), c, other, on)
	if err != nil {
		return nil, nil, err
	}
	if !byGPU.Stats.Made {
		return nil, nil, fmt.Errorf("rank %d: hosts made the parts: %v", c.Rank(), byGPU.Stats.NotMade)
	}
	o.Threshold = int64(byGPU.Stats.Threshold) // hosts would choose another one
	byHost, err = Build(t.Context(), c, e, o)
	return byGPU, byHost, err
}

// sameSearch compares a search of a part with one of the same part that hosts made.
func sameSearch(t testing.TB, byGPU, byHost *Part, source int64, o SearchOptions) error {
	got, err := byGPU.Search(t.Context(), []int64{source}, o)
	if err != nil {
		return err
	}
	want, err := byHost.Search(t.Context(), []int64{source}, SearchOptions{DepthLimit: o.DepthLimit})
	if err != nil {
		return err
	}
	if !slices.Equal(got.Depths, want.Depths) || got.Reached != want.Reached || got.TraversedEdges != want.TraversedEdges {
		return fmt.Errorf("rank %d, from %d: %d reached over %d edges, on hosts %d over %d", byGPU.rank, source, got.Reached, got.TraversedEdges, want.Reached, want.TraversedEdges)
	}
	want.Parents = got.Parents // which are checked by the rows that hosts made
	return want.Check(t.Context())
}

// TestGPUStays: parts that GPUs made are placed, searched, closed and placed again, and searched on hosts, which get the
// rows that they need then and are the same as hosts make.
func TestGPUStays(t *testing.T) {
	smallTiles(t)
	defer func(n uint64) { madeAtOnce = n }(madeAtOnce)
	for ranks := 2; ranks <= 4; ranks++ {
		t.Run(fmt.Sprint(ranks), func(t *testing.T) {
			team := connect(t, ranks)
			if len(team.comms) < ranks {
				t.Skipf("needs more than %d GPUs, or emulated ones (FORAY_EMULATOR_DEVICES)", len(team.comms))
			}
			rounds := testlong.Rounds(3, 1000)
			for seed := testlong.Seed(0); seed < testlong.Seed(0)+uint64(rounds); seed++ {
				r := rand.New(rand.NewPCG(seed, uint64(ranks)+10))
				spec, o, directed := madeCase(r)
				graph, err := gen.Parse(spec)
				if err != nil {
					t.Fatal(err)
				}
				madeAtOnce = []uint64{1 << 26, 1000, 77}[r.IntN(3)]
				restore := smallMessages(r)
				var used []uint64
				for _, s := range team.streams {
					used = append(used, s.GPU().Used())
				}
				shuffle := r.Uint64()
				ok := t.Run(fmt.Sprintf("%d %s, directed %t, threshold %d", seed, spec, directed, o.Threshold), func(t *testing.T) {
					onRanks(t, ranks, func(c comm.Comm) error {
						r := rand.New(rand.NewPCG(shuffle, 1)) // the same on all ranks
						p, want, err := team.made(t, c, graph, directed, o)
						if err != nil {
							return err
						}
						return errors.Join(stays(t, r, team, p, want), p.Close(), p.Close())
					})
					for i, s := range team.streams {
						if now := s.GPU().Used(); now != used[i] {
							t.Errorf("GPU %d has %d bytes in use, and had %d", i, now, used[i])
						}
					}
				})
				restore()
				if !ok {
					break
				}
			}
		})
	}
}

// stays takes a part through some of its lives.
func stays(t testing.TB, r *rand.Rand, team *gpuTeam, p, want *Part) error {
	absent := [subgraphs]bool{true, true, true, true}
	for life := range 1 + r.IntN(3) {
		placed, err := team.placeOn(t.Context(), p)
		if err != nil {
			return fmt.Errorf("placed %d times before: %w", life, err)
		}
		for range 1 + r.IntN(3) {
			o := SearchOptions{Parents: r.IntN(3) == 0, DepthLimit: int(r.IntN(4))}
			for i := range o.Directions {
				if o.Directions[i] = Direction(r.IntN(3)); p.directed {
					o.Directions[i] = Direction(r.IntN(2))
				}
			}
			if err := sameSearch(t, p, want, int64(r.Uint64N(p.Stats.Vertices)), o); err != nil {
				return err
			}
			if o.Parents {
				absent[subNN] = false
			}
			if p.absent != absent {
				return fmt.Errorf("the host lacks rows of the subgraphs %v, not %v", p.absent, absent)
			}
		}
		if r.IntN(4) == 0 {
			if err := sameParts(t.Context(), p, want); err != nil {
				return err
			}
			absent = [subgraphs]bool{}
		}
		if err := errors.Join(placed.Close(), placed.Close()); err != nil {
			return err
		}
		if r.IntN(4) == 0 { // on hosts
			if err := sameSearch(t, p, want, 0, SearchOptions{Parents: true}); err != nil {
				return err
			}
			absent = [subgraphs]bool{}
		}
	}
	return sameParts(t.Context(), p, want)
}

// TestGPUStaysClosed: a closed part whose rows were on a GPU returns an error that names the cause, and is searched on
// hosts if the rows had been copied there.
func TestGPUStaysClosed(t *testing.T) {
	const ranks = 2
	team := connect(t, ranks)
	graph, err := gen.Parse("kron8")
	if err != nil {
		t.Fatal(err)
	}
	for _, brought := range []bool{false, true} {
		fails := make([]error, ranks)
		onRanks(t, ranks, func(c comm.Comm) error {
			p, want, err := team.made(t, c, graph, false, Options{Threshold: 8})
			if err != nil {
				return err
			}
			if _, err := team.placeOn(t.Context(), p); err != nil {
				return err
			}
			if brought {
				if err := sameParts(t.Context(), p, want); err != nil {
					return err
				}
			}
			if err := p.Close(); err != nil { // what Place returned, too
				return err
			}
			if brought {
				return sameSearch(t, p, want, 1, SearchOptions{Parents: true})
			}
			fails[c.Rank()] = p.bring(t.Context(), subND)
			return nil
		})
		for r, err := range fails {
			if errors.Is(err, errClosed) == brought {
				t.Errorf("rank %d, rows brought %t: %v", r, brought, err)
			}
		}
	}
}

// TestForecastMade: hosts are reckoned to have no edges of parts that GPUs make, and to have what they hold.
func TestForecastMade(t *testing.T) {
	f := forecast{gpu: true, made: true, local: 1 << 20, ranks: 4, workers: 8}
	less := f.bytes()
	f.edges, f.total = 1<<30, 1<<32
	f.own.edges, f.all.edges = 1<<29, 1<<31
	if got := f.bytes(); got != less {
		t.Errorf("%d bytes with edges, %d without", got, less)
	}
	// Offsets of nd and nn, order and numbers, degrees, depths, those of the GPU, parents as places and ids, and as the GPU
	// has them.
	if holds := f.local * (2*4 + 2*4 + 4 + 4 + 4 + 8 + 8); less < holds {
		t.Errorf("%d bytes foretold, of which it holds %d", less, holds)
	}
}
