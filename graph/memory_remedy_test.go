// This file tests what is said to help where memory doesn't suffice.

package graph

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/text"
)

// TestRemedyIsTrue: what is said to help takes what is said, and less than what is refused.
func TestRemedyIsTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 33))
	seen := map[string]int{}
	for range 20_000 {
		l := load{o: Options{Directed: r.IntN(2) == 0, Reverse: r.IntN(2) == 0, Weights: r.IntN(2) == 0, EdgeIDs: r.IntN(4) == 0,
			KeepDuplicates: r.IntN(2) == 0, DenseIDs: r.IntN(2) == 0, Order: Order(r.IntN(3)), Workers: 1 + r.IntN(64)},
			edges: 1 + r.Uint64()>>(30+r.IntN(34)), table: r.IntN(2) == 0}
		l.items, l.vertices = l.edges, 1+r.Uint64N(2*l.edges)
		m := l.memory()
		need := m.Peak
		if r.IntN(2) == 0 {
			need = m.TwoPass
		}
		held := r.Uint64N(need) * r.Uint64N(2)
		limit := r.Uint64N(need + held)
		given := l.given()
		takes := map[string]uint64{"TwoPass": m.TwoPass, "OrderGiven": given.Peak, "TwoPass with OrderGiven": given.TwoPass, "a Builder": m.Peak, "a Builder with OrderGiven": given.Peak}
		s := l.remedy(need, limit, held)
		switch name, rest, found := strings.Cut(strings.TrimPrefix(s, "even "), " needs "); {
		case !found:
			if !strings.HasPrefix(s, "neither TwoPass nor OrderGiven makes it less") || min(given.Peak, given.TwoPass, m.Peak, m.TwoPass) < need {
				t.Fatalf("%+v, need %d, limit %d, held %d: %s; %v", l, need, limit, held, s, takes)
			}
			seen["neither"]++
		default:
			bytes, known := takes[name]
			even := strings.HasPrefix(s, "even ")
			if !known || !strings.HasPrefix(rest, text.Bytes(bytes+held)) || bytes >= need || even != (bytes+held > limit) {
				t.Fatalf("%+v, need %d, limit %d, held %d: %s; %v", l, need, limit, held, s, takes)
			}
			seen[fmt.Sprint(even, name)]++
		}
	}
	if len(seen) < 6 {
		t.Errorf("few remedies: %v", seen)
	}
	// 8.6 billion edges, of which one pass takes less than two.
	l := load{o: Options{Weights: true, EdgeIDs: true, Order: OrderGiven}, edges: 1 << 33, items: 1 << 33, vertices: 1 << 26}
	if m := l.memory(); m.TwoPass > m.Peak && strings.Contains(l.remedy(m.Peak, 1<<20, 0), "even TwoPass") {
		t.Errorf("%s, where one pass takes %s", l.remedy(m.Peak, 1<<20, 0), text.Bytes(m.Peak))
	}
}
