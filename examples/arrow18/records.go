//go:build cdata && cgo

package arrow18

import (
	"bytes"
	"context"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// records returns a result as records of v15.
func records(ctx context.Context, g *graph.Graph, r *bfs.Result) (array.RecordReader, error) {
	var stream bytes.Buffer
	if err := arrow.WriteResult(ctx, "-", g, r, arrow.WriteOptions{Format: "arrows", Stdout: &stream}); err != nil {
		return nil, err
	}
	return ipc.NewReader(&stream)
}
