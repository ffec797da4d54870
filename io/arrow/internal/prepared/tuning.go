// This file holds the numbers that prepared graphs are checked and written with.

package prepared

// checkBlock is how many bytes are hashed at a time, and then looked at: small
// enough to be in the L2 cache still, also where threads share it. It is part of
// the format: an array's checksum is the XXH3 (64 bits) of those of its blocks,
// little-endian one after the other.
const checkBlock = 64 << 10

// readChunk is how much of a file is read at a time, between two looks at the
// context: with the pages that it touches first, a millisecond.
const readChunk = 1 << 20
