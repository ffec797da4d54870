// This file tests what no program in C can cause, or sees.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	goarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// edgesOf returns a reader of edges of int64, and counts how many references to it there are.
func edgesOf(t *testing.T, edges ...[2]int64) *counted {
	t.Helper()
	schema := goarrow.NewSchema([]goarrow.Field{{Name: "src", Type: goarrow.PrimitiveTypes.Int64}, {Name: "dst", Type: goarrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, e := range edges {
		b.Field(0).(*array.Int64Builder).Append(e[0])
		b.Field(1).(*array.Int64Builder).Append(e[1])
	}
	r, err := array.NewRecordReader(schema, []goarrow.Record{b.NewRecord()})
	if err != nil {
		t.Fatal(err)
	}
	return &counted{r, 1}
}

type counted struct {
	array.RecordReader
	refs int
}

func (c *counted) Retain()  { c.refs++ }
func (c *counted) Release() { c.refs-- }

// TestEveryAlgorithm runs each algorithm with no options but the source, and reads the result.
func TestEveryAlgorithm(t *testing.T) {
	for name := range algorithms {
		options := "{}"
		if c, _ := newCalculation(name); c.options["source"] != nil {
			options = `{"source": 1}`
		}
		if name == "sssp" {
			options = `{"source": 1, "weight": "dst"}`
		}
		if name == "msf" {
			options = `{"weight": "dst"}`
		}
		if name == "paths" {
			options = `{"source": 1, "target": [2, 3], "top": 2}`
		}
		edges := edgesOf(t, [2]int64{1, 2}, [2]int64{2, 3}, [2]int64{1, 3})
		r, err := run(context.Background(), name, input{edges: edges}, options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows := int64(0)
		for r.Next() {
			rows += r.Record().NumRows()
		}
		closers := r.(*result).closers
		r.Release()
		want := map[rowsOf]int64{ofVertices: 3, ofEdges: 3, ofSomeEdges: 2}
		ofTables := map[string]int64{"similar": 2, "walks": 1, "paths": 4}
		if c, _ := newCalculation(name); rows != want[c.rows]+ofTables[name] || r.Err() != nil || edges.refs != 1 {
			t.Errorf("%s: %d rows, %v, %d references to the edges", name, rows, r.Err(), edges.refs)
		}
		if err := closers[0].(device.Device).Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := closers[1].(*graph.Graph).On(closers[0].(device.Device)); !errors.Is(err, device.ErrClosed) {
			t.Errorf("%s: after the release of the result its graph or device is open: %v", name, err)
		}
	}
}

// TestOptionNames: a name is snake_case, and none means two things by its type.
func TestOptionNames(t *testing.T) {
	types := map[string]string{}
	for name := range algorithms {
		c, err := newCalculation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range slices.Sorted(maps.Keys(c.options)) {
			if strings.ToLower(option) != option || strings.Contains(option, "-") {
				t.Errorf("%s: option %q is not in snake_case", name, option)
			}
			is := wants(c.options[option])
			if was := types[option]; was != "" && was != is {
				t.Errorf("option %q is %s, and elsewhere %s", option, is, was)
			}
			types[option] = is
		}
	}
}

func TestPanics(t *testing.T) {
	err := guarded(func() error { panic("on purpose") })
	if err == nil || !strings.Contains(errorText(err), "internal error, please report it: on purpose\n") || !strings.Contains(err.Error(), "TestPanics") {
		t.Errorf("a panic: %v", err)
	}
	if n := status(err); n == status(nil) || n != status(errors.New("other")) {
		t.Errorf("a panic: status %d", n)
	}
}

// TestErrorText: an error is valid UTF-8, without the byte that ends a text in C, and names options as JSON has them.
func TestErrorText(t *testing.T) {
	err := fmt.Errorf("arrow: %w: Options.Source and Options.Weight\x00\xff", graph.ErrOptions)
	if got, want := errorText(err), "bad option: option \"src\" and option \"weight\"\\x00\ufffd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	err = errors.New("not enough memory: it needs 65.7 TB; even TwoPass with OrderGiven needs 65.7 TB" + strings.Repeat("x", 1<<20))
	if got := errorText(err); !strings.HasPrefix(got, "not enough memory: it needs 65.7 TB") || strings.Contains(got, "TwoPass") || len(got) > longest+3 {
		t.Errorf("%.200q", got)
	}
}

// TestCanceledBy: the context ends with the request, and nothing looks for one after stop.
func TestCanceledBy(t *testing.T) {
	asked := make(chan bool, 1)
	ctx, stop := canceledBy(context.Background(), func() bool {
		select {
		case <-asked:
			return true
		default:
			return false
		}
	})
	if ctx.Err() != nil {
		t.Fatal(ctx.Err())
	}
	asked <- true
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Error("not canceled in ten seconds")
	}
	stop()
	looks := 0
	_, stop = canceledBy(context.Background(), func() bool { looks++; return false })
	stop()
	before := looks
	time.Sleep(4 * cancelEvery)
	if looks != before {
		t.Error("a look after stop")
	}
	ctx, stop = canceledBy(context.Background(), func() bool { return true })
	defer stop()
	if ctx.Err() == nil {
		t.Error("requested before, and not canceled at once")
	}
}

// FuzzOptions: no text panics, and what is accepted is a JSON object.
func FuzzOptions(f *testing.F) {
	for _, text := range []string{`{"source": [1, "a"], "directed": true}`, `{`, `{"source": [`, `[]`, `{"limit": 1e400}`, "", `{"source": {}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := newCalculation("sssp")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.options.read(text, "sssp"); err != nil {
			if !errors.Is(err, graph.ErrOptions) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if strings.TrimSpace(text) != "" && !json.Valid([]byte(text)) {
			t.Errorf("%q is accepted", text)
		}
	})
}

// rowsOfResult reads the rows of a result as text.
func rowsOfResult(t *testing.T, name, options string, edges ...[2]int64) string {
	t.Helper()
	r, err := run(context.Background(), name, input{edges: edgesOf(t, edges...)}, options)
	if err != nil {
		return err.Error()
	}
	defer r.Release()
	var rows []string
	for r.Next() {
		record := r.Record()
		for row := range int(record.NumRows()) {
			var cells []string
			for _, c := range record.Columns() {
				cells = append(cells, c.ValueStr(row))
			}
			rows = append(rows, strings.Join(cells, " "))
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return strings.Join(rows, "; ")
}

// TestTables: pairs, walks, paths and scores of edges have their rows, and their options are checked.
func TestTables(t *testing.T) {
	square := [][2]int64{{1, 2}, {2, 3}, {3, 4}, {4, 1}}
	for _, c := range []struct{ name, options, want string }{
		{"similar", `{"source": [1, 1], "order": "given"}`, "1 3 1"},
		{"similar", `{"pairs": [[1, 3], [1, 2]], "measure": "overlap"}`, "1 3 1; 1 2 0"},
		{"similar", `{"measure": "x"}`, `option "measure" is "x"; want [jaccard overlap cosine adamic-adar]`},
		{"similar", `{"top": 0}`, `option "top" is 0`},
		{"similar", `{"pairs": [[1, 3, 4]]}`, "want an array of pairs of ids"},
		{"similar", `{"pairs": [[1, 9]]}`, `option "pairs": "9"`},
		{"similar", `{"weight": "dst"}`, "Weighted is for Cosine"},
		{"walks", `{"source": 1, "length": 3, "directed": true}`, "1 [1,2,3,4]"},
		{"walks", `{"source": [2, 4], "length": 2, "count": 2, "directed": true}`, "2 [2,3,4]; 2 [2,3,4]; 4 [4,1,2]; 4 [4,1,2]"},
		{"walks", `{"p": 0}`, `option "p" is 0`},
		{"walks", `{"length": -1}`, "Length is -1"},
		{"paths", `{"source": 1, "target": 3, "top": 5}`, "1 3 1 2 [1,2,3]; 1 3 2 2 [1,4,3]"},
		{"paths", `{"pairs": [[2, 1], [2, 2]], "weight": "dst"}`, "2 1 1 1 2 [2,1]; 2 2 1 0 0 [2]"},
		{"paths", `{"pairs": [[2, 1]], "source": 1}`, "names both ends"},
		{"paths", `{"source": 1}`, `option "target" is missing`},
		{"bc", `{"edges": true, "directed": true, "unnormalized": true, "order": "given"}`, "1 2 6; 2 3 6; 3 4 6; 4 1 6"},
		{"bc", `{"edges": true, "weight": "dst", "order": "given", "unnormalized": true}`, "1 2 2 2.5; 2 3 3 1.5; 1 4 1 2.5; 3 4 4 1.5"},
		{"bc", `{"weighted": true, "weight": "src", "unnormalized": true, "order": "given", "directed": true}`, "1 3; 2 3; 3 3; 4 3"},
	} {
		if got := rowsOfResult(t, c.name, c.options, square...); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.name, c.options, got, c.want)
		}
	}
}
