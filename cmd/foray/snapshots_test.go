// This file tests tables of data lakes as inputs of commands.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// deltaOfKarate writes a table of Delta Lake: version 0 has a path of three vertices,
// version 1 the karate club besides, and version 2 the karate club alone.
func deltaOfKarate(t *testing.T) string {
	t.Helper()
	karate, err := os.ReadFile("../../testdata/karate.parquet")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "club")
	if err := os.MkdirAll(filepath.Join(dir, "_delta_log"), 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	made := filepath.Join(t.TempDir(), "path.parquet") // nothing is written into a table
	write("path.csv", "1,2\n2,3\n")
	foray(t, 0, "convert", filepath.Join(dir, "path.csv"), made)
	if err := os.Rename(made, filepath.Join(dir, "path.parquet")); err != nil {
		t.Fatal(err)
	}
	write("karate.parquet", string(karate))
	info, err := os.Stat(filepath.Join(dir, "path.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	schema := `{\"type\":\"struct\",\"fields\":[{\"name\":\"src\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"dst\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"year\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}}]}`
	for v, lines := range []string{
		`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"1","name":"members","format":{"provider":"parquet"},"schemaString":"` + schema + `","partitionColumns":["year"],"configuration":{}}}
` + fmt.Sprintf(`{"add":{"path":"path.parquet","size":%d,"partitionValues":{"year":"2024"}}}`, info.Size()),
		fmt.Sprintf(`{"add":{"path":"karate.parquet","size":%d,"partitionValues":{"year":"2025"}}}`, len(karate)),
		`{"remove":{"path":"path.parquet","dataChange":true}}`,
	} {
		name := fmt.Sprintf("_delta_log/%020d.json", v)
		write(name, lines+"\n")
		when := time.Date(2026, 1, 1+v, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTableOutside: data files elsewhere are an error without --allow-outside; with it standard error says
// that there are some.
func TestTableOutside(t *testing.T) {
	dir := deltaOfKarate(t)
	other := filepath.Join(t.TempDir(), "karate.parquet")
	if err := os.Rename(filepath.Join(dir, "karate.parquet"), other); err != nil {
		t.Fatal(err)
	}
	for v := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("_delta_log/%020d.json", v))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(b), `"karate.parquet"`, fmt.Sprintf("%q", "file://"+filepath.ToSlash(other)))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, stderr := foray(t, 1, "info", dir)
	contains(t, stderr, "the metadata names "+other+", which lies outside of "+dir+"; give --allow-outside to have such files read")
	want := "foray: the table " + dir + " has 1 data file outside of its directory, which its metadata names, such as " + other + "\n"
	for _, args := range [][]string{{"info", dir}, {"bfs", dir, "--source", "1"}, {"convert", dir, filepath.Join(t.TempDir(), "e.csv")}} {
		if _, stderr := foray(t, 0, append(args, "--allow-outside")...); !strings.Contains(stderr, want) {
			t.Errorf("%v: %s, want %s", args, stderr, want)
		}
	}
	if _, stderr := foray(t, 0, "info", dir, "--snapshot", "0"); strings.Contains(stderr, "outside") {
		t.Error(stderr)
	}
}

func TestSnapshots(t *testing.T) {
	dir := deltaOfKarate(t)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"table          members, of Delta Lake: version 2, of 2026-01-03T00:00:00Z; 1 data file read\n", "edges          78,"}},
		{[]string{"--snapshot", "0"}, []string{"version 0, of 2026-01-01T00:00:00Z; 1 data file read\n", "edges          2,"}},
		{[]string{"--as-of", "2026-01-02"}, []string{"version 1, of 2026-01-02T00:00:00Z; 2 data files read\n", "of 80 edges given"}},
		{[]string{"--as-of", "2026-01-02T23:59:59Z", "--where", "year = 2024"}, []string{"version 1, of 2026-01-02T00:00:00Z; 1 data file read, 1 left out by the condition\n",
			"leaves out 1 file unopened", "edges          2,"}},
		{[]string{"--edges", dir + ";snapshot=0;src=dst;dst=src"}, []string{"version 2", "version 0", "of 80 edges given"}},
		{[]string{"--edges", dir + ";as-of=2026-01-01 12:00"}, []string{"version 2", "version 0", "of 80 edges given"}},
		{[]string{"--vertices", dir, "--vertex-id", "src", "--vertex-snapshot", "1"}, []string{"version 2", "version 1", "edges          78,"}},
		{[]string{"--vertices", dir, "--vertex-id", "src", "--vertex-as-of", "2026-01-01"}, []string{"version 2", "version 0", "vertices       "}},
	} {
		stdout, _ := foray(t, 0, append([]string{"info", dir}, c.args...)...)
		contains(t, stdout, c.want...)
	}
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, dir + ": no such snapshot: version 3; the table has versions 0 to 2", []string{"info", dir, "--snapshot", "3"}},
		{1, "there was none at 2025-01-01T00:00:00Z", []string{"info", dir, "--as-of", "2025-01-01"}},
		{2, "--snapshot and --as-of both name a snapshot", []string{"info", dir, "--snapshot", "1", "--as-of", "2026-01-01"}},
		{2, `"soon" isn't a time, such as 2025-03-01`, []string{"info", dir, "--as-of", "soon"}},
		{2, `"soon" isn't a time`, []string{"info", dir, "--edges", dir + ";as-of=soon"}},
		{2, "--snapshot and --as-of are for tables of data lakes", []string{"info", "gen:path:3", "--snapshot", "1"}},
		{1, "karate.parquet is no table of Iceberg or Delta Lake, so that it has no snapshots; leave out --snapshot and --as-of", []string{"info", "../../testdata/karate.parquet", "--snapshot", "1"}},
		{2, "--vertex-snapshot and --vertex-as-of need --vertices", []string{"info", dir, "--vertex-snapshot", "1"}},
	} {
		_, stderr := foray(t, c.status, c.args...)
		contains(t, stderr, c.want)
	}
	if err := os.Remove(filepath.Join(dir, "path.parquet")); err != nil {
		t.Fatal(err)
	}
	_, stderr := foray(t, 3, "bfs", dir, "--snapshot", "1", "--source", "1")
	if !strings.HasPrefix(stderr, "foray: "+filepath.Join(dir, "path.parquet")+": the file was vacuumed or expired: version 1 of the Delta Lake table "+dir) {
		t.Error(stderr)
	}
}
