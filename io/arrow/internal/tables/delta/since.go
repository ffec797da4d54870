// This file finds the data files with the rows that were added since a version.

package delta

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// keepAdded makes the files of the state those with rows that commits behind a version up
// to the state's added. Commits without such changes, as those that compact files, don't
// count; one that removed rows is tables.ErrRemoved.
func (l *log) keepAdded(ctx context.Context, s *state, since string, version int64) error {
	first, err := strconv.ParseInt(since, 10, 64)
	switch {
	case err != nil || first < 0:
		return fmt.Errorf("%w: %.100q is not a version: versions of Delta Lake are numbers from 0; %s", tables.ErrSnapshot, since, l.bothEnds())
	case first > version:
		return fmt.Errorf("%w: version %d is newer than version %d, which is read; %s", tables.ErrSnapshot, first, version, l.bothEnds())
	}
	added := &state{files: l.newFiles()}
	for v := first + 1; v <= version; v++ {
		e, ok := l.commits[v]
		if !ok && len(l.versions) > 0 && l.versions[0] < v {
			return l.gap(v)
		}
		if !ok {
			return fmt.Errorf("%w: the log lacks %s/%020d.json, which says what was added since version %d: it was cleaned up", tables.ErrSnapshot, l.dir, v, first)
		}
		operation, gone, now := "", "", ""
		err := l.commit(ctx, e.Name, func(a *action) (bool, error) {
			switch {
			case a.CommitInfo != nil:
				operation = a.CommitInfo.Operation
			case a.MetaData != nil && a.MetaData.ID != "":
				now = a.MetaData.ID
			case a.Remove != nil && changes(a.Remove.DataChange) && gone == "":
				gone = a.Remove.Path
			case a.Add != nil && changes(a.Add.DataChange):
				return true, added.apply(a)
			}
			return true, nil
		})
		if err != nil {
			return fmt.Errorf("version %d: %w", v, err)
		}
		if now != "" {
			if err := l.sameTable(ctx, s, first, v, now); err != nil {
				return err
			}
		}
		if gone != "" {
			return l.removed(ctx, first, v, operation, gone)
		}
	}
	s.files = added.files
	return nil
}

// changes reports whether an action changes rows. It has to say so; what doesn't may.
func changes(data *bool) bool { return data == nil || *data }

// removed is the error of a version that removed a file with its rows, or changed which of them are deleted.
func (l *log) removed(ctx context.Context, since, version int64, operation, file string) error {
	if operation != "" {
		operation = fmt.Sprintf(" (%.40s)", operation)
	}
	when := ""
	if t, err := l.time(ctx, version); err == nil && !t.IsZero() {
		when = " of " + t.Format(time.RFC3339Nano)
	}
	return fmt.Errorf("%w: after version %d, version %d%s%s removed the data file %.200q or rows of it; read the whole table",
		tables.ErrRemoved, since, version, when, operation, file)
}

// sameTable reports a commit that made the table another one than it was at version since, as far as the log
// still has that; if not, than it is at the end.
func (l *log) sameTable(ctx context.Context, end *state, since, version int64, id string) error {
	was := end.meta
	if before, err := l.replay(ctx, since); err == nil && before.meta != nil {
		was = before.meta
	} else if ctx.Err() != nil {
		return err
	}
	if was == nil || was.ID == "" || was.ID == id {
		return nil
	}
	return fmt.Errorf("%w: after version %d, version %d made the table anew: its %s is %.60s and was %.60s; read the whole table", tables.ErrSnapshot, since, version, tableID, id, was.ID)
}
