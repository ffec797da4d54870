// This file tests lists of vertices.

package edgelist

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

// listed reads the vertices of a file as text, in order.
func listed(path string, o Options) (ids []string, err error) {
	o.Workers, o.OnlyVertices = 1, true
	err = ReadFile(ctx, path, o, func(b graph.Batch) error {
		if !b.Vertices || b.Dst != nil || b.DstStrings != nil || b.Weights != nil {
			return fmt.Errorf("a batch that is none of vertices: %+v", b)
		}
		for i := range batchLen(b) {
			switch {
			case b.SrcStrings != nil:
				ids = append(ids, "s"+string(b.SrcStrings.Value(i)))
			case b.Type == graph.Uint64:
				ids = append(ids, fmt.Sprint("u", uint64(b.Src[i])))
			default:
				ids = append(ids, fmt.Sprint(b.Src[i]))
			}
		}
		return nil
	})
	return ids, err
}

func TestReadVertices(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          Options
		want       string // separated by ;
	}{
		{"a.csv", "id\n1\n2\n\n7\n", Options{}, "1;2;7"},
		{"a.csv", "name,id,age\nAnn,3,7\nBob,4,8\n", Options{}, "3;4"},
		{"a.csv", "name,Vertex,age\nAnn,x y,7\n\"B, C\",\"a,\"\"b\",8\n", Options{}, `sx y;sa,"b`},
		{"a.csv", "name,key\nAnn,3\n", Options{Source: "key"}, "3"},
		{"a.csv", "name,key\nAnn,3\n", Options{Source: "name"}, "sAnn"},
		{"a.csv", "3,x\n4\n5,y,z\n", Options{}, "3;4;5"},
		{"a.tsv", "id\tx\nNew York\t1\nOslo\t2\n", Options{}, "sNew York;sOslo"},
		{"a.txt", "New York\nOslo\n", Options{}, "sNew York;sOslo"},
		{"a.txt", "people\n5\n6\n", Options{}, "5;6"},
		{"a.txt", "people\n5\n6\n", Options{IDs: "string"}, "speople;s5;s6"},
		{"a.txt", "people\n5\n6\n", Options{IDs: "string", Header: "first"}, "s5;s6"},
		{"a.txt", "id\nx\n", Options{Header: "none"}, "sid;sx"},
		{"a.txt", "18446744073709551615\n0\n", Options{IDs: "uint64"}, "u18446744073709551615;u0"},
		{"a.txt", "7", Options{IDs: "string"}, "s7"},
		{"a.txt", "1 2\n3 4\n", Options{Separator: ' '}, "1;3"},
		{"a.csv", "a;b\n1;2\n", Options{Separator: ';', Source: "b"}, "2"},
		{"a.csv", "", Options{}, ""},
		{"a.csv", "id\n", Options{}, ""},
		{"a.jsonl", `{"name":"Ann","id":7}` + "\n" + `{"id":8}` + "\n", Options{}, "7;8"},
		{"a.jsonl", `{"key":"x"}` + "\n" + `{"key":"y","z":[1,{}]}` + "\n", Options{}, "sx;sy"},
		{"a.ndjson", `{"a":1,"b":2}` + "\n", Options{Source: "b"}, "2"},
		{"a.csv.gz", string(gz(t, []byte("id\n1\n2\n"))), Options{}, "1;2"},
		{"list", "id\n1\n2\n", Options{Format: "text"}, "1;2"},
	} {
		for _, size := range []int{1, 2, 1000} {
			o := c.o
			o.chunk, o.batch = 3*size, size
			got, err := listed(write(t, c.name, []byte(c.text)), o)
			if err != nil || strings.Join(got, ";") != c.want {
				t.Errorf("%s %q %+v: %q, %v; want %q", c.name, c.text, c.o, got, err, c.want)
			}
		}
	}
	for _, c := range []struct {
		name, text string
		o          Options
		is         error
		says       string
	}{
		{"a.csv", "a,b\n1,2\n", Options{}, errColumns, "don't tell which column has the vertices; name it in Options.Source"},
		{"a.csv", "a,b\n1,2\n", Options{Source: "c"}, errColumns, `"c"`},
		{"a.csv", "id,b\n1,2\nx,3\n", Options{}, ErrSyntax, ":3: "},
		{"a.csv", "b,id\n1,2\n3\n", Options{}, ErrSyntax, ":3: "},
		{"a.jsonl", `{"a":1,"b":2}`, Options{}, errColumns, "which column has the vertices"},
		{"a.jsonl", `{"id":1}` + "\n{}\n", Options{}, ErrSyntax, ":2: "},
		{"a.mtx", "1\n", Options{}, ErrFormat, "has edges"},
		{"a.sg", "1\n", Options{}, ErrFormat, "has edges"},
		{"a.foo", "1\n", Options{}, ErrFormat, ""},
	} {
		if _, err := listed(write(t, c.name, []byte(c.text)), c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q: %v, want %v that says %q", c.name, c.text, err, c.is, c.says)
		}
	}
	if err := ReadFile(ctx, write(t, "a.csv", []byte("1\n")), Options{OnlyVertices: true}, nil); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
}

// TestReadVerticesRandom writes random ids in random tables and wants them back.
func TestReadVerticesRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 3))
	parts := []string{"a", "é", "7", " ", ",", `"`, "\t", "-", "x y", ";", "b"}
	for round := range 300 {
		columns, at := 1+r.IntN(4), 0
		at = r.IntN(columns)
		strs := r.IntN(2) == 0
		var text strings.Builder
		for i := range columns {
			text.WriteString([]string{"", ","}[min(i, 1)] + []string{"c" + fmt.Sprint(i), "id"}[max(0, 1-max(i-at, at-i))])
		}
		text.WriteByte('\n')
		var want []string
		for range r.IntN(30) {
			for i := range columns {
				s := ""
				for range 1 + r.IntN(4) {
					s += parts[r.IntN(len(parts))]
				}
				if i == at && !strs {
					s = fmt.Sprint(int64(r.Uint64()))
				}
				if i > 0 {
					text.WriteByte(',')
				}
				if i == at {
					want = append(want, map[bool]string{true: "s"}[strs]+s)
				}
				text.WriteString(`"` + strings.ReplaceAll(s, `"`, `""`) + `"`)
			}
			text.WriteByte('\n')
		}
		o := Options{chunk: 1 + r.IntN(50), batch: 1 + r.IntN(9), IDs: "int64"}
		if strs {
			o.IDs = "string"
		}
		got, err := listed(write(t, "a.csv", []byte(text.String())), o)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("round %d:\n%s\ngot  %q, %v\nwant %q", round, text.String(), got, err, want)
		}
	}
}
