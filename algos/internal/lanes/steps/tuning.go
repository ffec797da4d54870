// This file holds the numbers that pulls of many lanes are tuned by.

package steps

const (
	// looks is how many edges of a row are looked at by a group of lanes; what is longer goes into
	// pieces of so many, each of which a warp looks at.
	looks = 256
	piece = 1024
)
