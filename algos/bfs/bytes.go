// This file works out how much of a device's memory a search takes.

package bfs

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/layout/shortrows"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// arrayBytes is what the arrays of a result of n vertices take.
func arrayBytes(n uint64, so workspaceOptions) (arrays uint64) {
	for _, has := range []bool{so.Depths, so.Parents} {
		if has {
			arrays += 4 * n
		}
	}
	if so.ByID {
		arrays *= 2
	}
	return arrays
}

// RemoteBytes returns the GPU memory of searches with these options, for a graph that need not be
// placed, nor a GPU be there.
//
// search is what one search takes at most, its workspace and its result together: what Searcher.Bytes
// says there, or more where the choice for the graph isn't known before a first search. shared is
// the memory that searches in one kernel keep with the graph, in addition to the graph itself: 16 bytes a
// vertex on meshes and roads, and a bit a vertex on other undirected graphs (and as much on the host).
// A graph whose searches later prove to be long also takes 16 bytes a vertex.
//
// What has to be free there for k searches at once is the sum of
//
//   - graph.Graph.RemoteBytes, for the graph;
//   - shared, once;
//   - the order of ids, once, with ByID where vertices aren't in that order: 4 bytes
//     a vertex, 8 with Parents;
//   - k times search;
//   - for each Searcher.Batch a second set of the result's arrays, as it says there,
//     without which it is slower.
func (o Options) RemoteBytes(g *graph.Graph) (search, shared uint64) {
	shared = sharedBytes(g)
	if o.Variant != nil {
		return o.Variant.remoteBytes(g, o), shared
	}
	o.learns = o.mayFuse()
	return remoteBytesOf(g, o.workspace(), o), shared
}

// sharedBytes returns the bytes of the arrays that searches in one kernel keep with a graph.
func sharedBytes(g *graph.Graph) uint64 {
	n := uint64(g.NumVertices())
	switch {
	case growth(g) <= tuning.DeepGrowth:
		return shortrows.Bytes(int(n))
	case g.Directed():
		return 0
	}
	return planeBytes(n)
}

// planeBytes is what a bitmap of a search as one kernel takes.
func planeBytes(n uint64) uint64 { return (n + 1023) / 1024 * 128 }

// remoteBytes is Options.RemoteBytes for the algorithm.
func (a *algorithm) remoteBytes(g *graph.Graph) uint64 {
	return remoteBytesOf(g, a.space, a.options)
}

func remoteBytesOf(g *graph.Graph, so workspaceOptions, o Options) uint64 {
	return remoteBytes(g, placed.Wide(g.NumDirectedEdges()), so, o, !so.Pulls && o.edgeFrontiers(func() uint64 { return g.DegreeHistogram().Max }))
}

func offsetBytes(wide bool) uint64 {
	if wide {
		return 8
	}
	return 4
}

// queueBytes is what a frontier's queue takes: vertices, and the edge prefix.
func queueBytes(n uint64, wide bool) uint64 { return (4 + offsetBytes(wide)) * n }

// remoteBytes is what a search takes at most on a GPU. edgeFrontiers says that the search goes from
// edge frontier to edge frontier.
func remoteBytes(g *graph.Graph, wide bool, so workspaceOptions, o Options, edgeFrontiers bool) uint64 {
	n, width := uint64(g.NumVertices()), offsetBytes(wide)
	queue := queueBytes(n, wide)
	bytes := arrayBytes(n, so) + 2*queue + 4*run.BitmapBytes(n) + ringBytes
	if so.Fused || so.Learns {
		bytes += (fusedPlanes + 2) * planeBytes(n)
		if so.ByID && so.Depths {
			bytes += codesBytes(n)
		}
		if so.Stats {
			bytes += notesRoom(int(n)) * gpu.LevelNoteBytes
		}
	}
	if so.Fused {
		return bytes
	}
	edges := g.NumDirectedEdges()
	if o.Tuning.Balance != advance.AutoBalance {
		bytes += 3*queue + 4*edges // rows put aside; sources of edges
	}
	if o.Tuning.Culls != 0 && o.Tuning.Culls&filter.Exactly == 0 {
		bytes += 2*(4+width)*edges + edges // vertices that enter a frontier by every edge
	}
	if edgeFrontiers { // which hold no more than the graph's edges
		ends := uint64(1)
		if so.Parents {
			ends = 2
		}
		bytes += 2 * ends * 4 * (edges + n)
	}
	return bytes
}

// edgeFrontiers reports whether a search on a GPU goes from edge frontier to
// edge frontier, over a graph whose largest degree maxDegree tells.
func (o Options) edgeFrontiers(maxDegree func() uint64) bool {
	switch o.Tuning.Coupling {
	case couplingContractExpand, couplingTwoPhase, couplingHybrid:
		return true
	case couplingAuto:
		return o.Tuning.Balance == advance.AutoBalance && maxDegree() <= lowDegree
	}
	return false
}
