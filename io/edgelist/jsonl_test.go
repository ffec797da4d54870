package edgelist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// readLines reads edges as text, sorted.
func readLines(text string, o Options) ([]string, error) {
	var edges []string
	o.Workers, o.Name = 1, "in.jsonl"
	err := Read(context.Background(), strings.NewReader(text), o, func(b graph.Batch) error {
		if b.Vertices {
			return nil
		}
		weights := weightsOf(b)
		for i := range max(len(b.Src), len(weights)) {
			e := ""
			if b.SrcStrings == nil {
				e = fmt.Sprint(b.Src[i], " ", b.Dst[i])
				if b.Type == graph.Uint64 {
					e = fmt.Sprint(uint64(b.Src[i]), " ", uint64(b.Dst[i]))
				}
			}
			if weights != nil {
				e += fmt.Sprint(" ", weights[i])
			}
			edges = append(edges, e)
		}
		if b.SrcStrings != nil {
			edges = nil
			for i := range b.SrcStrings.Len() {
				at := func(s *graph.Strings) string { return string(s.Data[s.Offsets[i]:s.Offsets[i+1]]) }
				edges = append(edges, fmt.Sprintf("%q %q", at(b.SrcStrings), at(b.DstStrings)))
			}
		}
		return nil
	})
	slices.Sort(edges)
	return edges, err
}

func TestJSONLines(t *testing.T) {
	o := Options{Format: "jsonl"}
	weighted, named, strs, unsigned := o, o, o, o
	weighted.Graph.Weights = true
	named.Source, named.Target = "a", "b"
	strs.IDs, unsigned.IDs = "string", "uint64"
	for _, c := range []struct {
		text string
		o    Options
		want []string
	}{
		{`{"src":1,"dst":2}` + "\n\n" + `{"dst":-3,"src":9223372036854775807}`, o, []string{"1 2", "9223372036854775807 -3"}},
		{"\xef\xbb\xbf { \"x\" : [1, {\"src\":\"}\\\"\"}] , \"src\" : 1 ,\t\"dst\":2 , \"y\":null} \r\n{\"src\":3,\"dst\":4}\n", o, []string{"1 2", "3 4"}},
		{`{"source":18446744073709551615,"target":0}`, unsigned, []string{"18446744073709551615 0"}},
		{`{"from":"a","to":"b\u00e9\n"}` + "\n" + `{"from":"","to":"\ud83d\ude00"}`, o, []string{`"" "😀"`, `"a" "bé\n"`}},
		{`{"from":1,"to":"b"}`, strs, []string{`"1" "b"`}},
		{`{"src":1,"dst":2,"weight":0.5}` + "\n" + `{"src":1,"dst":3,"weight":-1e2}`, weighted, []string{"1 2 0.5", "1 3 -100"}},
		{`{"b":1,"c":5,"a":2}`, named, []string{"2 1"}},
		{`{"\u0073rc":1,"dst":2}` + "\n" + `{"src":3,"dst":4}`, o, []string{"1 2", "3 4"}},
		{`{"src":1,"dst":2,"src":7}`, named, nil},
		{"", o, nil},
	} {
		got, err := readLines(c.text, c.o)
		if c.want == nil && c.text != "" {
			if !errors.Is(err, errColumns) {
				t.Errorf("%s: %q, %v", c.text, got, err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
	const good = `{"src":1,"dst":2}` + "\n"
	for text, want := range map[string]string{
		good + `{"src":1}`:                           `in.jsonl:2: the object has no "dst", which is the edge's target`,
		good + `{"src":null,"dst":2}`:                `in.jsonl:2: "src", the edge's source, is null`,
		good + `{"src":"x","dst":2}`:                 "in.jsonl:2: want an integer id, found `\"x\"`",
		good + `{"src":1.0,"dst":2}`:                 `in.jsonl:2: want an integer id, found "1.0"`,
		good + `{"src":9223372036854775808,"dst":2}`: `in.jsonl:2: id "9223372036854775808" doesn't fit an int64`,
		good + `{"src":01,"dst":2}`:                  `in.jsonl:2: want a JSON object per line`,
		good + `{"src":1,"dst":2`:                    `in.jsonl:2: want a JSON object per line`,
		good + `{"src":1,"dst":2} x`:                 `in.jsonl:2: want a JSON object per line`,
		good + `{"src":1 "dst":2}`:                   `in.jsonl:2: want a JSON object per line`,
		good + `[1,2]`:                               `it is an array; write one object per line`,
		"{\n\"src\":1,\"dst\":2}":                    `in.jsonl:1: want a JSON object per line, found "{": an object takes several lines`,
		`{"vertex":1,"depth":2}`:                     `in.jsonl:1: the names in the header don't tell which columns are source and target`,
		`{"from":"a","to":5}`:                        `in.jsonl:1: want a string id, as in the first line, found "5"`,
		`{}`:                                         `in.jsonl:1: the object has 0 members`,
		`{"src":"a","dst":"\ud800"}`:                 "in.jsonl:1: id `\"\\ud800\"` has half of a surrogate pair",
		`{"src":"a\udc00\ud800","dst":"b"}`:          `has half of a surrogate pair`,
		`{"src":"\ud800\u0041","dst":"b"}`:           `has half of a surrogate pair`,
		`{"src":"\ud800\n12345","dst":"b"}`:          `has half of a surrogate pair`,
		good + `{"x":` + strings.Repeat("[", 1500) + strings.Repeat("]", 1500) + `,"src":1,"dst":2}`: `members are nested deeper than 1000`,
		good + strings.Repeat("[", 2000):                         `in.jsonl:2: want a JSON object`,
		good + `{"x":` + strings.Repeat("[", 2000) + `,"src":1}`: `in.jsonl:2: want a JSON object`,
	} {
		if got, err := readLines(text, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %q, %v; want %s", text, got, err, want)
		}
	}
}

// TestJSONLinesRandom compares with encoding/json.
func TestJSONLinesRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	parts := []string{`{`, `}`, `"src"`, `"dst"`, `:`, `,`, `1`, `-2`, `"a"`, `"\""`, `[`, `]`, `null`, `true`, ` `, `0.5`, `"x"`, `\`, `[1 2]`, `{"a"}`, `"\x"`, `"\u00e9"`, `{"a":[{}]}`}
	for range testlong.Of(1000, 40_000) {
		line := `{"src":1,"dst":2}`
		for range 1 + r.IntN(3) { // put in, leave out, or change
			at := r.IntN(len(line) + 1)
			end := min(len(line), at+r.IntN(4))
			line = line[:at] + parts[r.IntN(len(parts))] + line[end:]
		}
		var v map[string]json.RawMessage
		err := json.Unmarshal([]byte(line), &v)
		want := fmt.Sprintf("%s %s", v["src"], v["dst"])
		if err == nil && (!isNumber(v["src"]) || !isNumber(v["dst"])) {
			continue
		}
		got, gotErr := readLines(`{"src":7,"dst":7}`+"\n"+line, Options{Format: "jsonl"})
		if err != nil && gotErr == nil {
			t.Errorf("%s: %q, want %v", line, got, err)
		}
		if err == nil && (gotErr != nil || len(got) != 2 || got[0] != want && got[1] != want) {
			t.Errorf("%s: %q, %v; want %q", line, got, gotErr, want)
		}
	}
}

// TestUnescape: strings are what encoding/json reads, but for halves of surrogate pairs and bytes that aren't
// UTF-8, which have U+FFFD there and are no longer apart.
func TestUnescape(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	parts := []string{"a", "é", "😀", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0000`, `\u00e9`, `\uFFFF`, `\ud83d\ude00`, `\ud83d`, `\ude00`, "\xff"}
	for range testlong.Of(5_000, 100_000) {
		raw := ""
		for range r.IntN(6) {
			raw += parts[r.IntN(len(parts))]
		}
		var want string
		if err := json.Unmarshal([]byte(`"`+raw+`"`), &want); err != nil {
			t.Fatal(raw, err)
		}
		halves := strings.Contains(want, "\ufffd")
		got, ok := unescape(nil, []byte(raw))
		switch {
		case strings.Contains(raw, "\xff"):
			if ok && strings.Count(string(got), "\xff") != strings.Count(raw, "\xff") {
				t.Errorf("%q: %q", raw, got)
			}
		case ok == halves || ok && string(got) != want:
			t.Errorf("%s: %q, %v; want %q", raw, got, ok, want)
		}
	}
}

func TestMETIS(t *testing.T) {
	o := Options{Format: "metis"}
	directed, weighted := o, o
	directed.Graph.Directed = true
	weighted.Graph.Weights = true
	for _, c := range []struct {
		text string
		o    Options
		want []string
	}{
		{"% a comment\n4 3\n2 3\n% another\n1 3\n1 2\n\n", o, []string{"1 2", "1 3", "2 3"}},
		{"4 3\r\n2 3\r\n1 3\r\n1 2\r\n\r\n", directed, []string{"1 2", "1 3", "2 1", "2 3", "3 1", "3 2"}},
		{"3 2 1\n2 5 3 7\n1 5\n1 7", weighted, []string{"1 2 5", "1 3 7"}},
		{"3 2 001\n2 5 3 7\n1 5\n1 7", o, []string{"1 2", "1 3"}},
		{"3 2 11 2\n9 9 2 5 3 7\n9 9 1 5\n9 9 1 7\n\n%end\n", weighted, []string{"1 2 5", "1 3 7"}},
		{"3 2 100\n8 2 3\n8 1\n8 1\n", o, []string{"1 2", "1 3"}},
		{"3 2 110 1\n8 1 2 3\n8 1 1\n8 1 1\n", o, []string{"1 2", "1 3"}},
		{"2 0\n\n\n", o, nil},
	} {
		got, err := readLines(c.text, c.o)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
	for text, want := range map[string]struct {
		kind error
		says string
	}{
		"3\n":                     {ErrFormat, ":1: want VERTICES EDGES"},
		"3 2 2\n":                 {ErrDamaged, ":1: want VERTICES EDGES"},
		"3 2\n2 3\n1\n":           {errCount, "declares 3 vertices, but there are 2; it may be truncated"},
		"3 2\n2 3\n1\n1\n1\n":     {errCount, "declares 3 vertices, but there are 4"},
		"3 2\n2 4\n1\n1\n":        {graph.ErrIDRange, ":2: vertex 1 has the neighbor 4, which isn't one of 1 to 3"},
		"3 2\n2 x\n1\n1\n":        {ErrSyntax, `:2: want whole numbers, found "x"`},
		"3 2\n2 3\n3\n1\n":        {ErrFormat, "an edge stands in the line of one of its ends alone"},
		"3 5\n2 3\n1\n1\n":        {errCount, "declares 5 edges, which are 10 neighbors, as each edge is in two lines, but there are 4"},
		"2 1 1\n2 5\n1 7\n":       {ErrFormat, "or with another weight there"},
		"3 2 1\n2 5 3\n1 5\n1\n":  {ErrSyntax, ":2: want a weight behind the neighbor 3"},
		"2 0 10\n5\n\n":           {ErrSyntax, ":3: the line of vertex 2 has too few numbers: 0, where the head declares 1 sizes and weights before the neighbors"},
		"2 1 110 2\n9 9 9 2\n9 1": {ErrSyntax, ":3: the line of vertex 2 has too few numbers: 2, where the head declares 3 sizes and weights before the neighbors"},
		"":                        {ErrDamaged, ": truncated input: there is no line VERTICES EDGES; check what wrote it"},
	} {
		if got, err := readLines(text, o); !errors.Is(err, want.kind) || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%q: %q, %v; want %v", text, got, err, want)
		}
	}
	if _, err := readLines("3 2\n2 3\n1\n1\n", weighted); !errors.Is(err, graph.ErrWeights) {
		t.Error(err)
	}
}

// TestSkipLines: what stands before the text doesn't matter, whatever it is.
func TestSkipLines(t *testing.T) {
	for format, text := range map[string]string{"text": "src,dst\n1,2\n", "": "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
		"gr": "p sp 2 1\na 1 2 1\n", "metis": "2 1\n2\n1\n", "jsonl": `{"src":1,"dst":2}`} {
		got, err := readLines("written \"by\n\n"+text, Options{Format: format, SkipLines: 2})
		if err != nil || !slices.Equal(got, []string{"1 2"}) {
			t.Errorf("%v: %q, %v", format, got, err)
		}
	}
	if got, err := readLines("1 2\n", Options{SkipLines: 5}); err != nil || got != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := readLines("", Options{Format: "sg", SkipLines: 1}); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
}
