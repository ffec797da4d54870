package random_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/random"
)

// TestVectors compares with the known answers of Random123, the paper's implementation (kat_vectors, philox2x64 10).
func TestVectors(t *testing.T) {
	for _, v := range []struct{ a, b, seed, want uint64 }{
		{0, 0, 0, 0xca00a0459843d731},
		{math.MaxUint64, math.MaxUint64, math.MaxUint64, 0x65b021d60cd8310f},
		{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x0a5e742c2997341c},
	} {
		if got := random.Uint64(v.seed, v.a, v.b); got != v.want {
			t.Errorf("Uint64(%#x, %#x, %#x) = %#x, want %#x", v.seed, v.a, v.b, got, v.want)
		}
	}
}

// streams are counters as programs have them: consecutive in one argument, or spread.
var streams = map[string]func(i uint64) uint64{
	"by a":       func(i uint64) uint64 { return random.Uint64(1, i, 0) },
	"by b":       func(i uint64) uint64 { return random.Uint64(1, 0, i) },
	"by seed":    func(i uint64) uint64 { return random.Uint64(i, 0, 0) },
	"a and b":    func(i uint64) uint64 { return random.Uint64(7, i%997, i/997) },
	"high bits":  func(i uint64) uint64 { return random.Uint64(7, i<<40, i<<52) },
	"difference": func(i uint64) uint64 { return random.Uint64(7, i, 3) ^ random.Uint64(7, i+1, 3) },
}

const draws = 1 << 18

// TestBits counts ones, of each bit, and of each bit together with the next: the counts are within 6 standard deviations
// of a half. A generator with a bit that is set in 51% of the numbers fails.
func TestBits(t *testing.T) {
	for name, draw := range streams {
		var ones, alike [64]int
		for i := range uint64(draws) {
			x := draw(i)
			same := ^(x ^ bits.RotateLeft64(x, 1))
			for j := range 64 {
				ones[j] += int(x >> j & 1)
				alike[j] += int(same >> j & 1)
			}
		}
		most := 6 * math.Sqrt(draws) / 2
		for j := range 64 {
			for what, n := range map[string]int{"set": ones[j], "as the next": alike[j]} {
				if math.Abs(float64(n)-draws/2) > most {
					t.Errorf("%s: bit %d is %s in %d of %d numbers", name, j, what, n, draws)
				}
			}
		}
	}
}

// chi is the statistic of Pearson's test over counts that should be equal, in standard deviations.
func chi(counts []int) float64 {
	n := 0
	for _, c := range counts {
		n += c
	}
	want, sum := float64(n)/float64(len(counts)), 0.0
	for _, c := range counts {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	free := float64(len(counts) - 1)
	return (sum - free) / math.Sqrt(2*free)
}

// TestChi sorts numbers into 256 cells by each byte, by the upper bytes of neighbors, and by Float64 and Below.
func TestChi(t *testing.T) {
	for name, draw := range streams {
		var bytes [8][256]int
		var pairs [256]int
		before := uint64(0)
		for i := range uint64(draws) {
			x := draw(i)
			for j := range bytes {
				bytes[j][x>>(8*j)&255]++
			}
			pairs[x>>60<<4|before>>60]++
			before = x
		}
		for j, counts := range bytes {
			if c := chi(counts[:]); math.Abs(c) > 6 {
				t.Errorf("%s: byte %d is off by %.1f standard deviations", name, j, c)
			}
		}
		if c := chi(pairs[:]); math.Abs(c) > 6 {
			t.Errorf("%s: pairs are off by %.1f standard deviations", name, c)
		}
	}
	var cells, below [1000]int
	for i := range uint64(draws) {
		x := random.Float64(9, i, 1)
		if !(x >= 0 && x < 1) {
			t.Fatalf("Float64 returns %v", x)
		}
		cells[int(x*1000)]++
		below[random.Below(1000, 9, i, 2)]++
	}
	for what, counts := range map[string][]int{"Float64": cells[:], "Below": below[:]} {
		if c := chi(counts); math.Abs(c) > 6 {
			t.Errorf("%s is off by %.1f standard deviations", what, c)
		}
	}
	if random.Below(0, 1, 2, 3) != 0 || random.Below(1, 1, 2, 3) != 0 {
		t.Error("Below 0 or 1 isn't 0")
	}
}

// TestChoose compares with a search from the first edge on, over rows with zeros and with numbers that differ much.
func TestChoose(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 20_000 {
		weights := make([]float64, r.IntN(9))
		kind := r.IntN(4)
		for i := range weights {
			switch r.IntN(4) {
			case 0:
			case 1:
				weights[i] = math.Ldexp(1, r.IntN(2000)-1074)
			default:
				weights[i] = r.Float64()
			}
			if kind == 0 {
				weights[i] = 0
			} else if kind == 1 {
				weights[i] = float64(r.IntN(3)) * math.SmallestNonzeroFloat64
			}
		}
		before := r.IntN(3)
		sums, sum := make([]float64, before), 0.0
		for _, w := range weights {
			sum += w
			sums = append(sums, sum)
		}
		first := uint64(before)
		offsets := []uint64{0, first, uint64(before + len(weights))}
		x := r.Float64()
		if r.IntN(4) == 0 {
			x = []float64{0, 0.5, math.Nextafter(1, 0)}[r.IntN(3)]
		}
		got, ok := random.Choose(offsets, sums, 1, x)
		if sum == 0 {
			if ok {
				t.Fatalf("of %v, %d is chosen", weights, got)
			}
			continue
		}
		want := first
		for sums[want] <= x*sum && sums[want] < sum {
			want++
		}
		if !ok || got != want || weights[got-first] == 0 {
			t.Fatalf("of %v by %v, %d is chosen, not %d", weights, x, got-first, want-first)
		}
	}
}

// TestChooseOften: edges are chosen as often as their weights say.
func TestChooseOften(t *testing.T) {
	weights := []float64{0, 3, 0.5, 0, 1, 7.5, 0}
	var sums []float64
	sum := 0.0
	for _, w := range weights {
		sum += w
		sums = append(sums, sum)
	}
	const n = 200_000
	counts := make([]int, len(weights))
	for i := range uint64(n) {
		e, _ := random.Choose([]uint64{0, uint64(len(sums))}, sums, 0, random.Float64(4, i, 0))
		counts[e]++
	}
	for i, w := range weights {
		p := w / sum
		if math.Abs(float64(counts[i])-n*p) > 6*math.Sqrt(n*p*(1-p)) {
			t.Errorf("weight %v of %v was chosen %d times of %d", w, sum, counts[i], n)
		}
	}
}

func ExampleUint64() {
	const seed = 42
	for walk := range uint64(2) {
		for step := range uint64(2) {
			fmt.Printf("%016x\n", random.Uint64(seed, walk, step))
		}
	}
	// Output:
	// f5f305129c198e00
	// cb8aa4d7e46e6f84
	// 071da5fafb53570a
	// 89ab2726d9cf931d
}

func ExampleFloat64() {
	fmt.Println(random.Float64(42, 0, 0) < 0.25)
	// Output: false
}

func ExampleBelow() {
	fmt.Println(1 + random.Below(6, 42, 0, 1)) // of dice
	// Output: 5
}

func ExampleChoose() {
	offsets := []uint64{0, 3, 3}       // vertex 0 has three edges, vertex 1 none
	sums := []float64{0.5, 0.75, 1.25} // of the weights 0.5, 0.25 and 0.5
	fmt.Println(random.Choose(offsets, sums, 0, 0.5))
	fmt.Println(random.Choose(offsets, sums, 1, 0.5))
	// Output:
	// 1 true
	// 0 false
}
