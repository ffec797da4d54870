// This file finds the data files with the rows that were added since a snapshot.

package iceberg

import (
	"context"
	"fmt"
	"time"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
	"golang.org/x/sync/errgroup"
)

// Operations of snapshots that are looked at.
const (
	appendOperation  = "append"
	replaceOperation = "replace" // files are others, and rows are the same, as after a compaction
)

// since returns the snapshots after the one of that name up to end, the oldest first. The
// one that is named may have expired, if its child is still there.
func (m *metadata) since(name string, end *snapshot) (later []*snapshot, err error) {
	id := snapshotID(name)
	if r, ok := m.Refs[name]; ok && m.snapshotOf(id) == nil {
		id = r.Snapshot
	}
	for snap := end; snap != nil && len(later) <= len(m.Snapshots); snap = m.snapshotOf(*snap.Parent) {
		if snap.ID == id {
			return later, nil
		}
		later = append([]*snapshot{snap}, later...)
		if snap.Parent == nil {
			break
		}
		if *snap.Parent == id {
			return later, nil
		}
	}
	if end == nil {
		return nil, fmt.Errorf("%w: the table has no snapshot yet, so that nothing was added since %.60s", tables.ErrSnapshot, name)
	}
	known, _, err := m.named(name)
	if err != nil {
		return nil, err
	}
	why := ""
	if p := later[0].Parent; p != nil {
		why = fmt.Sprintf("; the history of the table begins with snapshot %s, since its parent %s has expired", later[0].ID, *p)
	}
	if known.Time > end.Time {
		why = ", which is newer"
	}
	return nil, fmt.Errorf("%w: snapshot %s is no descendant of snapshot %.60s%s", tables.ErrSnapshot, end.ID, name, why)
}

// planSince is plan for the rows that were added by snapshots, which follow each other.
func (p *planner) planSince(ctx context.Context, later []*snapshot, since string) (all []tables.DataFile, left int, err error) {
	parts := make([][]tables.DataFile, len(later))
	lefts := make([]int, len(later))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readAhead)
	for i, snap := range later {
		if snap.Summary.Operation == replaceOperation {
			continue
		}
		g.Go(func() (err error) {
			defer panics.Recover(&err)
			parts[i], lefts[i], err = p.addedBy(ctx, snap, since)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, 0, err
	}
	for i, files := range parts {
		all = append(all, files...)
		left += lefts[i]
	}
	return all, left, nil
}

// addedBy returns the data files that a snapshot added. It may have removed nothing: what
// it did counts, not what it calls itself, since an overwrite of nothing only adds.
func (p *planner) addedBy(ctx context.Context, snap *snapshot, since string) (all []tables.DataFile, left int, err error) {
	list, err := p.readList(ctx, snap)
	if err != nil {
		return nil, 0, err
	}
	id := snap.ID.number()
	var gone error
	removed := func(format string, args ...any) error {
		operation := ""
		if snap.Summary.Operation != "" {
			operation = fmt.Sprintf(" (%.40s)", snap.Summary.Operation)
		}
		gone = fmt.Errorf("%w: after snapshot %.60s, snapshot %s of %s%s %s; read the whole table",
			tables.ErrRemoved, since, snap.ID, stamp(snap.Time).Format(time.RFC3339Nano), operation, fmt.Sprintf(format, args...))
		return gone
	}
	if snap.Summary.Operation != appendOperation {
		if only, err := p.onlyAdds(ctx, snap, list); err != nil {
			return nil, 0, err
		} else if !only {
			return nil, 0, removed("removed files with rows, or added deletes")
		}
	}
	none := newDeleteIndex(p) // deletes that are older don't apply to new files, and there are no newer ones
	for i := range list {
		m := &list[i]
		if m.Snapshot != nil && *m.Snapshot != id {
			continue
		}
		by := func(e *entry) (bool, error) {
			at := e.Snapshot
			if at == nil {
				at = m.Snapshot // inherited
			}
			if at == nil {
				return false, columnar.Corrupt("neither the entry of %.200q nor the manifest list says which snapshot it is of", e.File.Path)
			}
			return *at == id, nil
		}
		if m.Content == contentData && m.Deleted != nil && *m.Deleted == 0 {
			wanted, err := p.manifestMay(m)
			if err != nil {
				return nil, 0, err
			}
			if !wanted {
				if m.Added != nil {
					left += int(*m.Added)
				}
				continue
			}
		}
		err := p.readEntries(ctx, m, func(e *entry, spec *partitionSpec) error {
			if *e.Status != statusAdded {
				return nil
			}
			if ours, err := by(e); err != nil || !ours {
				return err
			}
			if m.Content != contentData {
				return removed("deleted rows by the file %.200q", e.File.Path)
			}
			f, err := p.dataFile(e, spec, none)
			if err == nil {
				all = append(all, *f)
			}
			return err
		}, func(e *entry) error {
			ours, err := by(e)
			switch {
			case err != nil || !ours:
				return err
			case m.Content == contentData:
				return removed("removed the data file %.200q", e.File.Path)
			case snap.Summary.Operation != appendOperation: // which drops deletes that apply to no file any more
				return removed("removed the deletes in %.200q", e.File.Path)
			}
			return nil
		})
		if gone != nil {
			return nil, 0, gone // without the manifest's name
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return all, left, nil
}

// onlyAdds reports whether a snapshot has all files of its parent, by their numbers, and no more
// deletes: writers may leave files out of its manifests without saying that they are deleted.
func (p *planner) onlyAdds(ctx context.Context, snap *snapshot, list []manifest) (bool, error) {
	was, _, counted := liveFiles(nil, 0)
	if snap.Parent != nil {
		parent := p.meta.snapshotOf(*snap.Parent)
		if parent == nil {
			return false, nil // which is unknown
		}
		before, err := p.readList(ctx, parent)
		if err != nil {
			return false, err
		}
		was, _, counted = liveFiles(before, 0)
	}
	is, added, ok := liveFiles(list, snap.ID.number())
	return counted && ok && added[1] == 0 && is[0]-added[0] == was[0] && is[1] == was[1], nil
}

// liveFiles returns how many files manifests have, of data and of deletes, and how many of them a
// snapshot added. ok is false where they don't say.
func liveFiles(list []manifest, by int64) (live, added [2]int, ok bool) {
	for i := range list {
		m := &list[i]
		if m.Added == nil || m.Existing == nil || m.Snapshot == nil {
			return live, added, false
		}
		live[m.Content] += m.files()
		if *m.Snapshot == by {
			added[m.Content] += int(*m.Added)
		}
	}
	return live, added, true
}
