package graph

import (
	"context"
	"math/rand/v2"
	"testing"
)

// FuzzBuild compares tiny graphs with the definition: the first bytes choose
// the options and the kind of ids, the others are edges of three bytes.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 2, 3, 2, 1, 4, 1, 1, 0})
	f.Add([]byte{95, 2, 7, 1, 2, 3, 1, 2, 3, 1, 2, 5})
	f.Add([]byte{50, 13, 1, 0, 0, 0})
	f.Add([]byte{21, 4, 3, 9, 200, 1, 200, 9, 7})
	sets := optionSets()
	weights := []float32{0, 1, -1, 3}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 6 {
			return
		}
		o, k := sets[int(data[0])%len(sets)], kinds[int(data[1])%len(kinds)]
		o.Workers, o.EdgeIDs = 1+int(data[2]%8), data[2]&8 != 0
		var edges []testEdge
		for i := 3; i+3 <= len(data); i += 3 {
			edges = append(edges, testEdge{k.nth(data[i]), k.nth(data[i+1]), weights[data[i+2]%4], uint64(data[i+2] / 4)})
		}
		want := k.naive(o, edges)
		b := NewBuilder(o)
		r := rand.New(rand.NewPCG(uint64(data[0]), uint64(len(data))))
		k.add(t, r, edges, o.Weights, b.Add)
		g, err := b.Build(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		k.check(t, g, want, o)
		if g, err = k.twoPass(t, r, o, edges); err != nil {
			t.Fatal(err)
		}
		k.check(t, g, want, o)
	})
}

// nth returns the id that a byte stands for.
func (k kind) nth(x byte) int64 { return k.id(rand.New(rand.NewPCG(uint64(x), 1)), 200) }
