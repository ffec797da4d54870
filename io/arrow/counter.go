// This file holds what is noted of the bytes that are read: how many they are, and a hash of
// files' metadata.

package arrow

import (
	"io"
	"path/filepath"
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

// sample reads some of an Arrow file, for the hash: its metadata has no statistics, and buffers
// that aren't compressed have the same length whatever is in them.
func (t *table) sample(r *counter) error {
	var buf [sampleBytes]byte
	for i := range int64(samples) {
		at := t.size / (samples + 1) * (i + 1)
		if _, err := r.ReadAt(buf[:min(sampleBytes, t.size-at)], at); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// metadataSum hashes what was read of files when they were opened, in their order.
func metadataSum(tables []*table) (sum uint64) {
	for _, t := range tables {
		sum = spread(sum) + t.sum.Load() + xxhash.Sum64String(filepath.Base(t.path)) + spread(uint64(t.size))
	}
	return sum
}
