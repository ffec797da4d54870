// This file reads Delta Lake tables that others wrote, and compares their rows with a
// naive reading of their logs.

package dataset

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// naiveFile is a data file as a log describes it.
type naiveFile struct {
	Path            string
	PartitionValues map[string]*string
	Stats           string
	SchemaString    string // of the table
}

// naiveDelta returns the data files of a table at a version, by its JSON commits alone,
// and the columns that are no structs, lists or maps.
func naiveDelta(t *testing.T, dir string, version int) (files map[string]naiveFile, columns []string) {
	t.Helper()
	files = map[string]naiveFile{}
	for v := 0; v <= version; v++ {
		f, err := os.Open(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", v)))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<26)
		for lines.Scan() {
			var a map[string]naiveFile
			if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
				t.Fatal(err)
			}
			if add, ok := a["add"]; ok {
				files[add.Path] = add
			}
			if remove, ok := a["remove"]; ok {
				delete(files, remove.Path)
			}
			if meta, ok := a["metaData"]; ok {
				var schema struct{ Fields []struct{ Name, Type any } }
				if err := json.Unmarshal([]byte(meta.SchemaString), &schema); err != nil {
					t.Fatal(err)
				}
				columns = nil
				for _, f := range schema.Fields {
					if s, ok := f.Type.(string); ok && s != "variant" {
						columns = append(columns, f.Name.(string))
					}
				}
			}
		}
		f.Close()
	}
	return files, columns
}

// naiveRows returns the rows of a table: those of its data files read as files, with the
// text of their partition values, and without what isn't in the table's schema.
func naiveRows(t *testing.T, dir string, version int, typed func(column, text string) string) []string {
	t.Helper()
	var rows []string
	files, columns := naiveDelta(t, dir, version)
	for name, action := range files {
		name, err := url.PathUnescape(name)
		if err != nil {
			t.Fatal(err)
		}
		d := &Dataset{store: &input.Store{}}
		file, err := d.fileRows(context.Background(), input.Origin{Path: filepath.Join(dir, name)})
		if err != nil {
			t.Fatal(err)
		}
		var stats struct{ NumRecords *int }
		if json.Unmarshal([]byte(action.Stats), &stats) == nil && stats.NumRecords != nil && *stats.NumRecords != len(file) {
			t.Errorf("%s has %d rows, and by the log %d", name, len(file), *stats.NumRecords)
		}
		for _, row := range file {
			values := slices.DeleteFunc(strings.Split(row, " "), func(v string) bool {
				return v == "" || strings.HasPrefix(v, "_change_type=") || strings.HasPrefix(v, "v.") || strings.HasPrefix(v, "struct_of_variants.v.")
			})
			for column, text := range action.PartitionValues {
				if text == nil || *text == "" {
					values = append(values, column+"=null")
				} else {
					values = append(values, column+"="+typed(column, *text))
				}
			}
			for _, c := range columns {
				if !slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, c+"=") }) {
					values = append(values, c+"=null") // of a file that is older than the column
				}
			}
			slices.Sort(values)
			rows = append(rows, strings.Join(values, " "))
		}
	}
	slices.Sort(rows)
	return rows
}

// TestDeltaSamples: the rows of tables that other engines wrote equal the result of a naive
// reading, at each version; or the table is refused for the reason given here.
func TestDeltaSamples(t *testing.T) {
	top := sampleTables(t, "delta")
	text := func(_, s string) string { return fmt.Sprintf("%q", s) }
	plain := func(_, s string) string { return s }
	// What of a table is read, or refused, and how many rows its newest version has.
	for name, want := range map[string]struct {
		versions int // that are compared
		rows     int // of the newest; -1 where its data files aren't there
		typed    func(column, text string) string
		refused  string
	}{
		"cdf-table":                               {4, 9, func(_, s string) string { return dayText(t, s) }, ""},
		"cdf-table-non-partitioned":               {5, 11, nil, ""},
		"checkpoint-v2-table":                     {9, 44, nil, ""},
		"checkpoints":                             {0, -1, nil, ""},
		"checkpoints_vacuumed":                    {0, -1, nil, ""},
		"delta-0.2.0":                             {4, 6, nil, ""},
		"delta-0.8.0-date":                        {1, 5, func(_, s string) string { return dayText(t, s) }, ""},
		"delta-0.8.0-numeric-partition":           {1, 2, func(c, s string) string { return strings.TrimSuffix(s, ".0") }, ""},
		"delta-0.8.0-special-partition":           {1, 2, text, ""},
		"delta-1.2.1-only-struct-stats":           {13, 12, nil, ""},
		"delta-checkpoint-stats-optional":         {3, 2, nil, ""},
		"delta-stats-optional":                    {3, 2, nil, ""},
		"http_requests":                           {2, 1581, text, ""},
		"issue_1374":                              {2, 20, text, ""},
		"partition-type-primitives":               {1, 16, text, ""},
		"simple_commit":                           {1, 0, nil, ""},
		"simple_table_features":                   {0, -1, nil, "reader version 5, where 1 to 3 are read, with the feature blahabl"},
		"simple_table_with_checkpoint":            {11, 11, nil, ""},
		"spark-variant-checkpoint":                {3, 102, nil, ""},
		"table-with-domain-metadata":              {0, -1, nil, ""},
		"table-without-dv-small":                  {1, 10, nil, ""},
		"table_with_column_mapping":               {0, 5, nil, ""},
		"table_with_edge_timestamps":              {1, 2, nil, ""},
		"table_with_null_stats_in_notnull_struct": {2, 2, nil, ""},
		"with_checkpoint_no_last_checkpoint":      {0, -1, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(top, name)
			if _, err := os.Stat(dir); err != nil {
				testlong.Missing(t, "data", "needs test data: FORAY_DATA lacks this table (CONTRIBUTING.md):", err)
			}
			if want.typed == nil {
				want.typed = plain
			}
			rows, _, err := allRows(context.Background(), []string{dir}, Options{})
			switch {
			case want.refused != "":
				if !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), want.refused) {
					t.Errorf("%v", err)
				}
				return
			case want.rows < 0:
				if !errors.Is(err, input.ErrVacuumed) || !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%v", err)
				}
				return
			case err != nil:
				t.Fatal(err)
			case len(rows) != want.rows:
				t.Errorf("%d rows, want %d:\n%s", len(rows), want.rows, strings.Join(rows, "\n"))
			}
			for v := range want.versions {
				got, _, err := allRows(context.Background(), []string{dir}, Options{Snapshot: fmt.Sprint(v)})
				if err != nil {
					if files, _ := naiveDelta(t, dir, v); !errors.Is(err, input.ErrVacuumed) || len(files) == 0 {
						t.Errorf("version %d: %v", v, err)
					}
					continue
				}
				if naive := naiveRows(t, dir, v, want.typed); !slices.Equal(got, naive) {
					t.Errorf("version %d:\n%s\nwant\n%s", v, strings.Join(got, "\n"), strings.Join(naive, "\n"))
				}
			}
		})
	}
}

// dayText is a date as allRows has it.
func dayText(t *testing.T, s string) string {
	c := input.Constant{Text: s}
	if input.ClassOf(s).String() != "a date" {
		t.Fatalf("%s is no date", s)
	}
	c.ParseAs(input.ClassOf(s))
	return fmt.Sprint(c.Value, "d")
}

// TestDeltaParsedStats: statistics that a checkpoint has as columns leave files out.
func TestDeltaParsedStats(t *testing.T) {
	dir := filepath.Join(sampleTables(t, "delta"), "delta-1.2.1-only-struct-stats")
	for where, want := range map[string][2]int{"integer = 3": {1, 1}, "new_column is not null": {1, 12}, `"date" > '2030-01-01'`: {0, 1}, "integer >= 8 and string = 'string'": {4, 4}} {
		rows, d, err := allRows(context.Background(), []string{dir}, Options{Where: where})
		if err != nil {
			t.Fatal(err)
		}
		s := d.Snapshots()[0]
		if len(rows) != want[0] || s.Files > want[1] || s.Files+s.FilesOut != 12 {
			t.Errorf("%s: %d rows of %d files, %d left out; want %d of %d at most", where, len(rows), s.Files, s.FilesOut, want[0], want[1])
		}
	}
}
