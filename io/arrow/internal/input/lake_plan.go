// This file has tables leave out what a condition doesn't want before their data files
// are known.

package input

import (
	"context"

	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// plan finds the data files of a snapshot that leaves that to later.
func (t *LakeTable) plan(ctx context.Context, e *where.Expr) (err error) {
	if t.Snap.Plan == nil {
		return nil
	}
	var may func(known func(path string) (tables.Known, bool)) bool
	if e != nil {
		may = func(known func(path string) (tables.Known, bool)) bool {
			ok, err := t.mayMatch(e, func(l *LakeField) where.Known { return asKnown(known(l.Path)) })
			return ok || err != nil // which opening a file will tell
		}
	}
	t.Snap.Files, t.FilesOut, err = t.Snap.Plan(ctx, may)
	return err
}

// asKnown makes what metadata knows what conditions are compared with.
func asKnown(k tables.Known, ok bool) where.Known {
	if !ok {
		return where.Anything
	}
	return where.Known{Bounds: k.Bounds, Nulls: k.Nulls || k.AllNull, AllNull: k.AllNull, Has: k.Has}
}
