package bench

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

func timed(graph, algorithm string, times map[string][]float64) *Report {
	r := Result{Algorithm: algorithm}
	for id, ms := range times {
		r.Sources = append(r.Sources, Source{ID: id, MS: ms})
	}
	return &Report{Graph: Graph{Name: graph}, Results: []Result{r}}
}

// TestCompare: times are paired by graph, algorithm and source, in any order.
func TestCompare(t *testing.T) {
	a, b := map[string][]float64{"gone": {7}}, map[string][]float64{"come": {1}}
	for i := range 6 {
		id, x := string(rune('1'+i)), float64(i+1)
		a[id], b[id] = []float64{9 * x, x, 2 * x}, []float64{4 * x, x, 90 * x, 4 * x} // medians of 2x and 4x
	}
	old, new := []*Report{timed("a", "bfs", a), timed("only old", "bfs", nil)}, []*Report{timed("only new", "bfs", nil), timed("a", "bfs", b)}
	all, missing, err := Compare(old, new)
	if err != nil || len(all) != 1 || strings.Join(missing, "; ") != "only new, bfs; only old, bfs" {
		t.Fatalf("%+v, %q, %v", all, missing, err)
	}
	if c := all[0]; c.Ratio != 2 || c.Low != 2 || c.High != 2 || c.Pairs != 6 || c.OldMS != 7 || c.NewMS != 14 || !c.Enough() || !c.Slower(.5) || c.Slower(1) {
		t.Errorf("%+v", c)
	}
	for _, c := range [][2][]*Report{{nil, nil}, {old, nil}, {old, append(new, new[1])}, {old[:1], {timed("a", "dobfs", nil)}}, {old[:1], {timed("a", "bfs", map[string][]float64{"9": {1}})}}} {
		if _, _, err := Compare(c[0], c[1]); !errors.Is(err, ErrReport) {
			t.Errorf("%v", err)
		}
	}
}

// TestMedianBounds: the bounds contain the true median in 95% of cases at least, and are no wider than they need be.
func TestMedianBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, n := range []int{1, 2, 5, 6, 7, 20, 48, 301, 1500} {
		in, narrow := 0, true
		const rounds = 2000
		for range rounds {
			x := make([]float64, n)
			for i := range x {
				x[i] = r.ExpFloat64()
			}
			m, low, high := medianBounds(x)
			if m < low || m > high {
				t.Fatalf("%d values: median %v, bounds %v and %v", n, m, low, high)
			}
			if low <= math.Ln2 && math.Ln2 <= high {
				in++
			}
			narrow = narrow && !math.IsInf(high, 1)
		}
		if narrow != (n >= 6) || in < rounds*94/100 || n >= 20 && in > rounds*98/100 {
			t.Errorf("%d values: the bounds contain the median %d times of %d, bounded %t", n, in, rounds, narrow)
		}
	}
}

// TestShiftBounds: the bounds contain the true ratio of two samples in 95% of cases at least, where there are enough.
func TestShiftBounds(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(3, 10))
	for _, n := range [][2]int{{1, 9}, {3, 3}, {3, 4}, {4, 4}, {3, 5}, {7, 5}, {20, 9}, {41, 50}} {
		in, narrow := 0, true
		const rounds, ratio = 2000, 1.5
		for range rounds {
			x, y := make([]float64, n[0]), make([]float64, n[1])
			for i := range x {
				x[i] = math.Exp(r.NormFloat64() / 9)
			}
			for i := range y {
				y[i] = ratio * math.Exp(r.NormFloat64()/9)
			}
			m, low, high := shiftBounds(x, y)
			if m < low || m > high {
				t.Fatalf("%v values: ratio %v, bounds %v and %v", n, m, low, high)
			}
			if low <= ratio && ratio <= high {
				in++
			}
			narrow = narrow && !math.IsInf(high, 1)
		}
		if want := n[0] > 3 && n[1] > 3 || n[0]+n[1] == 8 && n[0] == 3; narrow != want || in < rounds*94/100 || n[0] >= 20 && in > rounds*98/100 {
			t.Errorf("%v values: the bounds contain the ratio %d times of %d, bounded %t", n, in, rounds, narrow)
		}
	}
}

// TestReadJSON reads what WriteJSON writes, and refuses everything else.
func TestReadJSON(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, []*Report{timed("a", "bfs", map[string][]float64{"1": {1.5}})}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadJSON(&b)
	if err != nil || len(got) != 1 || got[0].Results[0].Sources[0].MS[0] != 1.5 {
		t.Errorf("%+v, %v", got, err)
	}
	for text, says := range map[string]string{
		"": "it is empty", "[": "its end is missing", "x": "it is no JSON", "{}": "is an object, where a list belongs", "[1]": "is a number, where an object belongs",
		`[{"graph":{"name":"a"},"results":[{"sources":[{"ms":"x"}]}]}]`: `the member "results.sources.ms" is a string, where a list belongs`,
	} {
		_, err := ReadJSON(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "json") || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
	for _, text := range []string{"", "{}", "[null]", "[{}]", "[] []", "[1]", `[{"graph":{"name":"a"},"results":[{"sources":[{"ms":[0]}]}]}]`, `[{"graph":{"name":"a"},"results":[{"sources":[{"ms":[-1]}]}]}]`, "[" + strings.Repeat("[", 100)} {
		if _, err := ReadJSON(strings.NewReader(text)); !errors.Is(err, ErrReport) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}
