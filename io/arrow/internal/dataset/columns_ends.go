// This file chooses the columns of an edge's ends where none are named.

package dataset

import (
	"fmt"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// chooseEnds finds the columns of sources and targets.
func chooseEnds(cols []columnar.Column, source, target string) (s, t []int, err error) {
	if source != "" {
		if s, err = byNames(cols, source, "Source"); err != nil {
			return nil, nil, err
		}
	}
	if target != "" {
		if t, err = byNames(cols, target, "Target"); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case len(s) > 0 && len(t) > 0 && len(s) != len(t):
		return nil, nil, input.ColumnErrorf("Options.Source names %d columns and Options.Target %d; ids of both have to be of as many", len(s), len(t))
	case len(s) > 1 && target == "":
		return nil, nil, input.ColumnErrorf("Options.Source names %d columns; name as many in Options.Target", len(s))
	case len(t) > 1 && source == "":
		return nil, nil, input.ColumnErrorf("Options.Target names %d columns; name as many in Options.Source", len(t))
	case len(s) > 1:
		return s, t, nil
	}
	if s == nil && t == nil {
		if s, t = chooseParts(cols); s != nil {
			return s, t, nil
		}
	}
	one, other, err := chooseTwo(cols, s, t)
	return []int{one}, []int{other}, err
}

// chooseParts finds the columns of ids that are tuples as WriteEdges names them:
// src_1, src_2 and so on, and as many for targets. There are none if a pair of
// columns is named src and dst or so, or if there are several such.
func chooseParts(cols []columnar.Column) (s, t []int) {
	for _, p := range pairs {
		if fold(cols, p[0]) >= 0 && fold(cols, p[1]) >= 0 {
			return nil, nil
		}
		var one, other []int
		for n := 1; ; n++ {
			i, k := fold(cols, fmt.Sprintf("%s_%d", p[0], n)), fold(cols, fmt.Sprintf("%s_%d", p[1], n))
			if i < 0 && k < 0 {
				break
			}
			if i < 0 || k < 0 {
				return nil, nil
			}
			one, other = append(one, i), append(other, k)
		}
		switch {
		case len(one) < 2:
		case s != nil:
			return nil, nil
		default:
			s, t = one, other
		}
	}
	return s, t
}

// chooseTwo is chooseEnds for ids of one column; those that are named are known.
func chooseTwo(cols []columnar.Column, source, target []int) (s, t int, err error) {
	switch {
	case source != nil && target != nil:
		return source[0], target[0], nil
	case source != nil:
		t, err = partner(cols, source[0], 0, "Target")
		return source[0], t, err
	case target != nil:
		s, err = partner(cols, target[0], 1, "Source")
		return s, target[0], err
	}
	found := 0
	for _, p := range pairs {
		if i, k := fold(cols, p[0]), fold(cols, p[1]); i >= 0 && k >= 0 {
			s, t = i, k
			found++
		}
	}
	switch {
	case found == 1:
		return s, t, nil
	case found == 0 && own(cols) == 2:
		return 0, 1, nil
	case found > 1:
		return 0, 0, input.ColumnErrorf("several pairs of columns may be source and target; name them in Options.Source and Options.Target; %s", list(cols))
	}
	return 0, 0, input.ColumnErrorf("no columns are named src and dst, source and target, or from and to; name them in Options.Source and Options.Target; %s", list(cols))
}

// own returns how many columns a file has itself; those of directories come
// after them.
func own(cols []columnar.Column) int {
	n := 0
	for i := range cols {
		if !cols[i].Partition {
			n++
		}
	}
	return n
}
