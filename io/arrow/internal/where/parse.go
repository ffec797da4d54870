// Package where parses and evaluates conditions on columns, such as
//
//	amount >= 100 and type in ('follow', 'like') and not deleted
//
// It determines which rows of vectors of values meet a condition, and from statistics whether
// any row may. Nulls are as in SQL: a comparison with one is neither true nor false, and a row
// stays only if the condition is true.
package where

import (
	"errors"
	"strings"
	"sync"
)

// ErrSyntax: what was given is no condition.
var ErrSyntax = errors.New("wrong syntax")

// Expr is a condition, as it was written. It is safe for concurrent use.
type Expr struct {
	root    *node
	columns []string

	mu    sync.Mutex
	bound map[string]*test // by the types of the columns: files mostly have the same
}

type operation uint8

const (
	opAnd operation = iota
	opOr
	opNot
	opLess
	opAtMost
	opMore
	opAtLeast
	opEqual
	opDiffer
	opIn
	opNull
	opTrue // a column of booleans
)

var opNames = [...]string{"and", "or", "not", "<", "<=", ">", ">=", "=", "<>", "in", "is null", "is true"}

// node is a part of a condition.
type node struct {
	op       operation
	children []*node // of and, or and not
	column   int     // of the others, in columns
	values   []value
	at       int
}

// value is a literal.
type value struct {
	kind kind // text, hexText, number, or word for true and false
	text string
	at   int
}

// Columns returns the names of the columns that are compared, each once.
func (e *Expr) Columns() []string { return e.columns }

// Parse reads a condition. Its grammar follows SQL: comparisons of a column
// with a literal by =, <>, !=, <, <=, > and >=, [not] in (...), [not] between x
// and y, is [not] null, columns of booleans, and, or, not and parentheses.
func Parse(s string) (*Expr, error) {
	if len(s) > maxLength {
		return nil, wrong(maxLength, "it is longer than %d bytes", maxLength)
	}
	tokens, err := lex(s)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, index: map[string]int{}}
	root, err := p.or()
	if err == nil && p.peek().kind != end {
		err = wrong(p.peek().at, "%v, where and, or or the end belong", p.peek())
	}
	if err != nil {
		return nil, err
	}
	return &Expr{root: root, columns: p.columns}, nil
}

type parser struct {
	tokens  []token
	p       int
	depth   int
	columns []string
	index   map[string]int
}

func (p *parser) peek() token { return p.tokens[p.p] }

func (p *parser) take() token {
	t := p.tokens[p.p]
	if t.kind != end {
		p.p++
	}
	return t
}

// accept takes the next token if it is that keyword or symbol.
func (p *parser) accept(s string) bool {
	if p.peek().is(s) {
		p.take()
		return true
	}
	return false
}

func (p *parser) expect(s string) error {
	if t := p.peek(); !p.accept(s) {
		return wrong(t.at, "%v, where %q belongs", t, s)
	}
	return nil
}

func (p *parser) or() (*node, error)  { return p.chain(opOr, "or", p.and) }
func (p *parser) and() (*node, error) { return p.chain(opAnd, "and", p.not) }

func (p *parser) chain(op operation, name string, part func() (*node, error)) (*node, error) {
	n, err := part()
	if err != nil || !p.peek().is(name) {
		return n, err
	}
	all := &node{op: op, children: []*node{n}, at: n.at}
	for p.accept(name) {
		if n, err = part(); err != nil {
			return nil, err
		}
		all.children = append(all.children, n)
	}
	return all, nil
}

func (p *parser) not() (*node, error) {
	t := p.peek()
	if p.depth++; p.depth > maxDepth {
		return nil, wrong(t.at, "nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept("not"):
		n, err := p.not()
		return negate(n), err
	case p.accept("("):
		n, err := p.or()
		if err == nil {
			err = p.expect(")")
		}
		return n, err
	}
	return p.comparison()
}

func negate(n *node) *node {
	if n == nil {
		return nil
	}
	return &node{op: opNot, children: []*node{n}, at: n.at}
}

// comparisons are the operators between a column and a literal; swapped is
// what they are the other way round.
var (
	comparisons = map[string]operation{"=": opEqual, "==": opEqual, "<>": opDiffer, "!=": opDiffer,
		"<": opLess, "<=": opAtMost, ">": opMore, ">=": opAtLeast}
	swapped = map[operation]operation{opEqual: opEqual, opDiffer: opDiffer, opLess: opMore, opAtMost: opAtLeast,
		opMore: opLess, opAtLeast: opAtMost}
)

func (p *parser) comparison() (*node, error) {
	t := p.peek()
	if p.isLiteral() {
		v, err := p.literal()
		if err != nil {
			return nil, err
		}
		op, ok := comparisons[p.peek().text]
		if o := p.peek(); o.kind != symbol || !ok {
			return nil, wrong(o.at, "%v after a value, where a comparison belongs", o)
		}
		p.take()
		n, err := p.column()
		if err != nil {
			return nil, err
		}
		n.op, n.values = swapped[op], []value{v}
		return n, nil
	}
	n, err := p.column()
	if err != nil {
		return nil, err
	}
	o := p.peek()
	if op, ok := comparisons[o.text]; ok && o.kind == symbol {
		p.take()
		v, err := p.literal()
		n.op, n.values = op, []value{v}
		return n, err
	}
	no := p.accept("not")
	switch {
	case p.accept("in"):
		err = p.list(n)
	case p.accept("between"):
		n, err = p.between(n)
	case no:
		err = wrong(p.peek().at, "%v, where in or between belongs", p.peek())
	case p.accept("is"):
		no = p.accept("not")
		if v := p.peek(); v.is("true") || v.is("false") {
			p.take()
			return nil, wrong(v.at, "is %s: write the column alone, or not and the column", strings.ToLower(v.text))
		}
		n.op, err = opNull, p.expect("null")
	default:
		n.op = opTrue
		if o.kind != end && !o.is(")") && !o.is("and") && !o.is("or") {
			return nil, wrong(o.at, "%v after column %.40q, where a comparison belongs: =, <>, <, <=, >, >=, in, between or is null", o, t.text)
		}
	}
	if err == nil && no {
		n = negate(n)
	}
	return n, err
}

// list reads the values of in.
func (p *parser) list(n *node) error {
	n.op = opIn
	if err := p.expect("("); err != nil {
		return err
	}
	for {
		v, err := p.literal()
		if err != nil {
			return err
		}
		n.values = append(n.values, v)
		if !p.accept(",") {
			return p.expect(")")
		}
	}
}

// between reads the ends of between, which are separate comparisons.
func (p *parser) between(n *node) (*node, error) {
	lo, err := p.literal()
	if err == nil {
		err = p.expect("and")
	}
	if err != nil {
		return n, err
	}
	hi, err := p.literal()
	least, most := *n, *n
	least.op, least.values = opAtLeast, []value{lo}
	most.op, most.values = opAtMost, []value{hi}
	return &node{op: opAnd, children: []*node{&least, &most}, at: n.at}, err
}

var keywords = []string{"and", "or", "not", "in", "is", "between", "null", "true", "false"}

// column reads the name of a column.
func (p *parser) column() (*node, error) {
	t := p.take()
	bad := t.kind != word && t.kind != quoted
	for _, k := range keywords {
		bad = bad || t.is(k)
	}
	if bad {
		return nil, wrong(t.at, "%v, where a column belongs; names of other letters stand in double quotes", t)
	}
	name := t.text
	if _, ok := p.index[name]; !ok {
		p.index[name] = len(p.columns)
		p.columns = append(p.columns, name)
	}
	return &node{column: p.index[name], at: t.at}, nil
}

// isLiteral reports whether a literal comes next.
func (p *parser) isLiteral() bool {
	t := p.peek()
	switch t.kind {
	case text, hexText, number:
		return true
	case symbol:
		return t.text == "-" || t.text == "+"
	}
	if t.is("true") || t.is("false") {
		return true
	}
	// date '2025-03-01' is a literal, and date alone may be a column.
	return (t.is("date") || t.is("timestamp")) && p.tokens[p.p+1].kind == text
}

func (p *parser) literal() (value, error) {
	if !p.isLiteral() {
		t := p.peek()
		if t.is("null") {
			return value{}, wrong(t.at, "nothing compares with null; write is null or is not null")
		}
		if t.kind == quoted {
			return value{}, wrong(t.at, "%v is a name, where a value belongs; strings stand in single quotes", t)
		}
		return value{}, wrong(t.at, "%v, where a value belongs: a number, 'a string', true or false; columns aren't compared with columns", t)
	}
	t := p.take()
	v := value(t)
	switch {
	case t.is("date") || t.is("timestamp"):
		v = value{kind: text, text: p.take().text, at: t.at}
	case t.kind == symbol:
		n := p.take()
		if n.kind != number {
			return v, wrong(n.at, "%v after %s, where a number belongs", n, t.text)
		}
		v = value{kind: number, text: n.text, at: t.at}
		if t.text == "-" {
			v.text = "-" + v.text
		}
	case t.kind == word:
		v.text = strings.ToLower(t.text)
	}
	return v, nil
}
