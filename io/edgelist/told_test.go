// This file tests what Options.Columns is told.

package edgelist

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
)

func TestColumns(t *testing.T) {
	for _, x := range []struct {
		text, want string
		o          Options
	}{
		{"1 2\n", "[[] [0 1 -1] [false false false]]", Options{}},
		{"user,item\n1,2\n", "[[user item] [0 1 -1] [false false false]]", Options{}},
		{"w,dst,Src,weight\n1,2,3,4\n", "[[Src dst weight] [2 1 3] [true true true]]", Options{Graph: graph.Options{Weights: true}}},
		{"src,dst,a\n1,2,3\n", "[[src dst a] [0 1 2] [true true false]]", Options{Graph: graph.Options{Weights: true}}},
		{"user,item\n1,2\n", "[[item user] [1 0 -1] [true false false]]", Options{Source: "item"}},
		{"{\"a\":1,\"b\":2}\n", "[[a b] [0 1 -1] [false false false]]", Options{Format: "jsonl"}},
	} {
		got := ""
		stop := errors.New("stop")
		x.o.Columns = func(names [3]string, at [3]int, told [3]bool) error {
			got = fmt.Sprint([]any{strings.Fields(strings.Join(names[:], " ")), at, told})
			return stop
		}
		err := Read(context.Background(), strings.NewReader(x.text), x.o, func(graph.Batch) error {
			t.Errorf("%q: an edge after the error", x.text)
			return nil
		})
		if got != x.want || !errors.Is(err, stop) {
			t.Errorf("%q: %s, %v; want %s", x.text, got, err, x.want)
		}
	}
}
