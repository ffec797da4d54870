// This file holds the tests of text edge lists: random lists in every
// variation against the definition, and what is said of bad ones.

package edgelist

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// style is how a random list is written.
type style struct {
	sep       byte
	crlf      bool
	blanks    bool // extra spaces and tabs
	noise     bool // comments and blank lines
	quotes    bool
	noLastEnd bool
	header    string
	bom       bool
	extra     bool // columns that no option names, the same number in all lines
	ragged    bool // or not
	spaces    bool // of blanks only these
	hash      bool // comments begin with # alone, without blanks before
}

func randomStyle(r *rand.Rand) style {
	coin := func() bool { return r.IntN(2) == 0 }
	s := style{sep: " \t,;"[r.IntN(4)], crlf: coin(), blanks: coin(), noise: coin(), quotes: coin(),
		noLastEnd: coin(), bom: r.IntN(4) == 0, extra: coin(), ragged: coin()}
	if coin() {
		s.header = []string{"src,dst", "Source,Target", "From_ID,To_ID"}[r.IntN(3)]
	}
	return s
}

func (s style) write(r *rand.Rand, rows [][]string) string {
	var b strings.Builder
	blank := func() {
		if s.blanks {
			for range r.IntN(4) {
				c := " \t"[r.IntN(2)]
				if s.sep == '\t' || s.spaces {
					c = ' '
				}
				b.WriteByte(c)
			}
		}
	}
	end := func() {
		if s.crlf && r.IntN(8) > 0 {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
	}
	if s.bom {
		b.WriteString("\xef\xbb\xbf")
	}
	if s.header != "" {
		b.WriteString(strings.ReplaceAll(s.header, ",", string(rune(s.sep))))
		end()
	}
	for _, row := range rows {
		for s.noise && r.IntN(3) == 0 {
			if s.hash {
				b.WriteString([]string{"# 1 2", "#\"a,b", "#", "#,\"", "# \"", "#1,2,3"}[r.IntN(6)])
			} else {
				blank()
				b.WriteString([]string{"# 1 2", "% a,b", "#", "", "%%", "#1,2,3"}[r.IntN(6)])
			}
			end()
		}
		blank()
		if s.extra && (!s.ragged || r.IntN(2) == 0) {
			row = append(row[:len(row):len(row)], "7", "x y")
		}
		for i, f := range row {
			if i > 0 {
				b.WriteByte(s.sep)
				blank()
			}
			if s.sep != ' ' && (f == "" || s.quotes && r.IntN(2) == 0 || strings.ContainsAny(f, " \"\t"+string(rune(s.sep)))) {
				f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
			}
			b.WriteString(f)
			if i < len(row)-1 || s.noLastEnd {
				blank()
			}
		}
		end()
	}
	if s.noLastEnd {
		return strings.TrimRight(b.String(), "\r\n")
	}
	return b.String()
}

func TestTextVariations(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		s := randomStyle(r)
		o := Options{IDs: idsNames[r.IntN(5)], Workers: 1 + r.IntN(3), chunk: 1 + r.IntN(200), batch: 1 + r.IntN(20),
			Ragged: s.ragged}
		s.spaces = r.IntN(2) == 0
		if s.sep == ';' || s.sep != '\t' && !s.spaces || r.IntN(2) == 0 {
			o.Separator = s.sep
		}
		if s.header != "" || s.sep == ',' || s.sep == ';' { // of which a comment isn't known for one
			o.Comment, s.hash = '#', true
		}
		o.Graph.Weights = r.IntN(2) == 0
		ids := func() string {
			switch o.IDs {
			case "uint64":
				return strconv.FormatUint(r.Uint64()>>r.IntN(64), 10)
			case "string", "binary":
				id := []string{"ann", "Zoë", "x-1", "17", "a#", "日本"}[r.IntN(6)] + strconv.Itoa(r.IntN(9))
				if s.sep != ' ' && r.IntN(20) == 0 {
					return ""
				}
				if s.sep != ' ' {
					id += []string{"", " b", `"`, string(rune(s.sep)), `""c`}[r.IntN(5)]
				}
				return id
			}
			x := int64(r.Uint64()) >> r.IntN(64)
			return []string{"", "+", "-", "00"}[r.IntN(4)] + strconv.FormatUint(uint64(max(x, -x, 0)), 10)
		}
		var rows [][]string
		var want []edge
		for range r.IntN(60) {
			row := []string{ids(), ids()}
			var e edge
			if o.Graph.Weights {
				w := []string{"1", "2.5", "-3", "1e3", "+.5", "0.1", "1234567.25", "3.", "123456789.123456789", "1E-3", "NaN", "-inf"}[r.IntN(12)]
				x, _ := strconv.ParseFloat(w, 64)
				e.w = x
				row = append(row, w)
			}
			e.u, e.v = row[0], row[1]
			if o.IDs == "" || o.IDs == "int64" {
				u, _ := strconv.ParseInt(row[0], 10, 64)
				v, _ := strconv.ParseInt(row[1], 10, 64)
				e.u, e.v = fmt.Sprint(u), fmt.Sprint(v)
			}
			rows = append(rows, row)
			want = append(want, e)
		}
		if len(rows) == 1 && s.header == "" { // may be a header
			o.Header = "none"
		}
		text := s.write(r, rows)
		got, err := collect(t, []byte(text), o)
		if err != nil {
			t.Fatalf("%+v %+v\n%s\n%v", o, s, text, err)
		}
		if err := sameEdges(got, want, o.Workers); err != nil {
			t.Fatalf("%+v %+v\n%q\n%v", o, s, text, err)
		}
		sameAsNaive(t, text, o)
	}
}

// TestTextMutations compares with the definition on lists with damage.
func TestTextMutations(t *testing.T) {
	testlong.Project(t)
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		s := randomStyle(r)
		var rows [][]string
		for range 1 + r.IntN(12) {
			rows = append(rows, []string{strconv.Itoa(r.IntN(99)), strconv.Itoa(r.IntN(99)), strconv.Itoa(r.IntN(9))})
		}
		b := []byte(s.write(r, rows))
		for range r.IntN(3) {
			b[r.IntN(len(b))] = "0 \t,;\"a-+#\n\r\x00\xff."[r.IntN(15)]
		}
		if r.IntN(4) == 0 { // a line with text around fields, or a comment behind it
			i := bytes.LastIndexByte(b[:r.IntN(len(b))], '\n') + 1
			b = slices.Insert(b, i, []byte([]string{"\t\n", " \t \n", "\t\r\n", "\t #x\n", "\t", " "}[r.IntN(6)])...)
		}
		o := Options{IDs: idsNames[r.IntN(5)], Header: headerNames[r.IntN(3)], Workers: 1 + r.IntN(3), chunk: 1 + r.IntN(100), batch: 1 + r.IntN(20)}
		o.Separator = []byte{0, s.sep}[r.IntN(2)]
		o.Ragged = r.IntN(2) == 0
		o.Graph.Weights = r.IntN(2) == 0
		sameAsNaive(t, string(b), o)
	}
}

func TestTextMessages(t *testing.T) {
	weights := Options{Graph: graph.Options{Weights: true}}
	for _, c := range []struct {
		text string
		o    Options
		want string
		is   error
	}{
		{"a;b\n1;2\n", Options{}, `input:1: want two ids, found "a;b"; set Options.Separator to ';' if that separates the columns`, ErrSyntax},
		{"1|2\n", Options{}, `input:1: want two ids, found "1|2"; set Options.Separator to '|' if that separates the columns`, ErrSyntax},
		{"1,2\n", Options{Separator: ';'}, `input:1: want two ids, found "1,2"; set Options.Separator to ',' if that separates the columns`, ErrSyntax},
		{"a;b\n1;2\n", Options{Source: "a"}, `input:1: Options.Source names column "a", but the only column is "a;b"; set Options.Separator to ';' if that separates the columns`, errColumns},
		{";a\n", Options{}, `input:1: want two ids, found ";a"`, ErrSyntax},
		{"1 2\n#\n\na\n", Options{}, `input:4: want two ids, found "a"`, ErrSyntax},
		{"1 2\n3 b\n", Options{}, `input:2: want an integer id, found "b"; for other ids set Options.IDs to "string"`, ErrSyntax},
		{"1 2\n9223372036854775808 1\n", Options{}, `input:2: id "9223372036854775808" doesn't fit an int64; set Options.IDs to "uint64" or "string"`, graph.ErrIDRange},
		{"1 2\n18446744073709551616 1\n", Options{IDs: "uint64"}, `input:2: id "18446744073709551616" is past the largest uint64; set Options.IDs to "string"`, graph.ErrIDRange},
		{"1 2\n-1 1\n", Options{IDs: "uint64"}, `input:2: id "-1" has a sign, but ids are read as uint64`, graph.ErrIDRange},
		{"1 2 3\n1 2\n", weights, `input:2: want two ids and a weight, found "1 2"; load such edges without weights`, graph.ErrWeights},
		{"1 2 nane\n", weights, `input:1: want a number as weight, found "nane"`, graph.ErrWeights},
		{"1 2 1e399\n", weights, `input:1: want a number as weight, found "1e399"; a float64 holds up to 1.7e308: scale weights down`, graph.ErrWeights},
		{"1 2 9223372036854775808\n", weights, `input:1: want a number as weight, found "9223372036854775808"; integers are up to 9223372036854775807: set Options.WeightType to WeightsFloat64`, graph.ErrWeights},
		{"1,2,\n", weights, `input:1: want a number as weight, found ""`, graph.ErrWeights},
		{"a,b\n,c\n", Options{}, `input:2: column 1 is empty: ",c"; an id that is empty stands in quotes`, ErrSyntax},
		{"a,b\n\"x\",\n", Options{}, "input:2: column 2 is empty: `\"x\",`; an id that is empty stands in quotes", ErrSyntax},
		{"1,2\n,3\n", Options{}, `input:2: column 1 is empty: ",3"`, ErrSyntax},
		{"1,2\n\"\",3\n", Options{}, `input:2: want an integer id, found ""; for other ids set Options.IDs to "string"`, ErrSyntax},
		{"x,src,dst\n1,a,b\n1,,c\n", Options{}, `input:3: column 2 is empty: "1,,c"; an id that is empty stands in quotes`, ErrSyntax},
		{"a,b\n\"x,c\n", Options{}, "input:2: column 1 begins with a quote, but doesn't end in one: `\"x,c`", ErrSyntax},
		{"a b\n\xff c\n", Options{}, `input:2: id "\xff" isn't UTF-8; set Options.IDs to "binary"`, ErrSyntax},
		{"1 2\r3 4\r", Options{}, "input:1: the line holds a carriage return without a line feed; make the lines end in LF or CRLF", ErrFormat},
		{"\xff\xfe1\x00 \x002\x00", Options{}, "input:1: the line holds a NUL byte: this is no text, or UTF-16; make it UTF-8", ErrFormat},
		{"1 2\n3\r4 5\n", Options{}, "input:2: the line holds a carriage return without a line feed; make the lines end in LF or CRLF", ErrFormat},
		{"1 2\n" + strings.Repeat("x", 50) + " 1\n", Options{}, `input:2: want an integer id, found "` + strings.Repeat("x", 40) + `"...; for other ids set Options.IDs to "string"`, ErrSyntax},
		{"1 2\n3 4\n5 6 7\n", Options{}, `input:3: found 3 columns, but the first edge has 2: "5 6 7"; set Options.Ragged to ignore columns that aren't needed`, ErrSyntax},
		{"1 2 3 4\n5 6\n", Options{}, `input:2: found 2 columns, but the first edge has 4: "5 6"; set Options.Ragged to ignore columns that aren't needed`, ErrSyntax},
		{"1 2 3\n5 6\n7 8 9 10\n", Options{}, `input:3: found 4 columns, but the first edge has 3: "7 8 9 10"; set Options.Ragged to ignore columns that aren't needed`, ErrSyntax},
		{"1 2 3 4\n5 6 7\n", weights, `input:2: found 3 columns, but the first edge has 4: "5 6 7"; set Options.Ragged to ignore columns that aren't needed`, ErrSyntax},
		{"a,b\nb,c,\n", Options{}, `input:2: found 3 columns, but the first edge has 2: "b,c,"; set Options.Ragged to ignore columns that aren't needed`, ErrSyntax},
		{"{\"src\":1,\"dst\":2}\n", Options{}, `input:1: the line looks like JSON; set Options.Format to "jsonl"`, ErrFormat},
		{"1 2\n", Options{Workers: -1}, "edgelist: bad option: Workers is -1", graph.ErrOptions},
		{"1 2\n", Options{IDs: "9"}, `edgelist: bad option: IDs is "9" (int64, uint64, string or binary)`, graph.ErrOptions},
		{"1 2\n", Options{Header: "9"}, `edgelist: bad option: Header is "9" (first or none)`, graph.ErrOptions},
		{"1 2\n", Options{Format: "9"}, `edgelist: bad option: unknown format "9" (text, mtx, gr, sg, wsg, metis, jsonl, bin or adj)`, graph.ErrOptions},
		{"1 2\n", Options{Separator: '1'}, "edgelist: bad option: Separator can't be '1'", graph.ErrOptions},
	} {
		_, err := collect(t, []byte(c.text), c.o)
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) {
			t.Errorf("%q: error\n  %v, want\n  %v", c.text, err, c.want)
		}
	}
}
