// This file holds the limits of conditions.

package where

// maxBound is how many forms of a condition are kept.
const maxBound = 16

// maxNumber is the longest number, and maxExponent the largest power of ten.
const (
	maxNumber   = 400
	maxExponent = 400
)

// maxDepth bounds nested parentheses and nots.
const maxDepth = 100

// maxLength bounds a condition; lists of a hundred thousand UUIDs fit.
const maxLength = 4 << 20
