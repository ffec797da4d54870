// This file tests --json: docs/json.md lists the fields of every command.

package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented returns the fields and types of a section of docs/json.md, and those that may be missing.
func documented(t *testing.T, title string) (fields map[string]string, may map[string]bool) {
	t.Helper()
	_, section, ok := strings.Cut(read(t, filepath.Join("..", "..", "docs", "json.md")), "\n## "+title+"\n")
	if !ok {
		t.Fatalf("docs/json.md has no section %s", title)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	fields, may = map[string]string{}, map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ((?:string|number|boolean|object|array|null| or )+) \\|(.*)$").FindAllStringSubmatch(section, -1) {
		fields[m[1]], may[m[1]] = m[2], strings.Contains(m[3], "missing")
	}
	return fields, may
}

// walk adds the fields of a document, with their types. It stops at options and counts, which depend on the algorithm.
func walk(x any, path string, found map[string][]string) {
	add := func(kind string) {
		if path != "" && !slices.Contains(found[path], kind) {
			found[path] = append(found[path], kind)
		}
	}
	switch x := x.(type) {
	case map[string]any:
		add("object")
		if strings.HasSuffix(path, "options") || strings.HasSuffix(path, "counts") {
			return
		}
		for k, v := range x {
			walk(v, strings.TrimPrefix(path+"."+k, "."), found)
		}
	case []any:
		add("array")
		for _, v := range x {
			walk(v, path+"[]", found)
		}
	case string:
		add("string")
	case float64:
		add("number")
	case bool:
		add("boolean")
	default:
		add("null")
	}
}

// asDocumented compares the fields of documents with a section of docs/json.md.
func asDocumented(t *testing.T, title string, list []any) {
	t.Helper()
	found := map[string][]string{}
	for _, x := range list {
		walk(x, "", found)
	}
	fields, may := documented(t, title)
	for _, f := range slices.Sorted(maps.Keys(found)) {
		for _, kind := range found[f] {
			if !slices.Contains(strings.Split(fields[f], " or "), kind) {
				t.Errorf("%s: %s is of type %s, and docs/json.md has type %q", title, f, kind, fields[f])
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if found[f] == nil && !may[f] {
			t.Errorf("%s: docs/json.md has %s, and no run", title, f)
		}
	}
}

// TestJSON runs commands with --json.
func TestJSON(t *testing.T) {
	dir := t.TempDir()
	names := map[string]string{
		"K": karate, "WEIGHTS": write(t, "w.csv", "src,dst,weight\n1,2,3\n2,3,4\n5,1,1\n"), "EMPTY": write(t, "e.csv", "src,dst\n"), "LIST": write(t, "v.txt", "30\n34\n"),
		"TIMES": write(t, "t.csv", "src,dst,time,kind\n1,2,2026-01-01,a\n2,3,2026-01-05,b\n"),
	}
	for name, line := range map[string]string{
		"OLD": "bench K --sources 2 --trials 1", "MANY": "bench K --sources 7 --trials 1", "OTHER": "bench K gen:path:9 --sources 2 --trials 1 --parents --order degree",
	} {
		out, _ := foray(t, 0, append(replaced(line, names, dir), "--json")...)
		names[name] = write(t, "bench.json", out)
	}
	documents := func(lines ...string) (list []any) {
		for _, line := range lines {
			out, errs := spoken(t, append(replaced(line, names, dir), "--json")...)
			var x any
			if err := json.Unmarshal([]byte(out), &x); err != nil || sayings.MatchString(errs) {
				t.Fatalf("%s --json: %v\n%s%s", line, err, out, errs)
			}
			list = append(list, x)
		}
		return list
	}
	files, err := json.Marshal(generated([]string{"a"}, true, false))
	if err != nil {
		t.Fatal(err)
	}
	var written any
	if err := json.Unmarshal(files, &written); err != nil {
		t.Fatal(err)
	}
	for title, list := range map[string][]any{
		"bfs, and bfs --sources-from": documents("bfs K -s 1 -t 34 --validate -o D/a.parquet --plot D/a.svg", "bfs K -s 1 --depth-limit 1", "bfs K --sources-from LIST -o D/b.csv"),
		"bc, bridges, cc, closeness, color, degree, eigenvector, hits, katz, kclique, kcore, ktruss, leiden, louvain, lpa, mis, msf, pagerank, paths, reach, similar, spanning, sssp, topo, triangles, walks": documents("walks K", "paths K -k 3", "similar K", "bc K", "degree K", "eigenvector K", "hits K", "katz K", "cc K --validate", "closeness K", "color K", "lpa K", "louvain K --levels", "leiden K --resolution 2", "bridges K --points", "ktruss K --k 4", "kclique K", "kclique K --k 3", "mis K", "msf WEIGHTS", "spanning K -o D/s.csv", "pagerank K -o D/p.csv",
			"sssp WEIGHTS -s 1", "topo K --directed", "triangles K", "reach TIMES -s 1 --departure 2026-01-01", "reach TIMES -s 1 --expand a,b*", "bfs TIMES -s 1 --expand a"),
		"run":                   documents("run K --do cc,bfs:1", "run WEIGHTS --do sssp:1 -o D/results --validate"),
		"info":                  documents("info K", "info EMPTY"),
		"info --column":         documents("info K --column src"),
		"convert, gen":          documents("convert WEIGHTS D/c.el", "gen star:5 -o D/g.parquet", "convert K D/k.foray", "convert D/k.foray D/l.el --vertex-numbers"),
		"append":                documents("append D/k.foray --remove-vertices LIST -o D/m.foray"),
		"bench compare":         documents("bench compare MANY MANY", "bench compare OLD OTHER"),
		"devices":               documents("devices"),
		"version":               documents("version"),
		"bench":                 documents("bench K --sources 2 --trials 2 --batch 2", "bench K --algo cc --trials 2"),
		"report":                documents("report K --sources 1 --trials 1", "report WEIGHTS --directed --sources 1 --trials 1"),
		"generate, bench paper": {written},
	} {
		asDocumented(t, title, list)
	}
	for _, line := range []string{"bfs K -o -", "convert K -", "completion bash"} {
		_, errs := foray(t, 2, append(replaced(line, names, dir), "--json")...)
		contains(t, errs, "--json")
	}
}

// TestReachJSON: sources and the last arrival, in the form of the column.
func TestReachJSON(t *testing.T) {
	path := write(t, "t.csv", "src,dst,time,kind\n1,2,2026-01-01,a\n2,3,2026-01-05,b\n")
	for line, want := range map[string]string{
		"--departure 2026-01-01": `"counts":{"last_arrival":"2026-01-05","reached":3,"rounds":3,"sources":["1"]}`,
		"--expand a,b*":          `"counts":{"greatest_depth":2,"reached":2,"rounds":3,"sources":["1"]}`,
	} {
		out, _ := foray(t, 0, append([]string{"reach", path, "--directed", "-s", "1", "--json"}, strings.Fields(line)...)...)
		if got := strings.Join(strings.Fields(out), ""); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// replaced returns the words of a command line, with names for files and D for a directory.
func replaced(line string, names map[string]string, dir string) (args []string) {
	for word := range strings.FieldsSeq(line) {
		if path, ok := names[word]; ok {
			word = path
		} else if file, ok := strings.CutPrefix(word, "D/"); ok {
			word = filepath.Join(dir, file)
		}
		args = append(args, word)
	}
	return args
}
