// This file determines which paths are tables of data lakes.

package input

import (
	"context"
	"os"
	"strings"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/files/tableformat"
)

// tableAt returns the kind of table that a path of this machine stands for: the
// directory of one, or a metadata file of Iceberg's.
func (s *Store) tableAt(p string) tableformat.Kind {
	info, err := os.Stat(p)
	switch {
	case err != nil:
	case info.IsDir():
		if kind := s.finder.At(p); kind.Read() {
			return kind
		}
	case metadataFile(p) && tableformat.Iceberg.Read():
		return tableformat.Iceberg
	}
	return ""
}

// listTable lists what a path in a store stands for, with the tables whose metadata is
// there. If the path is the prefix of a table, it returns the table's kind instead.
func (s *Store) listTable(ctx context.Context, p string) (objects []s3.Object, tables *tableKeys, kind tableformat.Kind, err error) {
	tables = &tableKeys{}
	bucket, key, err := s3.Split(p)
	if err != nil {
		return nil, tables, "", err
	}
	if strings.ContainsAny(key, "*?[") {
		objects, err = s.s3().ListSeen(ctx, p, tables.see)
		return objects, tables, "", err
	}
	if metadataFile(key) && tableformat.Iceberg.Read() {
		return nil, tables, tableformat.Iceberg, nil
	}
	root := strings.TrimSuffix(key, "/")
	seen := 0
	objects, err = s.s3().ListSeen(ctx, p, func(k string) bool {
		seen++
		tables.see(k)
		return !tables.kinds[root].Read() && seen <= probeAfter
	})
	if kind = tables.kinds[root]; err != nil || kind.Read() {
		return nil, tables, kind, err
	}
	if seen <= probeAfter {
		return objects, tables, "", nil
	}
	// A long listing: that of a table's files would be for nothing.
	dir := root + "/"
	if root == "" {
		dir = ""
	}
	found, err := s.probe(ctx, bucket, []string{dir})
	if err != nil {
		return nil, tables, "", err
	}
	if kind = found.kinds[root]; kind.Read() {
		return nil, tables, kind, nil
	}
	objects, err = s.s3().ListSeen(ctx, p, tables.see)
	return objects, tables, "", err
}
