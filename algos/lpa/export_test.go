package lpa

import (
	"context"

	"github.com/foray-graph/foray/graph"
)

// RunByTables is Run as a GPU does it, on any device.
func RunByTables(ctx context.Context, p *graph.Placed, o Options) (*Result, error) {
	return run(ctx, p, o, func(*graph.Placed) labeler { return byTables{} })
}
