// This file holds the limits of names of types.

package logical

// maxParts bounds the parts of a tuple, and maxName the length of a name: both come from
// files.
const (
	maxParts = 64
	maxName  = 4096
)

// MaxKinds is how many kinds vertices have at most: one is a byte of a key.
const MaxKinds = 256
