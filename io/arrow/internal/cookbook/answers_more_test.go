// This file checks the answers of the recipes on text and on samples and features.

package cookbook

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestIsochrones(t *testing.T) {
	page := answers(t, "isochrones", 3)
	roads := undirected(listed(t, "roads.csv"))
	d := distances(roads)
	var want []string
	for limit := 10.0; limit <= 30; limit += 10 {
		var places []string
		for _, v := range vertices(roads) {
			if x := d[[2]string{"Station", v}]; x > limit-10 && x <= limit {
				places = append(places, v)
			}
		}
		want = append(want, fmt.Sprintf("%g: %s", limit, strings.Join(places, ", ")))
	}
	equal(t, "areas", page[0], want)
	way := strings.Split(page[1][1], ",")
	if want := fmt.Sprint(d[[2]string{"Station", "Mill Valley"}]); way[2] != want {
		t.Errorf("a way of %s minutes, want %s", way[2], want)
	}
	shortest(t, roads, strings.Split(way[3], ";"))
	want = []string{"vertex,distance"}
	var got []string
	near := func(v string) float64 { return min(d[[2]string{"Harbor", v}], d[[2]string{"East Gate", v}]) }
	for _, v := range vertices(roads) {
		if near(v) <= 12 {
			want = append(want, fmt.Sprintf("%s,%g", v, near(v)))
		}
	}
	for i, line := range page[2] {
		f := strings.Split(line, ",")
		got = append(got, f[0]+","+f[1])
		if i > 0 && near(f[2])+d[[2]string{f[2], f[0]}] != near(f[0]) {
			t.Errorf("%q isn't on a shortest way", line)
		}
	}
	equal(t, "nearest", got, want)
}

func TestPackages(t *testing.T) {
	page := answers(t, "packages", 4)
	needs := listed(t, "packages.csv")
	users := reached(reversed(needs), "tls-kit")
	depth := func(line string) string { return line[strings.Index(line, ",")+1:] }
	slices.SortStableFunc(users, func(a, b string) int { return cmp.Compare(depth(a), depth(b)) })
	equal(t, "users", page[0], users)
	shortest(t, needs, strings.Split(strings.Split(page[1][1], ",")[2], ";"))
	var circle []string
	for v, members := range circles(needs) {
		if members[0] != v {
			circle = append(circle, v+","+members[0])
		}
	}
	equal(t, "circles", page[2], circle)
	count := map[string]float64{}
	for pair := range distances(needs) {
		if pair[0] != pair[1] {
			count[pair[1]]++
		}
	}
	var most []string
	for _, v := range highest(count, 3) {
		most = append(most, fmt.Sprintf("%g %s", count[v], v))
	}
	equal(t, "most needed", page[3], most)
}

func TestInfluencers(t *testing.T) {
	page := answers(t, "influencers", 3)
	mentions := listed(t, "mentions.csv")
	for i, values := range []map[string]float64{ranks(mentions), betweenness(steps(mentions))} {
		var want []string
		for _, v := range highest(values, len(page[i])) {
			want = append(want, fmt.Sprintf("%-5s %.3f", v, values[v]))
		}
		equal(t, "highest", page[i], want)
	}
	count := map[string]int{}
	for _, line := range reached(reversed(mentions), "tara") {
		count[line[strings.Index(line, ",")+1:]]++
	}
	var want []string
	for depth := range len(count) {
		want = append(want, fmt.Sprint(depth, " ", count[fmt.Sprint(depth)]))
	}
	equal(t, "reached", page[2], want)
}

func TestSample(t *testing.T) {
	page := answers(t, "sample", 2)
	var early []edge
	for _, e := range purchases().edges(0, 1, 2) {
		if e.weight <= 60 {
			early = append(early, edge{"customer:" + e.from, "product:" + e.to, 1})
		}
	}
	want := []string{"source,source_kind,vertex,kind,depth"}
	for _, customer := range []string{"1001", "1002"} {
		want = append(want, customer+",customer,"+customer+",customer,0")
		for _, v := range vertices(early) {
			if slices.Contains(early, edge{"customer:" + customer, v, 1}) {
				want = append(want, customer+",customer,"+strings.TrimPrefix(v, "product:")+",product,1")
			}
		}
	}
	equal(t, "whole neighborhoods", page[0], want)
	// A sample has edges of the graph, as many to a vertex as it has neighbors or as are drawn, and reaches no
	// vertex but by vertices of the hop before.
	both := undirected(early)
	hop, drawn := map[string]int{"customer:1001": 0, "customer:1002": 0}, map[string]int{}
	for _, line := range page[1][1:] {
		f := strings.Split(line, ",")
		h, ok := hop[f[1]]
		if !ok || h > 1 || !slices.Contains(both, edge{f[0], f[1], 1}) {
			t.Errorf("%q: an edge that isn't in the graph, or leads to a vertex that wasn't drawn", line)
		}
		if _, ok := hop[f[0]]; !ok {
			hop[f[0]] = h + 1
		}
		drawn[f[1]]++
	}
	for v, h := range hop {
		degree := 0
		for _, e := range both {
			if e.from == v {
				degree++
			}
		}
		if want := min([]int{3, 2, 0}[h], degree); drawn[v] != want {
			t.Errorf("%d neighbors of %s, want %d", drawn[v], v, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	page := answers(t, "features", 1)[0]
	seen := map[edge]bool{}
	var edges []edge
	for _, row := range payments().rows {
		e := edge{row[1].(string), row[2].(string), 1}
		if row[4].(int64) < date(3, 15) && !seen[e] {
			edges, seen[e] = append(edges, e), true
		}
	}
	core, rank, circle := cores(edges), ranks(edges), circles(edges)
	joined := func(a, b string) bool { return seen[edge{a, b, 1}] || seen[edge{b, a, 1}] }
	for i, v := range vertices(edges)[:len(page)-1] {
		var pays, paid, triangles int
		for _, a := range vertices(edges) {
			if seen[edge{v, a, 1}] {
				pays++
			}
			if seen[edge{a, v, 1}] {
				paid++
			}
			for _, b := range vertices(edges) {
				if a < b && joined(v, a) && joined(v, b) && joined(a, b) {
					triangles++
				}
			}
		}
		want := fmt.Sprintf("%s,%d,%d,%d,%d,%d,%s...", v, pays, paid, core[v], triangles, len(circle[v]), strconv.FormatFloat(rank[v], 'f', 9, 64)[:6])
		if page[i+1] != want {
			t.Errorf("%q, want %q", page[i+1], want)
		}
	}
}
