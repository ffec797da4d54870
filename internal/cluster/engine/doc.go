// Package engine runs breadth-first searches over processes, each of which holds a part of the
// graph.
//
// The method follows Pan, Pearce and Owens, "Scalable Breadth-First Search on
// a GPU Cluster", IPDPS 2018. Vertices of many out-neighbors are delegates,
// which every rank knows by dense numbers; each other vertex belongs to one
// rank. Edges fall into four subgraphs by their ends, normal (n) or delegate (d).
// Only edges of nn lead from one rank to another. A level consists of a separate search of each
// subgraph, a union of bitmaps of delegates and an exchange of normal
// vertices between their owners.
//
// # Parts
//
//   - Build (build.go, intake.go) reads a rank's share of the edges twice: to
//     count degrees, from which the threshold of delegates is chosen
//     (threshold.go), and to send each edge to its owners (outbox.go: one batch is
//     sent while the next one is read). Owners put entries into buckets of rows
//     that follow one another (buckets.go) and make the rows of each on one
//     goroutine (rows.go). Of a generated graph a GPU makes the part
//     instead (gpu_made.go), and keeps its rows (gpu_rows.go) until the host needs
//     them (away.go). The result is a Part.
//   - Part.Search (search.go) runs an engine: the host's
//     (host*.go), which communicates by package comm, or a GPU's (gpu_*.go,
//     search.cuh), after Part.Place has copied the part there, which communicates by NCCL.
//   - Result has depths and parents of the vertices that the rank is the home of.
//     Check validates it over all ranks, Checksum is a hash of all depths that
//     doesn't depend on the number of ranks.
//
// Everything that takes a communicator is collective: all ranks make the same
// calls.
package engine
