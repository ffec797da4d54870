package gohost

import (
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// TestArguments: names are Go's, differ, and aren't those that generated code uses itself.
func TestArguments(t *testing.T) {
	f := &ir.Functor{}
	var want []string
	for _, c := range [][2]string{{"Dist", "dist"}, {"MaxDist", "maxDist"}, {"ID", "id"}, {"IDOf", "idOf"}, {"URL", "url"}, {"dist", "distToo"},
		{"Type", "typeField"}, {"Push", "pushField"}, {"Len", "len"}} {
		f.Fields = append(f.Fields, ir.Field{Name: c[0], Type: ir.Uint32})
		want = append(want, c[1])
	}
	if got := Arguments(f); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	args := []string{"dist", "len", "p1", "wRow", "id", "idOf", "idOfAll", "weight"}
	if got, want := variables(&ir.Functor{Fields: make([]ir.Field, len(args))}, args), []string{"dist", "lenOf", "p1Of", "wRowOf", "idOfAllAll", "idOfOf", "idOfAll", "weightOfAll", "weights", "ids"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestNoOperator: methods that no operator takes together are an error.
func TestNoOperator(t *testing.T) {
	f := &ir.Functor{Name: "Both", Methods: []*ir.Method{{Kind: ir.Edge, Result: ir.Bool}, {Kind: ir.Vertex, Result: ir.Bool}}}
	if _, err := File("p", []Functor{{Functor: f}}); err == nil || !strings.Contains(err.Error(), "Both") {
		t.Errorf("%v, want an error that names the functor", err)
	}
}
