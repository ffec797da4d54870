package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/craft"
	"github.com/foray-graph/foray/io/arrow/internal/parquet"
)

// nested is a random column of lists of optional values: a row is nil, or a list.
type nested struct {
	rows [][]*string
	craft.Node
}

// newNested makes one of n rows. The greatest levels are 3 and 1.
func newNested(r *rand.Rand, n int, text bool) *nested {
	c := &nested{Node: craft.Node{Name: "element", Repetition: 1, Type: 2, PageEntries: r.IntN(40), V2: r.IntN(2) == 0, Dictionary: r.IntN(2) == 0}}
	if text {
		c.Type, c.Logical = 6, new(craft.Struct).Sub(1, new(craft.Struct))
	}
	entry := func(rep, def int) { c.Rep, c.Def = append(c.Rep, rep), append(c.Def, def) }
	for range n {
		kind := r.IntN(10)
		switch {
		case kind == 0:
			c.rows = append(c.rows, nil)
			entry(0, 0)
			continue
		case kind == 1:
			c.rows = append(c.rows, []*string{})
			entry(0, 1)
			continue
		}
		var list []*string
		for i := range 1 + r.IntN(1+r.IntN(30)) {
			if r.IntN(4) == 0 {
				list = append(list, nil)
				entry(min(i, 1), 2)
				continue
			}
			x := r.Uint64N(50)
			s := fmt.Sprint(x)
			if text {
				s = strings.Repeat(s, r.IntN(5))
				c.Values = append(c.Values, craft.Plain(s))
			} else {
				c.Values = append(c.Values, binary.LittleEndian.AppendUint64(nil, x))
			}
			list = append(list, &s)
			entry(min(i, 1), 3)
		}
		c.rows = append(c.rows, list)
	}
	return c
}

// TestReadLevels: lists come out as they were, whatever the pages, and however many rows
// are asked for at a time.
func TestReadLevels(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := r.IntN(300)
		cols := []*nested{newNested(r, n, true), newNested(r, n, false)}
		var fields []*craft.Node
		for i, c := range cols {
			fields = append(fields, &craft.Node{Name: fmt.Sprint("l", i), Repetition: 1, HasID: true, ID: 10 + i,
				Children: []*craft.Node{{Name: "list", Repetition: 2, Children: []*craft.Node{&c.Node}}}})
		}
		data := craft.Tree(int64(n), fields...)
		f, err := parquet.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := f.SelectLevels([]int{0, 1}, []columnar.Kind{columnar.Strings, columnar.Ints}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if def, rep := f.MaxLevels(0); def != 3 || rep != 1 {
			t.Fatalf("levels of %d and %d", def, rep)
		}
		mem := columnar.NewMemory(columnar.NewPool(int64(len(data))))
		mem.Begin(context.Background(), int64(len(data)))
		reader := parquet.NewReader(mem)
		reader.Open(context.Background(), f, bytes.NewReader(data), 0)
		for k, c := range cols {
			var l parquet.Levels
			for done := 0; done < n; {
				want := 1 + r.IntN(100)
				if err := reader.ReadLevels(k, &l, want); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if l.Rows != min(want, n-done) {
					t.Fatalf("seed %d: %d rows of %d", seed, l.Rows, want)
				}
				if got, want := show(&l), rows(c.rows[done:done+l.Rows]); got != want {
					t.Fatalf("seed %d: column %d from row %d on: %s, want %s", seed, k, done, got, want)
				}
				done += l.Rows
			}
		}
		reader.Close()
	}
}

// show puts rows together by their levels.
func show(l *parquet.Levels) string {
	var b strings.Builder
	value := 0
	for i, def := range l.Def {
		if l.Rep[i] == 0 {
			b.WriteString("\n")
		}
		switch def {
		case 0:
			b.WriteString("null")
		case 1:
			b.WriteString("empty")
		case 2:
			b.WriteString("?,")
		default:
			if l.Values.Kind == columnar.Ints {
				fmt.Fprintf(&b, "%d,", l.Values.Ints[value])
			} else {
				fmt.Fprintf(&b, "%s,", l.Values.Data[l.Values.Offsets[value]:l.Values.Offsets[value+1]])
			}
			value++
		}
	}
	return b.String()
}

func rows(lists [][]*string) string {
	var b strings.Builder
	for _, list := range lists {
		b.WriteString("\n")
		switch {
		case list == nil:
			b.WriteString("null")
		case len(list) == 0:
			b.WriteString("empty")
		}
		for _, s := range list {
			if s == nil {
				b.WriteString("?,")
			} else {
				b.WriteString(*s + ",")
			}
		}
	}
	return b.String()
}
