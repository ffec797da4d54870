// This file opens the tables of others.

package iceberg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// disk is the local file system.
type disk struct{}

type diskFile struct {
	*os.File
	size int64
}

func (f *diskFile) Size() int64 { return f.size }

func (disk) Open(_ context.Context, name string) (tables.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &diskFile{f, info.Size()}, nil
}

func (disk) List(_ context.Context, dir string) (all []tables.Entry, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, tables.Entry{Name: filepath.Join(dir, e.Name()), Size: info.Size()})
		}
	}
	return all, err
}

// others returns the directories of the tables of others, by name.
func others(t *testing.T) map[string]string {
	root := os.Getenv("FORAY_DATA")
	if root == "" {
		testlong.Missing(t, "data", "needs test data: set FORAY_DATA (CONTRIBUTING.md)")
	}
	root = filepath.Join(root, "tables", "iceberg")
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		testlong.Missing(t, "data", "needs test data: FORAY_DATA has no tables (CONTRIBUTING.md)")
	}
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{}
	for _, e := range entries {
		err := filepath.WalkDir(filepath.Join(root, e.Name()), func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "metadata" {
				tables[e.Name()] = filepath.Dir(p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tables
}

// openWhole opens a snapshot with its files.
func openWhole(ctx context.Context, files tables.FS, name string, at tables.At) (*tables.Snapshot, error) {
	s, err := Open(ctx, files, name, at)
	if err == nil && s.Plan != nil {
		s.Files, _, err = s.Plan(ctx, nil)
	}
	return s, err
}

// TestOthers: tables of others have the files and rows that their writers say. Package
// compare looks at the values.
func TestOthers(t *testing.T) {
	known := map[string]struct {
		id            string
		files         int
		rows, deleted int64
		equality      int    // equality deletes of all files
		fixed         string // of all files, in their order
	}{
		"iceberg_v1_deprecated":           {"2456114553637229296", 2, 3, 0, 0, "category=alpha category=beta"},
		"partition_time":                  {"5142311260901683077", 2, 2, 0, 0, "partition_col=45296000000 partition_col=30069000000"},
		"partition_bigint":                {"1919487672997309926", 2, 2, 0, 0, "partition_col=9223372036854775807 partition_col=-9223372036854775808"},
		"partition_double":                {"265372873090926682", 2, 2, 0, 0, "partition_col=3.1415927410125732 partition_col=2.7182817459106445"},
		"partition_decimal_integer":       {"2266524373707409896", 3, 3, 0, 0, "partition_col=12345432 partition_col=12300 partition_col=425630"},
		"partition_timestamptz":           {"1930660809162697972", 2, 2, 0, 0, "partition_col=1684161045000000 partition_col=1692695720000000"},
		"hive_partitioned_table":          {"5128628767169163501", 6, 6, 0, 0, "event_date=19725 event_type=view event_date=19725 event_type=click event_date=19726 event_type=purchase event_date=19726 event_type=view event_date=19724 event_date=19723"},
		"name_mapping":                    {"2651609110244230974", 1, 10000, 0, 0, ""},
		"column_mapping":                  {"6154553663017965981", 1, 3, 0, 0, ""},
		"expression_filter":               {"8096310958539014181", 1, 3, 0, 0, ""},
		"uuid":                            {"3974286791591741252", 2, 10, 0, 0, ""},
		"add_columns_with_defaults":       {"1915606074736806848", 2, 3, 0, 0, ""},
		"legacy_bare_deletion_vector":     {"7777777777777777776", 1, 3, 1, 0, ""},
		"equality_delete_cross_partition": {"9876543210123456789", 2, 4, 0, 1, "part=0 part=1"},
	}
	for name, dir := range others(t) {
		t.Run(name, func(t *testing.T) {
			want, ok := known[name]
			s, err := openWhole(t.Context(), disk{}, dir, tables.At{})
			if err != nil {
				t.Fatal(err)
			}
			got := want
			got.id, got.files, got.rows, got.deleted, got.equality = s.ID, len(s.Files), 0, 0, 0
			var fixed []string
			for i := range s.Files {
				f := &s.Files[i]
				if _, err := os.Stat(f.Name); err != nil || !f.ByID {
					t.Errorf("%+v: %v", f, err)
				}
				got.rows, got.equality = got.rows+f.Rows, got.equality+len(f.Equality)
				if f.Deletes != nil {
					d, err := f.Deletes(t.Context(), disk{})
					if err != nil {
						t.Fatal(err)
					}
					got.deleted += int64(len(d.Rows))
				}
				for _, path := range slices.Sorted(maps.Keys(f.Fixed)) {
					v := f.Fixed[path]
					switch v := v.Scalar; {
					case v.Bytes != nil:
						fixed = append(fixed, fmt.Sprintf("%s=%s", path, v.Bytes))
					case v.Double != 0:
						fixed = append(fixed, fmt.Sprintf("%s=%v", path, v.Double))
					default:
						fixed = append(fixed, fmt.Sprintf("%s=%d", path, v.Int))
					}
				}
			}
			if got.fixed = strings.Join(fixed, " "); got != want || !ok {
				t.Errorf("%+v\nwant %+v", got, want)
			}
		})
	}
}
