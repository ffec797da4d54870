// This file reads Delta Lake tables with logs that other writers may leave behind, or
// that mean harm.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// plainDelta writes a table with one data file, a.parquet, that has the edge 1 to 2, and
// further commits.
func plainDelta(t *testing.T, commits ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	log := filepath.Join(dir, "_delta_log")
	if err := os.Mkdir(log, 0o777); err != nil {
		t.Fatal(err)
	}
	writePair(t, filepath.Join(dir, "a.parquet"), "", 1, 2)
	first := `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"x","format":{"provider":"parquet"},"schemaString":"{\"type\":\"struct\",\"fields\":[` +
		`{\"name\":\"src\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"dst\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[]}}
{"add":{"path":"a.parquet","partitionValues":{},"size":1}}`
	for i, c := range append([]string{first}, commits...) {
		samples.WriteTo(t, filepath.Join(log, fmt.Sprintf("%020d.json", i)), []byte(strings.ReplaceAll(c, "DIR", filepath.ToSlash(dir))))
	}
	return dir
}

// TestDeltaPaths: a path may be escaped or absolute in the action that removes a file, or
// adds it again, and not in the one that added it.
func TestDeltaPaths(t *testing.T) {
	for _, c := range []struct {
		commit string
		rows   int
	}{
		{`{"add":{"path":"%61.parquet","partitionValues":{},"size":1}}`, 1},
		{`{"add":{"path":"DIR/a.parquet","partitionValues":{},"size":1}}`, 1},
		{`{"remove":{"path":"a%2Eparquet"}}`, 0},
		{`{"remove":{"path":"DIR/a.parquet"}}`, 0},
		{`{"remove":{"path":"file:DIR/a.parquet"}}`, 0},
		{`{"remove":{"path":"file://DIR/a.parquet"}}`, 0},
		{`{"remove":{"path":"b.parquet"}}`, 1},
		{`{"remove":{"path":"gs://b/a.parquet"}}`, 1},
	} {
		dir := plainDelta(t, c.commit)
		t.Chdir(filepath.Dir(dir))
		for _, p := range []string{dir, filepath.Base(dir), "./" + filepath.Base(dir) + "/"} {
			rows, _, err := allRows(context.Background(), []string{p}, Options{})
			if err != nil || len(rows) != c.rows {
				t.Errorf("%s, %s: %v, %v; want %d rows", c.commit, p, rows, err, c.rows)
			}
		}
	}
}

// TestDeltaSums: what isn't a file of checksums, since its writer is at it or was stopped,
// is passed over; one that contradicts the log isn't.
func TestDeltaSums(t *testing.T) {
	for text, is := range map[string]error{
		"": nil, `{"numFi`: nil, "null": nil, `{"numFiles":"1"}`: nil, `{"numFiles":1,"tableSizeBytes":1}`: nil,
		`{"numFiles":2}`: input.ErrDamaged, `{"tableSizeBytes":2}`: input.ErrDamaged,
	} {
		dir := plainDelta(t)
		samples.WriteTo(t, filepath.Join(dir, "_delta_log", "00000000000000000000.crc"), []byte(text))
		if _, _, err := allRows(context.Background(), []string{dir}, Options{}); !errors.Is(err, is) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDeltaHuge: files of a log that claim more bytes than there is memory are refused
// before memory is taken.
func TestDeltaHuge(t *testing.T) {
	testlong.Only(t)
	for name, is := range map[string]error{"00000000000000000001.json": input.ErrLimit, "00000000000000000000.crc": nil,
		"00000000000000000000.checkpoint.parquet": input.ErrDamaged, "00000000000000000000.checkpoint.00000000-0000-0000-0000-000000000000.json": input.ErrLimit} {
		dir := plainDelta(t)
		name = filepath.Join(dir, "_delta_log", name)
		samples.WriteTo(t, name, nil)
		if err := os.Truncate(name, 1<<40); err != nil {
			t.Skip("needs a file system with sparse files:", err)
		}
		if _, _, err := allRows(context.Background(), []string{dir}, Options{}); !errors.Is(err, is) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOutside: data files outside of a table's directory are refused, or read and counted.
func TestOutside(t *testing.T) {
	other := filepath.Join(t.TempDir(), "b c.parquet")
	writePair(t, other, "", 3, 4)
	dir := plainDelta(t, fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1}}
{"add":{"path":"DIR/a.parquet","partitionValues":{},"size":1}}`, strings.ReplaceAll(filepath.ToSlash(other), " ", "%20")))
	t.Chdir(dir)
	for _, p := range []string{dir, "."} {
		if _, err := Open(context.Background(), []string{p}, Options{FollowLinks: true}); !errors.Is(err, input.ErrUnsupported) || !strings.Contains(err.Error(), other) || !strings.Contains(err.Error(), "Options.AllowOutside") {
			t.Errorf("%s: %v", p, err)
		}
		d, err := Open(context.Background(), []string{p}, Options{AllowOutside: true})
		if err != nil {
			t.Fatal(err)
		}
		if s := d.Snapshots()[0]; s.Files != 2 || s.Outside != 1 || s.OutsideFile != other {
			t.Errorf("%s: %+v", p, s)
		}
	}
	for _, c := range []struct {
		name, dir string
		below     bool
	}{
		{"/t/a", "/t", true}, {"/t/a", "/t/", true}, {"/tt/a", "/t", false}, {"/t/../a", "/t", false}, {"/a", "/", true}, {"t/a", "t", true}, {"a", ".", true}, {"../a", ".", false},
		{"s3://b/t/a", "s3://b/t", true}, {"s3://b/tt/a", "s3://b/t", false}, {"s3://b/t/a", "/t", false}, {"/t/a", "s3://b", false},
	} {
		if input.LiesBelow(c.name, c.dir) != c.below {
			t.Errorf("%+v", c)
		}
	}
}
