// This file holds datasets whose files don't all have the same columns
// (Options.UnionByName).

package dataset

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// readUnion reads the metadata of all files, several at once, and sets the columns
// that any of them has. Tables of lakes say themselves what their columns are.
func (d *Dataset) readUnion(ctx context.Context, files []input.Origin) ([]*table, error) {
	tables := make([]*table, len(files))
	passed := slices.Concat(d.passed...)
	if len(files)+len(passed) < 2 {
		return tables, nil
	}
	err := input.EachFile(0, len(files), d.atOnce(), func(i int) (err error) {
		if files[i].Lake != nil {
			return nil
		}
		if err := input.Stopped(ctx); err != nil {
			return err
		}
		tables[i], err = d.readTable(ctx, files[i], func(*table, io.ReaderAt) error { return nil })
		return err
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	add := func(cols []columnar.Column) {
		for _, c := range cols {
			if !seen[c.Path] {
				seen[c.Path] = true
				c.Nullable = true
				d.union = append(d.union, c)
			}
		}
	}
	own := func(t *table) {
		cols := t.ownColumns()
		t.weaker(cols)
		add(t.addTold(cols))
	}
	for _, t := range tables {
		if t != nil {
			own(t)
		}
	}
	return tables, d.addPassed(ctx, passed, seen, add, own)
}

// addPassed adds columns of files that the condition left out by their directories: what the directories
// tell, and, where the condition asks for more, what the files have.
func (d *Dataset) addPassed(ctx context.Context, passed []input.Origin, seen map[string]bool, add func([]columnar.Column), own func(*table)) error {
	for i := range passed {
		if passed[i].Lake == nil {
			add((&table{Origin: passed[i]}).addTold(nil))
		}
	}
	if d.where == nil {
		return nil
	}
	for i := range passed {
		if !slices.ContainsFunc(d.where.Columns(), func(name string) bool { return !seen[name] }) {
			return nil
		}
		if passed[i].Lake != nil {
			continue
		}
		if err := input.Stopped(ctx); err != nil {
			return err
		}
		t, err := d.readTable(ctx, passed[i], func(*table, io.ReaderAt) error { return nil })
		if err != nil {
			return err
		}
		d.stats.BytesRead += t.read
		own(t)
	}
	return nil
}

// addMissing makes columns that only other files have constants: null in all rows. A
// column whose name differs in the case of letters alone is no other column.
func (t *table) addMissing(own, union []columnar.Column) {
	if len(union) == 0 {
		return
	}
	has := make(map[string]bool, len(own)+len(t.Told))
	for i := range own {
		has[strings.ToLower(own[i].Path)] = true
	}
	for i := range t.Told {
		has[strings.ToLower(t.Told[i].Name)] = true
	}
	for i := range union {
		c := &union[i]
		if !has[strings.ToLower(c.Path)] {
			t.Told = append(t.Told, input.Constant{Name: c.Path, Null: true, Weak: c.Weak, Class: c.Class, Typed: c})
		}
	}
	t.Told = slices.Clip(t.Told)
}

// unionRemedy is what can be done where other files may have a column.
const unionRemedy = "; if other files have it, set Options.UnionByName to read it as null in those that lack it"

// missingHere puts an error of a column that a file lacks in terms of the first file, where no option named
// the column, and adds what can be done about it, if others may have it.
func (d *Dataset) missingHere(t *table, err error) error {
	var e *notThere
	if !errors.As(err, &e) {
		var weight *noWeight
		if errors.As(err, &weight) && t.Lake == nil && !d.o.UnionByName && len(d.files) > 1 {
			weight.remedy = unionRemedy
		}
		return err
	}
	e.first = d.guessed[e.option]
	switch {
	case !e.lacks || t.Lake != nil || d.o.UnionByName || len(d.files) < 2:
	case t.Path == d.files[0].Path:
		e.but += unionRemedy
	case e.first == "":
		e.told = "the file lacks it, and " + d.files[0].Path + " has it; set Options.UnionByName to read it as null in files that lack it"
	default:
		e.but += "; set Options.UnionByName to read it as null in files that lack it"
	}
	return err
}
