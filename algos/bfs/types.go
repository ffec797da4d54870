// This file names the types of a search, which are those of internal/search.

package bfs

import "github.com/foray-graph/foray/internal/search"

// Options configure a search. The zero value computes the depths of all reachable vertices.
//
// Parents asks for parents, NoDepths for no depths, ByID for arrays in the order of external ids.
// DepthLimit and Targets end a search early. Stats, DeviceTime, Progress and Logger report its progress.
// Tuning chooses between implementations. Check validates options before a graph is loaded; RemoteBytes
// returns the GPU memory of a search.
type Options = search.Options

// Tuning chooses between ways to search that find the same, for measuring and for tests:
// Strategy (on the host), Coupling, Balance, Culls and CountCulls (on a GPU), Alpha and
// Beta (of dobfs). The zero value is the fastest known for the graph and the device.
type Tuning = search.Tuning

// Result is the result of a search, in the memory of the device that it ran on. The caller owns it and may
// free it; until then it is safe for concurrent reading. A Searcher owns the result of its searches, which is
// valid until the next one. Vertices are internal numbers: Graph.IDs has their external ids.
//
// Depths and Parents are arrays by vertex, DepthsByID and ParentsByID by external id; they are the result's own
// memory, not copies. Visited goes over the
// vertices reached and their depths; Few reports whether that takes time proportional to their number,
// which is so after a small search of a Searcher or Pool on the host. Sources, Reached, Levels, Edges,
// Elapsed, DeviceTime, Stats, Limited, Algorithm, Device and Tuning describe the search, and Metadata
// returns all of that by name. Err returns an error that occurred afterwards. Free makes the memory
// available to the next search.
type Result = search.Result

// Searcher searches a placed graph repeatedly in the same memory: Search from one vertex, SearchMany from
// several, Run for a Query, Batch for one search after the other. Every search returns the same *Result, which
// is valid until the next search: an earlier result is the last one, and freeing it frees that. One goroutine may
// use a Searcher at a time; concurrent use is an error. Close frees the memory.
type Searcher = search.Searcher

// Pool serves searches of one placed graph to any number of goroutines: Search, Run
// and Do wait for their turn. As many run at once as a budget of memory has room for.
// Close waits for them.
type Pool = search.Pool

// Query is one search of a Searcher or a Pool: its Sources, and its own Targets and
// DepthLimit.
type Query = search.Query

// Level describes one level, or several levels that Result.Stats sums up: Depth, Levels, Frontier, Edges,
// Direction, Form, Seconds.
type Level = search.Level

// Direction is the direction of a level: Push or Pull.
type Direction = search.Direction

// The directions.
const (
	Push = search.Push // along out-edges of the frontier
	Pull = search.Pull // along in-edges of what wasn't reached
)

// Strategy is how the host finds the vertices of a level.
type Strategy = search.Strategy

// The strategies. See bench/RESULTS.md for what each costs.
const (
	// Auto is the fastest known for the graph: QueueBased at present on every
	// class of graphs that was measured.
	Auto = search.Auto
	// QueueBased keeps the frontier in a queue: a visited bitmap, tested before
	// the atomic operation, local queues that reserve chunks of the shared one
	// (Agarwal et al., SC 2010).
	QueueBased = search.QueueBased
	// ReadBased keeps no queue: every level reads the level array in order
	// (Hong et al., PACT 2011). It needs depths.
	ReadBased = search.ReadBased
	// Hybrid is QueueBased while the frontier is small and ReadBased while it is
	// a large part of all vertices (Hong et al., PACT 2011).
	Hybrid = search.Hybrid
)
