// This file holds the one place where an algorithm's way is chosen by the devices of its graph.

package run

import "github.com/foray-graph/foray/graph"

// Ways are an algorithm's ways to do one thing: on the host, on one GPU, and over the shards of
// several GPUs. A way may be a function, or a number that differs.
type Ways[T any] struct{ Host, GPU, Shards T }

// Choose returns the way for the devices on which a graph is placed. For a placed graph that is
// nil or was closed it returns the way of the host.
func Choose[T any](p *graph.Placed, w Ways[T]) T {
	switch {
	case p.Err() != nil:
		return w.Host
	case ShardsOf(p) != nil:
		return w.Shards
	case p.Remote() != nil:
		return w.GPU
	}
	return w.Host
}
