package graph

import (
	"context"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/text/logical"
)

// TestKinds: a graph of vertices of several kinds keeps them when it is reordered or cut, and finds
// them by their text; a map whose ids are no keys of kinds has none.
func TestKinds(t *testing.T) {
	form, err := logical.Parse("kinds(item:string,user:int64)")
	if err != nil {
		t.Fatal(err)
	}
	column := func(ids ...string) *Strings {
		s := &Strings{Offsets: []int64{0}, Binary: true}
		for _, id := range ids {
			key, err := form.ParseBytes(id)
			if err != nil {
				t.Fatal(err)
			}
			s.Data = append(s.Data, key...)
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
		}
		return s
	}
	b := NewBuilder(Options{})
	err = b.Add(Batch{Type: Binary, Logical: form.String(), SrcStrings: column("user:1", "user:2", "user:2"), DstStrings: column("item:1", "item:1", "item:x:y")})
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	given, err := g.Reorder(context.Background(), ReorderOptions{Order: OrderGiven})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*Graph{g, given} {
		var names []string
		for rank := range uint32(g.NumVertices()) {
			v := g.IDs().AtRank(rank)
			names = append(names, g.IDs().Kind(v)+"="+g.IDs().Format(v))
			if w, err := g.ParseVertex(g.IDs().Format(v)); w != v || err != nil {
				t.Errorf("%s: %d, %v", g.IDs().Format(v), w, err)
			}
		}
		if want := []string{"item=item:1", "item=item:x:y", "user=user:1", "user=user:2"}; !slices.Equal(names, want) {
			t.Errorf("%v, want %v", names, want)
		}
	}
	if kinds := g.IDs().Kinds(); !slices.Equal(kinds, []string{"item", "user"}) {
		t.Errorf("%v", kinds)
	}
	odd := &IDs{Type: Binary, Logical: form.String(), Len: 2, StringOffsets: []uint64{0, 0, 1}, Data: []byte{7}}
	if odd.Kind(0) != "" || odd.Kind(1) != "" || odd.Format(1) != "@07" {
		t.Errorf("%q, %q, %s", odd.Kind(0), odd.Kind(1), odd.Format(1))
	}
	plain := &IDs{Type: Int64, Len: 1}
	if plain.Kinds() != nil || plain.Kind(0) != "" {
		t.Error("ids without kinds have some")
	}
}
