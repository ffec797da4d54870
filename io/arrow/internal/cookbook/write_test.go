// This file writes the cookbook's tables and checks that testdata has them.

// Package cookbook makes the tables of docs/cookbook, and checks the answers on its pages by naive loops.
package cookbook

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
)

var update = flag.Bool("update-cookbook", false, "write testdata/cookbook again")

const (
	root     = "../../../.."
	testdata = root + "/testdata/cookbook"
)

// write writes all tables to a directory.
func write(t *testing.T, dir string) {
	for name, table := range map[string]*table{
		"purchases": purchases(), "people": people(), "friendships": friendships(), "owners": owners(), "deliveries": deliveries(), "customers": customers(),
	} {
		store(t, filepath.Join(dir, name+".parquet"), craft.DataFile(table.columns, table.crafted(), false))
	}
	delta(t, filepath.Join(dir, "payments"), payments())
	days := follows()
	delta(t, filepath.Join(dir, "follows"), days[:]...)
	iceberg(t, filepath.Join(dir, "lineage"))
	store(t, filepath.Join(dir, "customers.csv"), text(t, customers()))
}

// text returns a table as CSV.
func text(t *testing.T, table *table) []byte {
	t.Helper()
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	var lines [][]string
	lines = append(lines, nil)
	for _, c := range table.columns {
		lines[0] = append(lines[0], c.Name)
	}
	for _, row := range table.rows {
		line := make([]string, len(row))
		for i, v := range row {
			if v != nil {
				line[i] = fmt.Sprint(v)
			}
		}
		lines = append(lines, line)
	}
	if err := w.WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func store(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// delta writes a table of Delta Lake with a version for each of parts.
func delta(t *testing.T, dir string, parts ...*table) {
	for version, part := range parts {
		file := fmt.Sprintf("part-%d.parquet", version)
		data := craft.DataFile(part.columns, part.crafted(), false)
		store(t, filepath.Join(dir, file), data)
		var log bytes.Buffer
		action := func(name string, fields map[string]any) {
			line, err := json.Marshal(map[string]any{name: fields})
			if err != nil {
				t.Fatal(err)
			}
			log.Write(append(line, '\n'))
		}
		written := (date(3, 30) + int64(version)) * 86_400_000
		action("commitInfo", map[string]any{"timestamp": written, "operation": "WRITE"})
		if version == 0 {
			action("protocol", map[string]any{"minReaderVersion": 1, "minWriterVersion": 2})
			action("metaData", map[string]any{"id": filepath.Base(dir), "format": map[string]any{"provider": "parquet"}, "schemaString": schema(t, part.columns),
				"partitionColumns": []string{}, "configuration": map[string]string{}})
		}
		action("add", map[string]any{"path": file, "size": len(data), "partitionValues": map[string]string{}, "modificationTime": written, "dataChange": true})
		store(t, filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", version)), log.Bytes())
	}
}

// schema returns the schema of a table as Delta Lake's log has it.
func schema(t *testing.T, columns []craft.Column) string {
	t.Helper()
	fields := []map[string]any{}
	for _, c := range columns {
		typ := c.Type
		if typ == "int" {
			typ = "integer"
		}
		fields = append(fields, map[string]any{"name": c.Name, "type": typ, "nullable": true, "metadata": map[string]any{}})
	}
	text, err := json.Marshal(map[string]any{"type": "struct", "fields": fields})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// iceberg writes lineage as a table of Iceberg, whose second snapshot deletes a row.
func iceberg(t *testing.T, dir string) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	table := lineage()
	w := craft.New(dir, table.columns, random(), craft.Options{Version: 2, Plain: true, Location: "/lake/lineage"})
	w.AppendOnly(table.crafted())
	w.DeletePositions(map[int][]int{0: {retired}})
}

// TestTables checks that testdata has the tables as they are here.
func TestTables(t *testing.T) {
	if *update {
		if err := os.RemoveAll(testdata + "/lineage"); err != nil {
			t.Fatal(err)
		}
		write(t, testdata)
	}
	dir := t.TempDir()
	write(t, dir)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		random := filepath.Ext(name) == ".avro" // the marks between their blocks differ
		if got, err := os.ReadFile(filepath.Join(testdata, name)); err != nil || !random && !bytes.Equal(got, want) {
			t.Errorf("testdata/cookbook/%s isn't what this test writes (%v): run go test ./io/arrow/internal/cookbook -update-cookbook", filepath.ToSlash(name), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
