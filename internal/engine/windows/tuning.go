// This file holds the numbers of the kernels (operators/advance/window.cuh).

package windows

// What the kernels have.
const (
	LightRow  = 128        // the longest row that isn't put aside in parts
	LightPart = 128        // edges of a part
	PartBytes = 16         // a LightPart
	Untouched = 0x7fffffff // note of a vertex that wasn't pushed
	// NothingLeft is the least key beyond the window where there is none.
	NothingLeft = 0x7f800000
)
