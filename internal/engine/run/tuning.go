// This file holds the bounds on what traversals keep, each with where it comes from.

package run

// Statistics keep SingleLevels levels one by one, more than any traversal of a graph with
// short paths has, and road networks of a state's size. Up to MostLevels entries are kept in
// all, 256 KB of a search: enough to draw by.
const (
	SingleLevels = 2048
	MostLevels   = 4096
)

// WorkerBytes is what the host's operators hold for each worker, whatever the graph.
const WorkerBytes = 64 << 10
