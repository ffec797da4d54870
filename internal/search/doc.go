// Package search is what packages bfs and dobfs share: Space, the memory and the steps of a
// search on the host or a GPU; Loop, which counts its levels; Result; and NewSearcherOf,
// NewPoolOf and RunOf, which run a loop over them. The loops are in bfs and dobfs.
//
// The kernels' sources are in algos/bfs and algos/dobfs; the images of the former
// are embedded here, beside the code that launches them.
package search
