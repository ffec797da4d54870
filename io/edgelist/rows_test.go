// This file tests rows of several lines, empty cells and comments: examples, and random CSV and TSV against
// encoding/csv.

package edgelist

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

func TestRows(t *testing.T) {
	weights := graph.Options{Weights: true}
	for _, c := range []struct {
		ext, text string
		o         Options
		want      string // edges, or a part of the error
		comments  uint64
	}{
		// Line ends in quotes, in columns that are needed and in those that aren't.
		{".csv", "src,dst,note\n1,2,\"first\n3,4,second\"\n5,6,ok\n", Options{}, "1-2 5-6", 0},
		{".csv", "src,dst,note\r\n1,2,\"first\r\n\r\n3,4,\"\"second\"\"\"\r\n5,6,ok\r\n", Options{}, "1-2 5-6", 0},
		{".csv", "note,src,dst\n\"first\n3,4,5\",1,2\n", Options{}, "1-2", 0},
		{".csv", "1,2,\"a\n3,4,b\"\n5,6,\"\"", Options{}, "1-2 5-6", 0},
		{".csv", "src,dst,note\n1,2,\"first\n3,4,second\"\n5,6,ok\n", Options{Ragged: true}, "1-2 5-6", 0},
		{".csv", "\"a\r\nb\",\"c\n\"\nd,e", Options{}, "a\r\nb-c\n d-e", 0},
		{".csv", "\"a\nb\"\n", Options{}, "want two ids", 0},
		{"", "\"a\nb\" ,c\n", Options{Header: "none"}, "a\nb-c", 0},
		{"", "\"a\n b\n", Options{}, "input:1: want two ids, found", 0},
		{"", "\"a b\n\"c d\n", Options{}, `"a-b "c-d`, 0},
		{".csv", "src,\"an\nother\",dst\n1,2,3\n", Options{}, "1-3", 0},
		{".csv", "\"s\n1\",\"s\n2\"\na,b\n", Options{Source: "s\n2"}, "b-a", 0},
		{".csv", "src,dst,weight,note\n1,2,0.5,\"x\ny\"\n3,4,\"7\",\"\n\"\n", Options{Graph: weights}, "1-2:0.5 3-4:7", 0},
		{".csv", "1,2,5\" pipe\n3,4,6\" pipe\n", Options{}, "1-2 3-4", 0},
		{".csv", "1,2,x\n3,4,\"open\n5,6,x\n", Options{}, "input:2: column 3 begins with a quote, but doesn't end in one: `\"open`", 0},
		{".csv", "src,dst,x\n1,2,\"open\n5,6,x\n", Options{}, "input:2: column 3 begins with a quote, but doesn't end in one", 0},
		{".tsv", "src\tdst\tnote\n1\t2\t\"a\n3\t4\tb\"\n", Options{}, "1-2", 0},
		// Empty cells.
		{".tsv", "src\tdst\tw\n1\t\t5\n2\t\t6\n", Options{}, `input:2: column 2 is empty: "1\t\t5"; an id that is empty stands in quotes; set Options.Separator to ' ' if runs of blanks separate the columns`, 0},
		{"", "src\tdst\tw\n1\t\t5\n2\t\t6\n", Options{}, "input:2: column 2 is empty", 0},
		{"", "1\t2\t5\n1\t\t5\n", Options{}, "input:2: column 2 is empty", 0},
		{"", "1\t2\t5\n\t3\t5\n", Options{}, "input:2: column 1 is empty", 0},
		{"", "a\tb\tc\n\t\t\n", Options{}, "input:2: column 1 is empty", 0},
		{"", "\tsrc\tdst\n0\t1\t2\n", Options{}, "1-2", 0},
		{"", "1 2 5\n1 \t\t5\n", Options{}, "input:2: the line holds a tab, but the first one has none", 0},
		{"", "1 2\n1\t5\n", Options{Graph: graph.Options{}}, "input:2: the line holds a tab", 0},
		{"", "a b c\na\t\tc\n", Options{}, "input:2: the line holds a tab", 0},
		{"", "1 2 5 6\n1 \t\t5\n", Options{Separator: ' '}, "input:2: found 2 columns", 0},
		{"", "1 2 5\n1 \t3\t5\n", Options{Separator: ' '}, "1-2 1-3", 0},
		{"", "1 2\t\n3 4\t\n", Options{}, "1-2 3-4", 0},
		{"", "a, jr\tb\nc\td, sr\n", Options{}, "a, jr-b c-d, sr", 0},
		{".csv", "a,b\tc\nd,e\tf\n", Options{}, "a-b\tc d-e\tf", 0},
		{".tsv", "1 2\n", Options{}, `want two ids, found "1 2"; set Options.Separator to ' ' if that separates the columns`, 0},
		{".tsv", "1,2\n", Options{}, `want two ids, found "1,2"; set Options.Separator to ',' if that separates the columns`, 0},
		{"", "0\t1\t\n1\t2\t\n", Options{Graph: graph.Options{}}, "0-1 1-2", 0},
		// Comments.
		{".csv", "src,dst\n#a,b\n%c,d\n", Options{}, "#a-b %c-d", 0},
		{"", "src,dst\n#a,b\n%c,d\n", Options{}, "#a-b %c-d", 0},
		{"", "src\tdst\n#a\tb\n%c\td\n", Options{}, "#a-b %c-d", 0},
		{".csv", "src,dst\n#a,b\n%c,d\n", Options{Comment: '#'}, "%c-d", 1},
		{".csv", "#x\nsrc,dst\n %c,d\n;e,f\n", Options{Comment: '#'}, "%c-d ;e-f", 1},
		{".csv", "src,dst\n1,2\n# a comment\n", Options{}, `input:3: want two ids, found "# a comment"; set Options.Comment to '#' if such lines are comments`, 0},
		{".csv", "src,dst\n1,2\n#3,4\n", Options{}, `input:3: want an integer id, found "#3"; for other ids set Options.IDs to "string"; set Options.Comment to '#' if such lines are comments`, 0},
		{".csv", "# by x\nsrc,dst\n1,2\n", Options{}, `input:1: the line looks like a comment: "# by x"; set Options.Comment to '#' if such lines are comments`, 0},
		{"", "# by x\nsrc,dst\n#1,2\n3,4\n", Options{}, "3-4", 2},
		{"", "# by x\n1\t2\n#1,2\n% \n3\t4\n", Options{}, "1-2 3-4", 3},
		{"", "1\t2\n#1\t2\n3\t4\n", Options{}, "1-2 3-4", 1},
		{"", "1\t2\n3\t4\n#1\t2\n", Options{}, "1-2 3-4", 1},
		{"", "a b\n#1 2\nc d\n", Options{NoComments: true}, "a-b #1-2 c-d", 0},
		{"", "a,b\n#1,2\nc,d\n", Options{}, "a-b #1-2 c-d", 0},
		{".csv", "src,dst,x\n1,2,\"a\n#b\"\n", Options{Comment: '#'}, "1-2", 0},
		{".csv", "src,dst,x\n#1,2,\"a\n3,4,c\n", Options{Comment: '#'}, "3-4", 1},
		{".csv", "1,2\n", Options{Comment: ','}, "Comment can't be ','", 0},
		{".csv", "1;2\n", Options{Comment: ';', Separator: ';'}, "Comment can't be ';'", 0},
		{"", banner + " matrix coordinate pattern general\n% a\n2 2 1\n%b\n1 2\n", Options{}, "1-2", 2},
		{"", "% a\n2 1\n2\n%b\n1\n", Options{Format: "metis"}, "1-2", 2},
		{"", "c a\np sp 2 1\nc\na 1 2 1\n", Options{Format: "gr"}, "1-2", 2},
		{"", "2 1\n", Options{Format: "metis", Comment: '#'}, "Options.Comment is for texts with columns", 0},
	} {
		for chunk := 1; chunk < 20; chunk++ {
			var comments uint64
			c.o.Workers, c.o.chunk, c.o.ext, c.o.Comments = 1, chunk, c.ext, func(n uint64) { comments = n }
			edges, err := collect(t, []byte(c.text), c.o)
			var got []string
			for _, e := range edges {
				s := e.u + "-" + e.v
				if c.o.Graph.Weights {
					s += fmt.Sprintf(":%g", e.w)
				}
				got = append(got, s)
			}
			if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && strings.Join(got, " ") != c.want || comments != c.comments && err == nil {
				t.Errorf("%s %q in chunks of %d: got %q, %d comments, %v; want %q, %d", c.ext, c.text, chunk, strings.Join(got, " "), comments, err, c.want, c.comments)
				break
			}
		}
	}
}

// TestRowTooLong: a quote that is left open takes no more memory than a long line.
func TestRowTooLong(t *testing.T) {
	text := "1,2,\"open\n" + strings.Repeat("3,4,x\n", 1000)
	_, err := collect(t, []byte("1,2,x\n"+text), Options{maxLine: 500, chunk: 100})
	if !errors.Is(err, ErrSyntax) || err.Error() != "input:2: the row is longer than 500 bytes, of which a quote makes several lines; close each quote that a column begins with" {
		t.Error(err)
	}
}

// TestNames: the extension determines the separator and whether there are comments.
func TestNames(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.tsv", "src\tdst\n#a b\t%c\n", "[{#a b %c 0}]"},
		{"a.TSV.gz", "src\tdst\n#a b\t%c\n", "[{#a b %c 0}]"},
		{"a.csv", "a b,c\n#d,e\n", "[{a b c 0} {#d e 0}]"},
		{"a.txt", "# x\n1\t2\n", "[{1 2 0}]"},
	} {
		data := []byte(c.text)
		if strings.HasSuffix(c.name, ".gz") {
			data = gz(t, data)
		}
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		var got []edge
		err := ReadFile(ctx, path, Options{Workers: 1}, func(b graph.Batch) error {
			for i := range batchLen(b) {
				if b.SrcStrings != nil {
					got = append(got, edge{u: string(b.SrcStrings.Value(i)), v: string(b.DstStrings.Value(i))})
				} else {
					got = append(got, edge{u: fmt.Sprint(b.Src[i]), v: fmt.Sprint(b.Dst[i])})
				}
			}
			return nil
		})
		if fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("%s: %v, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// TestAgainstEncodingCSV compares random CSV and TSV with what encoding/csv makes of it.
func TestAgainstEncodingCSV(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(41, 9))
	read, several, dropped := 0, 0, uint64(0)
	for range testlong.Of(1000, 40_000) {
		sep := ",\t;"[r.IntN(3)]
		cells := []string{"a", "b1", "#c", "%", "d e", "日", "e\"f", "g\nh", "i\r\nj", "\n", "\n\n#k", "l" + string(rune(sep)) + "m", "7", "\"", "n\n\"o\"," + "\t;\np"}
		eol := []string{"\n", "\r\n"}[r.IntN(2)]
		columns := 2 + r.IntN(4)
		comment := []byte{noComment, '#', '!'}[r.IntN(3)]
		var b strings.Builder
		if r.IntN(4) == 0 {
			b.WriteString("\xef\xbb\xbf")
		}
		bom := b.Len()
		header := []string{"src", "dst", "no\nte", "x", "a \"y\""}[:columns]
		at := r.Perm(columns)
		write := func(row []string) {
			for i, f := range row {
				if i > 0 {
					b.WriteByte(sep)
				}
				first := i == 0 && f != "" && f[0] == comment
				switch {
				case first || f != strings.TrimSpace(f) || strings.ContainsAny(f, "\"\r\n"+string(rune(sep))), f == "" && columns == 1, r.IntN(4) == 0:
					b.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
				default:
					b.WriteString(f)
				}
			}
			b.WriteString(eol)
		}
		named := make([]string, columns)
		for i, k := range at {
			named[k] = header[i]
		}
		write(named)
		for range r.IntN(12) {
			if r.IntN(5) == 0 && comment != noComment {
				b.WriteString(string(rune(comment)) + []string{"", "a\"", "," + `"x`, "\t\"", ";\"a\"\""}[r.IntN(5)] + eol)
				dropped++
				continue
			}
			row := make([]string, columns)
			for i := range row {
				if row[i] = cells[r.IntN(len(cells))]; i != at[0] && i != at[1] && r.IntN(3) == 0 {
					row[i] = ""
				}
			}
			write(row)
		}
		text := b.String()
		if r.IntN(2) == 0 {
			text = strings.TrimSuffix(text, eol)
		}
		c := csv.NewReader(strings.NewReader(text[bom:]))
		c.Comma = rune(sep)
		if comment != noComment {
			c.Comment = rune(comment)
		}
		var want []edge
		for first := true; ; first = false {
			row, err := c.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if !first {
				want = append(want, edge{u: row[at[0]], v: row[at[1]]})
			}
			if strings.Contains(strings.Join(row, ""), "\n") {
				several++
			}
		}
		o := Options{IDs: "string", Workers: 1 + r.IntN(3), chunk: 1 + r.IntN(60), batch: 1 + r.IntN(5), Ragged: r.IntN(2) == 0, NoComments: comment == noComment}
		if comment != noComment {
			o.Comment = comment
		}
		if sep == ';' || r.IntN(2) == 0 {
			o.Separator = sep
		}
		got, err := collect(t, []byte(text), o)
		if err != nil {
			t.Fatalf("%+v %q: %v", o, text, err)
		}
		for i := range got { // encoding/csv makes \r\n in quotes \n
			got[i].u, got[i].v = strings.ReplaceAll(got[i].u, "\r\n", "\n"), strings.ReplaceAll(got[i].v, "\r\n", "\n")
		}
		if err := sameEdges(got, want, o.Workers); err != nil {
			t.Fatalf("%+v %q\n%v", o, text, err)
		}
		sameAsNaive(t, text, o)
		read += len(got)
	}
	if read == 0 || several == 0 || dropped == 0 {
		t.Errorf("%d edges, %d rows of several lines, %d comments: too few", read, several, dropped)
	}
}

// TestSplit: wherever chunks end, rows stay whole.
func TestSplit(t *testing.T) {
	text := []byte("src,dst,note\n1,2,\"a\n\"\"3,4,b\"\r\n5,6,\"\n\n\"\n\"7\",8,\n9,10,\"\"\n")
	for chunk := 1; chunk <= len(text)+1; chunk++ {
		for cut := range text {
			got, err := collect2(io.MultiReader(bytes.NewReader(text[:cut]), bytes.NewReader(text[cut:])), Options{Workers: 2, chunk: chunk})
			if err != nil || got != 4 {
				t.Fatalf("chunks of %d, cut at %d: %d edges, %v", chunk, cut, got, err)
			}
		}
	}
}

func collect2(r io.Reader, o Options) (n int, err error) {
	edges := make(chan int, 100)
	err = Read(ctx, r, o, func(b graph.Batch) error { edges <- batchLen(b); return nil })
	close(edges)
	for k := range edges {
		n += k
	}
	return n, err
}
