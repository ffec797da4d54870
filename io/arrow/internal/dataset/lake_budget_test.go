// This file reads logs of Delta Lake that are long, and such with lines that are too long.

package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/text/limit"
)

// TestLongLogs: the limit of metadata is for each line of a log, which may be longer as a whole.
func TestLongLogs(t *testing.T) {
	const schema = `{\"type\":\"struct\",\"fields\":[{\"name\":\"src\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"dst\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}`
	const head = `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}` + "\n" +
		`{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"` + schema + `","partitionColumns":[],"configuration":{}}}` + "\n"
	open := func(lines string) error {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "_delta_log"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "_delta_log", fmt.Sprintf("%020d.json", 0)), []byte(head+lines), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), []string{dir}, Options{MaxMetadata: 2 << 20})
		return err
	}
	line := func(n int) string {
		return `{"remove":{"path":"x","dataChange":true,"tags":{"a":"` + strings.Repeat("a", n) + `"}}}` + "\n"
	}
	if err := open(strings.Repeat(line(100<<10), 100)); err != nil {
		t.Errorf("10 MB of short lines: %v", err)
	}
	if err := open(line(1 << 20)); err != nil {
		t.Errorf("a line of 1 MB: %v", err)
	}
	for what, lines := range map[string]string{
		"a line of 2 MB": strings.Repeat(line(100), 1000) + line(2<<20),
		"no line end":    `{"remove":` + strings.Repeat(" ", 3<<20),
		"many values":    `{"add":{"path":"x","size":1,"partitionValues":{"a":"b"` + strings.Repeat(`,"a":""`, 200_000) + `}}}`,
	} {
		err := open(lines)
		if !errors.Is(err, limit.Err) || !strings.Contains(err.Error(), "Options.MaxMetadata") || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
