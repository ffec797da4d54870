package main

import (
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestFew runs all algorithms on graphs of every kind: the first of those that the command runs.
func TestFew(t *testing.T) {
	few := 125
	if testing.Short() || testgraph.Race {
		few = 25
	}
	graphs := testlong.Rounds(few, 10000)
	f := fuzzer{chosen: algorithms, patience: 5 * time.Minute, difference: func(_ string, _ int, err error) { t.Error(err) }}
	for i, x := range f.run(t.Context(), 1, uint64(graphs)) {
		if x.graphs != graphs {
			t.Errorf("%s ran on %d graphs, want %d", algorithms[i].name, x.graphs, graphs)
		}
		t.Logf("%s: %d graphs in %v", algorithms[i].name, x.graphs, x.took.Round(time.Millisecond))
	}
}

// TestFinds has models lack an edge that their graphs have, which every algorithm must show on many graphs.
func TestFinds(t *testing.T) {
	const graphs = 100
	found := map[string]int{}
	f := fuzzer{chosen: algorithms, patience: 5 * time.Minute,
		difference: func(name string, _ int, _ error) { found[name]++ },
		spoil: func(m *model) {
			if len(m.edges) > 0 {
				e := m.edges[len(m.edges)/2]
				edges := m.edges[:0:0]
				for _, other := range m.edges {
					if same := other.from == e.from && other.to == e.to; !same && (m.directed || other.from != e.to || other.to != e.from) {
						edges = append(edges, other)
					}
				}
				m.edges = edges
				m.index()
			}
		}}
	f.run(t.Context(), 1, graphs)
	for _, a := range algorithms {
		if found[a.name] < graphs/10 {
			t.Errorf("%s differs on %d of %d graphs", a.name, found[a.name], graphs)
		}
	}
	t.Log(found)
}

// TestChoose chooses algorithms by name.
func TestChoose(t *testing.T) {
	all, err := choose("")
	if err != nil || len(all) != len(algorithms) {
		t.Error(len(all), err)
	}
	some, err := choose("lpa,cc")
	if err != nil || len(some) != 2 || some[0].name != "lpa" || some[1].name != "cc" {
		t.Error(some, err)
	}
	if _, err := choose("cc,bfs"); err == nil {
		t.Error("bfs isn't one of them")
	}
}

// TestKinds looks that graphs of every shape, with every kind of weights and of ids, come along soon.
func TestKinds(t *testing.T) {
	shape, weight, id, large := map[string]int{}, map[string]int{}, map[string]int{}, 0
	const graphs = 5000
	for seed := range uint64(graphs) {
		c := newCase(seed)
		for _, s := range c.shapes {
			shape[s]++
		}
		weight[c.kind]++
		id[c.ids.kind]++
		if c.n > smallVertices {
			large++
		}
	}
	for _, s := range shapes {
		if shape[s.name] < graphs/50 {
			t.Errorf("%d of %d graphs have the shape %s", shape[s.name], graphs, s.name)
		}
	}
	for _, w := range weightKinds {
		if weight[w.name] < graphs/50 {
			t.Errorf("%d of %d graphs have the weights %s", weight[w.name], graphs, w.name)
		}
	}
	if len(id) < 12 || large == 0 { // ten types, and two forms of ids that are vertices already
		t.Errorf("kinds of ids: %v; %d large graphs", id, large)
	}
}
