// This file holds tuning numbers.

package bind

// apart is how many words keep those of two workers off each other's cache lines: two lines of
// 64 bytes, since processors fetch lines in pairs.
const apart = 16
