// Package metrics defines what the library reports to a monitoring system. Options.Metrics of algorithms,
// pools and loads takes a Recorder. The module metrics/prometheus has one for Prometheus; an adapter to another
// system is a type with these three methods.
//
// A nil Recorder costs nothing. The library calls a Recorder from any goroutine, also several at once; the
// events of one pool come one at a time, in their order. Methods should return soon, since the caller of a search waits
// for them, and must not call the pool. They get the context of the call, with its values; it may be done.
//
// The guide is [docs/embed.md].
//
// [docs/embed.md]: https://github.com/foray-graph/foray/blob/main/docs/embed.md
package metrics

import (
	"context"
	"time"
)

// Recorder receives events.
type Recorder interface {
	// Search is called when a search or traversal has ended.
	Search(context.Context, Search)
	// Load is called when a phase of loading a graph has ended.
	Load(context.Context, Load)
	// Pool is called when the state of a pool has changed.
	Pool(context.Context, Pool)
}

// Search is a search or traversal that has ended.
type Search struct {
	Algorithm string // "bfs", "pagerank"; "algorithm" for a traversal without a name
	Device    string // "host", "cuda:0"; empty if it failed before it had a device
	Engine    string // that of traverse, "level by level"; empty for bfs and dobfs
	Reached   int    // vertices that bfs or dobfs reached; 0 otherwise
	Levels    int    // levels of bfs and dobfs, rounds of a traversal
	Limited   bool   // a limit or its targets ended it
	Took      time.Duration
	Err       error // nil if it succeeded
}

// Load is a phase of loading a graph that has ended.
type Load struct {
	Phase string // "read": files were read; "build": the graph was built
	Rows  int64  // rows that were read; edges of the graph that was built, in both directions
	Bytes int64  // that were read from files and stores; 0 for "build"
	Took  time.Duration
	Err   error // nil if it succeeded
}

// Pool is the state of a pool after a change.
type Pool struct {
	Name    string        // the algorithm of its searches: "bfs"
	Device  string        // "host", "cuda:0"
	Waiting int           // calls that wait for memory
	Running int           // calls that have a searcher
	Began   bool          // a call got a searcher
	Waited  time.Duration // how long that call waited for it
	Err     error         // why a call got no searcher: the context's error, or device.ErrClosed
	Used    uint64        // bytes of the budget that are held, idle searchers included
	Total   uint64        // bytes of the budget
}
