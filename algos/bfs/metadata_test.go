// This file tests the provenance of results.

package bfs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
)

func TestMetadata(t *testing.T) {
	ctx := context.Background()
	b := graph.NewBuilder(graph.Options{})
	strs := func(s ...string) graph.Strings {
		out := graph.Strings{Offsets: []int64{0}}
		for _, x := range s {
			out.Data = append(out.Data, x...)
			out.Offsets = append(out.Offsets, int64(len(out.Data)))
		}
		return out
	}
	if err := b.AddStrings(strs("a", "b", "b,\xff"), strs("b", "b,\xff", `c"`), nil); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(0))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	vertex := func(id string) uint32 {
		v, err := g.ParseVertex(id)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	sum, err := g.Checksum(ctx)
	if err != nil {
		t.Fatal(err)
	}
	one := []uint32{vertex("a")}
	two := []uint32{vertex("b,\xff"), vertex("a")}
	search := func(r *bfs.Result, err error) *bfs.Result {
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct {
		r                                   *bfs.Result
		algorithm, source, sources, options string
	}{
		{search(bfs.RunMultiSource(ctx, p, one, bfs.Options{})), "bfs", "a", `["a"]`, `{}`},
		{search(bfs.RunMultiSource(ctx, p, two, bfs.Options{Outputs: bfs.Parents, DepthLimit: 3})), "bfs", "", "[\"b,\ufffd\",\"a\"]", `{"depthLimit":3,"noDepths":true,"parents":true}`},
		{search(bfs.RunMultiSource(ctx, p, one, bfs.Options{Tuning: bfs.Tuning{Strategy: "read"}, Targets: []uint32{vertex(`c"`)}})), "bfs", "a", `["a"]`, `{"strategy":"read","targets":["c\""]}`},
		{search(dobfs.RunMultiSource(ctx, p, one, dobfs.Options{Tuning: bfs.Tuning{Alpha: 3, Beta: 18}})), "dobfs", "a", `["a"]`, `{"alpha":3}`},
	} {
		m, err := c.r.Metadata(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"foray.algorithm": c.algorithm, "foray.source": c.source, "foray.sources": c.sources, "foray.options": c.options,
			"foray.device": "host", "foray.sources.count": fmt.Sprint(len(c.r.Sources)), "foray.reached": fmt.Sprint(c.r.Reached),
			"foray.levels": fmt.Sprint(c.r.Levels), "foray.graph.vertices": "4", "foray.graph.edges": "3",
			"foray.graph.directed": "false", "foray.graph.checksum": fmt.Sprintf("%x", sum),
		} {
			if m[key] != want {
				t.Errorf("%s is %q, want %q", key, m[key], want)
			}
		}
		if m["foray.version"] == "" || !json.Valid([]byte(m["foray.options"])) {
			t.Errorf("%v", m)
		}
		for k, v := range m {
			if !utf8.ValidString(v) {
				t.Errorf("%s is %q, which isn't UTF-8", k, v)
			}
		}
		c.r.Close()
		if _, err := c.r.Metadata(ctx); !errors.Is(err, device.ErrClosed) {
			t.Errorf("of a freed result: %v", err)
		}
	}
}

// TestMetadataOfNone: a result that no search made has no metadata.
func TestMetadataOfNone(t *testing.T) {
	for _, r := range []*bfs.Result{nil, {}} {
		if m, err := r.Metadata(context.Background()); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("nil %t: %v %v, want ErrInvalid", r == nil, m, err)
		}
	}
}
