// This file holds the tests of Matrix Market and DIMACS files, against a
// definition line by line.

package edgelist

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// naiveMatrix parses a Matrix Market or DIMACS file whose fields are separated
// by spaces and tabs. ok is false where it is no such file.
func naiveMatrix(text string, o Options) (edges []edge, ok bool) {
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	comment, ids, values := "%", 0, 0
	if o.Format == "gr" {
		comment = "c"
	}
	mirrored, sign := false, 1.0
	var lines [][]string
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSuffix(l, "\r")
		start := strings.TrimLeft(l, " \t")
		f := strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '\t' })
		if i == 0 && o.Format == "mtx" {
			for j := range f {
				f[j] = strings.ToLower(f[j])
			}
			if len(f) != 5 || f[0] != "%%matrixmarket" || f[1] != "matrix" || f[2] != "coordinate" {
				return nil, false
			}
			values, ok = map[string]int{"pattern": 0, "integer": 1, "real": 1, "double": 1, "complex": 2}[f[3]]
			if !ok || o.Graph.Weights && values == 2 {
				return nil, false
			}
			mirrored, ok = map[string]bool{"general": false, "symmetric": true, "hermitian": true, "skew-symmetric": true}[f[4]]
			if !ok || f[4] == "skew-symmetric" && o.Graph.Weights && values > 0 && !o.Graph.Directed {
				return nil, false
			}
			if f[4] == "skew-symmetric" && values > 0 {
				sign = -1
			}
			continue
		}
		if start != "" && start[:1] != comment {
			lines = append(lines, f)
		}
	}
	number := func(s string, most int) (int, bool) {
		x, err := strconv.ParseUint(s, 10, 63)
		return int(x), err == nil && s[0] != '+' && (most < 0 || x >= 1 && int(x) <= most)
	}
	if len(lines) == 0 {
		return nil, false
	}
	head := lines[0]
	if o.Format == "gr" {
		if len(head) != 4 || head[0] != "p" || head[1] != "sp" {
			return nil, false
		}
		head = []string{head[2], head[2], head[3]}
		ids, values = 1, 1
	}
	if len(head) != 3 || head[0] != head[1] && strings.TrimLeft(head[0], "0") != strings.TrimLeft(head[1], "0") {
		return nil, false
	}
	n, ok1 := number(head[0], -1)
	m, ok2 := number(head[2], -1)
	if !ok1 || !ok2 || m != len(lines)-1 || n > cmp.Or(int(o.MaxVertices), 1<<24)+64*m || n > 1<<32-1 {
		return nil, false
	}
	for _, f := range lines[1:] {
		if len(f) != ids+2+values || ids == 1 && f[0] != "a" {
			return nil, false
		}
		u, ok1 := number(f[ids], n)
		v, ok2 := number(f[ids+1], n)
		if !ok1 || !ok2 {
			return nil, false
		}
		if strings.ContainsFunc(strings.Join(f, ""), func(r rune) bool { return r < ' ' }) {
			return nil, false
		}
		e := edge{u: fmt.Sprint(u), v: fmt.Sprint(v)}
		if o.Graph.Weights && values == 0 {
			e.w = 1
		} else if o.Graph.Weights {
			x, err := strconv.ParseFloat(f[ids+2], 64)
			if err != nil || !reWeight.MatchString(f[ids+2]) {
				return nil, false
			}
			e.w = x
		}
		edges = append(edges, e)
		if mirrored && o.Graph.Directed && u != v {
			edges = append(edges, edge{e.v, e.u, sign*e.w + 0})
		}
	}
	return edges, true
}

func matrixSameAsNaive(t testing.TB, text string, o Options) bool {
	t.Helper()
	want, ok := naiveMatrix(text, o)
	got, err := collect(t, []byte(text), o)
	if ok != (err == nil) {
		t.Fatalf("%+v\n%q\nerror %v, want one: %v", o, text, err, !ok)
	}
	if ok {
		if err := sameEdges(got, want, o.Workers); err != nil {
			t.Fatalf("%+v\n%q\n%v", o, text, err)
		}
	}
	return ok
}

// randomMatrix writes a random file, valid except for the changes of mutate.
func randomMatrix(r *rand.Rand, gr bool) string {
	end := []string{"\n", "\r\n"}[r.IntN(2)]
	blank := func() string { return []string{" ", " ", "\t", "  "}[r.IntN(4)] }
	n, m := 1+r.IntN(30), r.IntN(40)
	var b strings.Builder
	values, comment := 1, "%"
	if gr {
		comment = "c"
		fmt.Fprintf(&b, "c hello%sp sp %d %d%s", end, n, m, end)
	} else {
		field := r.IntN(5)
		values = []int{0, 1, 1, 1, 2}[field]
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate %s %s%s", []string{"pattern", "integer", "Real", "double", "complex"}[field],
			[]string{"general", "symmetric", "skew-symmetric", "Hermitian"}[r.IntN(4)], end)
		fmt.Fprintf(&b, "%% hello%s%d %d %d%s", end, n, n, m, end)
	}
	for range m {
		if r.IntN(5) == 0 {
			b.WriteString(comment + " x" + end)
		}
		if r.IntN(9) == 0 {
			b.WriteString(end)
		}
		if gr {
			b.WriteString("a" + blank())
		}
		b.WriteString(strconv.Itoa(1+r.IntN(n)) + blank() + strconv.Itoa(1+r.IntN(n)))
		for range values {
			b.WriteString(blank() + []string{"1", "-2", "0.5", "1e3", "0"}[r.IntN(5)])
		}
		if r.IntN(5) == 0 {
			b.WriteString(" ")
		}
		b.WriteString(end)
	}
	if r.IntN(3) == 0 {
		return strings.TrimRight(b.String(), "\r\n")
	}
	return b.String()
}

func TestMatrixVariations(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	right := 0
	for i := range 4000 {
		o := Options{Format: "mtx", Workers: 1 + r.IntN(3), chunk: 1 + r.IntN(60), batch: 1 + r.IntN(20)}
		if i%2 == 1 {
			o.Format = "gr"
		}
		o.Graph.Directed, o.MaxVertices = r.IntN(2) == 0, 5000
		o.Graph.Weights = r.IntN(2) == 0
		b := []byte(randomMatrix(r, i%2 == 1))
		if i%4 > 1 {
			for range 1 + r.IntN(2) {
				b[r.IntN(len(b))] = "0 \t-+\na\r91pc%."[r.IntN(14)]
			}
		}
		if matrixSameAsNaive(t, string(b), o) {
			right++
		}
	}
	if right < 1500 {
		t.Errorf("only %d of 4000 files could be read", right)
	}
}

func TestMatrixMessages(t *testing.T) {
	const mtx, gr = "mtx", "gr"
	head := banner + " matrix coordinate "
	weights := graph.Options{Weights: true}
	for _, c := range []struct {
		format string
		g      graph.Options
		text   string
		want   string
		is     error
	}{
		{mtx, weights, "", `input: edgelist: truncated input: there is no banner %%MatrixMarket matrix coordinate FIELD SYMMETRY; check what wrote it`, ErrDamaged},
		{mtx, weights, "1 2\n", `input:1: want a banner %%MatrixMarket matrix coordinate FIELD SYMMETRY, found "1 2"`, ErrFormat},
		{mtx, weights, banner + " matrix array real general\n2 2\n", `input:1: the matrix is dense (array); write it as coordinate`, ErrFormat},
		{mtx, weights, banner + " matrix ellpack real general\n", `input:1: unknown matrix format "ellpack"; want coordinate`, ErrFormat},
		{mtx, weights, banner + " vector coordinate real general\n", `input:1: the object is "vector"; only a matrix is a graph`, ErrFormat},
		{mtx, weights, head + "quaternion general\n", `input:1: unknown field "quaternion"; want pattern, integer, real or complex`, ErrFormat},
		{mtx, weights, head + "real odd\n", `input:1: unknown symmetry "odd"; want general, symmetric, skew-symmetric or hermitian`, ErrFormat},
		{mtx, graph.Options{}, head + "real general\n4294967296 4294967296 67108864\n", `input: the head declares 67108864 entries, but there are 0; it may be truncated`, errCount},
		{mtx, graph.Options{}, head + "real general\n16777281 16777281 1\n", `input:2: the head declares 16777281 vertices, where 16777280 are taken without a doubt with so few entries; if it is right, raise the limit, Options.MaxVertices`, device.ErrMemory},
		{mtx, graph.Options{DenseIDs: true, Vertices: 4}, head + "real general\n3 3 0\n", `input:2: the head declares 3 vertices, Options.Graph.Vertices asks for 4; leave it 0`, graph.ErrOptions},
		{gr, weights, "p sp 4000000000 5\n", `input:1: the head declares 4000000000 vertices, where 16777536 are taken without a doubt with so few entries; if it is right, raise the limit, Options.MaxVertices`, device.ErrMemory},
		{mtx, weights, head + "complex general\n", `input:1: weights are wanted, but the matrix has complex values`, graph.ErrWeights},
		{mtx, weights, head + "real skew-symmetric\n", `input:1: weights are wanted, but those of a skew-symmetric matrix depend on the direction; set Options.Graph.Directed`, graph.ErrWeights},
		{mtx, weights, head + "real general\n%\n", `input: there is no line of sizes`, errTruncated},
		{mtx, weights, head + "real general\n%\n1 2\n", `input:3: want rows, columns and entries, found "1 2"`, ErrSyntax},
		{mtx, weights, head + "real general\n2 3 4\n", `input:2: the matrix has 2 rows and 3 columns; only a square one is a graph`, ErrFormat},
		{mtx, weights, head + "real general\n2 2 2\n1 1 1\n", `input: the head declares 2 entries, but there are 1; it may be truncated`, errCount},
		{mtx, weights, head + "real general\n2 2 0\n1 1 1\n", `input: the head declares 0 entries, but there are 1; correct the number`, errCount},
		{mtx, weights, head + "real general\n2 2 1\n1 3 1\n", `input:3: id "3" isn't one of 1 to 2, as the head declares`, graph.ErrIDRange},
		{mtx, weights, head + "real general\n2 2 1\n0 1 1\n", `input:3: id "0" isn't one of 1 to 2, as the head declares`, graph.ErrIDRange},
		{mtx, weights, head + "real general\n2 2 1\n1 2\n", `input:3: want row, column and value, found "1 2"`, ErrSyntax},
		{mtx, weights, head + "real general\n2 2 1\n1 x 3\n", `input:3: want an id, found "x"`, ErrSyntax},
		{mtx, weights, head + "real general\n2 2 1\n1 2 x\n", `input:3: want row, column and value, found "1 2 x"`, ErrSyntax},
		{mtx, graph.Options{}, head + "complex general\n2 2 1\n1 2 1\n", `input:3: want row, column and two values, found "1 2 1"`, ErrSyntax},
		{gr, weights, "c x\n", `input: edgelist: truncated input: there is no line p sp VERTICES ARCS; check what wrote it`, ErrDamaged},
		{gr, weights, "c x\na 1 2 3\n", `input:2: want a line p sp VERTICES ARCS before any other, found "a 1 2 3"`, ErrFormat},
		{gr, weights, "p max 1 2\n", `input:1: only shortest-path problems (p sp) are read, found "p max 1 2"`, ErrFormat},
		{gr, weights, "p sp 1\n", `input:1: want p sp VERTICES ARCS, found "p sp 1"`, ErrSyntax},
		{gr, weights, "p sp 2 1\r\na 1 2\r\n", `input:2: want a FROM TO WEIGHT, found "a 1 2"`, ErrSyntax},
		{gr, weights, "p sp 2 1\ne 1 2 3\n", `input:2: want a FROM TO WEIGHT, found "e 1 2 3"`, ErrSyntax},
		{gr, weights, "p sp 2 1\na 1 99 3\n", `input:2: id "99" isn't one of 1 to 2, as the head declares`, graph.ErrIDRange},
		{gr, weights, "p sp 2 3\na 1 2 3\n", `input: the head declares 3 arcs, but there are 1; it may be truncated`, errCount},
	} {
		_, err := collect(t, []byte(c.text), Options{Format: c.format, Graph: c.g})
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("%q: error\n  %v, want\n  %v", c.text, err, c.want)
		}
	}
}

// TestBanner wants a Matrix Market file to be known whatever its name, unless
// text is asked for.
func TestBanner(t *testing.T) {
	text := banner + " matrix coordinate pattern symmetric\n5 5 1\n2 3\n"
	for _, c := range []struct {
		f    string
		want []edge
	}{
		{"", []edge{{"2", "3", 0}}},
		{"text", []edge{{"5", "5", 0}, {"2", "3", 0}}},
	} {
		for _, chunk := range []int{1, 5, 100} {
			got, err := collect(t, []byte(text), Options{Format: c.f, Workers: 1, chunk: chunk})
			if err != nil {
				t.Fatal(err)
			}
			if err := sameEdges(got, c.want, 1); err != nil {
				t.Error(c.f, err)
			}
		}
	}
}
