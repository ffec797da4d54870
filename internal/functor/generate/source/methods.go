// This file checks which methods a functor has, and what they take and return.

package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/functor/ir"
)

// lowerer lowers a functor.
type lowerer struct {
	*unit
	f      *ir.Functor
	spec   *ast.TypeSpec
	fields map[types.Object]int
	size   int // instructions so far
	arrays int // bytes of local arrays so far
	full   bool
	// Elements that a loop's bound reads: fields that no method may write.
	bounds []boundRead
	stores map[written]token.Pos
	// updates are assignments to elements that read them too, in Common. declared has the methods of the source.
	updates  []updated
	declared map[*ir.Method]*ast.FuncDecl
}

// written is a line at which a method writes elements of a field.
type written struct {
	kind        ir.Kind
	field, line int
}

type boundRead struct {
	field int
	pos   token.Pos
}

// signature is the form of a method that operators call.
type signature struct {
	kind    ir.Kind
	params  []string // of package traverse; "total" is what Gather returns, "key" a key, "score" what Score returns
	results string   // types by name, "" for none
	form    string
}

var signatures = [...]signature{
	{ir.Edge, []string{"Edge"}, " bool uint32", "Edge(e traverse.Edge) bool, or uint32, or without a result"},
	{ir.Gather, []string{"Edge"}, "int32 uint32 int64 uint64 float32 float64", "Gather(e traverse.Edge) float32, or int32, uint32, int64, uint64, float64"},
	{ir.Apply, []string{"Vertex", "total"}, " int64 uint64 float64", "Apply(v traverse.Vertex, total T), without a result or int64, uint64, float64, where T is what Gather returns"},
	{ir.Vertex, []string{"Vertex"}, " bool uint32 int64 uint64 float64", "Vertex(v traverse.Vertex) bool, or uint32, int64, uint64, float64, or without a result"},
	{ir.Hit, []string{"Edge"}, "bool", "Hit(e traverse.Edge) bool"},
	{ir.Common, []string{"Corner"}, " bool", "Common(c traverse.Corner) bool, or without a result"},
	{ir.Key, []string{"Edge"}, "uint32", "Key(e traverse.Edge) uint32"},
	{ir.Score, []string{"Vertex", "key", "total"}, "float64", "Score(v traverse.Vertex, key uint32, total T) float64, where T is what Gather returns"},
}

// keyed returns the form of Apply in a functor that has Key: each pair of a vertex and a key has a total, or the
// vertex has a key with a score.
func keyed(score bool) signature {
	if score {
		return signature{ir.Apply, []string{"Vertex", "key", "score"}, " int64 uint64 float64", "Apply(v traverse.Vertex, key uint32, score float64), without a result or int64, uint64, float64, where the functor has Score"}
	}
	return signature{ir.Apply, []string{"Vertex", "key", "total"}, " int64 uint64 float64", "Apply(v traverse.Vertex, key uint32, total T), without a result or int64, uint64, float64, where the functor has Key, and T is what Gather returns"}
}

// methods finds the functor's methods, checks which there are, and lowers them.
func (f *lowerer) methods() {
	var found [len(signatures)]*ast.FuncDecl
	ok := true
	for _, d := range f.own() {
		for i, s := range signatures {
			if d.Name.Name == s.kind.String() {
				found[i] = d
			}
		}
	}
	forms := signatures
	if key, score := found[6] != nil, found[7] != nil; key || score {
		forms[2] = keyed(score)
	}
	var results [len(signatures)]ir.Type
	total := ir.Void
	for i, d := range found {
		if d == nil {
			continue
		}
		t, good := f.signature(d, forms[i], total)
		results[i], ok = t, ok && good
		if signatures[i].kind == ir.Gather {
			total = t
		}
	}
	if !ok || !f.checkSet(found[:], results[:]) {
		return
	}
	if common, edge := found[5], found[0]; common != nil {
		f.lowerCommon(common, edge)
		found[0], found[5] = nil, nil
	}
	for i, d := range found {
		if d == nil {
			continue
		}
		if signatures[i].kind == ir.Gather {
			f.readReduce(d, results[i])
		}
		if c := comment(d.Doc, uniqueMark); c != nil {
			if signatures[i].kind != ir.Edge || results[i] != ir.Bool {
				f.errorf(c.Pos(), "%s is for an Edge that returns bool", uniqueMark)
			}
			f.f.Unique = true
		}
		if c := comment(d.Doc, directMark); c != nil {
			if signatures[i].kind != ir.Edge {
				f.errorf(c.Pos(), "%s is for an Edge", directMark)
			}
			f.f.Direct = true
		}
		f.lowerMethod(forms[i], d, results[i], total)
	}
	if _, words := f.f.Words(); words > ir.BlockWords {
		f.errorf(f.spec.Name.Pos(), "the functor %s has %d words of fields, of %d; a slice takes two, and two are for faults: use fewer, or longer ones", f.f.Name, words, ir.BlockWords)
	}
	f.races(found[:])
	f.lostUpdates()
	f.keyedWrites()
	for _, b := range f.bounds {
		if f.f.Fields[b.field].Written {
			f.errorf(b.pos, "the bound of a loop reads %s, which this functor writes; %s", f.f.Fields[b.field].Name, boundBefore)
		}
	}
}

// races refuses writes of elements that the same step may use at other vertices at the same time: results would vary from
// run to run.
func (f *lowerer) races(found []*ast.FuncDecl) {
	above := ir.Vertex
	for i, d := range found {
		if k := signatures[i].kind; d != nil && (k == ir.Apply || k == ir.Vertex) {
			if comment(d.Doc, disjointMark) != nil {
				return
			}
			above = k
		}
	}
	for _, r := range f.f.Races() {
		other := "for another vertex"
		if r.Write == ir.Apply && r.Use == ir.Apply && f.f.Method(ir.Key) != nil && f.f.Method(ir.Score) == nil {
			other = "for another key of the vertex"
		}
		f.errorf(f.stores[written{r.Write, r.Field, r.Line}], "%s writes an element of %s that %s may use at the same time, %s (line %d); write to another slice, or by package atomics, or put %s above %s if that never happens",
			r.Write, f.f.Fields[r.Field].Name, r.Use, other, r.UseLine, disjointMark, above)
	}
}

// updated is an assignment such as x[i] += y, where i is a vertex or an edge of a Corner that other triangles have too.
type updated struct {
	in    *ast.FuncDecl // the functor's method
	field int
	pos   token.Pos
}

// lostUpdates refuses assignments such as x[i] += y of elements that other calls may update at the same time: updates would
// get lost.
func (f *lowerer) lostUpdates() {
	refuse := func(in *ast.FuncDecl, field int, pos token.Pos, what string) {
		if in != nil && comment(in.Doc, disjointMark) == nil {
			f.errorf(pos, "this assignment to %s depends on the old value of %s, which other calls may change at the same time: updates get lost; use atomics.Add and the like, or an accumulator such as traverse.Sum, or put %s above %s if that never happens",
				f.f.Fields[field].Name, what, disjointMark, in.Name.Name)
		}
	}
	for _, u := range f.updates {
		refuse(u.in, u.field, u.pos, "an element that other triangles have too")
	}
	for _, m := range f.f.Methods {
		for _, u := range m.LostUpdates() {
			if u.Field < len(f.f.Fields) {
				refuse(f.declared[m], u.Field, f.stores[written{m.Kind, u.Field, u.Line}], u.What)
			}
		}
	}
}

// keyedWrites refuses writes in the methods of a keyed reduce that may be called for an edge, or a key, more than once.
func (f *lowerer) keyedWrites() {
	if f.f.Method(ir.Key) == nil {
		return
	}
	for _, m := range f.f.Methods {
		if line := m.Writes(); m.Kind != ir.Apply && line > 0 {
			f.errorf(f.spec.Name.Pos(), "line %d: %s of the keyed reduce %s writes; it may be called more than once for an edge or a key: write in Apply", line, m.Kind, f.spec.Name.Name)
		}
	}
}

// receiver returns the type that a method is of.
func receiver(info *types.Info, d *ast.FuncDecl) types.Object {
	fn, ok := info.Defs[d.Name].(*types.Func)
	if !ok {
		return nil
	}
	r := fn.Signature().Recv()
	if r == nil {
		return nil
	}
	t := types.Unalias(r.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// signature checks a method's parameters and result, and returns its type.
func (f *lowerer) signature(d *ast.FuncDecl, s signature, total ir.Type) (result ir.Type, ok bool) {
	sig := f.info.Defs[d.Name].(*types.Func).Signature()
	ok = sig.Params().Len() == len(s.params) && sig.Results().Len() <= 1 && !sig.Variadic()
	bound := f.bound(sig.RecvTypeParams())
	for i, want := range s.params {
		if !ok {
			break
		}
		t := sig.Params().At(i).Type()
		switch want {
		case "total":
			ok = total == ir.Void || plainType(bound.of(t)) == total
		case "key":
			ok = plainType(bound.of(t)) == ir.Uint32
		case "score":
			ok = plainType(bound.of(t)) == ir.Float64
		default:
			ok = isTraverse(t, want)
		}
	}
	name := ""
	if ok && sig.Results().Len() == 1 {
		t := sig.Results().At(0).Type()
		result = plainType(bound.of(t))
		if g := f.f.Generic; g != nil && s.kind == ir.Gather {
			g.Total = parameter(sig, t)
		} else if g != nil && s.kind != ir.Edge && s.kind != ir.Key && s.kind != ir.Score {
			g.Value = parameter(sig, t)
		}
		name = result.String()
		ok = result != ir.Void
	}
	if !ok || !slices.Contains(strings.Split(s.results, " "), name) {
		if f.problemsIn(d.Type) || unknown(sig) && f.unimported() {
			return result, false
		}
		f.errorf(d.Name.Pos(), "this is %s; the method %s of a functor is %s", f.written(d), s.kind, s.form)
		return result, false
	}
	return result, true
}

// unknown reports a parameter whose type go/types doesn't know.
func unknown(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if b, ok := sig.Params().At(i).Type().(*types.Basic); ok && b.Kind() == types.Invalid {
			return true
		}
	}
	return false
}

// plainType is the type of a result: a predeclared type, but not int.
func plainType(t types.Type) ir.Type {
	if b, ok := types.Unalias(t).(*types.Basic); ok && b.Kind() != types.Int && b.Kind() != types.Uint {
		return basicType(b)
	}
	return ir.Void
}

// isTraverse reports a type of package traverse.
func isTraverse(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == Module+"/traverse"
}

// checkSet reports whether the methods belong together.
func (f *lowerer) checkSet(found []*ast.FuncDecl, results []ir.Type) bool {
	edge, gather, apply, vertex, hit, common, key, score := found[0], found[1], found[2], found[3], found[4], found[5], found[6], found[7]
	pos := f.spec.Name.Pos()
	near := edge != nil && results[0] == ir.Uint32
	none := edge == nil && gather == nil && apply == nil && vertex == nil && hit == nil && common == nil && key == nil && score == nil
	switch {
	case (none || (gather == nil) != (apply == nil) || near && vertex == nil) && f.misnamed(found, none):
	case none:
		f.errorf(pos, "the functor %s has no methods; give it Edge, or Hit, or Gather and Apply, or Vertex, or Common", f.spec.Name.Name)
	case common != nil && (gather != nil || apply != nil || vertex != nil || hit != nil || key != nil || score != nil):
		f.errorf(pos, "the functor %s has Common and a method other than Edge; make two functors", f.spec.Name.Name)
	case common != nil && edge != nil && results[0] != ir.Bool:
		f.errorf(edge.Name.Pos(), "an Edge beside Common returns bool: whether the edge takes part in triangles")
	case key == nil && score != nil:
		f.errorf(pos, "the functor %s has Score and no Key; a keyed reduce needs Key, Gather and Apply", f.spec.Name.Name)
	case key != nil && (gather == nil || apply == nil):
		f.errorf(pos, "the functor %s has Key without Gather and Apply; a keyed reduce needs all three", f.spec.Name.Name)
	case hit != nil && (edge != nil || gather != nil || apply != nil || vertex != nil):
		f.errorf(pos, "the functor %s has Hit and another method; make two functors", f.spec.Name.Name)
	case (gather == nil) != (apply == nil):
		f.errorf(pos, "the functor %s has one of Gather and Apply; a reduction needs both", f.spec.Name.Name)
	case gather != nil && (edge != nil || vertex != nil):
		f.errorf(pos, "the functor %s has Gather and Apply, and Edge or Vertex as well; make two functors", f.spec.Name.Name)
	case near && (vertex == nil || results[3] != ir.Uint32):
		f.errorf(edge.Name.Pos(), "an Edge that returns uint32, when the target is due, needs a method Vertex(v traverse.Vertex) uint32 that says it of a vertex")
	case edge != nil && vertex != nil && !near:
		f.errorf(pos, "the functor %s has Edge and Vertex; make two functors", f.spec.Name.Name)
	case edge == nil && vertex != nil && results[3] == ir.Uint32:
		f.errorf(vertex.Name.Pos(), "a Vertex that returns uint32, when the vertex is due, needs a method Edge(e traverse.Edge) uint32; of a reduction return uint64")
	default:
		return true
	}
	return false
}

// readReduce reads //foray:reduce above Gather.
func (f *lowerer) readReduce(d *ast.FuncDecl, t ir.Type) {
	c := comment(d.Doc, reduceMark)
	if c == nil {
		return
	}
	words := strings.Fields(c.Text)
	folds := map[string]ir.Fold{"sum": ir.SumFold, "min": ir.MinFold, "max": ir.MaxFold, "or": ir.OrFold}
	fold, ok := folds[words[len(words)-1]]
	switch {
	case len(words) != 2 || !ok:
		f.errorf(c.Pos(), "%s is followed by sum, min, max or or", reduceMark)
	case fold == ir.OrFold && t.Float():
		f.errorf(c.Pos(), "%s or is for integers; Gather returns %s", reduceMark, t)
	}
	f.f.Reduce = fold
}
