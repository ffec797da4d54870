// This file holds the limits of names of types.

package logical

// maxParts bounds the parts of a tuple, and maxName a name: they come from
// files.
const (
	maxParts = 64
	maxName  = 4096
)
