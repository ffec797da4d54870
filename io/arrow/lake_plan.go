// This file has tables leave out what a condition doesn't want before their data files
// are known.

package arrow

import (
	"context"

	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// plan finds the data files of a snapshot that leaves that to later.
func (t *lakeTable) plan(ctx context.Context, e *where.Expr) (err error) {
	if t.snap.Plan == nil {
		return nil
	}
	var may func(known func(path string) (tables.Known, bool)) bool
	if e != nil {
		may = func(known func(path string) (tables.Known, bool)) bool {
			ok, err := t.mayMatch(e, func(l *lakeField) where.Known { return asKnown(known(l.path)) })
			return ok || err != nil // which opening a file will tell
		}
	}
	t.snap.Files, t.FilesOut, err = t.snap.Plan(ctx, may)
	return err
}

// asKnown makes what metadata knows what conditions are compared with.
func asKnown(k tables.Known, ok bool) where.Known {
	if !ok {
		return where.Anything
	}
	return where.Known{Bounds: k.Bounds, Nulls: k.Nulls || k.AllNull, AllNull: k.AllNull, Has: k.Has}
}
