// This file tests which of several errors is said, weights, and long lines.

package edgelist

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestTextFirstError requires the first of many bad lines, whichever worker finds it.
func TestTextFirstError(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		var b strings.Builder
		first := 0
		for i := 1; i <= 3000; i++ {
			if first > 0 && r.IntN(5) == 0 || i > 2 && r.IntN(1000) == 0 || i == 3000 && first == 0 {
				b.WriteString("1 x\n")
				if first == 0 {
					first = i
				}
			} else {
				fmt.Fprintln(&b, i, r.IntN(100000))
			}
		}
		_, err := collect(t, []byte(b.String()), Options{Workers: 4, chunk: 256, batch: 50})
		var le *lineError
		if !errors.As(err, &le) || le.Line != uint64(first) {
			t.Fatalf("error %v, want one in line %d", err, first)
		}
	}
}

func TestWeightsAsStrconv(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	check := func(s string) {
		x, err := strconv.ParseFloat(s, 64)
		got, ok := parseWeight([]byte(s))
		if ok != (err == nil) || ok && math.Float64bits(got.asFloat()+0) != math.Float64bits(x+0) {
			t.Fatalf("%s: %v %v, want %v %v", s, got, ok, x, err)
		}
		whole, err := strconv.ParseInt(s, 10, 64)
		if ok && got.float != (err != nil) || err == nil && int64(got.bits) != whole {
			t.Fatalf("%s: %v, want the integer %v %v", s, got, whole, err)
		}
	}
	for range 100000 {
		check(strconv.FormatFloat(r.NormFloat64()*math.Pow(10, float64(r.IntN(12)-4)), 'f', r.IntN(14), 64))
		// Halfway between two float32, and just beside it: where rounding twice
		// went wrong.
		a := math.Float32frombits(r.Uint32N(1<<24) + 0x4b000000)
		mid := (float64(a) + float64(math.Nextafter32(a, math.MaxFloat32))) / 2
		check(strconv.FormatFloat(mid, 'f', -1, 64))
		check(strconv.FormatFloat(mid/1024, 'f', -1, 64) + "1")
		check(strconv.FormatFloat(mid/4, 'f', 3, 64) + "0000001")
	}
	for _, s := range []string{"", ".", "-", "+.", "1..2", "1.2.3", "--1", "1e", "1e5", "-0", "0.0", "1e-60", "1e39", "1e309", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9007199254740993", "000000000000000000000001"} {
		check(s)
	}
	for s, want := range map[string]float64{"inf": math.Inf(1), "-Inf": math.Inf(-1), "+infinity": math.Inf(1), "NaN": math.NaN(), "nan": math.NaN()} {
		if w, ok := parseWeight([]byte(s)); !ok || w.asFloat() != want && !(math.IsNaN(want) && math.IsNaN(w.asFloat())) {
			t.Errorf("%s: got %v, %v", s, w, ok)
		}
	}
	for _, s := range []string{"+nan", "nano", "in", "0x1p3", "0X1P3", "1_0", "0xinf"} {
		if _, ok := parseWeight([]byte(s)); ok {
			t.Errorf("%s is taken for a weight", s)
		}
	}
}

func TestLineLimit(t *testing.T) {
	for _, chunk := range []int{1, 7, 64, 1000} {
		for n := 60; n < 70; n++ {
			for _, where := range []int{0, 1, 2, 5} {
				for _, end := range []string{"\n", "", "\n3 4\n"} {
					text := strings.Repeat("1 2\n", where) + "5 6" + strings.Repeat(" ", n-3) + end
					edges, err := collect(t, []byte(text), Options{chunk: chunk, maxLine: 64, Workers: 1})
					var le *lineError
					if n <= 64 && (err != nil || len(edges) != where+1+strings.Count(end, "3")) {
						t.Fatalf("length %d, chunks of %d: %v", n, chunk, err)
					}
					if n > 64 && (!errors.As(err, &le) || le.Line != uint64(where+1)) {
						t.Fatalf("length %d, chunks of %d, line %d: error %v", n, chunk, where+1, err)
					}
				}
			}
		}
	}
}
