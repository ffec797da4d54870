// This file holds what is noted of the bytes that are read: how many they are, and a hash of
// files' metadata.

package arrow

import (
	"io"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// counter counts the bytes that are read.
type counter struct {
	io.ReaderAt
	bytes atomic.Int64
	sum   *atomic.Uint64 // if it isn't nil, of hashes of what is read, in any order
}

func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes.Add(int64(n))
	if c.sum != nil && n > 0 {
		c.sum.Add(xxhash.Sum64(p[:n]) ^ spread(uint64(at)))
	}
	return n, err
}

// spread makes numbers that are near to each other differ in all bits.
func spread(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	return x ^ x>>32
}
