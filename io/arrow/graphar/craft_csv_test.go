// This file writes chunks in CSV.

package graphar

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

func typeOf(csv bool) string {
	if csv {
		return "csv"
	}
	return "parquet"
}

// writeChunk writes Parquet, with row groups of so many rows, or CSV.
func writeChunk(t testing.TB, path string, csv bool, groupRows int, cols ...column) {
	t.Helper()
	if !csv {
		writeGroups(t, path, groupRows, cols...)
		return
	}
	var b bytes.Buffer
	for i, c := range cols {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.name)
	}
	b.WriteByte('\n')
	for row := range cols[0].len() {
		for i, c := range cols {
			if i > 0 {
				b.WriteByte(',')
			}
			if c.valid == nil || c.valid[row] {
				b.WriteString(c.text(row))
			}
		}
		b.WriteByte('\n')
	}
	writeFile(t, path, b.Bytes())
}

// text returns a value as CSV has it.
func (c column) text(row int) string {
	switch v := c.values.(type) {
	case []int64:
		return fmt.Sprint(v[row])
	case []int32:
		return fmt.Sprint(v[row])
	case []day:
		return time.Unix(int64(v[row])*24*60*60, 0).UTC().Format(time.DateOnly)
	case []float64:
		return fmt.Sprint(v[row])
	case []bool:
		return fmt.Sprint(v[row])
	}
	return `"` + strings.ReplaceAll(c.values.([]string)[row], `"`, `""`) + `"`
}
