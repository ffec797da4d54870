// This file makes literals values of the columns that they are compared with.

package where

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// ErrType: a column that can't be compared with what it is compared with.
var ErrType = errors.New("wrong type")

// Filter is a condition on columns of known types.
type Filter struct {
	root  *test
	tests [][]uint8 // the results of tests by depth, for Rows
	keep  []bool
	// tables has, for a column of strings in codes, the results of a test at each code.
	tables map[*test][]uint8
}

// test is a node whose literals are values.
type test struct {
	op       operation // and, or, not, null or in; others became in
	children []*test
	column   int
	class    columnar.Class
	maybe    bool // the column isn't known: any result is possible

	// A value passes where it lies between lo and hi, both included, or is one
	// of the listed, and with but, where it doesn't.
	but       bool
	lo, hi    int64     // of classes in Ints
	ints      []int64   // sorted
	flip      int64     // what unsigned values are ordered by
	low, high float64   // of floats
	open      [2]bool   // low or high itself doesn't pass
	doubles   []float64 // sorted
	least     *[]byte   // of strings, nil where there is no bound
	most      *[]byte
	openS     [2]bool
	strings   map[string]struct{}
	sorted    []string // the same
	listed    bool
}

// Bind types the condition. column returns what a column is, by its index in
// Columns; where it doesn't know, comparisons with it may have any result (and
// the filter is for MayMatch alone).
func (e *Expr) Bind(column func(i int) (columnar.Column, bool)) (*Filter, error) {
	// Long lists are bound once, not for each file.
	var types strings.Builder
	for i := range e.columns {
		c, ok := column(i)
		// The class as a number: some classes have one name.
		fmt.Fprintln(&types, ok, uint8(c.Class), c.Unit, c.UTC, c.Scale, c.Single)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	root := e.bound[types.String()]
	if root == nil {
		var err error
		if root, err = e.bind(e.root, column); err != nil {
			return nil, err
		}
		if e.bound == nil || len(e.bound) >= maxBound {
			e.bound = map[string]*test{}
		}
		e.bound[types.String()] = root
	}
	return &Filter{root: root}, nil
}

func (e *Expr) bind(n *node, column func(i int) (columnar.Column, bool)) (*test, error) {
	t := &test{op: n.op, column: n.column}
	for _, child := range n.children {
		c, err := e.bind(child, column)
		if err != nil {
			return nil, err
		}
		t.children = append(t.children, c)
	}
	if len(t.children) > 0 {
		return t, nil
	}
	col, ok := column(n.column)
	if !ok {
		t.maybe = true
		return t, nil
	}
	t.class = col.Class
	if n.op == opNull {
		return t, nil
	}
	fail := func(err error) (*test, error) {
		return nil, fmt.Errorf("%w: column %.100q (%s) %s: %w", ErrType, e.columns[n.column], col.Type, opNames[n.op], err)
	}
	if col.Class == columnar.Opaque {
		return fail(errors.New("columns of this type can't be compared"))
	}
	if n.op == opTrue {
		if col.Class != columnar.Bool {
			return fail(errors.New("it is no boolean; compare it with something"))
		}
		t.op, t.lo, t.hi = opIn, 1, 1
		return t, nil
	}
	var err error
	switch col.Class.Kind() {
	case columnar.Ints:
		err = t.bindInts(n, &col)
	case columnar.Numbers:
		err = t.bindDoubles(n, &col)
	default:
		err = t.bindStrings(n, &col)
	}
	if err != nil {
		return fail(err)
	}
	t.op = opIn
	return t, nil
}

func (t *test) bindInts(n *node, col *columnar.Column) error {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	if col.Class == columnar.Unsigned {
		t.flip = math.MinInt64
	}
	t.lo, t.hi = least, most
	// nearest returns the greatest integer that isn't more, as it is ordered
	// here, and whether it is the value itself, or past one of the ends.
	nearest := func(v value) (x int64, exact bool, past int, err error) {
		r, err := rational(v, col)
		if err != nil {
			return 0, false, 0, err
		}
		floor := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: rounds down
		if col.Class == columnar.Unsigned {
			floor.Add(floor, big.NewInt(math.MinInt64))
		}
		if !floor.IsInt64() {
			return 0, false, floor.Sign(), nil
		}
		return floor.Int64(), r.IsInt(), 0, nil
	}
	none := func() { t.lo, t.hi = 1, 0 }
	if n.op == opIn {
		t.listed = true
		for _, v := range n.values {
			x, exact, _, err := nearest(v)
			if err != nil {
				return err
			}
			if exact {
				t.ints = append(t.ints, x)
			}
		}
		slices.Sort(t.ints)
		t.ints = slices.Compact(t.ints)
		return nil
	}
	x, exact, past, err := nearest(n.values[0])
	if err != nil {
		return err
	}
	switch n.op {
	case opEqual, opDiffer:
		t.but = n.op == opDiffer
		if t.lo, t.hi = x, x; !exact {
			none()
		}
	case opLess, opAtMost:
		switch {
		case past < 0:
			none()
		case past > 0:
		case exact && n.op == opLess && x == least:
			none()
		case exact && n.op == opLess:
			t.hi = x - 1
		default:
			t.hi = x
		}
	case opMore, opAtLeast:
		switch {
		case past > 0:
			none()
		case past < 0:
		case exact && n.op == opAtLeast:
			t.lo = x
		case x == most:
			none()
		default:
			t.lo = x + 1
		}
	}
	return nil
}

func (t *test) bindDoubles(n *node, col *columnar.Column) error {
	var values []float64
	for _, v := range n.values {
		r, err := rational(v, col)
		if err != nil {
			return err
		}
		x, _ := r.Float64()
		if col.Single { // as the column would hold it: 0.1 is 0.1
			if single, _ := r.Float32(); !math.IsInf(float64(single), 0) { // past all of them it stays
				x = float64(single)
			}
		}
		if !math.IsInf(x, 0) || n.op != opIn {
			values = append(values, x)
		}
	}
	t.low, t.high = math.Inf(-1), math.Inf(1)
	if n.op == opIn {
		t.listed, t.doubles = true, values
		slices.Sort(t.doubles)
		return nil
	}
	x := values[0]
	past := 0.0 // of a number that is too large for the type, the infinity behind it
	if math.IsInf(x, 0) {
		past = x
	}
	switch n.op {
	case opEqual, opDiffer:
		t.low, t.high, t.but = x, x, n.op == opDiffer
		t.open[0] = past != 0 // it equals nothing
	case opLess, opAtMost:
		t.high, t.open[1] = x, n.op == opLess && past == 0 || past > 0
	default:
		t.low, t.open[0] = x, n.op == opMore && past == 0 || past < 0
	}
	return nil
}

func (t *test) bindStrings(n *node, col *columnar.Column) error {
	if wide(col.Class) {
		return t.bindWide(n, col)
	}
	var values [][]byte
	for _, v := range n.values {
		b, err := bytesOf(v, col)
		if err != nil {
			return err
		}
		values = append(values, b)
	}
	x := &values[0]
	switch n.op {
	case opIn:
		t.listed, t.strings = true, make(map[string]struct{}, len(values))
		for _, b := range values {
			t.strings[string(b)] = struct{}{}
		}
		t.sorted = slices.Sorted(maps.Keys(t.strings))
	case opEqual, opDiffer:
		t.least, t.most, t.but = x, x, n.op == opDiffer
	case opLess, opAtMost:
		t.most, t.openS[1] = x, n.op == opLess
	default:
		t.least, t.openS[0] = x, n.op == opMore
	}
	return nil
}

// bytesOf makes a literal a value of a column of strings.
func bytesOf(v value, col *columnar.Column) ([]byte, error) {
	switch {
	case v.kind == text && col.Class == columnar.UUID:
		b, err := hex.DecodeString(strings.ReplaceAll(v.text, "-", ""))
		if err != nil || len(b) != 16 {
			return nil, fmt.Errorf("%s is no UUID, which has 32 hexadecimal digits", v)
		}
		return b, nil
	case v.kind == text:
		return []byte(v.text), nil
	case v.kind == hexText:
		b, err := hex.DecodeString(v.text)
		if err != nil {
			return nil, fmt.Errorf("%s isn't hexadecimal", v)
		}
		return b, nil
	}
	switch col.Class {
	case columnar.UUID:
		return nil, fmt.Errorf("compare it with a UUID in quotes, such as '01234567-89ab-cdef-0123-456789abcdef', not %s", v)
	case columnar.Bytes:
		return nil, fmt.Errorf("compare it with binary, such as x'00ff', or a string, not %s", v)
	}
	return nil, fmt.Errorf("compare it with a string, '%s', not %[1]s", v)
}
