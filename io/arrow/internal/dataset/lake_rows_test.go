// This file reads all rows and columns of datasets, for tests of tables of data lakes.

package dataset

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// sampleTables returns the directory of tables that others wrote, by format.
func sampleTables(t testing.TB, format string) string {
	t.Helper()
	top := os.Getenv("FORAY_DATA")
	if top == "" {
		top = "../../../../../shared/data"
	}
	dir := filepath.Join(top, "tables", format)
	if _, err := os.Stat(dir); err != nil {
		testlong.Missing(t, "data", "needs test data: there are no tables in ", dir, "; set FORAY_DATA (CONTRIBUTING.md)")
	}
	return dir
}

// allRows returns the rows of the files that paths stand for, as text, sorted: name=value of all
// columns that are read, and of directories, sorted by name. Deleted rows and those that
// o.Where leaves out are not there.
func allRows(ctx context.Context, paths []string, o Options) (rows []string, d *Dataset, err error) {
	d = &Dataset{o: o, store: &input.Store{S3: o.S3}}
	if err := d.parseWhere(); err != nil {
		return nil, d, err
	}
	all, err := d.store.Discover(ctx, paths, tables.At{Snapshot: o.Snapshot, Time: o.AsOf, Since: o.Since})
	if err != nil {
		return nil, d, err
	}
	d.lakes = d.store.Lakes
	files, err := d.match(all)
	if err != nil {
		return nil, d, err
	}
	for _, from := range files {
		more, err := d.fileRows(ctx, from)
		if err != nil {
			return nil, d, err
		}
		rows = append(rows, more...)
	}
	slices.Sort(rows)
	return rows, d, nil
}

// fileRows is allRows of one file.
func (d *Dataset) fileRows(ctx context.Context, from input.Origin) (rows []string, err error) {
	b, err := d.store.Open(ctx, &from)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	t := &table{Origin: from, size: b.Size}
	err = columnar.Guard(func() error {
		if err := t.sniff(b, b); err != nil {
			return err
		}
		var cols []columnar.Column
		var places []input.LakeColumn
		if t.Lake != nil {
			if cols, places, err = t.lakeColumns(); err != nil {
				return err
			}
		} else {
			cols = t.columns()
		}
		t.choice = choice{weight: -1, edgeID: -1}
		for i := range cols {
			if cols[i].Class != columnar.Opaque {
				t.choice.add(cols, i, cols[i].Class.Kind())
			}
		}
		t.choice.data = len(t.choice.picks)
		if t.filter, err = t.choice.addWhere(cols, d.where); err != nil {
			return err
		}
		if t.Lake != nil {
			all := cols
			if all, places, err = t.addEquality(slices.Clip(cols), places); err != nil {
				return err
			}
			err = t.selectLake(all, places)
		} else {
			err = t.selectColumns(b, own(cols))
		}
		if err != nil {
			return err
		}
		t.number(0)
		w := newWorker(&run{d: d, pool: columnar.NewPool(t.size)})
		defer w.close()
		if err := w.open(ctx, t); err != nil {
			return err
		}
		for g := range t.blocks() {
			more, err := w.blockRows(ctx, g, cols)
			if err != nil {
				return err
			}
			rows = append(rows, more...)
		}
		return nil
	})
	return rows, input.InFile(from.Path, "", err)
}

// blockRows returns the rows of a block as text.
func (w *worker) blockRows(ctx context.Context, g int, cols []columnar.Column) (rows []string, err error) {
	t := w.table
	total := t.blockRows(g)
	w.mem.Begin(ctx, t.size)
	if t.parquet != nil {
		w.parquet.Open(ctx, t.parquet, w.file, g)
	} else if err := w.ipc.Open(ctx, t.ipc, w.file, g); err != nil {
		return nil, err
	}
	clear(w.left)
	for from := int64(0); from < total; {
		s := &slot{}
		s.size(len(t.choice.picks))
		clear(w.have)
		n := int(min(1000, total-from))
		for k := range t.choice.picks {
			if err := w.fill(s, k, &n); err != nil {
				return nil, columnar.PlaceAt(g, t.choice.picks[k].path, err)
			}
		}
		there, _ := w.dropDeleted(s, g, from, n)
		there = slices.Clone(there)
		if t.filter != nil {
			w.cmp = w.cmp[:0]
			for _, k := range t.choice.where {
				w.cmp = append(w.cmp, &s.cols[k])
			}
			keep, _ := w.filter.Rows(w.cmp, n)
			if there == nil {
				there = slices.Clone(keep)
			}
			for i := range there {
				there[i] = there[i] && keep[i]
			}
		}
		for i := range n {
			if there != nil && !there[i] {
				continue
			}
			var values []string
			for k, p := range t.choice.picks[:t.choice.data] {
				c := &cols[p.column]
				values = append(values, c.Path+"="+valueText(c, &s.cols[k], i))
			}
			slices.Sort(values)
			rows = append(rows, strings.Join(values, " "))
		}
		if err := w.keepRest(s, g, n); err != nil {
			return nil, err
		}
		from += int64(n)
	}
	return rows, nil
}

// valueText is a value as text, the same for all widths and units of a type.
func valueText(c *columnar.Column, v *columnar.Vector, i int) string {
	if v.Nulls > 0 && !v.Valid[i] {
		return "null"
	}
	switch v.Kind {
	case columnar.Ints:
		x := v.Ints[i]
		switch c.Class {
		case columnar.Timestamp:
			return fmt.Sprint(x*(1e6/c.Unit), "us")
		case columnar.Bool:
			return fmt.Sprint(x != 0)
		case columnar.Date:
			return fmt.Sprint(x, "d")
		case columnar.Decimal:
			return fmt.Sprint(x, "e-", c.Scale)
		}
		return fmt.Sprint(x)
	case columnar.Numbers:
		return fmt.Sprintf("%g", v.Doubles[i])
	}
	b := v.Data[v.Offsets[i]:v.Offsets[i+1]]
	switch c.Class {
	case columnar.Int96:
		day, nanos := columnar.Int96Of(b)
		return fmt.Sprint(day*86400*1e6+nanos/1000, "us")
	case columnar.BigDecimal:
		return hex.EncodeToString(columnar.Trimmed(b)) + fmt.Sprint("e-", c.Scale)
	case columnar.Text:
		return fmt.Sprintf("%q", b)
	}
	return hex.EncodeToString(b)
}
