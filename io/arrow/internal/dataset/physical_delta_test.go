// This file compares conditions on tables of Delta Lake whose files store one column in different
// physical types with a naive filter.

package dataset

import (
	"context"
	"fmt"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDeltaPhysicalTypes: the same of a table of Delta Lake, whose log has statistics, and whose
// columns were widened.
func TestDeltaPhysicalTypes(t *testing.T) {
	out := 0
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 95))
		rows := 5 + r.IntN(400)
		var all []*logicalColumn
		types := map[string]string{"dec": "decimal(38,2)", "at": "timestamp_ntz", "day": "date", "word": "string"}
		if r.IntN(2) == 0 {
			types["dec"] = "decimal(18,2)"
		}
		for _, c := range logicalColumns(r, rows) {
			if types[c.name] != "" {
				all = append(all, c)
			}
		}
		dir := t.TempDir()
		var log, fields []string
		for _, f := range append([]string{"src", "dst"}, "dec", "at", "day", "word") {
			typ := types[f]
			if typ == "" {
				typ = "long"
			}
			fields = append(fields, fmt.Sprintf(`{\"name\":\"%s\",\"type\":\"%s\",\"nullable\":true,\"metadata\":{}}`, f, typ))
		}
		log = append(log, `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["timestampNtz"],"writerFeatures":["timestampNtz"]}}`,
			`{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[`+strings.Join(fields, ",")+
				`]}","partitionColumns":[],"configuration":{}}}`)
		for from, k := 0, 0; from < rows; k++ {
			to := min(rows, from+1+r.IntN(1+rows/2))
			data := physicalFile(t, r, all, from, to, func(c *logicalColumn) physicalForm {
				switch n := len(c.forms); c.name {
				case "day": // which timestamps aren't narrowed to
					return c.forms[0]
				case "at":
					return []physicalForm{c.forms[1], c.forms[3]}[r.IntN(2)]
				default:
					return c.forms[r.IntN(n)]
				}
			})
			name := fmt.Sprintf("%03d.parquet", k)
			samples.WriteTo(t, filepath.Join(dir, name), data)
			var lows, highs, nulls []string
			for _, c := range all {
				lo, hi, n := -1, -1, 0
				for i := from; i < to; i++ {
					if !c.Valid[i] {
						n++
						continue
					}
					if lo < 0 || c.values[i] < c.values[lo] {
						lo = i
					}
					if hi < 0 || c.values[i] > c.values[hi] {
						hi = i
					}
				}
				nulls = append(nulls, fmt.Sprintf(`"%s":%d`, c.name, n))
				if lo >= 0 && r.IntN(4) > 0 {
					stat := func(i int) string {
						s := strings.Trim(c.literal(i), "'")
						switch c.name {
						case "dec":
							return fmt.Sprintf(`"%s":%s`, c.name, s)
						case "at":
							s = time.UnixMilli(c.values[i]).UTC().Format("2006-01-02T15:04:05.000")
						}
						return fmt.Sprintf(`"%s":"%s"`, c.name, s)
					}
					lows, highs = append(lows, stat(lo)), append(highs, stat(hi))
				}
			}
			stats := fmt.Sprintf(`{"numRecords":%d,"minValues":{%s},"maxValues":{%s},"nullCount":{%s}}`, to-from, strings.Join(lows, ","), strings.Join(highs, ","), strings.Join(nulls, ","))
			log = append(log, fmt.Sprintf(`{"add":{"path":"%s","partitionValues":{},"size":%d,"modificationTime":0,"dataChange":true,"stats":"%s"}}`,
				name, len(data), strings.ReplaceAll(stats, `"`, `\"`)))
			from = to
		}
		if err := os.Mkdir(filepath.Join(dir, "_delta_log"), 0o777); err != nil {
			t.Fatal(err)
		}
		samples.WriteTo(t, filepath.Join(dir, "_delta_log", "00000000000000000000.json"), []byte(strings.Join(log, "\n")+"\n"))
		var cols []testColumn
		for _, c := range all {
			cols = append(cols, c.testColumn)
		}
		for range 15 {
			text, holds := conditionInRange(r, cols, rows)
			var want []int
			for i := range rows {
				if holds(i) == isTrue {
					want = append(want, i)
				}
			}
			d, err := Open(context.Background(), []string{dir}, Options{Where: text})
			if err != nil {
				t.Fatalf("seed %d: %.300s: %v", seed, text, err)
			}
			if got := rowsWhere(t, d); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s: %.600s: %d rows, want %d", seed, types["dec"], text, len(got), len(want))
			}
			out += d.Snapshots()[0].FilesOut
		}
	}
	if out == 0 {
		t.Error("no file was left out by its statistics")
	}
}
