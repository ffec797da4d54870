// This file holds the columns of the edges that a Builder gets, until they are in the order of the graph's rows. Edges
// carry the numbers of their rows through building, in the place of edge ids.

package graph

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/osmem/hugepage"
)

// columnTable has the columns of all batches.
type columnTable struct {
	names []string
	ids   bool // the edges have ids besides

	mu     sync.Mutex
	like   []Column // an empty column of each type, once there is a batch
	none   []Column // the columns of a graph without edges, if a batch without edges had their types
	dicts  []*dictionary
	chunks []*columnChunk
	next   uint64 // row of the next batch without rows
	given  int8   // 1: batches have rows, -1: they have none
	bytes  uint64
	check  uint64 // when so many bytes are held, look at the memory again

	// Once it is frozen:
	base  uint64 // the least row
	shift uint
	dir   []uint32 // by (row-base)>>shift: the first chunk that may have it, and at the end the last chunk
}

// columnChunk has the columns of a batch.
type columnChunk struct {
	first, last uint64   // rows
	rows        []uint64 // nil: all from first to last
	values      []any
	ids         []uint64 // nil: those of the rows
	bytes       uint64
}

func newColumnTable(o Options) *columnTable {
	if len(o.EdgeColumns) == 0 {
		return nil
	}
	return &columnTable{names: o.EdgeColumns, ids: o.EdgeIDs}
}

// dictionary gives strings codes in the order in which they come.
type dictionary struct {
	mu    sync.RWMutex
	codes map[string]uint32
	list  []string
	size  atomic.Uint64 // bytes
	rank  []uint32      // by code, once the table is frozen; nil: codes are ranks
	all   *Strings
}

// encode returns the codes of strings.
func (d *dictionary) encode(s *Strings, valid []bool) ([]uint32, error) {
	codes := make([]uint32, s.Len())
	var missing []int
	d.mu.RLock()
	for i := range codes {
		switch c, ok := d.codes[string(s.Value(i))]; {
		case valid != nil && !valid[i]:
			codes[i] = NoCode
		case ok:
			codes[i] = c
		default:
			missing = append(missing, i)
		}
	}
	d.mu.RUnlock()
	if len(missing) == 0 {
		return codes, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, i := range missing {
		v := string(s.Value(i))
		c, ok := d.codes[v]
		if !ok {
			if uint64(len(d.list)) >= uint64(NoCode) {
				return nil, fmt.Errorf("%w: a column of strings with more than %d different ones", ErrMalformed, NoCode)
			}
			c = uint32(len(d.list))
			d.codes[v], d.list = c, append(d.list, v)
			d.size.Add(uint64(len(v))*2 + stringBytes)
		}
		codes[i] = c
	}
	return codes, nil
}

// freeze sorts the strings.
func (d *dictionary) freeze() {
	order := make([]uint32, len(d.list))
	size := 0
	for i := range order {
		order[i] = uint32(i)
		size += len(d.list[i])
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(d.list[a], d.list[b]) })
	d.rank = make([]uint32, len(order))
	d.all = &Strings{Offsets: make([]int64, 1, len(order)+1), Data: make([]byte, 0, size)}
	for r, c := range order {
		d.rank[c] = uint32(r)
		d.all.Data = append(d.all.Data, d.list[c]...)
		d.all.Offsets = append(d.all.Offsets, int64(len(d.all.Data)))
	}
	d.codes, d.list = nil, nil
}

// add copies the columns of a batch, and returns the rows of its edges. drop undoes it.
func (t *columnTable) add(e *Batch, edges int) (rows []uint64, c *columnChunk, err error) {
	if len(e.Columns) != len(t.names) {
		return nil, nil, fmt.Errorf("%w: a batch has %d columns; Options.EdgeColumns has %d: %s", ErrMalformed, len(e.Columns), len(t.names), quoted(t.names))
	}
	for i := range e.Columns {
		if n := e.Columns[i].Name; n != "" && n != t.names[i] {
			return nil, nil, fmt.Errorf("%w: column %d of a batch is %.100q; Options.EdgeColumns has %.100q there", ErrMalformed, i, n, t.names[i])
		}
		if err := e.Columns[i].check(t.names[i], edges, true); err != nil {
			return nil, nil, err
		}
	}
	if e.Rows != nil && len(e.Rows) != edges {
		return nil, nil, fmt.Errorf("%w: %d rows for %d edges", ErrMalformed, len(e.Rows), edges)
	}
	for i := range max(0, len(e.Rows)-1) {
		if e.Rows[i] >= e.Rows[i+1] {
			return nil, nil, fmt.Errorf("%w: Batch.Rows must ascend, but row %d follows row %d", ErrMalformed, e.Rows[i+1], e.Rows[i])
		}
	}
	if edges == 0 {
		return []uint64{}, nil, nil
	}
	c = &columnChunk{values: make([]any, len(t.names)), bytes: chunkColumnBytes * uint64(1+len(t.names))}
	if t.ids {
		c.ids = slices.Clone(e.EdgeIDs)
		c.bytes += 8 * uint64(edges)
	}
	if err := t.reserve(e, edges, c); err != nil {
		return nil, nil, err
	}
	for i := range e.Columns {
		switch a := e.Columns[i].Values.(type) {
		case Strings:
			if c.values[i], err = t.dicts[i].encode(&a, e.Columns[i].Valid); err != nil {
				return nil, nil, err
			}
		case []int32:
			c.values[i] = slices.Clone(a)
		case []uint32:
			c.values[i] = slices.Clone(a)
		case []int64:
			c.values[i] = slices.Clone(a)
		case []uint64:
			c.values[i] = slices.Clone(a)
		case []float32:
			c.values[i] = slices.Clone(a)
		case []float64:
			c.values[i] = slices.Clone(a)
		}
		c.bytes += valueBytes(e.Columns[i].Values) * uint64(edges)
	}
	if rows = e.Rows; rows == nil {
		rows = make([]uint64, edges)
		for i := range rows {
			rows[i] = c.first + uint64(i)
		}
	} else if c.last-c.first != uint64(edges-1) {
		c.rows = slices.Clone(rows)
		c.bytes += 8 * uint64(edges)
	}
	t.mu.Lock()
	t.chunks = append(t.chunks, c)
	t.bytes += c.bytes
	t.mu.Unlock()
	return rows, c, nil
}

// noteTypes takes the types of a batch without edges, for a graph that gets no edge.
func (t *columnTable) noteTypes(e *Batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.chunks) == 0 && len(e.Columns) == len(t.names) {
		t.none = nil
		for i, c := range e.Columns {
			none := Column{Name: t.names[i], Logical: c.Logical}
			s, strings := c.Values.(Strings)
			switch {
			case strings:
				none.Values, none.Dictionary = []uint32{}, &Strings{Offsets: []int64{0}, Binary: s.Binary}
			case valuesLen(c.Values) < 0:
				return
			default:
				none.Values = makeLike(c.Values, 0)
			}
			t.none = append(t.none, none)
		}
	}
}

// reserve checks the types of a batch and sets the rows of its chunk.
func (t *columnTable) reserve(e *Batch, edges int, c *columnChunk) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.like == nil {
		t.dicts = make([]*dictionary, len(t.names))
		for i, name := range t.names {
			col := Column{Name: name, Logical: e.Columns[i].Logical}
			if s, ok := e.Columns[i].Values.(Strings); ok {
				col.Values = Strings{Binary: s.Binary}
				t.dicts[i] = &dictionary{codes: map[string]uint32{}}
			} else {
				col.Values = makeLike(e.Columns[i].Values, 0)
			}
			t.like = append(t.like, col)
		}
	}
	for i := range t.like {
		was, is := t.like[i].typeName(), e.Columns[i].typeName()
		if was != is {
			return fmt.Errorf("%w: column %.100q is %s in a batch and %s in an earlier one; convert one of them", ErrMalformed, t.names[i], is, was)
		}
	}
	given := int8(-1)
	if e.Rows != nil {
		given = 1
	}
	if t.given == 0 {
		t.given = given
	}
	if given != t.given {
		return fmt.Errorf("%w: some batches have Rows and others have none", ErrMalformed)
	}
	if e.Rows == nil {
		c.first, c.last = t.next, t.next+uint64(edges)-1
		t.next += uint64(edges)
	} else {
		c.first, c.last = e.Rows[0], e.Rows[edges-1]
	}
	return nil
}

// drop removes a chunk whose batch wasn't added.
func (t *columnTable) drop(c *columnChunk) {
	if c == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.chunks, c); i >= 0 {
		t.chunks = slices.Delete(t.chunks, i, i+1)
		t.bytes -= c.bytes
	}
	if len(t.chunks) == 0 { // types come with the next batch
		t.like, t.dicts, t.given = nil, nil, 0
	}
}

// grown reports whether the memory of the table has grown so much that it should be compared with the limit.
func (t *columnTable) grown() bool {
	held, _ := t.held(0, true)
	t.mu.Lock()
	defer t.mu.Unlock()
	if held < t.check {
		return false
	}
	t.check = held + max(held/16, columnCheckBytes)
	return true
}

// held returns the memory of the table, and of its columns in a graph of so many edges. Before there is a batch it
// assumes values of 8 bytes.
func (t *columnTable) held(edges uint64, directed bool) (table, graph uint64) {
	if t == nil {
		return 0, 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	width := 8 * uint64(len(t.names))
	table = width * edges
	if t.like != nil {
		width, table = 0, t.bytes
		for i := range t.like {
			width += valueBytes(t.like[i].Values)
			if d := t.dicts[i]; d != nil {
				table += d.size.Load()
			}
		}
	}
	if !directed {
		edges *= 2
	}
	return table, width * edges
}

// freeze makes the table ready for lookups.
func (t *columnTable) freeze() error {
	slices.SortFunc(t.chunks, func(a, b *columnChunk) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(t.chunks); i++ {
		if a, b := t.chunks[i-1], t.chunks[i]; a.last >= b.first {
			return fmt.Errorf("%w: Batch.Rows: a batch has rows %d to %d and another one %d to %d; a row belongs to one edge, and batches don't interleave",
				ErrMalformed, a.first, a.last, b.first, b.last)
		}
	}
	for _, d := range t.dicts {
		if d != nil && d.all == nil {
			d.freeze()
		}
	}
	if len(t.chunks) == 0 {
		return nil
	}
	t.base = t.chunks[0].first
	last := t.chunks[len(t.chunks)-1].last - t.base
	t.shift = uint(max(0, bits.Len64(last)-bits.Len(uint(len(t.chunks)))-3))
	t.dir = make([]uint32, last>>t.shift+2)
	k := 0
	for i := range t.dir[:len(t.dir)-1] {
		for t.chunks[k].last-t.base < uint64(i)<<t.shift {
			k++
		}
		t.dir[i] = uint32(k)
	}
	t.dir[len(t.dir)-1] = uint32(len(t.chunks) - 1)
	return nil
}

// find returns where a row's values are.
func (t *columnTable) find(row uint64) (chunk, at uint32) {
	i := (row - t.base) >> t.shift
	k, most := t.dir[i], t.dir[i+1]
	for k < most { // the first chunk that ends with the row, or behind it
		if middle := (k + most) / 2; t.chunks[middle].last < row {
			k = middle + 1
		} else {
			most = middle
		}
	}
	c := t.chunks[k]
	if c.rows == nil {
		return k, uint32(row - c.first)
	}
	j, _ := slices.BinarySearch(c.rows, row)
	return k, uint32(j)
}

// chunksOfColumn returns all chunks of a column.
func chunksOfColumn[T any](t *columnTable, i int) [][]T {
	all := make([][]T, len(t.chunks))
	for k, c := range t.chunks {
		all[k] = c.values[i].([]T)
	}
	return all
}

// gather gives a graph, whose edge ids are rows of the table, its columns, and the edges their ids.
func (t *columnTable) gather(ctx context.Context, g *Graph, workers int) error {
	for i, c := range g.bothRows() {
		if i == 0 {
			for i := range t.like {
				col := t.like[i]
				col.Values = makeLike(col.Values, len(c.EdgeIDs))
				if t.dicts[i] != nil {
					col.Dictionary = t.dicts[i].all
					col.Dictionary.Binary = t.like[i].Values.(Strings).Binary
				}
				g.columns = append(g.columns, col)
			}
			if err := t.gatherRows(ctx, c, g.columns, workers); err != nil {
				return err
			}
		} else if t.ids {
			if err := t.gatherRows(ctx, c, nil, workers); err != nil {
				return err
			}
		}
		if !t.ids {
			c.EdgeIDs = nil
		}
	}
	switch {
	case t.like != nil:
	case len(t.none) == len(t.names):
		g.columns = append(g.columns, t.none...)
	default: // there were only vertices
		for _, name := range t.names {
			g.columns = append(g.columns, Column{Name: name, Values: []int64{}})
		}
	}
	return nil
}

// gatherRows fills in columns, and ids in the place of rows.
func (t *columnTable) gatherRows(ctx context.Context, c *CSR, columns []Column, workers int) error {
	fills := make([]func(chunks, at []uint32, lo int), len(columns))
	for i := range columns {
		switch a := columns[i].Values.(type) {
		case []int32:
			fills[i] = filler(t, i, a)
		case []uint32:
			fills[i] = filler(t, i, a)
			if d := t.dicts[i]; d != nil && d.rank != nil {
				fills[i] = recoded(d.rank, a, fills[i])
			}
		case []int64:
			fills[i] = filler(t, i, a)
		case []uint64:
			fills[i] = filler(t, i, a)
		case []float32:
			fills[i] = filler(t, i, a)
		case []float64:
			fills[i] = filler(t, i, a)
		}
	}
	k := newCrew(ctx, Options{Workers: workers})
	m := len(c.EdgeIDs)
	return k.each("columns", (m+gatherBlock-1)/gatherBlock, func(_, b int) error {
		lo, hi := b*gatherBlock, min(m, (b+1)*gatherBlock)
		var chunks, at [gatherBlock]uint32
		for j, row := range c.EdgeIDs[lo:hi] {
			chunks[j], at[j] = t.find(row)
		}
		for _, f := range fills {
			f(chunks[:hi-lo], at[:hi-lo], lo)
		}
		if t.ids && t.chunks[0].ids != nil {
			for j := range hi - lo {
				c.EdgeIDs[lo+j] = t.chunks[chunks[j]].ids[at[j]]
			}
		}
		return nil
	})
}

func filler[T any](t *columnTable, i int, to []T) func(chunks, at []uint32, lo int) {
	hugepage.Expect(to)
	from := chunksOfColumn[T](t, i)
	return func(chunks, at []uint32, lo int) {
		part := to[lo : lo+len(at)]
		for j := range part {
			part[j] = from[chunks[j]][at[j]]
		}
	}
}

// recoded brings the codes that fill wrote to the order of the strings.
func recoded(rank, to []uint32, fill func(chunks, at []uint32, lo int)) func(chunks, at []uint32, lo int) {
	return func(chunks, at []uint32, lo int) {
		fill(chunks, at, lo)
		for j, c := range to[lo : lo+len(at)] {
			if c != NoCode {
				to[lo+j] = rank[c]
			}
		}
	}
}

// picker returns a function that reports whether row a stays rather than row b; nil if neither may.
func (t *columnTable) picker(o *Options) func(a, b uint64) bool {
	switch {
	case o.Merge == MergeRefused && !o.foldsAll():
		return nil
	case o.Merge <= MergeFirst, len(t.chunks) == 0:
		return func(a, b uint64) bool { return a < b }
	}
	i := slices.Index(t.names, o.MergeBy)
	sign := 1
	if o.Merge == MergeGreatest {
		sign = -1
	}
	var compare func(a, b uint64) int
	switch t.chunks[0].values[i].(type) {
	case []int32:
		compare = comparer[int32](t, i, sign)
	case []int64:
		compare = comparer[int64](t, i, sign)
	case []uint64:
		compare = comparer[uint64](t, i, sign)
	case []float32:
		compare = comparer[float32](t, i, sign)
	case []float64:
		compare = comparer[float64](t, i, sign)
	default:
		if t.dicts[i] == nil {
			compare = comparer[uint32](t, i, sign)
			break
		}
		compare = t.codeComparer(i, sign)
	}
	return func(a, b uint64) bool { return cmp.Or(compare(a, b), cmp.Compare(a, b)) < 0 }
}

func comparer[T cmp.Ordered](t *columnTable, i, sign int) func(a, b uint64) int {
	from := chunksOfColumn[T](t, i)
	return func(a, b uint64) int {
		ca, ia := t.find(a)
		cb, ib := t.find(b)
		x, y := from[ca][ia], from[cb][ib]
		switch { // NaN comes last in both directions
		case x != x && y != y:
			return 0
		case x != x:
			return 1
		case y != y:
			return -1
		}
		return sign * cmp.Compare(x, y)
	}
}

func (t *columnTable) codeComparer(i, sign int) func(a, b uint64) int {
	from, rank := chunksOfColumn[uint32](t, i), t.dicts[i].rank
	return func(a, b uint64) int {
		ca, ia := t.find(a)
		cb, ib := t.find(b)
		x, y := from[ca][ia], from[cb][ib]
		switch {
		case x == y:
			return 0
		case x == NoCode:
			return 1
		case y == NoCode:
			return -1
		}
		if rank != nil {
			x, y = rank[x], rank[y]
		}
		return sign * cmp.Compare(x, y)
	}
}

// mergeDictionaries returns the union of two dictionaries, and the codes in it of their strings; a nil slice means that
// codes stay.
func mergeDictionaries(a, b *Strings) (all *Strings, ofA, ofB []uint32) {
	if bytes.Equal(a.Data, b.Data) && slices.Equal(a.Offsets, b.Offsets) {
		return a, nil, nil
	}
	all = &Strings{Offsets: []int64{0}, Binary: a.Binary}
	ofA, ofB = make([]uint32, a.Len()), make([]uint32, b.Len())
	for i, j := 0, 0; i < a.Len() || j < b.Len(); {
		r := 0
		switch {
		case i == a.Len():
			r = 1
		case j == b.Len():
			r = -1
		default:
			r = bytes.Compare(a.Value(i), b.Value(j))
		}
		code, v := uint32(all.Len()), []byte(nil)
		if r <= 0 {
			ofA[i], v = code, a.Value(i)
			i++
		}
		if r >= 0 {
			ofB[j], v = code, b.Value(j)
			j++
		}
		all.Data = append(all.Data, v...)
		all.Offsets = append(all.Offsets, int64(len(all.Data)))
	}
	return all, ofA, ofB
}
