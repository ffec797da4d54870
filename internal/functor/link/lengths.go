// This file holds the lengths of a functor's slices, which a fault is told with.

package bind

import (
	"encoding/binary"
	"strings"
)

// Length is how long the slice of a field is.
type Length struct {
	Field string
	Len   int
}

// Lengths are the lengths of a functor's slices in a step.
type Lengths []Length

// of returns the length of a site's slice, or -1 if the site has no slice.
func (l Lengths) of(what string) int {
	for _, x := range l {
		if field, ok := strings.CutPrefix(what, indexOf); ok && field == x.Field {
			return x.Len
		}
	}
	return -1
}

// indexOf is the beginning of Site.What; the field's name follows.
const indexOf = "index of "

// Key tells lengths from those of the same functor in other steps.
func (l Lengths) Key() string {
	var b []byte
	for _, x := range l {
		b = binary.AppendUvarint(b, uint64(x.Len))
	}
	return string(b)
}
