package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// rowsWithKinds returns the sorted rows of CSV in which ids have their kinds before them, as one string: the columns
// of kinds are put before the ids and left out.
func rowsWithKinds(t *testing.T, data string) []string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for n, r := range records {
		var row []string
		for i, name := range records[0] {
			if name == "kind" || strings.HasSuffix(name, "_kind") {
				continue
			}
			of := name + "_kind"
			if name == "vertex" {
				of = "kind"
			}
			x := r[i]
			if k := slices.Index(records[0], of); k >= 0 && n > 0 && r[k] != "" {
				ids, kinds := strings.Split(x, ";"), strings.Split(r[k], ";")
				for j := range ids {
					ids[j] = kinds[j] + ":" + ids[j]
				}
				x = strings.Join(ids, ";")
			}
			row = append(row, x)
		}
		rows = append(rows, strings.Join(row, ","))
	}
	slices.Sort(rows)
	return rows
}

// TestKindsRandom: what every algorithm writes of vertices with kinds is what it writes of vertices whose ids are
// strings, KIND:ID, and sort alike.
func TestKindsRandom(t *testing.T) {
	text := func(name string) arrow.Field { return arrow.Field{Name: name, Type: arrow.BinaryTypes.String} }
	weight := arrow.Field{Name: "weight", Type: arrow.PrimitiveTypes.Float64}
	kinds := []string{"aa", "bb", "cc"}
	for seed := range uint64(testlong.Of(4, 60)) {
		r := rand.New(rand.NewPCG(seed, 77))
		n := 2 + r.IntN(12)
		id := func() (string, string) { return kinds[r.IntN(1+r.IntN(3))], fmt.Sprint(r.IntN(n)) }
		var with, plain [][]string
		for range 1 + r.IntN(40) {
			ks, s := id()
			kd, d := id()
			w := fmt.Sprint(1 + r.IntN(9))
			with, plain = append(with, []string{s, ks, d, kd, w}), append(plain, []string{ks + ":" + s, kd + ":" + d, w})
		}
		if with[0][0] == with[0][2] && with[0][1] == with[0][3] { // one edge that is no self-loop
			with[0][2], plain[0][1] = "x", with[0][3]+":x"
		}
		a := table(t, "a.arrow", []arrow.Field{text("s"), text("ks"), text("d"), text("kd"), weight}, with...)
		b := table(t, "b.arrow", []arrow.Field{text("src"), text("dst"), weight}, plain...)
		cols := []string{"--src", "s:{ks}", "--dst", "d:{kd}"}
		more := [][]string{{}, {"--directed"}, {"--two-pass"}, {"--order", "degree"}, {"--order", "given"}, {"--directed", "--two-pass", "--order", "degree"}}[r.IntN(6)]
		prepared := filepath.Join(t.TempDir(), "p.foray")
		foray(t, 0, slices.Concat([]string{"convert", a, prepared, "--weight", "weight", "--keep-self-loops"}, cols, more)...)
		source, target := plain[0][0], plain[0][1]
		seeds := write(t, "seeds.csv", "kind,id\n"+with[0][1]+","+with[0][0]+"\n"+with[0][3]+","+with[0][2]+"\n")
		plainSeeds := write(t, "seeds.csv", "id\n"+source+"\n"+target+"\n")
		for _, c := range [][]string{
			{"bfs", "-s", source, "--parents"}, {"bfs", "-s", source, "-t", target, "--paths"}, {"bfs", "-s", source, "--reached-only"}, {"bfs", "--sources-from", seeds, "--parents"},
			{"bfs", "--sources-from", seeds, "--targets-from", seeds, "--hops", "2"}, {"sssp", "-s", source, "--parents"}, {"sssp", "-s", source, "-t", target, "--paths"},
			{"sssp", "--sources-from", seeds}, {"cc"}, {"pagerank"}, {"lpa"}, {"louvain"}, {"leiden"}, {"mis"}, {"color"}, {"degree"}, {"eigenvector"}, {"hits"}, {"katz", "--alpha", "0.001"}, {"kcore"}, {"triangles"}, {"bc"}, {"closeness"}, {"similar"}, {"similar", "--source", source, "--measure", "adamic-adar", "-k", "3"},
		} {
			if slices.Contains(more, "--directed") && (c[0] == "kcore" || c[0] == "triangles") {
				continue
			}
			args := append(slices.Clone(c), "-o", "-")
			if !slices.Contains(c, "--paths") && c[0] != "similar" {
				args = append(args, "--sort", "id")
			}
			in := append([]string{args[0], prepared}, args[1:]...)
			if !slices.Contains(more, "--order") && r.IntN(2) == 0 {
				in = slices.Concat([]string{args[0], a}, cols, more, args[1:])
			}
			got, _ := foray(t, 0, in...)
			for i := range args {
				if args[i] == seeds {
					args[i] = plainSeeds
				}
			}
			want, _ := foray(t, 0, slices.Concat([]string{args[0], b}, more, args[1:])...)
			if g, w := rowsWithKinds(t, got), rowsWithKinds(t, want); !slices.Equal(g, w) {
				t.Errorf("seed %d, %s %s: %q, want %q", seed, more, in, g, w)
			}
		}
	}
}
