// Package search is breadth-first search: what packages bfs and dobfs share, which
// are its public faces. A loop over a Space, the parts of a search on the host or a
// GPU, makes an algorithm of it; a Loop counts its levels; NewSearcherOf, NewPoolOf
// and RunOf run it.
//
// The kernels' sources are in algos/bfs and algos/dobfs; the images of the former
// are embedded here, beside the code that launches them.
package search
