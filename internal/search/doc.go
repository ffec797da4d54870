// Package search is the shared part of the breadth-first searches of algos/bfs and algos/dobfs, on
// top of the runtime of all traversals (internal/engine/run). A Space is the memory of a search,
// as a Host or a GPU, with the steps of each. A Loop counts levels. An Algorithm runs a loop over
// them, once or as a Searcher, and returns a Result. The loops are in bfs and dobfs.
//
// The kernels' sources are in algos/bfs and algos/dobfs; the images of the former
// are embedded here, beside the code that launches them.
package search
