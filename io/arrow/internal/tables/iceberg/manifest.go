// This file reads manifest lists, which name manifests, and manifests, which name data
// files and delete files.

package iceberg

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// manifest is an entry of a manifest list.
type manifest struct {
	Path     string          `avro:"manifest_path"`
	Length   int64           `avro:"manifest_length"` // 0 where it isn't known
	Spec     *int32          `avro:"partition_spec_id"`
	Content  int32           `avro:"content"`
	Sequence int64           `avro:"sequence_number"`
	Snapshot *int64          `avro:"added_snapshot_id"`
	Added    *int32          `avro:"added_files_count"`
	Existing *int32          `avro:"existing_files_count"`
	Deleted  *int32          `avro:"deleted_files_count"`
	Parts    *[]fieldSummary `avro:"partitions"`
	Key      *[]byte         `avro:"key_metadata"`

	inline bool // version 1's snapshot names it itself: there is no more than the path
}

// fieldSummary bounds the values of a partition field in a manifest.
type fieldSummary struct {
	Null  *bool   `avro:"contains_null"` // nil where it isn't known
	Lower *[]byte `avro:"lower_bound"`
	Upper *[]byte `avro:"upper_bound"`
}

var listFields = []wanted{{id: 500, name: "manifest_path", required: true}, {id: 501, name: "manifest_length"}, {id: 502, name: "partition_spec_id", required: true},
	{id: 517, name: "content"}, {id: 515, name: "sequence_number"},
	{id: 503, name: "added_snapshot_id"}, {id: 504, name: "added_files_count"}, {id: 505, name: "existing_files_count"},
	{id: 506, name: "deleted_files_count"}, {id: 519, name: "key_metadata"},
	{id: 507, name: "partitions", below: []wanted{{id: 509, name: "contains_null", required: true},
		{id: 510, name: "lower_bound"}, {id: 511, name: "upper_bound"}}}}

// entry is an entry of a manifest. Some writers let fields be null that the specification
// requires: pointers tell null from a value.
type entry struct {
	Status   *int32   `avro:"status"`
	Snapshot *int64   `avro:"snapshot_id"`
	Sequence *int64   `avro:"sequence_number"`
	File     dataFile `avro:"data_file"`
}

// dataFile is a data file, or a file of deletes.
type dataFile struct {
	Content    int32          `avro:"content"`
	Path       string         `avro:"file_path"`
	Format     string         `avro:"file_format"`
	Partition  map[string]any `avro:"partition"` // by "f" and the field's id
	Rows       *int64         `avro:"record_count"`
	Size       int64          `avro:"file_size_in_bytes"`
	Values     []count        `avro:"value_counts"`
	Nulls      []count        `avro:"null_value_counts"`
	Lower      []bound        `avro:"lower_bounds"`
	Upper      []bound        `avro:"upper_bounds"`
	Key        *[]byte        `avro:"key_metadata"`
	Equality   []int32        `avro:"equality_ids"`
	Referenced *string        `avro:"referenced_data_file"`
	Offset     *int64         `avro:"content_offset"`
	Length     *int64         `avro:"content_size_in_bytes"`
}

// count and bound are entries of maps from field ids. Without a value they say nothing.
type count struct {
	ID    int32  `avro:"key"`
	Value *int64 `avro:"value"`
}

type bound struct {
	ID    int32   `avro:"key"`
	Value *[]byte `avro:"value"`
}

func mapFields(key, value int) []wanted {
	return []wanted{{id: key, name: "key", required: true}, {id: value, name: "value", required: true}}
}

var entryFields = []wanted{{id: 0, name: "status", required: true}, {id: 1, name: "snapshot_id"}, {id: 3, name: "sequence_number"},
	{id: 2, name: "data_file", required: true, below: []wanted{
		{id: 134, name: "content"}, {id: 100, name: "file_path", required: true}, {id: 101, name: "file_format", required: true},
		{id: 102, name: "partition", required: true, raw: true}, {id: 103, name: "record_count", required: true},
		{id: 104, name: "file_size_in_bytes"},
		{id: 109, name: "value_counts", below: mapFields(119, 120)},
		{id: 110, name: "null_value_counts", below: mapFields(121, 122)},
		{id: 125, name: "lower_bounds", below: mapFields(126, 127)},
		{id: 128, name: "upper_bounds", below: mapFields(129, 130)},
		{id: 131, name: "key_metadata"}, {id: 135, name: "equality_ids"}, {id: 143, name: "referenced_data_file"},
		{id: 144, name: "content_offset"}, {id: 145, name: "content_size_in_bytes"}}}}

// files returns how many files a manifest has that aren't deleted, as the list says; 0
// where it doesn't.
func (m *manifest) files() int {
	if m.Added == nil || m.Existing == nil {
		return 0
	}
	return max(0, int(*m.Added)) + max(0, int(*m.Existing))
}

// readList reads the list of a snapshot's manifests.
func (t *table) readList(ctx context.Context, snap *snapshot) (list []manifest, err error) {
	if snap.ManifestList == "" {
		for _, p := range snap.Manifests {
			list = append(list, manifest{Path: p, inline: true})
		}
		return list, nil
	}
	err = t.open(ctx, snap.ManifestList, "the manifest list", func(f tables.File) error {
		c, err := openContainer(f, listFields, tables.BudgetOf(t.files))
		if err != nil {
			return err
		}
		defer c.close()
		seen := map[string]bool{} // one that is named often would cost its reading each time
		for {
			var m manifest
			if err := c.next(&m); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			if m.Key != nil && len(*m.Key) > 0 {
				return columnar.Unsupported("the manifest %.200q is encrypted", m.Path)
			}
			if m.Content != contentData && m.Content != contentPosition || m.Sequence < 0 {
				return columnar.Corrupt("it has a manifest with content %d and sequence number %d", m.Content, m.Sequence)
			}
			if m.Spec == nil {
				return columnar.Corrupt("the manifest %.200q has no partition spec", m.Path)
			}
			if seen[m.Path] {
				return columnar.Corrupt("it has the manifest %.200q twice", m.Path)
			}
			seen[m.Path] = true
			list = append(list, m)
		}
	})
	return list, err
}

// readManifest calls use with the entries of a manifest that aren't deleted. Their
// sequence numbers are set.
func (t *table) readManifest(ctx context.Context, m *manifest, use func(e *entry, spec *partitionSpec) error) error {
	return t.readEntries(ctx, m, use, nil)
}

// readEntries is readManifest, and calls deleted, unless it is nil, with the entries that
// are deleted.
func (t *table) readEntries(ctx context.Context, m *manifest, use func(e *entry, spec *partitionSpec) error, deleted func(e *entry) error) error {
	return t.open(ctx, m.Path, "the manifest", func(f tables.File) error {
		c, err := openContainer(f, entryFields, tables.BudgetOf(t.files))
		if err != nil {
			return err
		}
		defer c.close()
		spec, err := t.specOf(m, c)
		if err != nil {
			return err
		}
		live := int64(0)
		for {
			var e entry
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := c.next(&e); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
			if e.Status != nil && *e.Status == statusDeleted {
				if deleted != nil {
					if err := deleted(&e); err != nil {
						return err
					}
				}
				continue
			}
			live++
			if err := checkEntry(&e, m); err != nil {
				return err
			}
			if err := use(&e, spec); err != nil {
				return err
			}
		}
		// Some writers count wrong, which other readers don't look at. Of a file that ends too early
		// too few entries are all there is to see.
		if stated := int64(m.files()); live < stated && m.Length > 0 && f.Size() < m.Length {
			return columnar.Corrupt("it has %d bytes and %d files, where the manifest list says %d bytes and %d files", f.Size(), live, m.Length, stated)
		}
		return nil
	})
}

// specOf returns the partition spec of a manifest.
func (t *table) specOf(m *manifest, c *container) (*partitionSpec, error) {
	id := 0
	if !m.inline {
		id = int(*m.Spec)
	} else {
		if text := c.r.Metadata()["partition-spec-id"]; len(text) > 0 {
			if _, err := fmt.Sscan(string(text), &id); err != nil {
				return nil, columnar.Corrupt("its partition-spec-id is %.60q", text)
			}
		}
	}
	return t.meta.specOf(id)
}

// checkEntry checks a single entry, and gives it the sequence number that it
// inherits.
func checkEntry(e *entry, m *manifest) error {
	f := &e.File
	switch {
	case e.Status == nil || f.Rows == nil:
		return columnar.Corrupt("it has an entry without a status or a number of rows (%.200q)", f.Path)
	case *e.Status != statusExisting && *e.Status != statusAdded:
		return columnar.Corrupt("it has an entry with status %d", *e.Status)
	case f.Key != nil && len(*f.Key) > 0:
		return columnar.Unsupported("the file %.200q is encrypted", f.Path)
	case (f.Content == contentData) != (m.Content == contentData) || f.Content < 0 || f.Content > contentEquality:
		return columnar.Corrupt("it has a file with content %d in a manifest with content %d", f.Content, m.Content)
	case *f.Rows < 0 || f.Size < 0:
		return columnar.Corrupt("%.200q has %d rows in %d bytes", f.Path, *f.Rows, f.Size)
	}
	if e.Sequence == nil {
		// Version 1 has none, which counts as 0, and so does the manifest's.
		if *e.Status != statusAdded && m.Sequence != 0 {
			return columnar.Corrupt("%.200q has no sequence number and wasn't added by this manifest", f.Path)
		}
		e.Sequence = &m.Sequence
	}
	if *e.Sequence < 0 {
		return columnar.Corrupt("%.200q has the sequence number %d", f.Path, *e.Sequence)
	}
	f.Format = strings.ToLower(f.Format)
	return nil
}
