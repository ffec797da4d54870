// This file holds the tests of prepared graphs on the command line.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPrepared(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	weighted := write(t, "w.wel", "0 1 2\n1 2 3\n2 0 1\n2 3 5\n")
	for _, args := range []string{
		"convert K A/k.foray", "convert K A/d.foray --directed", "convert K A/n.foray --directed --reverse=false",
		"convert W A/w.foray --weights", "gen kron8 -o A/g.FORAY", "convert A/k.foray A/again.foray", "convert K A/o.foray --order degree",
	} {
		args = strings.NewReplacer("K", karate, "A/", dir+"/", "W", weighted).Replace(args)
		out, _ := foray(t, 0, strings.Fields(args)...)
		contains(t, out, ": ", " edges, ", "kB, in ")
	}

	// What is found is what is found without preparing.
	for prepared, plain := range map[string]string{
		"k.foray": karate, "d.foray": karate + " --directed", "n.foray": karate + " --directed", "g.FORAY": "gen:kron8",
		"again.foray": karate, "o.foray": karate, "w.foray": weighted,
	} {
		args := strings.Fields(plain)
		for _, more := range [][]string{nil, {"--trust"}} {
			want, _ := foray(t, 0, append([]string{"bfs", "-o", "-"}, args...)...)
			got, _ := foray(t, 0, append([]string{"bfs", "-o", "-", at(prepared)}, more...)...)
			if !slices.Equal(sorted(strings.Fields(got)), sorted(strings.Fields(want))) {
				t.Errorf("%s: got\n%s\nwant\n%s", prepared, got, want)
			}
		}
	}
	for _, c := range [][]string{
		{"info A/k.foray", "file           4.43 kB, a prepared graph, all of it checked\n", "vertices       34\n", "edges          78, undirected\n"},
		{"info A/k.foray --trust", "a prepared graph, its arrays not checked\n"},
		{"bfs A/d.foray", "search     dobfs on"},
		{"bfs A/n.foray", "search     bfs on"},
		{"bfs A/*.FORAY --validate --parents", "depths and parents obey"},
		{"bfs A/o.foray --order degree", "order degree"},
		{"bfs A/k.foray --order degree --parents --validate", "order degree", "depths and parents obey"},
		{"convert A/k.foray A/kd.foray --order degree", "kd.foray: "},
		{"info A/kd.foray", "order          degree"},
		{"bfs A/kd.foray --order given", "order given"},
		{"bfs A/d.foray --directed --algo dobfs", "search     dobfs on"},
		{"bench A/k.foray A/g.FORAY --json", "k.foray", "g.FORAY"},
		{"convert A/k.foray -", "src,dst\n1,2\n"},
		{"convert A/w.foray A/w.wel", "w.wel: 4 edges"},
		{"convert A/k.foray A/k.parquet", "k.parquet: 78 edges"},
		{"info A/k.parquet", "edges          78, undirected\n"},
		{"convert A/g.FORAY A/g.sg", "g.sg: "},
	} {
		out, _ := foray(t, 0, strings.Fields(strings.ReplaceAll(c[0], "A/", dir+"/"))...)
		contains(t, out, c[1:]...)
	}
}

func TestPreparedRefused(t *testing.T) {
	dir := t.TempDir()
	foray(t, 0, "convert", karate, filepath.Join(dir, "k.foray"))
	foray(t, 0, "convert", karate, filepath.Join(dir, "d.foray"), "--directed")
	foray(t, 0, "convert", karate, filepath.Join(dir, "n.foray"), "--directed", "--reverse=false")
	data := read(t, filepath.Join(dir, "k.foray"))
	damaged := []byte(data)
	for i := range 400 { // arrays are there
		damaged[len(data)/2-200+i] ^= 1
	}
	for name, content := range map[string]string{
		"cut.foray": data[:1000], "damaged.foray": string(damaged), "empty.foray": "", "parquet.foray": read(t, karate), "k.arrow": data,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][]string{
		{"bfs A/k.foray A/k.foray", "is a prepared graph, which can't be combined with other inputs"},
		{"bfs A/k.foray K", "is a prepared graph, which can't be combined with other inputs"},
		{"bfs A/k.foray gen:star:5", "is a prepared graph, which can't be combined with other inputs"},
		{"bfs A/k.foray --directed", "--directed: the graph in A/k.foray is undirected"},
		{"bfs A/k.foray --ids dense", "--ids is for edges"},
		{"bfs A/k.foray --two-pass", "--two-pass is for edges"},
		{"bfs A/k.foray --src a", "--src and --dst are for files that have columns"},
		{"bfs K --trust", "--trust is for prepared graphs"},
		{"convert A/k.foray A/x.wel", "the graph in A/k.foray has no weights, which are required"},
		{"convert A/d.foray A/x.foray --reverse=false", "--reverse=false: the graph in A/d.foray has its reverse"},
		{"convert K A/x.foray --compression zstd", "--compression is for parquet and arrow"},
		{"convert K A/x.foray --vertex-numbers", "--vertex-numbers is for text, .mtx, .sg, .bin and .adj"},
	} {
		_, errs := foray(t, 2, strings.Fields(strings.NewReplacer("K", karate, "A/", dir+"/").Replace(c[0]))...)
		contains(t, errs, strings.ReplaceAll(c[1], "A/", dir+"/"))
	}
	for _, c := range [][]string{
		{"bfs A/n.foray --algo dobfs", "no reverse graph"},
		{"bfs A/cut.foray", "cut.foray: damaged file: it doesn't end with ARROW1; it may be truncated"},
		{"info A/damaged.foray", "damaged.foray: column", "damaged file: its checksum is", "restore the file, or prepare the graph again"},
		{"bfs A/empty.foray", "empty.foray: unknown format: the file is empty"},
		{"bfs A/parquet.foray", "it is a Parquet file, not a prepared graph; foray convert prepares its edges; --input-format parquet reads it"},
		{"convert K A/no/x.foray", "make the directory"},
	} {
		status := exitError
		if strings.Contains(c[1], "cut.foray") || strings.Contains(c[1], "damaged.foray") || strings.Contains(c[1], "empty.foray") {
			status = exitData
		}
		_, errs := foray(t, status, strings.Fields(strings.NewReplacer("K", karate, "A/", dir+"/").Replace(c[0]))...)
		contains(t, errs, c[1:]...)
	}
	// What a file is, its content says; in a directory there are edges alone.
	out, _ := foray(t, 0, "info", filepath.Join(dir, "k.arrow"))
	contains(t, out, "a prepared graph")
	_, errs := foray(t, 1, "info", dir)
	contains(t, errs, "k.arrow: unknown format: it is a prepared graph, not a table of edges; name it alone")
}

// TestGraphAr reads the karate club in GraphAr's format.
func TestGraphAr(t *testing.T) {
	const whole, edge = "../../testdata/karate.graphar/it.graph.yml", "../../testdata/karate.graphar/member_knows_member.edge.yml"
	dir := t.TempDir()
	want, _ := foray(t, 0, "bfs", karate, "--source", "1", "-o", "-")
	for _, args := range []string{whole, edge, whole + " --edge knows", whole + " --edge member_knows_member --two-pass"} {
		got, _ := foray(t, 0, append([]string{"bfs", "--source", "1", "-o", "-"}, strings.Fields(args)...)...)
		if !slices.Equal(sorted(strings.Fields(got)), sorted(strings.Fields(want))) {
			t.Errorf("%s: got\n%s\nwant\n%s", args, got, want)
		}
	}
	out, _ := foray(t, 0, "info", whole, "--ids", "dense")
	contains(t, out, "vertices       34\n", "edges          78, undirected\n", "dense")
	out, _ = foray(t, 0, "convert", whole, filepath.Join(dir, "k.foray"))
	contains(t, out, "78 edges")
	out, _ = foray(t, 0, "convert", whole, filepath.Join(dir, "k.csv"))
	contains(t, out, "78 edges")
	for _, c := range [][]string{
		{"bfs W K", "is a graph of GraphAr's, which can't be combined with other inputs"},
		{"bfs K --edge knows", "--edge is for GraphAr"},
		{"bfs W --ids string", "--ids is auto or dense for GraphAr"},
		{"bfs W --ids dense --vertex-id name", "one of the two"},
		{"bfs W --separate-ids", "vertices of two types are apart"},
		{"bfs W --src a", "--src and --dst are for files"},
		{"bfs W --vertices K", "--edges and --vertices are for Parquet and Arrow"},
	} {
		_, errs := foray(t, 2, strings.Fields(strings.NewReplacer("K", karate, "W", whole).Replace(c[0]))...)
		contains(t, errs, c[1])
	}
	// Properties: as weights, in conditions, as ids, and in results.
	foray(t, 0, "convert", whole, filepath.Join(dir, "w.csv"), "--directed", "--weight", "sum")
	contains(t, read(t, filepath.Join(dir, "w.csv")), "weight", "1,2,3")
	out, _ = foray(t, 0, "info", whole, "--where", "sum >= 60 and _graphArSrcIndex > 20")
	contains(t, out, "condition      leaves out 0 files unopened", "vertices       34\n", "edges          11, undirected")
	out, _ = foray(t, 0, "bfs", whole, "--source", "member 1", "--vertex-id", "name", "--properties", "degree,id", "-o", "-")
	contains(t, out, "vertex,depth,degree,id\n", "member 1,0,16,1\n")
	out, errs := foray(t, 0, "info", whole, "--where", "sum > 1000")
	contains(t, out, "vertices       34\n", "edges          0, undirected")
	contains(t, errs, `no row meets the condition "sum > 1000"; the graph is 34 vertices without edges`)
	_, errs = foray(t, 1, "info", whole, "--where", "total > 1000")
	contains(t, errs, `--where names "total", but the properties are "sum" (double)`)
	_, errs = foray(t, 1, "convert", whole, filepath.Join(dir, "w.foray"), "--weights")
	contains(t, errs, `no property is named "weight"; name it in --weight`)
	_, errs = foray(t, 1, "bfs", whole, "--vertex-id", "nickname")
	contains(t, errs, `--vertex-id names "nickname", but the properties are`)
	_, errs = foray(t, 1, "bfs", whole, "--edge", "hates")
	contains(t, errs, `none is called "hates"; there are member_knows_member`)
	_, errs = foray(t, 3, "bfs", "../../testdata/karate.graphar/member.vertex.yml")
	contains(t, errs, "malformed information file", "name the YAML file of a graph or of edges")
}
