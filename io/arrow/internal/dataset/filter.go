// This file holds the filter of rows, Options.Where: which files, row groups
// and pages it rules out.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// ErrWhere: Options.Where is no condition, or one that the columns can't meet.
var ErrWhere = errors.New("bad condition")

func (d *Dataset) parseWhere() error {
	e, err := parseWhere(d.o.Where)
	d.where = e
	return err
}

func parseWhere(s string) (*where.Expr, error) {
	if s == "" {
		return nil, nil
	}
	e, err := where.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w: Options.Where: %w", ErrWhere, err)
	}
	return e, nil
}

// match returns the files whose directories don't rule them out; where all
// are, the first of them, which tells the columns.
func (d *Dataset) match(all []input.Origin) ([]input.Origin, error) {
	var told [][]input.Constant // of all, unless tables say what their columns are
	for i := range all {
		if all[i].Lake != nil {
			continue
		}
		if told == nil {
			told = make([][]input.Constant, len(all))
		}
		told[i] = all[i].Partitions()
		all[i].Told = told[i]
	}
	input.TypePartitions(told)
	var files []input.Origin
	may := make([]bool, len(all))
	if err := input.EachFile(0, len(all), runtime.GOMAXPROCS(0), func(i int) (err error) {
		if l := all[i].Lake; l != nil {
			may[i], err = l.MayMatch(d.where)
		} else {
			may[i], err = d.mayMatch(told[i])
		}
		if err != nil {
			return fmt.Errorf("arrow: %s: %w: Options.Where: %w", all[i].Path, ErrWhere, err)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	kept := 0
	for _, is := range may {
		if is {
			kept++
		}
	}
	if files, d.passed = all, nil; kept < len(all) {
		files, d.passed = make([]input.Origin, 0, max(1, kept)), make([][]input.Origin, 0, 1+kept)
		first := 0 // of those that were ruled out since the last one that wasn't
		for i := range all {
			if may[i] {
				files, d.passed = append(files, all[i]), append(d.passed, all[first:i])
				first = i + 1
			}
		}
		d.passed = append(d.passed, all[first:])
	}
	d.stats.FilesPassed = len(all) - len(files)
	if len(files) == 0 {
		files, d.passed = all[:1], [][]input.Origin{nil, all[1:]}
		d.stats.FilesPassed--
	}
	d.stats.Files = len(files)
	for i := range files {
		if l := files[i].Lake; l != nil && l.File == nil {
			d.stats.Files--
		}
	}
	for _, t := range d.lakes {
		d.stats.FilesPassed += t.FilesOut // by its metadata, before its files were known
	}
	input.CountLakes(files, d.passed)
	return files, nil
}

// mayMatch reports whether rows of a file may meet the condition, by its directory names.
func (d *Dataset) mayMatch(told []input.Constant) (bool, error) {
	if d.where == nil || len(told) == 0 {
		return true, nil
	}
	find := func(i int) *input.Constant {
		for k := range told {
			if !told[k].Weak && told[k].Name == d.where.Columns()[i] {
				return &told[k]
			}
		}
		return nil
	}
	f, err := d.where.Bind(func(i int) (columnar.Column, bool) {
		c := find(i)
		if c == nil {
			return columnar.Column{}, false
		}
		return c.Column(), true
	})
	if err != nil {
		return false, err
	}
	return f.MayMatch(func(i int) where.Known { return find(i).Known() }), nil
}

// addWhere makes the columns that a condition compares ones that are read.
func (c *choice) addWhere(cols []columnar.Column, e *where.Expr) (*where.Filter, error) {
	if e == nil {
		return nil, nil
	}
	var at []int
	for _, name := range e.Columns() {
		i, err := byName(cols, name, "Where")
		if err != nil {
			return nil, err
		}
		at = append(at, i)
		c.where = append(c.where, c.add(cols, i, cols[i].Class.Kind()))
	}
	c.first = slices.Clone(c.where)
	f, err := e.Bind(func(i int) (columnar.Column, bool) { return cols[at[i]], true })
	if err != nil {
		return nil, fmt.Errorf("%w: Options.Where: %w", ErrWhere, err)
	}
	return f, nil
}

// known returns what is known about the i-th column of the filter in a block.
func (t *table) known(i, block int) where.Known {
	p := &t.choice.picks[t.choice.where[i]]
	switch {
	case p.value != nil:
		return p.value.Known()
	case t.parquet == nil:
		return where.Anything
	}
	c := &t.parquet.Groups[block].Chunks[p.read]
	return input.KnownOf(c.Bounds, c.Nulls, t.blockRows(block))
}

// rowRange is rows of a block.
type rowRange struct{ from, to int64 }

// ranges returns the rows of a block that may meet the filter, as far as bloom
// filters and page indexes tell, and tells the reader where pages are.
func (w *worker) ranges(b int) ([]rowRange, error) {
	t := w.table
	all := []rowRange{{0, t.blockRows(b)}}
	w.pages = nil
	if t.filter == nil || t.parquet == nil {
		return all, nil
	}
	known := make([]where.Known, len(t.choice.where))
	for i := range known {
		known[i] = t.known(i, b)
	}
	asked := false
	for _, i := range w.filter.Points() {
		p := &t.choice.picks[t.choice.where[i]]
		if p.value != nil {
			continue
		}
		bloom, err := t.parquet.Bloom(w.file, b, p.read)
		if err != nil {
			return nil, w.place(b, t.choice.where[i], -1, err)
		}
		if bloom != nil {
			known[i].Has, asked = bloom.Has, true
		}
	}
	if asked && !w.filter.MayMatch(func(i int) where.Known { return known[i] }) {
		return nil, nil
	}
	return w.pageRanges(b, all, known)
}

// pageRanges cuts ranges by the page indexes of the filter's columns.
func (w *worker) pageRanges(b int, all []rowRange, known []where.Known) ([]rowRange, error) {
	t := w.table
	pages := make([][]parquet.PageSpan, len(t.choice.picks))
	bounds := make([][]parquet.PageBounds, len(known))
	cuts := []int64{0}
	for i, k := range t.choice.where {
		p := &t.choice.picks[k]
		if p.value != nil {
			continue
		}
		var err error
		if pages[k] == nil {
			if pages[k], err = w.pagesOf(b, k); err != nil {
				return nil, err
			}
		}
		if len(pages[k]) < 2 {
			continue
		}
		var doubt string
		if bounds[i], doubt, err = t.parquet.PageBounds(w.file, b, p.read, pages[k]); err != nil {
			return nil, w.place(b, k, -1, err)
		}
		w.doubt(b, k, doubt)
		if bounds[i] != nil {
			for _, page := range pages[k] {
				cuts = append(cuts, page.First)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	if len(cuts) == 1 {
		return all, nil
	}
	w.pages = pages
	var out []rowRange
	next := make([]int, len(known)) // the page of each column, and one
	for c, from := range cuts {
		to := all[0].to
		if c+1 < len(cuts) {
			to = cuts[c+1]
		}
		may := w.filter.MayMatch(func(i int) where.Known {
			if bounds[i] == nil {
				return known[i]
			}
			spans := pages[t.choice.where[i]]
			for next[i] < len(spans) && spans[next[i]].First <= from {
				next[i]++
			}
			page := bounds[i][next[i]-1]
			k := input.KnownOf(page.Bounds, page.Nulls, -2)
			k.AllNull, k.Has = page.AllNull, known[i].Has
			k.Nulls = k.Nulls || page.AllNull
			return k
		})
		switch {
		case !may:
		case len(out) > 0 && out[len(out)-1].to == from:
			out[len(out)-1].to = to
		default:
			out = append(out, rowRange{from, to})
		}
	}
	if len(out) == 1 && out[0] == all[0] || len(out) == 0 {
		return out, nil
	}
	// Pages between the ranges needn't be looked at.
	for k := range t.choice.picks {
		p := &t.choice.picks[k]
		if p.value != nil {
			continue
		}
		if pages[k] == nil {
			var err error
			if pages[k], err = w.pagesOf(b, k); err != nil {
				return nil, err
			}
		}
		w.parquet.Jump(p.read, pages[k])
	}
	return out, nil
}

// pagesOf returns where the pages of a column (by its index in picks) of a block are, as far
// as the file says.
func (w *worker) pagesOf(b, k int) ([]parquet.PageSpan, error) {
	t := w.table
	// In a store a look at each page would take a request each.
	pages, doubt, err := t.parquet.Pages(w.file, b, t.choice.picks[k].read, w.blob.Object == nil)
	if err != nil {
		return nil, w.place(b, k, -1, err)
	}
	w.doubt(b, k, doubt)
	return pages, nil
}

// doubt counts a page index that isn't used, and keeps the first reason. It ignores empty reasons.
func (w *worker) doubt(b, k int, why string) {
	if why == "" {
		return
	}
	r, t := w.r, w.table
	r.doubts.Lock()
	if r.ignored++; r.ignored == 1 {
		r.ignoredOne = fmt.Sprintf("%s: %s %d, column %.100q: %s", location.Redact(t.Path), t.part(), b, t.choice.picks[k].path, why)
	}
	r.doubts.Unlock()
}

// fetch begins to fetch the ranges of a block of an object.
func (w *worker) fetch(ctx context.Context, b int, ranges []rowRange) {
	t := w.table
	w.ahead.Ctx, w.ahead.R = ctx, w.blob.Object
	for k := range t.choice.picks {
		p := &t.choice.picks[k]
		if p.value != nil {
			continue
		}
		late := len(t.choice.first) > 0 && !slices.Contains(t.choice.first, k)
		var pages []parquet.PageSpan
		if w.pages != nil {
			pages = w.pages[k]
		}
		for _, r := range ranges {
			for _, e := range t.parquet.Extents(b, p.read, pages, r.from, r.to) {
				w.ahead.Add(late, e)
			}
		}
	}
}
