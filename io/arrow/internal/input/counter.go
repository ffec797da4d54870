// This file holds what is noted of the bytes that are read: how many they are, and a hash of
// files' metadata.

package input

import (
	"io"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// Counter counts the bytes that are read.
type Counter struct {
	io.ReaderAt
	Bytes atomic.Int64
	Sum   *atomic.Uint64 // if it isn't nil, the sum of hashes of the bytes that are read, in any order
}

func (c *Counter) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.Bytes.Add(int64(n))
	if c.Sum != nil && n > 0 {
		c.Sum.Add(xxhash.Sum64(p[:n]) ^ Spread(uint64(at)))
	}
	return n, err
}

// Spread makes numbers that are near to each other differ in all bits.
func Spread(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	return x ^ x>>32
}
