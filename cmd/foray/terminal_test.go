// This file tests that data doesn't reach a terminal as commands to it.

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// hostileID sets a terminal's title, clears its screen in eight bits, ends the line
// and turns the direction of writing round.
const hostileID = "\x1b]0;owned\a\u009b2Jx\r\nfake 1\u202e"

// obeyed returns the control characters in s that a terminal obeys.
func obeyed(s string) (found []rune) {
	for _, r := range s {
		if (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) && r != '\n' {
			found = append(found, r)
		}
	}
	return found
}

func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	edges := filepath.Join(dir, "e.csv")
	if err := os.WriteFile(edges, []byte("src,dst,\x1b[31mred\n\x1b[31mx,b,1\nb,\u009b2Jy,2\n\x1b[31mx,\u202ec,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	named := filepath.Join(dir, "\x1b[2Jname.csv")
	if err := os.Link(edges, named); err != nil {
		testlong.Without(t, "needs hard links", err)
	}
	parquet := filepath.Join(dir, "e.parquet")
	column := func(ids ...string) *graph.Strings {
		s := &graph.Strings{Offsets: []int64{0}}
		for _, id := range ids {
			s.Data = append(s.Data, id...)
			s.Offsets = append(s.Offsets, int64(len(s.Data)))
		}
		return s
	}
	b := graph.Batch{Type: graph.String, SrcStrings: column(hostileID, hostileID, "b"), DstStrings: column("b", hostileID+"x", hostileID+"x")}
	one := func(_ context.Context, yield func(graph.Batch) error) error { return yield(b) }
	if err := arrow.WriteBatches(t.Context(), parquet, one, arrow.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status int
		args   []string
	}{
		{0, []string{"info", edges}},
		{0, []string{"info", named}},
		{0, []string{"info", parquet}},
		{0, []string{"bfs", named}},
		{0, []string{"bfs", edges}},
		{0, []string{"bfs", parquet, "--source", hostileID, "--target", hostileID + "x"}},
		{1, []string{"sssp", parquet, "--source", hostileID}},
		{0, []string{"run", parquet, "--do", "cc,pagerank,bc,closeness,triangles"}},
		{1, []string{"bfs", edges, "--source", "\x1b[1mnone"}},
		{1, []string{"bfs", parquet, "--source", "none"}},
		{1, []string{"bfs", parquet, "--src", "\x1b[1mnone"}},
		{1, []string{"bfs", parquet, "--where", "src = '\x1b[1mnone'"}},
		{2, []string{"bfs", parquet, "--order", "\x1b[1mnone"}},
		{2, []string{"\x1b[1mnone"}},
		{1, []string{"bfs", filepath.Join(dir, "\x1b[1mnone.csv")}},
		{1, []string{"convert", edges, filepath.Join(dir, "no\x1b[1m", "x.csv")}},
		{0, []string{"convert", named, filepath.Join(dir, "\x1b[1mout.csv")}},
	} {
		var out, errs bytes.Buffer
		if got := run(c.args, &out, &errs); got != c.status {
			t.Errorf("foray %q: status %d, want %d: %s", c.args, got, c.status, errs.String())
		}
		if found := obeyed(out.String() + errs.String()); len(found) > 0 {
			t.Errorf("foray %q writes %q:\n%q\n%q", c.args, found, out.String(), errs.String())
		}
		if strings.Contains(out.String()+errs.String(), "\nfake") {
			t.Errorf("foray %q: an id begins a line:\n%s%s", c.args, out.String(), errs.String())
		}
	}
	// In data they stay.
	out, _ := foray(t, 0, "bfs", parquet, "--source", "b", "-o", "-", "--format", "csv")
	contains(t, out, hostileID)
}
