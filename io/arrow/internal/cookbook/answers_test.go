// This file checks the answers on the pages of docs/cookbook by naive loops. Package doctest checks that the
// commands and programs print them.

package cookbook

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var output = regexp.MustCompile("(?s)```text\n(?:\\.\\.\\.\n)?(.*?)\n```")

// answers returns the lines of each output on a page.
func answers(t *testing.T, page string, outputs int) [][]string {
	t.Helper()
	text, err := os.ReadFile(root + "/docs/cookbook/" + page + ".md")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, m := range output.FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.Split(m[1], "\n"))
	}
	if len(all) != outputs {
		t.Fatalf("%d outputs on the page, want %d", len(all), outputs)
	}
	return all
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: the page has\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// reached returns "vertex,depth" of the vertices that a source reaches, by name.
func reached(edges []edge, source string) []string {
	var all []string
	d := distances(steps(edges))
	for _, v := range vertices(edges) {
		if x, ok := d[[2]string{source, v}]; ok {
			all = append(all, fmt.Sprintf("%s,%g", v, x))
		}
	}
	return all
}

// shortest checks that a path has the edges of a graph and is a shortest one.
func shortest(t *testing.T, edges []edge, path []string) {
	t.Helper()
	d, length := distances(edges), 0.0
	for i := range path[1:] {
		length += d[[2]string{path[i], path[i+1]}]
		if !slices.ContainsFunc(edges, func(e edge) bool { return e.from == path[i] && e.to == path[i+1] }) {
			t.Errorf("%q: no edge from %s to %s", path, path[i], path[i+1])
		}
	}
	if want := d[[2]string{path[0], path[len(path)-1]}]; length != want {
		t.Errorf("%q has length %g, want %g", path, length, want)
	}
}

func TestRings(t *testing.T) {
	page := answers(t, "rings", 2)
	p := payments()
	var large table
	for _, row := range p.rows {
		if row[3].(float64) >= 5000 && row[4].(int64) >= date(3, 1) {
			large.rows = append(large.rows, row)
		}
	}
	var want []string
	for v, members := range circles(large.edges(1, 2, -1)) {
		if len(members) > 1 && members[0] == v {
			want = append(want, fmt.Sprintf("%d: %s", len(members), strings.Join(members, " ")))
		}
	}
	equal(t, "groups", page[0], want)
	accounts, numbers := []string{}, []string{}
	for _, r := range ring {
		accounts = append(accounts, r.payer)
		for _, row := range p.rows {
			if row[1] == r.payer && row[2] == r.payee {
				numbers = append(numbers, fmt.Sprint(row[0]))
			}
		}
	}
	equal(t, "payments", page[1], []string{
		"target,depth,path,edges", "acc-121,3," + strings.Join(accounts, ";") + "," + strings.Join(numbers[:3], ";"),
		"target,depth,path,edges", "acc-104,1,acc-121;acc-104," + numbers[3],
	})
	if len(p.rows) != 79 || len(vertices(p.edges(1, 2, -1))) != 30 {
		t.Errorf("%d payments of %d accounts", len(p.rows), len(vertices(p.edges(1, 2, -1))))
	}
}

func TestSimilar(t *testing.T) {
	bought := map[string]map[string]bool{}
	for _, e := range purchases().edges(0, 1, -1) {
		if bought[e.from] == nil {
			bought[e.from] = map[string]bool{}
		}
		bought[e.from][e.to] = true
	}
	similarity, common := map[string]float64{}, map[string]int{}
	for other := range bought {
		for product := range bought["1002"] {
			if bought[other][product] {
				common[other]++
			}
		}
		similarity[other] = float64(common[other]) / float64(len(bought["1002"])+len(bought[other])-common[other])
	}
	delete(similarity, "1002")
	var want []string
	for _, c := range highest(similarity, 4) {
		want = append(want, fmt.Sprintf("customer:%s  %d in common, similarity %.2f", c, common[c], similarity[c]))
	}
	var more []string
	for product := range bought[highest(similarity, 1)[0]] {
		if !bought["1002"][product] {
			more = append(more, "product:"+product)
		}
	}
	slices.Sort(more)
	equal(t, "customers", answers(t, "similar", 1)[0], append(want, fmt.Sprint("suggested: ", more)))
}

func TestSeparation(t *testing.T) {
	page := answers(t, "separation", 2)
	friends := undirected(friendships().edges(0, 1, -1))
	d := distances(friends)
	want := []string{"vertex,depth,name"}
	for i, name := range names {
		if x := d[[2]string{"1", fmt.Sprint(i + 1)}]; x <= 2 {
			want = append(want, fmt.Sprintf("%d,%g,%s", i+1, x, name))
		}
	}
	equal(t, "distances", page[0], want)
	var path []string
	for i, line := range page[1] {
		name, ok := strings.CutPrefix(line, fmt.Sprint(i, " "))
		if !ok || !slices.Contains(names, name) {
			t.Fatalf("%q", line)
		}
		path = append(path, fmt.Sprint(slices.Index(names, name)+1))
	}
	if path[0] != "1" || names[9] != "Jonas Berg" || path[len(path)-1] != "10" {
		t.Errorf("a path of %q", path)
	}
	shortest(t, friends, path)
}

func TestAppend(t *testing.T) {
	page := answers(t, "append", 3)
	var edges []edge
	for day, table := range follows() {
		before := len(edges)
		edges = append(edges, table.edges(0, 1, -1)...)
		if day > 0 {
			want := fmt.Sprintf("follows.foray: %d edges, %d vertices; before %d edges, %d vertices; version %d of ", len(edges), len(vertices(edges)), before, len(vertices(edges[:before])), day)
			if !strings.HasPrefix(page[1][day-1], want) {
				t.Errorf("%q, want %q", page[1][day-1], want)
			}
		}
		lines := map[int][]string{0: page[0], 2: page[2][1:]}[day]
		rank := ranks(edges)
		for i, v := range highest(rank, len(lines)) {
			if want := fmt.Sprintf("%s,%.9f", v, rank[v])[:9]; lines[i] != want {
				t.Errorf("day %d: %q, want %q", day, lines[i], want)
			}
		}
	}
}

func TestLineage(t *testing.T) {
	page := answers(t, "lineage", 3)
	was := lineage().edges(0, 1, -1)
	now := slices.Delete(slices.Clone(was), retired, retired+1)
	owner := map[string]string{}
	for _, row := range owners().rows {
		owner[row[0].(string)] = row[1].(string)
	}
	want := []string{"vertex,depth,owner"}
	for _, line := range reached(now, "raw.rates") {
		name, _, _ := strings.Cut(line, ",")
		want = append(want, line+","+owner[name])
	}
	equal(t, "affected", page[0], want)
	shortest(t, now, strings.Split(strings.Split(page[1][1], ",")[2], ";"))
	shortest(t, was, strings.Split(strings.Split(page[2][1], ",")[2], ";"))
	if slices.Contains(vertices(now), "export.partner") {
		t.Error("the retired row isn't the only one of export.partner")
	}
}

func TestSupply(t *testing.T) {
	page := answers(t, "supply", 2)
	all := deliveries().edges(0, 1, 2)
	late := slices.DeleteFunc(slices.Clone(all), func(e edge) bool { return e.weight < 64 })
	equal(t, "without the order of time", page[0], append([]string{"vertex,depth"}, reached(late, "Hill Farm")...))
	first := map[string]float64{"Hill Farm": 64} // the fifth of March
	for changed := true; changed; {
		changed = false
		for _, e := range all {
			from, there := first[e.from]
			if to, known := first[e.to]; there && from <= e.weight && (!known || e.weight < to) {
				first[e.to], changed = e.weight, true
			}
		}
	}
	var want []string
	for v, day := range first {
		want = append(want, fmt.Sprintf("2026-03-%02g %s", day-59, v))
	}
	slices.Sort(want)
	equal(t, "in the order of time", page[1], want)
}

func TestDedupe(t *testing.T) {
	page := answers(t, "dedupe", 2)
	rows := customers().rows
	groups := func(same func(a, b []any) bool) (all [][]string) {
		var edges []edge
		for i, a := range rows {
			for j, b := range rows {
				if i == j || same(a, b) {
					edges = append(edges, edge{fmt.Sprint(a[0]), fmt.Sprint(b[0]), 1})
				}
			}
		}
		groups := circles(edges)
		for _, row := range rows {
			if group := groups[fmt.Sprint(row[0])]; !slices.ContainsFunc(all, func(g []string) bool { return g[0] == group[0] }) {
				all = append(all, group)
			}
		}
		return all
	}
	shared := func(a, b []any, column int) bool { return a[column] != nil && a[column] == b[column] }
	named := map[string][]string{} // records by the component that the page names
	for _, line := range page[0] {
		f := strings.Split(line, ",")
		named[f[2]] = append(named[f[2]], f[0])
	}
	want := groups(func(a, b []any) bool { return shared(a, b, 2) || shared(a, b, 3) })
	for _, group := range want {
		found := false
		for _, members := range named {
			slices.Sort(members)
			found = found || slices.Equal(members, group)
		}
		if !found || len(named) != len(want) {
			t.Errorf("%d components, want %d, and %q", len(named), len(want), group)
		}
	}
	var lines []string
	for _, group := range groups(func(a, b []any) bool { return shared(a, b, 2) || shared(a, b, 3) && a[4] == b[4] }) {
		if len(group) == 1 {
			continue
		}
		var persons []string
		for _, row := range rows {
			if slices.Contains(group, fmt.Sprint(row[0])) {
				persons = append(persons, fmt.Sprint(row[0], " ", row[1]))
			}
		}
		lines = append(lines, fmt.Sprintf("%q", persons))
	}
	equal(t, "persons", page[1], lines)
}
