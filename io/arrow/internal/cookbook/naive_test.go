// This file holds naive algorithms on small directed graphs.

package cookbook

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
)

type edge struct {
	from, to string
	weight   float64
}

// edges returns a table's edges: its columns source, target and, if it isn't negative, weight.
func (t *table) edges(source, target, weight int) []edge {
	var all []edge
	for _, row := range t.rows {
		e := edge{from: fmt.Sprint(row[source]), to: fmt.Sprint(row[target]), weight: 1}
		if weight >= 0 {
			e.weight = number(row[weight])
		}
		all = append(all, e)
	}
	return all
}

func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	}
	return v.(float64)
}

// listed returns the edges of a CSV file with columns source, target and perhaps weight.
func listed(t *testing.T, name string) []edge {
	t.Helper()
	f, err := os.Open(testdata + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []edge
	for _, row := range rows[1:] {
		e := edge{row[0], row[1], 1}
		if len(row) > 2 {
			if e.weight, err = strconv.ParseFloat(row[2], 64); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, e)
	}
	return all
}

func reversed(edges []edge) []edge {
	var all []edge
	for _, e := range edges {
		all = append(all, edge{e.to, e.from, e.weight})
	}
	return all
}

// undirected returns edges both ways.
func undirected(edges []edge) []edge { return slices.Concat(edges, reversed(edges)) }

func steps(edges []edge) []edge {
	all := slices.Clone(edges)
	for i := range all {
		all[i].weight = 1
	}
	return all
}

// vertices returns the ends of edges, sorted.
func vertices(edges []edge) []string {
	all := map[string]bool{}
	for _, e := range edges {
		all[e.from], all[e.to] = true, true
	}
	return slices.Sorted(maps.Keys(all))
}

// distances finds the distances between all vertices by the algorithm of Floyd and Warshall. Pairs without a path are
// missing.
func distances(edges []edge) map[[2]string]float64 {
	all, d := vertices(edges), map[[2]string]float64{}
	lower := func(a, b string, x float64) {
		if old, ok := d[[2]string{a, b}]; !ok || x < old {
			d[[2]string{a, b}] = x
		}
	}
	for _, e := range edges {
		lower(e.from, e.to, e.weight)
	}
	for _, v := range all {
		lower(v, v, 0)
	}
	for _, via := range all {
		for _, a := range all {
			for _, b := range all {
				x, there := d[[2]string{a, via}]
				y, back := d[[2]string{via, b}]
				if there && back {
					lower(a, b, x+y)
				}
			}
		}
	}
	return d
}

// circles returns the vertices that each vertex reaches and that reach it, itself included.
func circles(edges []edge) map[string][]string {
	d, all := distances(steps(edges)), map[string][]string{}
	for _, a := range vertices(edges) {
		for _, b := range vertices(edges) {
			_, there := d[[2]string{a, b}]
			_, back := d[[2]string{b, a}]
			if there && back {
				all[a] = append(all[a], b)
			}
		}
	}
	return all
}

// ranks is PageRank by weights of simple edges, until it doesn't change.
func ranks(edges []edge) map[string]float64 {
	all, total, rank := vertices(edges), map[string]float64{}, map[string]float64{}
	for _, e := range edges {
		total[e.from] += e.weight
	}
	n := float64(len(all))
	for _, v := range all {
		rank[v] = 1 / n
	}
	for range 300 {
		next, stuck := map[string]float64{}, 0.0
		for _, v := range all {
			if total[v] == 0 {
				stuck += rank[v]
			}
		}
		for _, v := range all {
			next[v] = 0.15/n + 0.85*stuck/n
		}
		for _, e := range edges {
			next[e.to] += 0.85 * rank[e.from] * e.weight / total[e.from]
		}
		rank = next
	}
	return rank
}

// betweenness is the share of shortest paths between other vertices that lead through each, of all pairs.
func betweenness(edges []edge) map[string]float64 {
	all, d := vertices(edges), distances(edges)
	var count func(a, b string) float64 // of shortest paths
	known := map[[2]string]float64{}
	count = func(a, b string) float64 {
		if a == b {
			return 1
		}
		if n, ok := known[[2]string{a, b}]; ok {
			return n
		}
		n := 0.0
		for _, e := range edges {
			before, ok := d[[2]string{a, e.from}]
			if ok && e.to == b && before+1 == d[[2]string{a, b}] {
				n += count(a, e.from)
			}
		}
		known[[2]string{a, b}] = n
		return n
	}
	score := map[string]float64{}
	for _, v := range all {
		for _, a := range all {
			for _, b := range all {
				x, there := d[[2]string{a, v}]
				y, on := d[[2]string{v, b}]
				if a != v && b != v && a != b && there && on && x+y == d[[2]string{a, b}] {
					score[v] += count(a, v) * count(v, b) / count(a, b)
				}
			}
		}
		score[v] /= float64((len(all) - 1) * (len(all) - 2))
	}
	return score
}

// cores returns core numbers: the vertex of the least degree is removed again and again.
func cores(edges []edge) map[string]int {
	near := map[string]map[string]bool{}
	for _, e := range undirected(edges) {
		if near[e.from] == nil {
			near[e.from] = map[string]bool{}
		}
		near[e.from][e.to] = true
	}
	core, most := map[string]int{}, 0
	for len(near) > 0 {
		least := ""
		for v := range near {
			if least == "" || len(near[v]) < len(near[least]) {
				least = v
			}
		}
		most = max(most, len(near[least]))
		core[least] = most
		for u := range near[least] {
			delete(near[u], least)
		}
		delete(near, least)
	}
	return core
}

// highest returns the names of the n largest values.
func highest(values map[string]float64, n int) []string {
	all := slices.Sorted(maps.Keys(values))
	slices.SortStableFunc(all, func(a, b string) int {
		return cmp.Compare(values[b], values[a])
	})
	return all[:n]
}
