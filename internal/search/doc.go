// Package search is what breadth-first searches are made of, over the runtime of all
// traversals (internal/engine/run): Space, the memory of a search, as a Host or a GPU, with the
// steps of each; Loop, which counts its levels; Algorithm, which runs a loop over them,
// once or as a Searcher; Result. The loops are in bfs and dobfs.
//
// The kernels' sources are in algos/bfs and algos/dobfs; the images of the former
// are embedded here, beside the code that launches them.
package search
