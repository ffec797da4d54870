package traverse_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/functors/composed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// The levels of a search, from the last one back to the source.
func ExampleNewTrail() {
	t := traverse.New(context.Background(), testgraph.Placed(graph.Options{Directed: true}, []int64{0, 0, 1, 2}, []int64{1, 2, 3, 3}))
	defer t.Close()
	label := traverse.Array[uint32](t, 9)
	traverse.Set(t, label, 0, 0)
	trail, cur := traverse.NewTrail(t), t.From(0)
	for t.Next(cur) {
		t.Do(cur, trail.Keep(), advance.Push(composed.NewLower(label)), filter.Unique())
	}
	for trail.Len() > 0 {
		t.Do(cur, trail.Back())
		vs := cur.Vertices()
		slices.Sort(vs)
		fmt.Println(vs)
	}
	fmt.Println(t.Err())
	// Output:
	// [3]
	// [1 2]
	// [0]
	// <nil>
}

func TestTrail(t *testing.T) {
	p := testgraph.Place(testgraph.Path(300).Graph(1), 2)
	defer p.Close()
	x := traverse.New(t.Context(), p)
	trail, cur := traverse.NewTrail(x), x.From(3, 4, 200)
	x.Do(cur, trail.Keep())
	x.Replace(cur)
	x.Do(cur, trail.Keep())
	x.Replace(cur, 9, 8, 9)
	x.Do(cur, trail.Keep())
	for _, want := range [][]uint32{{8, 9}, nil, {3, 4, 200}, nil} {
		x.Do(cur, trail.Back())
		if got := cur.Vertices(); !slices.Equal(got, want) || x.Err() != nil {
			t.Fatal(got, want, x.Err())
		}
	}
	x.Fill(cur)
	x.Do(cur, trail.Keep(), trail.Back())
	if got := cur.Vertices(); len(got) != 300 || got[299] != 299 {
		t.Error(got, x.Err())
	}
	x.Do(cur, trail.Keep(), trail.Keep()) // no room
	if !errors.Is(x.Err(), graph.ErrOptions) || traverse.NewTrail(x) != nil {
		t.Error(x.Err())
	}
	x.Close()
	for _, none := range []func(r *traverse.Trail, x *traverse.Traversal, cur *traverse.Frontier){
		func(r *traverse.Trail, x *traverse.Traversal, cur *traverse.Frontier) { x.Do(cur, r.Keep()) },
		func(r *traverse.Trail, x *traverse.Traversal, cur *traverse.Frontier) { x.Do(cur, r.Back()) },
	} {
		x := traverse.New(t.Context(), p)
		if none(nil, x, x.From(1)); !errors.Is(x.Err(), graph.ErrOptions) {
			t.Error(x.Err())
		}
		x.Close()
	}
}
