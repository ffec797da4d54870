// This file holds the numbers that the search is tuned by.

package bc

const (
	// plainBits bounds the bits of path counts without powers, with room for what a step adds to
	// them before it is looked at: a float64 holds 1,023.
	plainBits = 900
	// wideBits is how many bits the largest count has from which on counts have powers. With
	// fewer it takes many more levels until they are looked at again.
	wideBits = 450
	// exactBits is how many bits a float64 has for whole numbers.
	exactBits = 53
	// A level is found by its own in-edges instead of the edges out of the one above where these
	// are more than pullShare times those of all vertices that weren't found, and the vertices.
	pullShare = 1
)
