// This file chooses the snapshot that is meant.

package iceberg

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// choose returns the snapshot, nil for the current one of a table that has none yet, and
// the schema that its rows are read with. As other readers have it, a branch has the
// table's current schema, and a snapshot that is named by its id, a tag or a time the one
// it was written with.
func (m *metadata) choose(at tables.At) (*snapshot, *schema, error) {
	schema, err := m.schemaOf(m.CurrentSchema)
	if err != nil {
		return nil, nil, err
	}
	var snap *snapshot
	branch := false
	switch {
	case at.Snapshot != "":
		snap, branch, err = m.named(at.Snapshot)
	case !at.Time.IsZero():
		snap, err = m.asOf(at.Time)
	case m.CurrentSnapshot == nil || *m.CurrentSnapshot == none:
		return nil, schema, nil
	default:
		branch = true
		if snap = m.snapshotOf(*m.CurrentSnapshot); snap == nil {
			err = columnar.Corrupt("the metadata lacks the current snapshot %s", *m.CurrentSnapshot)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if !branch && snap.Schema != nil {
		if schema, err = m.schemaOf(snap.Schema); err != nil {
			return nil, nil, err
		}
	}
	return snap, schema, nil
}

// named finds a snapshot by its id, or else by a branch or tag.
func (m *metadata) named(name string) (snap *snapshot, branch bool, err error) {
	if snap = m.snapshotOf(snapshotID(name)); snap != nil {
		return snap, false, nil
	}
	r, ok := m.Refs[name]
	switch {
	case ok && r.Type != "branch" && r.Type != "tag":
		return nil, false, columnar.Corrupt("%.60q is a reference of type %.60q, which is neither a branch nor a tag", name, r.Type)
	case ok:
		if snap = m.snapshotOf(r.Snapshot); snap == nil {
			return nil, false, columnar.Corrupt("the metadata lacks the snapshot %s of %s %.60q", r.Snapshot, r.Type, name)
		}
		return snap, r.Type == "branch", nil
	}
	return nil, false, fmt.Errorf("%w: the table has no snapshot, branch or tag %.60q, or not any more; it has %s", tables.ErrSnapshot, name, m.has())
}

// has lists what may be asked for.
func (m *metadata) has() string {
	const shown = 5
	var refs []string
	for name := range m.Refs {
		refs = append(refs, fmt.Sprintf("%.60q", name))
	}
	slices.Sort(refs)
	var ids []string
	for i := range m.Snapshots {
		ids = append(ids, string(m.Snapshots[i].ID))
	}
	slices.Reverse(ids) // the newest first
	list := append(refs, ids...)
	if len(list) == 0 {
		return "none"
	}
	if len(list) > shown {
		return strings.Join(list[:shown], ", ") + " and others"
	}
	return strings.Join(list, ", ")
}

// asOf finds the snapshot that was current at a time.
func (m *metadata) asOf(t time.Time) (*snapshot, error) {
	log := slices.Clone(m.Log)
	if len(log) == 0 {
		// Writers may leave the log out: then the current snapshot's ancestors are the history.
		log = m.ancestors()
	}
	sort.SliceStable(log, func(i, k int) bool { return log[i].Time < log[k].Time })
	millis := t.UnixMilli()
	n := len(log) // of several at one time the last counts
	for n > 0 && log[n-1].Time > millis {
		n--
	}
	if n == 0 {
		if len(log) == 0 {
			return nil, fmt.Errorf("%w: the table has no snapshots", tables.ErrSnapshot)
		}
		return nil, fmt.Errorf("%w: the table had none at %s, or it is not known any more; the first that is known became current at %s",
			tables.ErrSnapshot, t.UTC().Format(time.RFC3339Nano), stamp(log[0].Time).Format(time.RFC3339Nano))
	}
	snap := m.snapshotOf(log[n-1].Snapshot)
	if snap == nil {
		return nil, fmt.Errorf("%w: at %s the snapshot %s was current, which the table doesn't have any more: it was expired",
			tables.ErrSnapshot, t.UTC().Format(time.RFC3339Nano), log[n-1].Snapshot)
	}
	return snap, nil
}

// ancestors returns the current snapshot and those that it came from.
func (m *metadata) ancestors() (log []logEntry) {
	if m.CurrentSnapshot == nil {
		return nil
	}
	for snap := m.snapshotOf(*m.CurrentSnapshot); snap != nil && len(log) <= len(m.Snapshots); {
		log = append(log, logEntry{Snapshot: snap.ID, Time: snap.Time})
		if snap.Parent == nil {
			break
		}
		snap = m.snapshotOf(*snap.Parent)
	}
	slices.Reverse(log)
	return log
}
