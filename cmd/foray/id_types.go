// This file finds the input whose ids differ in type from those of earlier inputs.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/foray-graph/foray/graph"
)

// idTypes are the types of ids of an input's parts, as far as they were read.
type idTypes struct {
	mu    sync.Mutex
	first typedPart // the first that had an edge
}

// typedPart is a part with the type of its ids.
type typedPart struct {
	name string
	text bool
	typ  string // empty: it had no edge yet
}

// typed is a part with the type of the ids in a batch of edges.
func (p part) typed(b *graph.Batch) typedPart {
	t, n := b.Type, len(b.Src)
	if b.SrcStrings != nil {
		t, n = graph.String, b.SrcStrings.Len()
		if b.SrcStrings.Binary {
			t = graph.Binary
		}
	}
	if n == 0 || b.Vertices {
		return typedPart{}
	}
	x := typedPart{name: cmp.Or(p.name, p.text), text: p.text != "", typ: cmp.Or(b.Logical, t.String())}
	if p.gen != nil {
		x.name = p.gen.Name()
	}
	return x
}

// note gets the error of adding a batch of a part. It returns the error; if id types differ, the error names the inputs.
func (ts *idTypes) note(p part, b *graph.Batch, err error) error {
	if err != nil && !errors.Is(err, graph.ErrIDType) {
		return err
	}
	x := p.typed(b)
	if x.typ == "" {
		return err
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.first.typ == "" {
		ts.first = x
	}
	if err == nil || ts.first.name == x.name || ts.first.typ == x.typ {
		return err
	}
	return &reworded{fmt.Sprintf("%s: wrong id type: its ids are %s, and those of %s %s; %s", x.name, x.typ, ts.first.name, ts.first.typ, x.remedy(ts.first)), err}
}

// remedy returns how to read two parts with ids of one type.
func (x typedPart) remedy(y typedPart) string {
	table := x
	if x.text {
		table = y
	}
	switch {
	case x.text && y.text:
		return "--ids string reads all of them as strings"
	case !x.text && !y.text:
		return "write both as text (foray convert), whose ids --ids reads as one type"
	case table.typ == "int64" || table.typ == "uint64" || table.typ == "string" || table.typ == "binary":
		return "--ids " + table.typ + " reads text like that"
	}
	return "write " + table.name + " as text (foray convert), whose ids --ids reads as one type"
}
