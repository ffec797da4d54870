// This file compares random CSV with what encoding/csv makes of it.

package csv

import (
	"context"
	"encoding/csv"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// TestAgainstEncodingCSV: line ends in quotes, in columns that are read and in others, in headers, and at the borders
// of the bytes that are read at a time.
func TestAgainstEncodingCSV(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 9))
	several := 0
	for round := range 1500 {
		cells := []string{"a", "", "#c", "d e", "日", "e\"f", "g\nh", "i\r\nj", "\n", "\n\n#k", "l,m", "7", "\"", "n\n\"o\",\t;\np", " q "}
		if round%50 == 0 { // longer than the buffer
			cells = append(cells, strings.Repeat("r\n", readBytes/2+r.IntN(9)), strings.Repeat("\"", readBytes+r.IntN(9)))
		}
		eol := []string{"\n", "\r\n"}[r.IntN(2)]
		names := []string{"x", "no\nte", "a \"y\"", "z,z", "w"}[:2+r.IntN(4)]
		var b strings.Builder
		if r.IntN(3) == 0 {
			b.WriteString("\xef\xbb\xbf")
		}
		bom := b.Len()
		write := func(row []string) {
			for i, f := range row {
				if i > 0 {
					b.WriteByte(',')
				}
				if strings.ContainsAny(f, "\",\r\n") || f != strings.TrimSpace(f) || r.IntN(3) == 0 {
					f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
				}
				b.WriteString(f)
			}
			b.WriteString(eol)
		}
		write(names)
		for range r.IntN(9) {
			row := make([]string, len(names))
			for i := range row {
				row[i] = cells[r.IntN(len(cells))]
			}
			write(row)
		}
		text := b.String()
		if r.IntN(2) == 0 {
			text = strings.TrimSuffix(text, eol)
		}
		rows, err := csv.NewReader(strings.NewReader(text[bom:])).ReadAll()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		k := r.IntN(len(names))
		in := io.Reader(strings.NewReader(text))
		if r.IntN(2) == 0 {
			in = iotest.HalfReader(in)
		}
		c, err := Open(in, []Column{{names[k], String}})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var got []string
		for {
			batch, err := c.Read(context.Background())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			col := &batch.Cols[0]
			for i := range col.Len() {
				v := col.Data[col.Offsets[i]:col.Offsets[i+1]]
				if !col.Valid[i] {
					v = nil
				}
				got = append(got, string(v))
			}
		}
		if len(got) != len(rows)-1 {
			t.Fatalf("%q: %d rows, want %d", text, len(got), len(rows)-1)
		}
		for i, v := range got {
			if want := rows[i+1][k]; strings.ReplaceAll(v, "\r\n", "\n") != want { // as encoding/csv has it
				t.Fatalf("%q, row %d: %q, want %q", text, i, v, want)
			}
			if strings.Contains(v, "\n") {
				several++
			}
		}
	}
	if several == 0 {
		t.Error("no value of several lines")
	}
}
