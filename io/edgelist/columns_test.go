// This file compares columns of edges of texts with a naive reader of their values.

package edgelist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/graph"
)

// columnValue is a value of a random column: the text, or none, and whether JSON has it as a string.
type columnValue struct {
	text   string
	lacks  bool
	quoted bool
}

// naiveType is what a value is, by patterns.
func naiveType(v columnValue) string {
	match := func(p string) bool { return regexp.MustCompile("^(?:" + p + ")$").MatchString(v.text) }
	const date = `\d{4}-\d\d-\d\d`
	switch {
	case !v.quoted && match(`(?i:true|false)`):
		return "bool"
	case !v.quoted && match(`-?(0|[1-9]\d{0,17})`):
		return "int64"
	case !v.quoted && match(`-?(0|[1-9]\d*)?(\.\d*)?([eE][-+]?\d+)?`) && match(`.*[.eE].*`) && match(`.*\d.*`), !v.quoted && match(`(?i:-?(nan|inf))`):
		return "float64"
	case match(date):
		if _, err := time.Parse(time.DateOnly, v.text); err == nil {
			return "date32"
		}
	case match(date + `[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?`):
		return "timestamp[us]"
	case match(date + `[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[-+]\d\d:\d\d)`):
		return "timestamp[us,UTC]"
	case match(date + `[ T]\d\d:\d\d:\d\d\.\d{7,9}`):
		return "timestamp[ns]"
	}
	return "string"
}

// naiveTypes is the narrowest type of a column of such values.
func naiveTypes(values []columnValue) string {
	types := map[string]bool{}
	for _, v := range values {
		if !v.lacks {
			types[naiveType(v)] = true
		}
	}
	only := func(names ...string) bool {
		for t := range types {
			if !slices.Contains(names, t) {
				return false
			}
		}
		return true
	}
	switch {
	case len(types) == 0:
		return "string"
	case only("bool"):
		return "bool"
	case only("int64"):
		return "int64"
	case only("int64", "float64"):
		return "float64"
	case only("date32"):
		return "date32"
	case only("date32", "timestamp[us]"):
		return "timestamp[us]"
	case only("date32", "timestamp[us]", "timestamp[ns]"):
		return "timestamp[ns]"
	case only("timestamp[us,UTC]"):
		return "timestamp[us,UTC]"
	}
	return "string"
}

// naiveValue formats what a value of a column of that type is.
func naiveValue(v columnValue, typ string) string {
	if v.lacks {
		return "-"
	}
	instant := func() time.Time {
		s := strings.Replace(v.text, "T", " ", 1)
		for _, form := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02 15:04Z07:00", "2006-01-02 15:04:05Z07:00"} {
			if t, err := time.Parse(form, s); err == nil {
				return t
			}
		}
		panic(v.text)
	}
	switch typ {
	case "bool":
		return map[bool]string{false: "0", true: "1"}[strings.EqualFold(v.text, "true")]
	case "float64":
		x, err := strconv.ParseFloat(v.text, 64)
		if err != nil {
			panic(err)
		}
		if x != x {
			return "-" // a missing float is NaN
		}
		return fmt.Sprint(x)
	case "date32":
		return fmt.Sprint(instant().Unix() / 86400)
	case "timestamp[us]", "timestamp[us,UTC]":
		return fmt.Sprint(instant().UnixMicro())
	case "timestamp[ns]":
		return fmt.Sprint(instant().UnixNano())
	case "int64":
		x, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil {
			panic(err)
		}
		return fmt.Sprint(x)
	}
	return v.text
}

// columnValueOf formats value e of a graph's column.
func columnValueOf(c *graph.Column, e int) string {
	switch a := c.Values.(type) {
	case []uint32:
		if c.Dictionary == nil {
			return fmt.Sprint(a[e])
		}
		if a[e] == graph.NoCode {
			return "-"
		}
		return string(c.Dictionary.Value(int(a[e])))
	case []float64:
		if math.IsNaN(a[e]) {
			return "-"
		}
		return fmt.Sprint(a[e])
	case []int64:
		return fmt.Sprint(a[e])
	}
	return fmt.Sprintf("%T", c.Values)
}

func typeNameOf(c *graph.Column) string {
	switch {
	case c.Dictionary != nil:
		return "string"
	case c.Logical != "":
		return c.Logical
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", c.Values), "[]")
}

var columnPools = [][]string{
	{"0", "7", "-12", "123456789012345678"},
	{"2.5", "-0.125", "1e-3", "3E5", ".5", "NaN", "-inf", "10.0"},
	{"true", "FALSE", "True"},
	{"2026-01-31", "1969-12-31", "2000-02-29"},
	{"2026-01-31 12:30", "2026-01-31T12:30:15", "1950-05-05 00:00:00.25", "2026-01-31 12:30:15.000001"},
	{"2026-01-31 12:30Z", "2026-01-31T12:30:15+02:00", "2026-01-31 12:30:15.5-08:00"},
	{"2026-01-31 12:30:15.123456789"},
	{"007", "+5", "x y", "a,b", "q\"q", "12345678901234567890", "2026-02-31", "é", "two\nlines", "0x1f", "1_0", "-", "null"},
}

// TestRandomColumns reads random columns from texts and JSON lines, of which few rows are in the first chunk, by Load.
func TestRandomColumns(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(uint64(round), 91))
		rows, asJSON, stringIDs := 1+r.IntN(60), r.IntN(3) == 0, r.IntN(3) == 0
		skip := r.IntN(3) == 0
		names := []string{"row", "a", "b c", "d"}[:1+r.IntN(4)]
		columns := make([][]columnValue, len(names))
		for k := range names {
			pools := columnPools
			if r.IntN(2) == 0 { // one kind of values, mostly
				one := r.IntN(len(pools))
				pools = pools[one : one+1]
			} else if r.IntN(2) == 0 {
				one := r.IntN(len(pools) - 1)
				pools = pools[one : one+2]
			}
			lacks := 0.0
			if r.IntN(2) == 0 {
				lacks = []float64{0.1, 0.9, 1}[r.IntN(3)]
			}
			for i := range rows {
				pool := pools[0]
				if len(pools) > 1 && r.IntN(8) == 0 {
					pool = pools[r.IntN(len(pools))]
				}
				v := columnValue{text: pool[r.IntN(len(pool))]}
				if k == 0 {
					v.text = fmt.Sprint(i)
				} else if r.Float64() < lacks {
					v = columnValue{lacks: true}
				}
				if asJSON && !v.lacks {
					v.quoted = !json.Valid([]byte(v.text)) || v.text == "null" || strings.HasPrefix(v.text, `"`) || r.IntN(12) == 0
				}
				columns[k] = append(columns[k], v)
			}
		}
		id := func() string {
			if stringIDs {
				return "v" + fmt.Sprint(r.IntN(9))
			}
			return fmt.Sprint(r.IntN(9))
		}
		var b strings.Builder
		if !asJSON {
			order := append([]string{"src"}, names...)
			fmt.Fprintln(&b, strings.Join(append(order, "other", "dst"), ","))
		}
		for i := range rows {
			if asJSON {
				quote := func(s string) string {
					if stringIDs {
						return `"` + s + `"`
					}
					return s
				}
				fmt.Fprintf(&b, `{"src": %s, "dst": %s, "other": [1, {"row": "x"}]`, quote(id()), quote(id()))
				for k, n := range names {
					v := columns[k][i]
					switch {
					case v.lacks && (i == 0 || r.IntN(2) == 0):
						fmt.Fprintf(&b, ", %q: null", n)
					case v.lacks:
					case v.quoted:
						text, _ := json.Marshal(v.text)
						fmt.Fprintf(&b, ", %q: %s", n, text)
					default:
						fmt.Fprintf(&b, ", %q:%s", n, v.text)
					}
				}
				b.WriteString("}\n")
				continue
			}
			b.WriteString(id())
			for k := range names {
				v := columns[k][i].text
				if strings.ContainsAny(v, ",\"\n") || v != "" && r.IntN(4) == 0 {
					v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
				}
				b.WriteString("," + v)
			}
			fmt.Fprintf(&b, ",x,%s\n", id())
		}
		name := "e.csv"
		data := []byte(b.String())
		if asJSON {
			name = "e.jsonl"
		}
		if r.IntN(2) == 0 {
			name, data = name+".gz", gz(t, data)
		}
		path := write(t, name, data)
		var skipped uint64
		o := Options{Graph: graph.Options{Directed: true, KeepDuplicates: true, KeepSelfLoops: true, EdgeColumns: names}, SkipNulls: skip, Workers: 1 + r.IntN(4),
			Skipped: func(n uint64) { skipped = n }, chunk: 64 << r.IntN(4), batch: 1 + r.IntN(20)}
		o.Source, o.Target = "src", "dst"
		g, err := Load(context.Background(), path, o)

		left := map[int]bool{} // rows that lack what can't be missing
		types := make([]string, len(names))
		for k := range names {
			types[k] = naiveTypes(columns[k])
			for i, v := range columns[k] {
				if v.lacks && types[k] != "float64" && types[k] != "string" {
					left[i] = true
				}
			}
		}
		label := fmt.Sprintf("round %d, %s, types %v:\n%s", round, name, types, b.String())
		switch {
		case len(left) > 0 && !skip:
			if !errors.Is(err, ErrSyntax) || !strings.Contains(err.Error(), "without") {
				t.Fatalf("%s\nerror %v", label, err)
			}
			continue
		case len(left) == rows:
			if !errors.Is(err, graph.ErrEmpty) {
				t.Fatalf("%s\nerror %v", label, err)
			}
			continue
		case err != nil:
			t.Fatalf("%s\n%v", label, err)
		}
		if int(skipped) != len(left) || int(g.NumEdges()) != rows-len(left) {
			t.Fatalf("%s\n%d edges, %d rows left out; want %d, %d", label, g.NumEdges(), skipped, rows-len(left), len(left))
		}
		got := g.EdgeColumns()
		for k := range got {
			if typeNameOf(&got[k]) != types[k] {
				t.Fatalf("%s\ncolumn %q is %s, want %s", label, names[k], typeNameOf(&got[k]), types[k])
			}
		}
		for e := range int(g.NumEdges()) {
			i, _ := strconv.Atoi(columnValueOf(&got[0], e))
			for k := range got {
				if is, want := columnValueOf(&got[k], e), naiveValue(columns[k][i], types[k]); is != want {
					t.Fatalf("%s\nrow %d, column %q: %s, want %s", label, i, names[k], is, want)
				}
			}
		}
	}
}

// TestColumnsOfBareText names columns of a text without a header by number.
func TestColumnsOfBareText(t *testing.T) {
	path := write(t, "e.txt", []byte("# time is the third\n1 2 100\n2 3 7.5\n3 1 3\n"))
	g, err := Load(context.Background(), path, Options{Graph: graph.Options{Directed: true, EdgeColumns: []string{"3"}}})
	if err != nil {
		t.Fatal(err)
	}
	if c := g.EdgeColumns()[0]; fmt.Sprint(c.Name, c.Values) != "3[100 7.5 3]" {
		t.Errorf("%v", c)
	}
}

// TestColumnFaults names what is wrong with columns.
func TestColumnFaults(t *testing.T) {
	columns := func(names ...string) Options {
		return Options{Graph: graph.Options{Directed: true, EdgeColumns: names}}
	}
	typed := func(types map[string]string, names ...string) Options {
		o := columns(names...)
		o.ColumnTypes = types
		return o
	}
	for _, c := range []struct {
		name, text string
		o          Options
		is         error
		says       string
	}{
		{"e.csv", "src,dst,kind\n1,2,a\n", columns("knd"), ErrFormat, `did you mean "kind"`},
		{"e.csv", "src,dst,kind,Kind\n1,2,a,b\n", columns("KIND"), ErrFormat, `name one of them`},
		{"e.csv", "1,2,a\n", columns("kind"), ErrFormat, "kind"},
		{"e.txt", "1 2\n", columns("3"), ErrFormat, "the text has no header"},
		{"e.csv", "src,dst,n\n1,2,5\n2,3,\n", columns("n"), ErrSyntax, `e.csv:3: an edge without "n"`},
		{"e.jsonl", `{"src":1,"dst":2}` + "\n", columns("n"), ErrFormat, `no object has a member "n"`},
		{"e.jsonl", `{"src":1,"dst":2,"n":[1]}` + "\n", columns("n"), ErrSyntax, `has one value`},
		{"e.csv", "src,dst,n\n1,2,5\n2,3,x\n", typed(map[string]string{"n": "int32"}, "n"), ErrColumnType, `e.csv:3: column "n" holds "x"`},
		{"e.csv", "src,dst,n\n1,2,5000000000\n", typed(map[string]string{"n": "int32"}, "n"), ErrColumnType, `"5000000000"`},
		{"e.csv", "src,dst,n\n1,2,5\n", typed(map[string]string{"n": "number"}, "n"), graph.ErrOptions, "number"},
		{"e.csv", "src,dst,n\n1,2,\xff\n", columns("n"), ErrSyntax, "UTF-8"},
		{"e.csv", "src,dst,n\n1,2,5,6\n", columns("n"), ErrSyntax, "found 4 columns"},
		{"e.csv", "src,dst,n\n1,2\n", columns("n"), ErrSyntax, `column 3, "n", is missing`},
		{"e.mtx", banner + " matrix coordinate pattern general\n1 1 1\n1 1\n", columns("n"), graph.ErrOptions, "whose edges have none"},
		{"e.sg", string(make([]byte, 40)), columns("n"), graph.ErrOptions, "whose edges have none"},
		{"e.csv", "src,dst,n\n1,2,5\n", Options{VertexColumns: []string{"n"}}, graph.ErrOptions, "OnlyVertices"},
		{"e.csv", "src,dst,n\n1,2,5\n1,2,6\n", columns("n"), graph.ErrOptions, "several edges"},
	} {
		path := write(t, c.name, []byte(c.text))
		_, err := Load(context.Background(), path, c.o)
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s %q: %v; want %v, %q", c.name, c.text, err, c.is, c.says)
		}
	}
}

// TestColumnTypes reads values as the types that it is given, and once from a reader, which has the types of the first rows.
func TestColumnTypes(t *testing.T) {
	const text = "src,dst,a\n1,2,%s\n"
	for _, c := range []struct{ typ, in, want string }{
		{"int32", "-7", "[]int32 [-7] "}, {"uint32", "7", "[]uint32 [7] "}, {"uint64", "18446744073709551615", "[]uint64 [18446744073709551615] "},
		{"float32", "2.5", "[]float32 [2.5] "}, {"float32", "", "[]float32 [NaN] "}, {"float64", "2", "[]float64 [2] "}, {"bool", "true", "[]uint32 [1] bool"},
		{"date64", "1970-01-02", "[]int64 [86400000] date64"}, {"timestamp[s]", "1970-01-02", "[]int64 [86400] timestamp[s]"},
		{"timestamp[ms,UTC]", "1970-01-01T00:00:01.5Z", "[]int64 [1500] timestamp[ms,UTC]"}, {"time[us]", "00:00:01.25", "[]int64 [1250000] time[us]"},
		{"decimal(18,2)", "-3.1", "[]int64 [-310] decimal(18,2)"}, {"decimal(18,-2)", "300", "[]int64 [3] decimal(18,-2)"},
		{"string", "007", "[]uint32 [0] "}, {"binary", "\xff", "[]uint32 [0] "}, {"uuid", "00112233-4455-6677-8899-aabbccddeeff", "[]uint32 [0] uuid"},
	} {
		path := write(t, "e.csv", []byte(fmt.Sprintf(text, c.in)))
		g, err := Load(context.Background(), path, Options{Graph: graph.Options{Directed: true, EdgeColumns: []string{"a"}}, ColumnTypes: map[string]string{"a": c.typ}})
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		if col := g.EdgeColumns()[0]; fmt.Sprintf("%T %v %s", col.Values, col.Values, col.Logical) != c.want {
			t.Errorf("%s: %T %v %s, want %s", c.typ, col.Values, col.Values, col.Logical, c.want)
		}
	}
	rows := "src,dst,a\n" + strings.Repeat("1,2,5\n", 1000) + "2,3,x\n"
	o := Options{Graph: graph.Options{EdgeColumns: []string{"a"}}, ColumnTypes: map[string]string{}, chunk: 256}
	for i, want := range []error{ErrColumnType, nil} {
		if err := Read(context.Background(), strings.NewReader(rows), o, func(graph.Batch) error { return nil }); !errors.Is(err, want) {
			t.Errorf("read %d: %v", i, err)
		}
		if o.ColumnTypes["a"] != "string" {
			t.Errorf("read %d: type %q", i, o.ColumnTypes["a"])
		}
	}
}

// TestVertexColumns reads the columns of all vertices of a graph, from two lists.
func TestVertexColumns(t *testing.T) {
	ctx := context.Background()
	g, err := Load(ctx, write(t, "e.csv", []byte("src,dst\n1,2\n2,3\n3,5\n")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := write(t, "a.csv", []byte("id,age,n,name\n3,30.0,1,x\n5,,2,\n")), write(t, "b.jsonl", []byte(`{"id":2,"age":2.5,"n":3,"name":"y"}`+"\n"+`{"id":1,"n":4,"age":null,"name":"x"}`+"\n"))
	columns, err := VertexColumns(ctx, g, []string{a, b}, Options{VertexColumns: []string{"age", "n", "name"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.AddVertexColumns(columns...); err != nil {
		t.Fatal(err)
	}
	var got []string
	for v := range g.NumVertices() {
		row := g.IDs().Format(uint32(v))
		for _, c := range g.VertexColumns() {
			row += " " + columnValueOf(&c, v)
		}
		got = append(got, row)
	}
	slices.Sort(got)
	if want := "[1 - 4 x 2 2.5 3 y 3 30 1 x 5 - 2 -]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct {
		paths []string
		o     Options
		is    error
		says  string
	}{
		{[]string{a}, Options{VertexColumns: []string{"n"}}, ErrSyntax, "isn't in the list"},
		{[]string{a, a}, Options{VertexColumns: []string{"n"}}, ErrDamaged, "twice"},
		{[]string{a, write(t, "c.csv", []byte("id,n\n9,9\n"))}, Options{VertexColumns: []string{"n"}}, graph.ErrNoVertex, "9"},
		{[]string{a}, Options{}, graph.ErrOptions, "name columns"},
		{[]string{a}, Options{VertexColumns: []string{"nn"}}, ErrFormat, "VertexColumns"},
		{nil, Options{VertexColumns: []string{"n"}}, graph.ErrEmpty, "no vertex"},
	} {
		if _, err := VertexColumns(ctx, g, c.paths, c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v; want %v, %q", c.paths, err, c.is, c.says)
		}
	}
	if _, err := VertexColumns(ctx, nil, nil, Options{}); !errors.Is(err, graph.ErrNoGraph) {
		t.Error(err)
	}
}

// TestVertexListColumns reads columns of lists of vertices.
func TestVertexListColumns(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"v.csv", "id,age,name\n3,30,\"a, b\"\n4,,c\n5,40.5,\n"},
		{"v.jsonl", `{"id":3,"age":30,"name":"a, b"}` + "\n" + `{"id":4,"name":"c","age":null}` + "\n" + `{"id":5,"age":40.5}` + "\n"},
	} {
		path := write(t, c.name, []byte(c.text))
		o := Options{OnlyVertices: true, VertexColumns: []string{"age", "name"}, ColumnTypes: map[string]string{}, Workers: 1}
		var got []string
		read := func() error {
			got = nil
			return ReadFile(context.Background(), path, o, func(b graph.Batch) error {
				for i, id := range b.Src {
					s := b.Columns[1].Values.(graph.Strings)
					got = append(got, fmt.Sprintf("%d %v %q %v", id, b.Columns[0].Values.([]float64)[i], s.Value(i), b.Columns[1].Valid == nil || b.Columns[1].Valid[i]))
				}
				return nil
			})
		}
		if err := read(); err != nil {
			t.Fatal(err)
		}
		if want := `[3 30 "a, b" true 4 NaN "c" true 5 40.5 "" false]`; fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %v", filepath.Base(path), got, want)
		}
	}
}
