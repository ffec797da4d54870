// This file describes one column of a dataset: what files store it as, and what they say of
// its values.

package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// ColumnInfo is arrow.ColumnInfo.
type ColumnInfo struct {
	Name  string
	Types []ColumnType

	Files, FilesWithout int
	Rows                int64
	Nulls               int64
	NullsUnknown        int64

	Min, Max string
	Bounded  bool
	Unbound  int

	Chunks        int
	Encodings     map[string]int
	Codecs        map[string]int
	Dictionaries  int
	Indexed       int
	Blooms        int
	Contradictory int
	Bytes, Plain  int64

	IDs, Weights, Where bool
	WhereExample        string
}

// ColumnType is arrow.ColumnType.
type ColumnType struct {
	Type     string
	Physical string
	Files    int
	Example  string
}

// DescribeColumn is arrow.DescribeColumn.
func DescribeColumn(ctx context.Context, paths []string, column string, o Options) (_ *ColumnInfo, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	d := &Dataset{o: o, name: pathsName(paths), store: &input.Store{S3: o.S3, FS: input.CheckFS(o.FS), Links: o.FollowLinks, Outside: o.AllowOutside, Metadata: tables.NewBudget(o.MaxMetadata)}}
	if err := d.parseWhere(); err != nil {
		return nil, err
	}
	d.store.Where, d.store.RowsOnly = d.where, d.where == nil
	defer d.store.Rest()
	at, err := d.at()
	if err != nil {
		return nil, err
	}
	all, err := d.store.Discover(ctx, paths, at)
	if err != nil {
		return nil, err
	}
	d.lakes = d.store.Lakes
	if err := d.checkAt(all, at); err != nil {
		return nil, err
	}
	files, err := d.match(all)
	if err != nil {
		return nil, err
	}
	parts := make([]columnPart, len(files))
	if err := input.EachFile(0, len(files), d.atOnce(), func(i int) error {
		if err := input.Stopped(ctx); err != nil {
			return err
		}
		_, err := d.readTable(ctx, files[i], func(t *table, r io.ReaderAt) error { return parts[i].read(t, r, column) })
		return err
	}); err != nil {
		return nil, err
	}
	return joinParts(column, parts)
}

// columnPart describes the column of one file.
type columnPart struct {
	info  ColumnInfo
	has   bool
	all   []columnar.Column // where it hasn't
	about columnar.Column
	lo    *bound // nil where nothing is known
	hi    *bound
}

// read describes the column of one file.
func (p *columnPart) read(t *table, r io.ReaderAt, column string) error {
	var cols []columnar.Column
	var from []input.LakeColumn
	var err error
	if t.Lake != nil {
		cols, from, err = t.lakeColumns()
	} else {
		cols = t.ownColumns()
		t.weaker(cols)
		cols = t.addTold(cols)
	}
	if err != nil {
		return err
	}
	p.info.Rows = 0
	if t.parquet != nil {
		p.info.Rows = t.parquet.Rows
	}
	i, err := byName(cols, column, "Column")
	var lacks *notThere
	if p.all = cols; errors.As(err, &lacks) && lacks.lacks {
		return p.count(t, r)
	}
	if err != nil {
		return err
	}
	p.has, p.about = true, cols[i]
	value, own := (*input.Constant)(nil), i
	if t.Lake != nil {
		value, own = from[i].Value, from[i].Column
		if t.Lake.Table.Fields[i].Opaque { // lists and maps, which files have as several columns
			own = -1
		}
	} else if n := len(cols) - len(t.Told); i >= n {
		value = &t.Told[i-n]
	}
	physical := ""
	switch {
	case value != nil:
		physical = "a directory's name"
		if t.Lake != nil {
			physical = "the table's metadata"
		}
		if !value.Null {
			p.widen(columnar.Exactly(value.One()))
		}
	case t.parquet != nil && own >= 0:
		s, err := t.parquet.Stored(own)
		if err != nil {
			return err
		}
		physical = s.Physical
		p.chunks(s.Chunks)
	}
	p.info.Types = []ColumnType{{Type: p.about.Type, Physical: physical, Files: 1, Example: t.Path}}
	if err := p.count(t, r); err != nil {
		return err
	}
	switch {
	case value != nil && value.Null:
		p.info.Nulls = p.info.Rows
	case value == nil && t.parquet == nil:
		p.info.NullsUnknown = p.info.Rows
	}
	return nil
}

// count sets the number of rows, which Arrow's files tell when their batches are found.
func (p *columnPart) count(t *table, r io.ReaderAt) error {
	if t.ipc == nil {
		return nil
	}
	if err := t.ipc.Select(r, nil, nil); err != nil {
		return err
	}
	p.info.Rows = t.allRows()
	return nil
}

// chunks adds up what row groups say.
func (p *columnPart) chunks(chunks []parquet.StoredChunk) {
	info := &p.info
	info.Encodings, info.Codecs = map[string]int{}, map[string]int{}
	for i := range chunks {
		c := &chunks[i]
		info.Chunks++
		if c.Nulls < 0 {
			info.NullsUnknown += c.Values
		}
		info.Nulls += max(0, c.Nulls)
		info.Bytes, info.Plain = info.Bytes+max(0, c.Bytes), info.Plain+max(0, c.Plain)
		for _, e := range c.Encodings {
			info.Encodings[e]++
		}
		info.Codecs[c.Codec]++
		for _, is := range []struct {
			yes bool
			n   *int
		}{{c.Dictionary || slices.Contains(c.Encodings, "PLAIN_DICTIONARY") || slices.Contains(c.Encodings, "RLE_DICTIONARY"), &info.Dictionaries},
			{c.Index, &info.Indexed}, {c.Bloom, &info.Blooms}, {c.Contradictory, &info.Contradictory}} {
			if is.yes {
				*is.n++
			}
		}
		if !p.widen(c.Bounds) && c.Values > 0 && c.Nulls != c.Values {
			info.Unbound++
		}
	}
}

// bound is a value that is comparable with those that other files have.
type bound struct {
	kind   string   // what values compare with
	number *big.Rat // of numbers; of times in seconds
	bytes  []byte
	text   string // as conditions have it
}

func (b *bound) compare(c *bound) int {
	if b.number != nil {
		return b.number.Cmp(c.number)
	}
	return bytes.Compare(b.bytes, c.bytes)
}

// widen makes the bounds hold others too, and reports whether those are known.
func (p *columnPart) widen(b columnar.Bounds) bool {
	if !b.HasMin || !b.HasMax {
		return false
	}
	lo, hi := boundOf(&b.Min, &p.about), boundOf(&b.Max, &p.about)
	if lo == nil || hi == nil {
		return false
	}
	if p.lo == nil || lo.compare(p.lo) < 0 {
		p.lo = lo
	}
	if p.hi == nil || hi.compare(p.hi) > 0 {
		p.hi = hi
	}
	return true
}

// boundOf returns a value of a column, nil where it can't be compared.
func boundOf(s *columnar.Scalar, c *columnar.Column) *bound {
	const secondsOfDay = 24 * 60 * 60
	number := func(x *big.Int, scale int) *bound {
		r := new(big.Rat).SetFrac(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(0, scale))), nil))
		return &bound{kind: "number", number: r, text: r.FloatString(max(0, scale))}
	}
	instant := func(day, nanos int64, layout string) *bound {
		r := new(big.Rat).SetFrac(big.NewInt(nanos), big.NewInt(1e9))
		r.Add(r, new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(day), big.NewInt(secondsOfDay))))
		return &bound{kind: "instant", number: r, text: time.Unix(day*secondsOfDay, nanos).UTC().Format(layout)}
	}
	ofUnit := func(x, unit int64, layout string) *bound {
		span := secondsOfDay * unit
		day := x / span
		if x%span < 0 {
			day--
		}
		return instant(day, (x-day*span)*(1e9/unit), layout)
	}
	const stamp = "'2006-01-02 15:04:05.999999999'"
	switch c.Class {
	case columnar.Signed:
		return number(big.NewInt(s.Int), 0)
	case columnar.Unsigned:
		return number(new(big.Int).SetUint64(uint64(s.Int)), 0)
	case columnar.Decimal:
		return number(big.NewInt(s.Int), c.Scale)
	case columnar.BigDecimal:
		x := new(big.Int).SetBytes(s.Bytes)
		if len(s.Bytes) > 0 && s.Bytes[0] >= 0x80 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(s.Bytes))))
		}
		return number(x, c.Scale)
	case columnar.Float:
		if math.IsInf(s.Double, 0) || math.IsNaN(s.Double) {
			return nil
		}
		size := 64
		if c.Single {
			size = 32
		}
		return &bound{kind: "number", number: new(big.Rat).SetFloat64(s.Double), text: strconv.FormatFloat(s.Double, 'g', -1, size)}
	case columnar.Bool:
		return &bound{kind: "boolean", number: new(big.Rat).SetInt64(s.Int), text: strconv.FormatBool(s.Int != 0)}
	case columnar.Date:
		if c.Unit > 0 {
			return ofUnit(s.Int, c.Unit, "'"+time.DateOnly+"'")
		}
		return instant(s.Int, 0, "'"+time.DateOnly+"'")
	case columnar.Timestamp:
		return ofUnit(s.Int, c.Unit, stamp)
	case columnar.Time:
		b := ofUnit(s.Int, c.Unit, "'15:04:05.999999999'")
		b.kind = "time"
		return b
	case columnar.Text:
		return &bound{kind: "bytes", bytes: s.Bytes, text: "'" + strings.ReplaceAll(cut(string(s.Bytes)), "'", "''") + "'"}
	case columnar.Bytes, columnar.UUID:
		return &bound{kind: "bytes", bytes: s.Bytes, text: cut(fmt.Sprintf("x'%x'", s.Bytes))}
	}
	return nil
}

// cut shortens text that is shown to people.
func cut(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// joinParts adds up what files say of a column.
func joinParts(column string, parts []columnPart) (*ColumnInfo, error) {
	out := &ColumnInfo{Name: column, IDs: true, Weights: true, Where: true, Encodings: map[string]int{}, Codecs: map[string]int{}}
	var lo, hi *bound
	known := true
	seen := false
	for i := range parts {
		p := &parts[i]
		out.Files++
		out.Rows += p.info.Rows
		if !p.has {
			out.FilesWithout++
			out.Nulls += p.info.Rows
			continue
		}
		if c := &p.about; !seen {
			out.Name, seen = c.Path, true
		}
		out.IDs, out.Weights = out.IDs && isID(&p.about), out.Weights && p.about.Numeric
		out.Where = out.Where && p.about.Class != columnar.Opaque
		of := &p.info
		out.Nulls, out.NullsUnknown = out.Nulls+of.Nulls, out.NullsUnknown+of.NullsUnknown
		out.Chunks, out.Unbound = out.Chunks+of.Chunks, out.Unbound+of.Unbound
		out.Dictionaries, out.Indexed, out.Blooms = out.Dictionaries+of.Dictionaries, out.Indexed+of.Indexed, out.Blooms+of.Blooms
		out.Contradictory = out.Contradictory + of.Contradictory
		out.Bytes, out.Plain = out.Bytes+of.Bytes, out.Plain+of.Plain
		for name, n := range of.Encodings {
			out.Encodings[name] += n
		}
		for name, n := range of.Codecs {
			out.Codecs[name] += n
		}
		t := of.Types[0]
		if at := slices.IndexFunc(out.Types, func(u ColumnType) bool { return u.Type == t.Type && u.Physical == t.Physical }); at >= 0 {
			out.Types[at].Files++
		} else {
			out.Types = append(out.Types, t)
		}
		if p.lo == nil {
			continue
		}
		if lo != nil && lo.kind != p.lo.kind {
			known = false
		}
		if !known {
			continue
		}
		if lo == nil || p.lo.compare(lo) < 0 {
			lo = p.lo
		}
		if hi == nil || p.hi.compare(hi) > 0 {
			hi = p.hi
		}
	}
	if !seen {
		return nil, fmt.Errorf("arrow: %w", atColumn(column, input.ColumnErrorf("no file has it; %s%s", list(parts[0].all), meant(parts[0].all, column))))
	}
	sort.SliceStable(out.Types, func(i, k int) bool { return out.Types[i].Files > out.Types[k].Files })
	if lo != nil && known {
		out.Bounded, out.Min, out.Max = true, lo.text, hi.text
		if out.Where {
			out.WhereExample = column + " >= " + lo.text
		}
	}
	return out, nil
}
