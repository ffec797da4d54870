// This file holds the options that name snapshots of tables, and which snapshots a dataset reads.

package dataset

import (
	"fmt"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// at returns the snapshot that options ask for.
func (d *Dataset) at() (tables.At, error) {
	at, where := tables.At{Snapshot: d.o.Snapshot, Time: d.o.AsOf, Since: d.o.Since, Table: d.o.TableID}, "Options"
	if t := d.o.table; t != nil {
		at, where = tables.At{Snapshot: t.Snapshot, Time: t.AsOf, Since: t.since}, "Options.Vertices"
	}
	if at.Snapshot != "" && !at.Time.IsZero() {
		return at, fmt.Errorf("arrow: %w: %s has both Snapshot and AsOf; set one of them", graph.ErrOptions, where)
	}
	return at, nil
}

// checkAt refuses a snapshot for an input without snapshots, or for several tables.
func (d *Dataset) checkAt(all []input.Origin, at tables.At) error {
	if at == (tables.At{}) {
		return nil
	}
	for i := range all {
		if all[i].Lake == nil && at.Table != "" && at.Since == "" {
			return fmt.Errorf("arrow: %w: %s is no table of Iceberg or Delta Lake; leave out TableID", graph.ErrOptions, all[i].Path)
		}
		if all[i].Lake == nil && at.Since != "" {
			return fmt.Errorf("arrow: %w: %s is no table of Iceberg or Delta Lake, so that it has no snapshots; leave out Since", graph.ErrOptions, all[i].Path)
		}
		if all[i].Lake == nil {
			return fmt.Errorf("arrow: %w: %s is no table of Iceberg or Delta Lake, so that it has no snapshots; leave out Snapshot and AsOf", graph.ErrOptions, all[i].Path)
		}
	}
	if len(d.lakes) > 1 && at.Since != "" {
		return fmt.Errorf("arrow: %w: Since is %.100q, but there are several tables, which have snapshots of their own; read them by OpenTables", graph.ErrOptions, at.Since)
	}
	if len(d.lakes) > 1 && at.Snapshot != "" {
		return fmt.Errorf("arrow: %w: Snapshot is %.100q, but there are several tables, which have snapshots of their own; read them by OpenTables, or as of a time", graph.ErrOptions, at.Snapshot)
	}
	return nil
}

// Snapshots is arrow.Info.Snapshots.
func (d *Dataset) Snapshots() []input.TableSnapshot {
	var all []input.TableSnapshot
	for _, p := range d.parts() {
		for _, t := range p.lakes {
			s := t.TableSnapshot
			s.Where = p.o.Where
			s.OutsideMetadata, s.OutsideMetadataFile = t.FS.Outside(t.Snap.Dir)
			all = append(all, s)
		}
	}
	return all
}
