// This file holds the numbers that the search is tuned by.

package bc

const (
	// plainBits bounds the bits of path counts without powers, with room for the sum that a step adds to
	// them before it is looked at: a float64 holds 1,023.
	plainBits = 900
	// plainLimit bounds path counts without powers where rows are short: shares, which are about 1
	// divided by a count, keep all their bits too.
	plainLimit = 0x1p500
	// wideBits is how many bits the largest count has from which on counts have powers. With
	// fewer it takes many more levels until they are looked at again.
	wideBits = 450
	// exactBits is how many bits a float64 has for whole numbers.
	exactBits = 53
	// A level is found by its own in-edges instead of the edges out of the one above where these
	// are more than pullShare times those of all vertices that weren't found, and the vertices.
	pullShare = 1
	// A level with more than floodShare times as many edges into it as there are vertices is listed
	// by a look at all marks; on a GPU with more than 1/floodPart of them. There the look takes 28 µs
	// of urand22, and to push a million edges to the 900,000 vertices that they find 143 µs.
	floodShare = 1
	floodPart  = 8
	// On the way back, a level whose vertices are more than leafShare times as many as there are edges
	// out of the one below is gone through from there: urand22 ends with some 3,000 vertices below 3
	// million, whose 102 million edges nearly all lead to nothing.
	leafShare = 4
	// Narrow searches are tried while the edges of those that were given up are no more than
	// 1/narrowShare of those that ended, and narrowTries.
	narrowShare = 4
	narrowTries = 1 << 20
	// narrowLook is after how many levels a narrow search looks whether it is canceled.
	narrowLook = 1 << 8
	// narrowCount bounds path counts in a level's unit, and narrowRescale is the largest one at least in a
	// level that gets another unit.
	narrowCount   = 0x1p500
	narrowRescale = 0x1p250
	// treeBytes is what a search of runTrees takes for each vertex, without the heap.
	treeBytes = 40
	// A batch of such searches has up to batchTrees for each worker, as long as they have no more than batchVertices in all:
	// 10 MB.
	batchTrees    = 4
	batchVertices = 1 << 18
	// A search that reached less than 1/sparseTree of all vertices is gone through by those alone.
	sparseTree = 2
	// lookVertices is after how many vertices such a search looks whether it is canceled.
	lookVertices = 1 << 10
)
