// This file changes conditions that are valid but that go vet, which go test runs, takes for mistakes.

package gohost

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// vetted returns the code without operands of && and || that go vet (its analyzer bools) reports: the second
// x of x && x is dropped, and the second comparison of x != 1 || x != 2 becomes !(x == 2). Functions that
// are called with constants, or with the same argument twice, lead to these.
func vetted(src []byte) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	v := vetter{src: src, at: func(p token.Pos) int { return set.Position(p).Offset }, seen: map[*ast.BinaryExpr]bool{}}
	ast.Inspect(f, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && !v.seen[b] && (b.Op == token.LAND || b.Op == token.LOR) {
			v.chain(b)
		}
		return true
	})
	if len(v.edits) == 0 {
		return src, nil
	}
	slices.SortFunc(v.edits, func(a, b edit) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var out bytes.Buffer
	done := 0
	for _, e := range v.edits {
		if e.from < done { // inside an operand that is dropped
			continue
		}
		out.Write(src[done:e.from])
		out.WriteString(e.text)
		done = e.to
	}
	out.Write(src[done:])
	text, err := format.Source(out.Bytes())
	if err != nil {
		return nil, err
	}
	return vetted(text) // an operand that is gone may leave others alike
}

// edit replaces a part of the text.
type edit struct {
	from, to int
	text     string
}

type vetter struct {
	src   []byte
	at    func(token.Pos) int
	seen  map[*ast.BinaryExpr]bool // parts of chains
	edits []edit
}

func (v *vetter) text(n ast.Node) string { return string(v.src[v.at(n.Pos()):v.at(n.End())]) }

// operand is an operand of a chain; within is the operation that it is the right side of, or nil.
type operand struct {
	x      ast.Expr
	within *ast.BinaryExpr
}

// chain looks at the operands of a chain of one operator, in their order.
func (v *vetter) chain(b *ast.BinaryExpr) {
	same, compared := map[string]bool{}, map[string]string{}
	suspect, other, none := token.NEQ, " == ", "false"
	if b.Op == token.LAND {
		suspect, other, none = token.EQL, " != ", "true"
	}
	for _, o := range v.split(b, b.Op, nil) {
		text := v.text(o.x)
		switch c, is := o.x.(*ast.BinaryExpr); {
		case !calculates(o.x):
			same, compared = map[string]bool{}, map[string]string{}
		case same[text] && o.within != nil:
			v.edits = append(v.edits, edit{v.at(o.within.X.End()), v.at(o.within.Y.End()), ""})
		case same[text]: // the first operand of a part in parentheses
			v.edits = append(v.edits, edit{v.at(o.x.Pos()), v.at(o.x.End()), none})
		case is && c.Op == suspect:
			x := v.text(c.X)
			if !literal(c.Y) {
				if !literal(c.X) {
					break
				}
				x = v.text(c.Y)
			}
			if was := compared[x]; was != "" && was != text {
				v.edits = append(v.edits, edit{v.at(o.x.Pos()), v.at(o.x.End()), "!(" + v.text(c.X) + other + v.text(c.Y) + ")"})
			}
			compared[x] = text
		}
		same[text] = true
	}
}

// split returns the operands of a chain. within is the operation that e is the right side of.
func (v *vetter) split(e ast.Expr, op token.Token, within *ast.BinaryExpr) []operand {
	e = ast.Unparen(e)
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == op {
		v.seen[b] = true
		return append(v.split(b.X, op, nil), v.split(b.Y, op, b)...)
	}
	return []operand{{e, within}}
}

// calculates reports an expression that calls nothing but conversions and what Go has built in.
func calculates(e ast.Expr) (is bool) {
	is = true
	ast.Inspect(e, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			id, named := c.Fun.(*ast.Ident)
			is = is && named && strings.Contains(" int uint int32 uint32 int64 uint64 float32 float64 len min max ", " "+id.Name+" ")
		}
		return is
	})
	return is
}

// literal reports a constant as the printer writes it.
func literal(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "true" || e.Name == "false"
	case *ast.UnaryExpr:
		return literal(e.X)
	case *ast.CallExpr:
		return len(e.Args) == 1 && calculates(e) && literal(e.Args[0])
	}
	return false
}
