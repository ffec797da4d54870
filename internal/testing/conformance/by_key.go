// This file tests keyed reduces, against maps.

package conformance

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/functors/keyed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/reduce"
	"github.com/foray-graph/foray/traverse"
)

// ByKey tests keyed reduces of every type and reduction, with and without Score, in both directions.
func (s Suite) ByKey(t *testing.T) {
	for i, c := range s.cases() {
		if s.Small && i%3 != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { s.byKey(t, c.Weighted(191), uint64(i)) })
	}
	long, lengths := 100_000, uint32(1)
	if s.Small {
		long, lengths = 400, 61
	}
	var es []testgraph.Edge
	for i := range uint32(long) { // two hubs, one of which has many neighbors, with others as often as there are edges
		es = append(es, testgraph.Edge{From: 0, To: 1 + i}, testgraph.Edge{From: 1, To: i % 40})
	}
	for d := uint32(0); d < 300; d += lengths { // rows of all lengths
		for i := range d {
			es = append(es, testgraph.Edge{From: 50 + d, To: 50 + i*i%307})
		}
	}
	t.Run("lengths", func(t *testing.T) { // a GPU takes the long rows in several batches
		edges := tuning.KeyedEdges
		tuning.KeyedEdges = 300
		defer func() { tuning.KeyedEdges = edges }()
		s.byKey(t, testgraph.BuildWeighted(long+1, es, testgraph.WithReverse, 5), 7)
	})
	t.Run("memory", func(t *testing.T) { s.byKeyInMemory(t, testgraph.BuildWeighted(long+1, es, testgraph.WithReverse, 5)) })
}

// byKeyInMemory compares the memory of keyed reduces with what was foretold, and has allocations fail.
func (s Suite) byKeyInMemory(t *testing.T, g *graph.Graph) {
	dev, ok := s.Device.(*gpu.Device)
	if !ok {
		return
	}
	used, edges := s.used(), tuning.KeyedEdges
	defer func() { tuning.KeyedEdges = edges }()
	for _, tuning.KeyedEdges = range []uint64{edges, 300} {
		for at := range 30 { // 0: none fails
			p, err := g.On(s.Device)
			if err != nil {
				t.Fatal(err)
			}
			k := &keyCase{t: t, p: p, r: rand.New(rand.NewPCG(uint64(at), 9)), in: at%2 == 0, kind: keyKinds[1], some: at%4 > 1}
			arrays := []int{4, 8, 8}
			foretold := traverse.Memory{Arrays: arrays, Keyed: 1}.Bytes(p) + 4*g.NumDirectedEdges() // and weights
			keyed := traverse.Memory{Arrays: arrays, Keyed: 1}.Bytes(p) - traverse.Memory{Arrays: arrays}.Bytes(p)
			before := used()
			dev.Context().FailAlloc(at)
			err = k.run(keySums[int64])
			dev.Context().FailAlloc(0)
			if took := used() - before; took > foretold {
				t.Errorf("it takes %d bytes, and %d were foretold", took, foretold)
			} else if at == 0 && keyed > 2*took {
				t.Errorf("it takes %d bytes in all, and %d were foretold of the keyed reduce", took, keyed)
			}
			if err != nil && (at == 0 || !errors.Is(err, device.ErrMemory)) {
				t.Errorf("allocation %d: %v", at, err)
			}
			if err != nil {
				if err := k.run(keySums[int64]); err != nil {
					t.Errorf("after allocation %d failed: %v", at, err)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func (s Suite) byKey(t *testing.T, g *graph.Graph, seed uint64) {
	if g.NumVertices() == 0 {
		return
	}
	p, err := g.On(s.Device)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r := rand.New(rand.NewPCG(seed, 3))
	for _, in := range []bool{false, true} {
		if in && !g.HasReverse() {
			continue
		}
		for i, kind := range keyKinds {
			k := &keyCase{t: t, p: p, r: r, in: in, kind: kind, some: (seed+uint64(i))%3 == 0}
			all := []func(*keyCase) error{
				keyBest[int32], keyBest[uint32], keyBest[int64], keyBest[uint64], keyBest[float32], keyBest[float64],
				keySums[int32], keySums[uint32], keySums[int64], keySums[uint64], keySums[float32], keySums[float64],
				keyLeast[int32], keyLeast[float32], keyLeast[float64], keyMost[uint32], keyMost[int64], keyMost[float64], keyUnions[int32], keyUnions[uint64], keyGuarded,
			}
			for j, test := range all {
				if s.Small && j+1 < len(all) && (j+3*i+int(seed))%9 != 0 {
					continue
				}
				if err := k.run(test); err != nil {
					t.Fatalf("over in-edges %t, %s, functor %d, some vertices %t: %v", in, kind.name, j, k.some, err)
				}
			}
		}
	}
}

// keyKinds are ways to label vertices.
var keyKinds = []struct {
	name  string
	label func(r *rand.Rand, v int) uint32
}{
	{"one label", func(*rand.Rand, int) uint32 { return 0 }},
	{"few labels", func(r *rand.Rand, _ int) uint32 { return r.Uint32N(5) }},
	{"own labels", func(_ *rand.Rand, v int) uint32 { return uint32(v) }},
	{"equal low bits", func(_ *rand.Rand, v int) uint32 { return uint32(v) << 14 &^ keyed.Mask }},
	{"edges without a key", func(r *rand.Rand, v int) uint32 { return uint32(v%9) | keyed.Mask*r.Uint32N(2) }},
}

// keyCase is a graph with labels, and what is reduced.
type keyCase struct {
	t    *testing.T
	p    *graph.Placed
	r    *rand.Rand
	in   bool
	some bool // not all vertices
	kind struct {
		name  string
		label func(r *rand.Rand, v int) uint32
	}
	x     *traverse.Traversal
	label []uint32
	of    []uint32 // vertices
}

func (k *keyCase) run(test func(*keyCase) error) error {
	n := k.p.NumVertices()
	k.label, k.of = make([]uint32, n), nil
	for v := range k.label {
		k.label[v] = k.kind.label(k.r, v)
		if !k.some || k.r.IntN(3) > 0 {
			k.of = append(k.of, uint32(v))
		}
	}
	k.x = traverse.New(k.t.Context(), k.p)
	return errors.Join(test(k), k.x.Close())
}

// do runs a step over the vertices.
func (k *keyCase) do(s operators.Step) {
	f := k.x.All()
	if k.some {
		f = k.x.From(k.of...)
	}
	k.x.Next(f)
	before := f.Len()
	k.x.Do(f, s)
	if k.x.Err() == nil && f.Len() != before {
		k.t.Errorf("the frontier has %d vertices, had %d", f.Len(), before)
	}
}

// rows calls what for each edge of a vertex, in order.
func (k *keyCase) row(v uint32, what func(source, target uint32, weight float32)) {
	rows := k.p.Graph().Out()
	if k.in {
		rows = k.p.Graph().In()
	}
	for e := rows.Offsets[v]; e < rows.Offsets[v+1]; e++ {
		w := float32(1)
		if rows.Weights != nil {
			w = rows.Weights[e]
		}
		if k.in {
			what(rows.Targets[e], v, w)
		} else {
			what(v, rows.Targets[e], w)
		}
	}
}

// worths are random values.
func worths[T keyed.Number](k *keyCase) []T {
	all := make([]T, k.p.NumVertices())
	for v := range all {
		x := k.r.Float64() * 1000
		if T(1)/2 != 0 { // floats of all sizes: sums depend on their order
			x *= math.Exp2(float64(k.r.IntN(40) - 20))
			if k.r.IntN(2) == 0 {
				x = -x
			}
		}
		all[v] = T(x)
	}
	return all
}

// totals returns the totals of a vertex's keys, by definition.
func totals[T keyed.Number](k *keyCase, v uint32, zero T, join func(total T, source, target uint32, weight float32) T) map[uint32]T {
	all := map[uint32]T{}
	k.row(v, func(source, target uint32, weight float32) {
		key := keyed.Key(k.label[source], k.label[target])
		if key == reduce.NoKey {
			return
		}
		if _, is := all[key]; !is {
			all[key] = zero
		}
		all[key] = join(all[key], source, target, weight)
	})
	return all
}

// chosen is the key of the greatest score.
func chosen[T keyed.Number](all map[uint32]T, score func(key uint32, total T) float64) (uint32, float64) {
	best, most := uint32(reduce.NoKey), math.Inf(-1)
	for key, total := range all {
		if s := score(key, total); s > most || s == most && key < best {
			best, most = key, s
		}
	}
	return best, most
}

func keyStep[T device.Elem, V operators.Number](k *keyCase, f reduce.KeyFunctor[T, V], into *operators.Scalar[V]) operators.Step {
	if k.in {
		return reduce.InByKey(f, into)
	}
	return reduce.OutByKey(f, into)
}

func keyBest[T keyed.Number](k *keyCase) error {
	worth, sign := worths[T](k), float64(1-2*k.r.IntN(2))
	chose, value := traverse.Array[uint32](k.x, 0), traverse.Array[float64](k.x, 0)
	sum := traverse.Scalar[float64](k.x, operators.Sum)
	k.do(keyStep(k, keyed.NewBest(traverse.FromSlice(k.x, k.label), traverse.FromSlice(k.x, worth), chose, value, sign), sum))
	keys, scores, want := make([]uint32, len(worth)), make([]float64, len(worth)), 0.0
	for _, v := range k.of {
		all := totals(k, v, 0, func(t T, source, target uint32, w float32) T { return t + (worth[source] + 3*worth[target] + T(w)) })
		keys[v], scores[v] = chosen(all, func(key uint32, total T) float64 {
			if key%7 == 3 {
				return math.NaN()
			}
			return sign * float64(total)
		})
		want += float64(keys[v]%16) + .25
	}
	var err error
	if got := traverse.Get(k.x, sum); got != want {
		err = fmt.Errorf("the scalar is %v, want %v", got, want)
	}
	return errors.Join(equal(k.x, chose, keys), equal(k.x, value, scores), err)
}

func keyLeast[T int32 | float32 | float64](k *keyCase) error {
	worth := worths[T](k)
	chose, value := traverse.Array[uint32](k.x, 0), traverse.Array[float64](k.x, 0)
	k.do(keyStep(k, keyed.NewLeast(traverse.FromSlice(k.x, k.label), traverse.FromSlice(k.x, worth), chose, value), nil))
	keys, scores := make([]uint32, len(worth)), make([]float64, len(worth))
	for _, v := range k.of {
		keys[v], scores[v] = chosen(minima(k, v, worth), func(_ uint32, total T) float64 { return float64(total) })
	}
	return errors.Join(equal(k.x, chose, keys), equal(k.x, value, scores))
}

// minima are the least values of a vertex's keys.
func minima[T keyed.Number](k *keyCase, v uint32, worth []T) map[uint32]T {
	met := map[uint32]bool{}
	return totals(k, v, 0, func(t T, source, target uint32, w float32) T {
		key, x := keyed.Key(k.label[source], k.label[target]), worth[source]+3*worth[target]+T(w)
		if met[key] {
			x = min(x, t)
		}
		met[key] = true
		return x
	})
}

// keyGuarded has a Gather that would fault along edges without a key.
func keyGuarded(k *keyCase) error {
	n := len(k.label)
	short := make([]int64, (n+3)/4)
	for i := range short {
		short[i] = k.r.Int64N(1000)
	}
	sum := traverse.Array[int64](k.x, 0)
	k.do(keyStep(k, keyed.NewGuarded(traverse.FromSlice(k.x, k.label), traverse.FromSlice(k.x, short), sum), nil))
	want := make([]int64, n)
	for _, v := range k.of {
		k.row(v, func(_, target uint32, _ float32) {
			if int(target>>1) < len(short) {
				want[v] += short[target>>1] * int64(k.label[target]%4+1)
			}
		})
	}
	return equal(k.x, sum, want)
}

func keySums[T keyed.Number](k *keyCase) error {
	worth, mixed := worths[T](k), traverse.Array[uint64](k.x, 0)
	count := traverse.Scalar[uint64](k.x, operators.Sum)
	k.do(keyStep(k, keyed.NewSums(traverse.FromSlice(k.x, k.label), traverse.FromSlice(k.x, worth), mixed), count))
	want, pairs := make([]uint64, len(worth)), uint64(0)
	for _, v := range k.of {
		for key, total := range totals(k, v, 0, func(t T, source, target uint32, w float32) T { return t + (worth[source] + 3*worth[target] + T(w)) }) {
			want[v] += keyed.Digest(key, math.Float64bits(float64(total)))
			pairs++
		}
	}
	var err error
	if got := traverse.Get(k.x, count); got != pairs {
		err = fmt.Errorf("the scalar is %v, want %v", got, pairs)
	}
	return errors.Join(equal(k.x, mixed, want), err)
}

func keyMost[T uint32 | int64 | float64](k *keyCase) error {
	worth, mixed := worths[T](k), traverse.Array[uint64](k.x, 0)
	most := traverse.Scalar[float64](k.x, operators.Max)
	k.do(keyStep(k, keyed.NewMost(traverse.FromSlice(k.x, k.label), traverse.FromSlice(k.x, worth), mixed), most))
	want, top := make([]uint64, len(worth)), math.Inf(-1)
	for _, v := range k.of {
		met := map[uint32]bool{}
		for key, total := range totals(k, v, 0, func(t T, source, target uint32, w float32) T {
			key, x := keyed.Key(k.label[source], k.label[target]), worth[source]+3*worth[target]+T(w)
			if met[key] {
				x = max(x, t)
			}
			met[key] = true
			return x
		}) {
			want[v] += keyed.Digest(key, math.Float64bits(float64(total)))
			top = max(top, float64(total))
		}
	}
	var err error
	if got := traverse.Get(k.x, most); got != top {
		err = fmt.Errorf("the scalar is %v, want %v", got, top)
	}
	return errors.Join(equal(k.x, mixed, want), err)
}

func keyUnions[T int32 | uint64](k *keyCase) error {
	worth, mixed := worths[T](k), traverse.Array[uint64](k.x, 0)
	count := traverse.Scalar[int64](k.x, operators.Sum)
	k.do(keyStep[T, uint64](k, keyed.NewUnions[T](traverse.FromSlice(k.x, k.label), traverse.FromSlice(k.x, worth), mixed, count), nil))
	want, pairs := make([]uint64, len(worth)), int64(0)
	for _, v := range k.of {
		for key, total := range totals(k, v, 0, func(t T, source, target uint32, _ float32) T { return t | (worth[source] ^ worth[target]<<3) }) {
			want[v] += keyed.Digest(key, uint64(total))
			pairs++
		}
	}
	var err error
	if got := traverse.Get(k.x, count); got != pairs {
		err = fmt.Errorf("the accumulator is %v, want %v", got, pairs)
	}
	return errors.Join(equal(k.x, mixed, want), err)
}
