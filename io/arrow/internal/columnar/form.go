// This file holds what ids are in the files, and what they are read as where
// files or columns differ.

package columnar

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text/logical"
)

// FormOf returns what the values of a column are as ids, if they can be ids.
func FormOf(c *Column) (t logical.Type, ok bool) {
	switch {
	case c.Repeated:
		return t, false
	case c.Class == Date && c.Unit == 0:
		t.Kind = logical.Date32
	case c.Class == Date:
		t.Kind = logical.Date64
	case c.Class == Timestamp:
		t = logical.Type{Kind: logical.Timestamp, Unit: UnitNames[c.Unit], Zone: c.Zone}
	case c.Digits > 0:
		t = logical.Type{Kind: logical.Decimal, Width: c.Digits}
	case !c.IsID:
		return t, false
	case c.IsUUID:
		t.Kind = logical.UUID
	case c.Width > 0:
		t = logical.Type{Kind: logical.Fixed, Width: c.Width}
	default:
		return logical.PlainType(c.ID.String()), true
	}
	// Names come from files: one that can't be read as what it is counts as none.
	read, err := logical.Parse(t.String())
	return read, err == nil && read.String() == t.String()
}

var UnitNames = map[int64]string{1: "s", 1e3: "ms", 1e6: "us", 1e9: "ns"}

// IDKind is how values of a column are decoded to ids of that form.
func IDKind(t logical.Type) Kind {
	if t.Integer() {
		return Ints
	}
	return Strings
}

// BaseOf returns the graph's type of ids of a form.
func BaseOf(t logical.Type) graph.IDType {
	switch {
	case t.Kind == logical.Plain:
		for id := graph.Int64; id <= graph.Binary; id++ {
			if id.String() == t.Base {
				return id
			}
		}
	case t.Kind == logical.Date32:
		return graph.Int32
	case t.Integer():
		return graph.Int64
	}
	return graph.Binary
}

// LogicalOf returns graph.IDs.Logical of ids of a form.
func LogicalOf(t logical.Type) string {
	if t.Kind == logical.Plain {
		return ""
	}
	return t.String()
}

// TypesThatMix describes commonForm for error messages.
const TypesThatMix = "ids have to be all integers (uint64 with unsigned ones only), all strings, all binary, or all of one date, timestamp or decimal type"

// CommonForm returns what ids of two forms are read as: of integers and decimals
// the narrowest that holds all values of both, of binary of two widths binary of
// any, of tuples part by part, of kinds kind by kind.
func CommonForm(a, b logical.Type) (logical.Type, bool) {
	if a.String() == b.String() {
		return a, true
	}
	if a.Kind == logical.Kinds || b.Kind == logical.Kinds {
		return commonKinds(a, b)
	}
	if a.Kind == logical.Tuple || b.Kind == logical.Tuple {
		if len(a.Parts) != len(b.Parts) {
			return a, false
		}
		t := logical.Type{Kind: logical.Tuple}
		for i := range a.Parts {
			p, ok := CommonForm(a.Parts[i], b.Parts[i])
			if !ok {
				return a, false
			}
			t.Parts = append(t.Parts, p)
		}
		return t, true
	}
	bytes := func(t logical.Type) bool {
		return t.Kind == logical.UUID || t.Kind == logical.Fixed || t.Kind == logical.Plain && t.Base == "binary"
	}
	width := func(t logical.Type) int {
		if t.Kind == logical.UUID {
			return 16
		}
		return t.Width
	}
	switch {
	case a.Kind == logical.Decimal && b.Kind == logical.Decimal:
		return logical.Type{Kind: logical.Decimal, Width: max(a.Width, b.Width)}, true
	case bytes(a) && bytes(b) && width(a) == width(b) && width(a) > 0:
		return logical.Type{Kind: logical.Fixed, Width: 16}, true // one of them a UUID
	case bytes(a) && bytes(b):
		return logical.PlainType("binary"), true
	case a.Kind != logical.Plain || b.Kind != logical.Plain:
		return a, false
	}
	id, ok := commonType(BaseOf(a), BaseOf(b))
	return logical.PlainType(id.String()), ok
}

// UnitOf returns a unit of timestamps by its name.
func UnitOf(name string) arrow.TimeUnit {
	return map[string]arrow.TimeUnit{"s": arrow.Second, "ms": arrow.Millisecond, "us": arrow.Microsecond, "ns": arrow.Nanosecond}[name]
}

// FormOfIDs returns what the ids of a map are.
func FormOfIDs(m *graph.IDs) logical.Type {
	if m.Logical != "" {
		if t, err := logical.Parse(m.Logical); err == nil && t.Fits(m.Type.String()) {
			return t
		}
	}
	return logical.PlainType(m.Type.String())
}

// commonType returns the type that ids of two types are read as: of integers
// the narrowest that holds all values of both.
func commonType(a, b graph.IDType) (graph.IDType, bool) {
	if a == b {
		return a, true
	}
	if !a.Integer() || !b.Integer() {
		return a, false
	}
	signed := [...]graph.IDType{graph.Int8, graph.Int16, graph.Int32, graph.Int64}
	unsigned := [...]graph.IDType{graph.Uint8, graph.Uint16, graph.Uint32, graph.Uint64}
	width := func(t graph.IDType) int { return max(slices.Index(signed[:], t), slices.Index(unsigned[:], t)) }
	i := max(width(a), width(b))
	if !a.Signed() && !b.Signed() {
		return unsigned[i], true
	}
	for _, t := range []graph.IDType{a, b} {
		if !t.Signed() {
			i = max(i, width(t)+1) // all of its values take a bit more
		}
	}
	if i == len(signed) {
		return a, false
	}
	return signed[i], true
}

// commonKinds is commonForm for ids of kinds.
func commonKinds(a, b logical.Type) (logical.Type, bool) {
	if a.Kind != logical.Kinds || b.Kind != logical.Kinds {
		return a, false
	}
	names, types := slices.Clone(a.Names), slices.Clone(a.Parts)
	for i, name := range b.Names {
		k, ok := a.FindKind(name)
		if !ok {
			names, types = append(names, name), append(types, b.Parts[i])
			continue
		}
		if types[k], ok = CommonForm(types[k], b.Parts[i]); !ok {
			return a, false
		}
	}
	t, err := logical.NewKinds(names, types)
	return t, err == nil
}
