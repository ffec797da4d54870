// This file holds expressions over kinds of edges, and their automata.

package reach

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/foray-graph/foray/graph"
)

// maxDepth is how many parentheses may be open: the parser calls itself for each. Users write a few.
const maxDepth = 100

// automaton is Glushkov's automaton of an expression: a state for each kind that stands in it. The walk enters the state of
// a kind along an edge of that kind.
type automaton struct {
	kinds       []string // of each state; "" for a dot
	first, last uint64   // states that a walk may begin with, and end with
	follow      []uint64 // of each state: those that may come next
	any         uint64   // states of dots
	empty       bool     // a walk without edges matches
}

// part is what the automaton of a part of an expression is to others.
type part struct {
	first, last uint64
	empty       bool
}

// compile reads an expression.
func compile(text string) (*automaton, error) {
	p := &parser{text: text, m: &automaton{}}
	all, err := p.alternatives()
	if err == nil && p.at < len(p.text) {
		err = p.wrong("%q isn't expected here", p.rune())
	}
	if err != nil {
		return nil, err
	}
	p.m.first, p.m.last, p.m.empty = all.first, all.last, all.empty
	return p.m, nil
}

// masks returns the states that each code of the column leads to. The error is graph.ErrNoColumn for a kind that isn't there.
func (m *automaton) masks(g *graph.Graph, column string) ([]uint64, error) {
	c, err := g.EdgeColumn(column)
	if err != nil {
		return nil, err
	}
	if c.Dictionary == nil {
		return nil, fmt.Errorf("%w: column %.100q has values of type %T, not strings", errColumnType, column, c.Values)
	}
	of := make([]uint64, max(1, c.Dictionary.Len()))
	for state, kind := range m.kinds {
		if m.any>>state&1 != 0 {
			continue
		}
		code, err := g.Code(column, kind)
		if err != nil {
			return nil, err
		}
		of[code] |= 1 << state
	}
	return of, nil
}

// parser reads an expression by recursive descent.
type parser struct {
	text  string
	at    int
	depth int
	m     *automaton
}

var errExpression = errors.New("wrong syntax")

func (p *parser) wrong(format string, args ...any) error {
	return fmt.Errorf("%w: at byte %d: %s", errExpression, p.at, fmt.Sprintf(format, args...))
}

// rune returns the next character that isn't white space, or utf8.RuneError at the end.
func (p *parser) rune() rune {
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			return r
		}
		p.at += size
	}
	return utf8.RuneError
}

// accept skips a character if it is next.
func (p *parser) accept(r rune) bool {
	if p.rune() != r || p.at >= len(p.text) {
		return false
	}
	p.at += utf8.RuneLen(r)
	return true
}

func (p *parser) alternatives() (part, error) {
	a, err := p.sequence()
	for err == nil && p.accept('|') {
		var b part
		b, err = p.sequence()
		a = part{a.first | b.first, a.last | b.last, a.empty || b.empty}
	}
	return a, err
}

func (p *parser) sequence() (part, error) {
	a, err := p.repeated()
	for err == nil && p.accept(',') {
		var b part
		if b, err = p.repeated(); err != nil {
			break
		}
		p.link(a.last, b.first)
		c := part{first: a.first, last: b.last, empty: a.empty && b.empty}
		if a.empty {
			c.first |= b.first
		}
		if b.empty {
			c.last |= a.last
		}
		a = c
	}
	return a, err
}

// link lets the second states follow the first.
func (p *parser) link(from, to uint64) {
	for i := range p.m.follow {
		if from>>i&1 != 0 {
			p.m.follow[i] |= to
		}
	}
}

func (p *parser) repeated() (part, error) {
	a, err := p.single()
	for err == nil {
		switch {
		case p.accept('*'):
			p.link(a.last, a.first)
			a.empty = true
		case p.accept('+'):
			p.link(a.last, a.first)
		case p.accept('?'):
			a.empty = true
		default:
			return a, nil
		}
	}
	return a, err
}

func (p *parser) single() (part, error) {
	switch r := p.rune(); {
	case p.at >= len(p.text):
		return part{}, p.wrong("a kind is missing")
	case p.accept('('):
		if p.depth++; p.depth > maxDepth {
			return part{}, p.wrong("more than %d parentheses are open", maxDepth)
		}
		a, err := p.alternatives()
		if err == nil && !p.accept(')') {
			err = p.wrong("a parenthesis isn't closed")
		}
		p.depth--
		return a, err
	case p.accept('.'):
		return p.state("", true)
	case p.accept('\''):
		var b strings.Builder
		for {
			i := strings.IndexByte(p.text[p.at:], '\'')
			if i < 0 {
				return part{}, p.wrong("a quote isn't closed")
			}
			b.WriteString(p.text[p.at : p.at+i])
			if p.at += i + 1; !strings.HasPrefix(p.text[p.at:], "'") {
				return p.state(b.String(), false)
			}
			b.WriteByte('\'')
			p.at++
		}
	case inName(r):
		n := strings.IndexFunc(p.text[p.at:], func(r rune) bool { return !inName(r) })
		if n < 0 {
			n = len(p.text) - p.at
		}
		name := p.text[p.at : p.at+n]
		p.at += n
		return p.state(name, false)
	default:
		return part{}, p.wrong("%q, where a kind belongs; quote kinds with such characters: 'works at'", r)
	}
}

func inName(r rune) bool {
	return r == '_' || r == '-' || r == ':' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// state adds a state.
func (p *parser) state(kind string, dot bool) (part, error) {
	i := len(p.m.kinds)
	if i == 64 {
		return part{}, p.wrong("it has more than 64 kinds and dots")
	}
	p.m.kinds, p.m.follow = append(p.m.kinds, kind), append(p.m.follow, 0)
	if dot {
		p.m.any |= 1 << i
	}
	return part{first: 1 << i, last: 1 << i}, nil
}

// Kinds returns the kinds in an expression, each once, without dots. Match returns the same errors.
func Kinds(expression string) ([]string, error) {
	m, err := compile(expression)
	if err != nil {
		return nil, fmt.Errorf("reach: %w: Options.Expression: %w", graph.ErrOptions, err)
	}
	var kinds []string
	for i, k := range m.kinds {
		if m.any>>i&1 == 0 && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds, nil
}
