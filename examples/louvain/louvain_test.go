package louvain

import (
	"fmt"
	"math"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/foraytest"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/traverse"
)

const rounds = 12

func TestPhase(t *testing.T) {
	foraytest.Compare(t, func(x *traverse.Traversal, _ uint32) *device.Buffer[uint32] { return Phase(x, rounds) },
		func(g *graph.Graph, _ uint32) []uint32 {
			community, err := naive(g)
			if err != nil {
				t.Error(err)
			}
			return community
		})
}

// state is communities with what they weigh, by definition.
type state struct {
	g             *graph.Graph
	community     []uint32
	degree, total []int64
	all           int64
}

func (s *state) edges(v uint32, what func(u uint32, weight int64)) {
	out := s.g.Out()
	for e := out.Offsets[v]; e < out.Offsets[v+1]; e++ {
		what(out.Targets[e], int64(out.Weights[e]*1024))
	}
}

// modularity is Σ (A(v,u) - k(v)k(u)/2m) of the pairs within communities, by 2m, for an undirected graph.
func (s *state) modularity() float64 {
	inside, squares := int64(0), 0.0
	totals := make([]int64, len(s.community))
	for v, c := range s.community {
		totals[c] += s.degree[v]
		s.edges(uint32(v), func(u uint32, w int64) {
			if s.community[u] == c {
				inside += w
			}
		})
	}
	for _, x := range totals {
		squares += float64(x) * float64(x)
	}
	return (float64(inside) - squares/float64(s.all)) / float64(s.all)
}

// choose returns the community that a vertex moves to, of all.
func (s *state) choose(v uint32) uint32 {
	own, links := s.community[v], map[uint32]int64{}
	s.edges(v, func(u uint32, w int64) {
		if u != v {
			links[s.community[u]] += w
		}
	})
	score := func(c uint32) float64 {
		if c == own {
			return float64(links[c]) + .5 - float64(s.degree[v])*float64(s.total[c]-s.degree[v])/float64(s.all)
		}
		return float64(links[c]) - float64(s.degree[v])*float64(s.total[c])/float64(s.all)
	}
	best, most := own, score(own)
	for c := range uint32(len(s.community)) {
		if _, is := links[c]; is && c != own && score(c) > most {
			best, most = c, score(c)
		}
	}
	return best
}

// naive runs the rounds one vertex after the other. In a small graph it checks that each move, for itself, raises the modularity.
func naive(g *graph.Graph) ([]uint32, error) {
	n := g.NumVertices()
	s := &state{g: g, community: make([]uint32, n), degree: make([]int64, n), total: make([]int64, n)}
	for v := range uint32(n) {
		s.community[v] = v
		s.edges(v, func(_ uint32, w int64) { s.degree[v] += w })
		s.total[v] = s.degree[v]
		s.all += s.degree[v]
	}
	for round := 1; round <= rounds; round++ {
		next, want := make([]uint32, n), 0
		for v, own := range s.community {
			next[v] = own
			c := s.choose(uint32(v))
			if c == own {
				continue
			}
			want++
			if (c > own) == (round%2 == 1) {
				next[v] = c
				if err := s.alone(uint32(v), c); err != nil {
					return nil, err
				}
			}
		}
		for v, c := range next {
			s.total[s.community[v]] -= s.degree[v]
			s.total[c] += s.degree[v]
		}
		s.community = next
		if want == 0 {
			break
		}
	}
	return s.community, nil
}

// alone checks that a move raises the modularity if it is the only one.
func (s *state) alone(v, to uint32) error {
	if s.g.Directed() || len(s.community) > 60 {
		return nil
	}
	before, own := s.modularity(), s.community[v]
	s.community[v] = to
	after := s.modularity()
	s.community[v] = own
	if !(after > before-1e-12) || math.IsNaN(after) {
		return fmt.Errorf("moving vertex %d from %d to %d takes the modularity from %v to %v", v, own, to, before, after)
	}
	return nil
}
