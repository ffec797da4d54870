package advance

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// TestPairedBytes: the prepared bytes of a graph include rows of low degree that are laid out with their weights, to
// the byte, and nothing for graphs whose rows aren't.
func TestPairedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(113, 1))
	laid, not, four, more := 0, 0, 0, 0
	for i := range 300 {
		degrees := make([]int, 10+r.IntN(300))
		n := len(degrees)
		most := []int{3, 4, 5, 8, int(tuning.ShortRows), int(tuning.ShortRows) + 1}[r.IntN(6)]
		switch i % 3 {
		case 0:
			for v := range degrees {
				degrees[v] = r.IntN(most + 1)
			}
		case 1: // few edges
			for v := range degrees {
				degrees[v] = r.IntN(r.IntN(most+1) + 1)
			}
		case 2: // four edges a vertex, up to which rows are laid out, or one more
			for v := range degrees {
				degrees[v] = 4
			}
			for range r.IntN(3 * n) {
				if from, to := r.IntN(n), r.IntN(n); degrees[from] > 0 && degrees[to] < most {
					degrees[from]--
					degrees[to]++
				}
			}
			degrees[0] += i % 2
		}
		offsets, targets := []uint64{0}, []uint32{}
		for _, d := range degrees {
			for range d {
				targets = append(targets, uint32(r.IntN(n)))
			}
			offsets = append(offsets, uint64(len(targets)))
		}
		plain, _ := preparedBytes(t, graph.CSR{Offsets: offsets, Targets: targets})
		c := graph.CSR{Offsets: offsets, Targets: targets, Weights: make([]float32, len(targets))}
		if i%2 > 0 {
			c.FloatWeights = make([]float64, len(targets))
		}
		said, g := preparedBytes(t, c)
		p, err := g.On(host.New(2))
		if err != nil {
			t.Fatal(err)
		}
		took := uint64(0)
		if x := (&onHost{Advancer: &Advancer{p: p}}).pairsOf(); x.pay {
			x.narrow.rows.fill(g.Out(), nil, 3)
			took = uint64(cap(x.narrow.rows.blocks)) * uint64(unsafe.Sizeof(x.narrow.rows.blocks[0]))
			if wide := g.Out().FloatWeights; wide != nil {
				x.wide.rows.fill(g.Out(), wide, 3)
				took += uint64(cap(x.wide.rows.ell4))*uint64(unsafe.Sizeof(x.wide.rows.ell4[0])) + uint64(cap(x.wide.rows.eights))*uint64(unsafe.Sizeof(x.wide.rows.eights[0]))
			}
			laid++
			if len(targets) == 4*n {
				four++
			}
		} else {
			not++
			if len(targets) == 4*n+1 && p.State().MaxDegree() <= tuning.ShortRows {
				more++
			}
		}
		if said-plain != took {
			t.Errorf("%d vertices, %d edges, rows of up to %d: %d bytes estimated, %d taken", n, len(targets), p.State().MaxDegree(), said-plain, took)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if laid < 50 || not < 50 || four < 10 || more < 10 {
		t.Errorf("%d graphs were laid out, %d not; %d have four edges a vertex, %d one more", laid, not, four, more)
	}
}

func preparedBytes(t *testing.T, c graph.CSR) (uint64, *graph.Graph) {
	t.Helper()
	g, err := graph.FromCSR(c, graph.CSROptions{Directed: true})
	if err != nil {
		t.Fatal(err)
	}
	return g.State().PreparedBytes(), g
}
