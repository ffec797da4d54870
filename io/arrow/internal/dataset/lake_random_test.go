// This file reads random Delta Lake tables, and compares them with their model.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// randomDelta writes a random table.
func randomDelta(t testing.TB, r *rand.Rand, dir string) *deltaTable {
	d := newDeltaTable(t, r, dir)
	for range 1 + r.IntN(12) {
		d.step()
		if r.IntN(4) == 0 {
			d.checkpoint()
			if r.IntN(3) == 0 {
				d.cleanUp()
			}
		}
	}
	return d
}

// TestDeltaRandom: each version of random tables has the rows of the model, by its number
// and by its time, and those that were cleaned up are errors.
func TestDeltaRandom(t *testing.T) {
	for seed := range seeds(100) {
		r := rand.New(rand.NewPCG(seed, 31))
		d := randomDelta(t, r, t.TempDir())
		for v, want := range d.rows {
			o := Options{Snapshot: fmt.Sprint(v)}
			if r.IntN(2) == 0 {
				o = Options{AsOf: d.times[v].Add(time.Duration(r.IntN(3599)) * time.Second)}
			}
			got, data, err := allRows(context.Background(), []string{d.dir}, o)
			if err == nil && data.lakes[0].TableID != "x" { // by commits as by checkpoints
				t.Fatalf("seed %d: the table's id is %q", seed, data.lakes[0].TableID)
			}
			switch {
			case want == nil || !o.AsOf.IsZero() && err != nil && errors.Is(err, input.ErrSnapshot) && v == d.first:
				if !errors.Is(err, input.ErrSnapshot) {
					t.Fatalf("seed %d, version %d was cleaned up: %v", seed, v, err)
				}
				continue
			case err != nil:
				t.Fatalf("seed %d, version %d: %v", seed, v, err)
			case !slices.Equal(got, want):
				t.Fatalf("seed %d, version %d of %d, mapped by %s: %d rows, want %d:\n%s\nwant\n%s", seed, v, d.version-1, d.mode, len(got), len(want),
					strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if s := data.Snapshots(); len(s) != 1 || s[0].ID != fmt.Sprint(v) || s[0].Format != "Delta Lake" || !s[0].Time.IsZero() && !s[0].Time.Equal(d.times[v]) {
				t.Fatalf("seed %d, version %d: %+v", seed, v, s)
			}
		}
		got, _, err := allRows(context.Background(), []string{d.dir}, Options{})
		if want := d.rows[d.version-1]; err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, %d rows of %d", seed, err, len(got), len(want))
		}
	}
}

// TestDeltaWhere: conditions leave out the rows that they should, and no others, whatever
// files the metadata leaves out.
func TestDeltaWhere(t *testing.T) {
	testlong.Project(t)
	out, files := 0, 0
	for seed := range seeds(100) {
		r := rand.New(rand.NewPCG(seed, 32))
		d := randomDelta(t, r, t.TempDir())
		for range 10 {
			c := d.fields[r.IntN(len(d.fields))]
			if i := slices.IndexFunc(d.fields, func(f *deltaField) bool { return f.typ.name == "double" }); i >= 0 && r.IntN(2) == 0 {
				c = d.fields[i] // it may have been a float, whose statistics have shorter numbers
			}
			v := c.typ.random(r)
			name := `"` + c.name + `"`
			literal := v.partition
			switch c.typ.name {
			case "string", "date", "timestamp_ntz":
				literal = "'" + strings.ReplaceAll(v.partition, "'", "''") + "'"
			case "timestamp":
				literal = "'" + strings.TrimSuffix(v.partition, "Z") + "'"
			case "binary":
				literal = "x'" + v.text + "'"
			}
			op := []string{"=", "<", ">=", "is null", "<>"}[r.IntN(5)]
			where := name + " " + op
			if op != "is null" {
				where += " " + literal
			}
			got, data, err := allRows(context.Background(), []string{d.dir}, Options{Where: where})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, where, err)
			}
			want := d.filtered(c, op, v)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: %d rows, want %d:\n%s\nwant\n%s", seed, where, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			out += data.Snapshots()[0].FilesOut
			files += data.Snapshots()[0].Files
		}
	}
	if out < files/10 {
		t.Errorf("%d files were left out and %d read", out, files)
	}
}

// filtered returns the rows of the model that meet a condition.
func (d *deltaTable) filtered(c *deltaField, op string, with *deltaValue) []string {
	keep := *d
	keep.live = map[string]*deltaFile{}
	for name, f := range d.live {
		g := *f
		g.deleted = map[int]bool{}
		for i, row := range f.rows {
			v := row[c]
			if c.partition {
				v = f.partitions[c]
			}
			meets := false
			if v == nil {
				meets = op == "is null"
			} else if op != "is null" {
				k := compareValues(c, v, with)
				meets = op == "=" && k == 0 || op == "<" && k < 0 || op == ">=" && k >= 0 || op == "<>" && k != 0
			}
			g.deleted[i] = f.deleted[i] || !meets
		}
		keep.live[name] = &g
	}
	return keep.model()
}

func compareValues(c *deltaField, a, b *deltaValue) int {
	switch c.typ.name {
	case "string", "binary":
		return strings.Compare(a.partition, b.partition)
	}
	switch {
	case a.order < b.order:
		return -1
	case a.order > b.order:
		return 1
	}
	return 0
}

// TestDeltaStore: tables in a store are those in directories.
func TestDeltaStore(t *testing.T) {
	testlong.Only(t)
	try := func(t *testing.T, seed uint64, s shelf, o input.S3Options, top string) {
		r := rand.New(rand.NewPCG(seed, 33))
		d := randomDelta(t, r, t.TempDir())
		prefix := fmt.Sprintf("deep/t%d", seed)
		stock(t, s, d.dir, prefix+"/")
		for _, p := range []string{top + prefix, top + prefix + "/"} {
			got, _, err := allRows(context.Background(), []string{p}, Options{S3: o})
			if want := d.rows[d.version-1]; err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, %d rows of %d", seed, err, len(got), len(want))
			}
		}
	}
	t.Run("fake", func(t *testing.T) {
		for seed := range seeds(20) {
			f := tests3.NewFake(t, "lake")
			if seed%2 == 0 {
				f.SetPage(3)
			}
			try(t, seed, fakeShelf{f}, samples.S3Options(f.Env()), "s3://lake/")
		}
	})
	t.Run("versitygw", func(t *testing.T) {
		g := tests3.NewGateway(t)
		for seed := range uint64(5) {
			try(t, seed, gatewayShelf{g, t}, samples.S3Options(g.Env()), g.Path(""))
		}
	})
}
