// This file writes ids of vertices of several kinds: a column of ids and one of the
// kinds' names.

package write

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// kindColumn is the name of the column of kinds next to a column of ids.
func kindColumn(name string) string {
	if name == "vertex" {
		return "kind"
	}
	return name + "_kind"
}

// kindsColumn returns what ids of all kinds are written as in one column: the type
// that all of them have, or of integers the narrowest that holds all, else text.
func kindsColumn(form logical.Type) logical.Type {
	if len(form.Parts) == 0 {
		return logical.PlainType("string")
	}
	common := form.Parts[0]
	for _, p := range form.Parts[1:] {
		same := p.String() == common.String()
		integers := p.Kind == logical.Plain && common.Kind == logical.Plain && p.Integer() && common.Integer()
		both, ok := columnar.CommonForm(common, p)
		if !ok || !same && !integers {
			return logical.PlainType("string")
		}
		common = both
	}
	return common
}

// fillKinds makes the first column the ids of the vertices and the second the names
// of their kinds.
func fillKinds(cols []outColumn, m *graph.IDs, vs []uint32, optional bool, form logical.Type) error {
	ids, kinds := &cols[0], &cols[1]
	for _, c := range []*outColumn{ids, kinds} {
		c.setValid(vs, optional)
		c.ints, c.bytes = c.ints[:0], c.bytes[:0]
	}
	as := kindsColumn(form)
	integers, texts := as.Integer(), false
	names := make([][]byte, len(form.Names))
	for i, name := range form.Names {
		names[i] = []byte(name)
		texts = texts || form.Parts[i].String() != as.String() && !integers
	}
	for _, v := range vs {
		var id logical.Value
		var name []byte
		if v != graph.NoVertex {
			key, err := keyOf(m, v)
			if err != nil {
				return err
			}
			k, value, ok := form.SplitKind(key)
			if !ok {
				return fmt.Errorf("%w: the id of vertex %d is no %v", graph.ErrMalformed, v, form)
			}
			if id, name = value, names[k]; texts {
				id.Bytes = []byte(form.Parts[k].FormatValue(value))
			}
		}
		if integers {
			ids.ints = append(ids.ints, id.Int)
		} else {
			ids.bytes = append(ids.bytes, id.Bytes)
		}
		kinds.bytes = append(kinds.bytes, name)
	}
	return ids.shape(as)
}
