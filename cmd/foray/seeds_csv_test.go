// This file tests line breaks in quoted ids.

package main

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestQuotedBreaks: rows are read as they were written, whatever line ends and quotes they have.
func TestQuotedBreaks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	parts := []string{"\r", "\n", "\r\n", `"`, "#", "a", ",", " "}
	for range 2000 {
		var b bytes.Buffer
		var want [][]string
		w := csv.NewWriter(&b)
		for range 1 + r.IntN(4) {
			row := []string{"x"}
			for range r.IntN(6) {
				row[0] += parts[r.IntN(len(parts))]
			}
			row = append(row, "y")
			if r.IntN(3) == 0 {
				w.Flush()
				b.WriteString("# a comment with a \" quote\r\n")
			}
			want = append(want, row)
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		in := csv.NewReader(&quotedBreaks{commentByte: '#', in: iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(b.Bytes())))})
		in.Comment = '#'
		got, err := in.ReadAll()
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Fatalf("%q: %q, %v; want %q", b.Bytes(), got, err, want)
		}
	}
}

func TestSeedsWithLineBreaks(t *testing.T) {
	table := write(t, "e.jsonl", `{"src":"a\r\nb","dst":"c"}`+"\n"+`{"src":"a\nb","dst":"d"}`+"\n")
	seeds := write(t, "s.csv", "id\r\n\"a\r\nb\"\r\n")
	got, _ := foray(t, 0, "bfs", table, "--sources-from", seeds, "-o", "-", "--directed", "--sort", "id")
	if want := "source,vertex,depth\n\"a\r\nb\",\"a\r\nb\",0\n\"a\r\nb\",c,1\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
