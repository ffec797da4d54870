// This file hashes files' metadata.

package dataset

import (
	"io"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// sample reads some of an Arrow file, for the hash: its metadata has no statistics, and buffers
// that aren't compressed have the same length whatever is in them.
func (t *table) sample(r *input.Counter) error {
	var buf [sampleBytes]byte
	for i := range int64(samplePieces) {
		at := t.size / (samplePieces + 1) * (i + 1)
		if _, err := r.ReadAt(buf[:min(sampleBytes, t.size-at)], at); err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// metadataSum hashes what was read of files when they were opened, in their order.
func metadataSum(tables []*table) (sum uint64) {
	for _, t := range tables {
		sum = input.Spread(sum) + t.sum.Load() + xxhash.Sum64String(filepath.Base(t.Path)) + input.Spread(uint64(t.size))
	}
	return sum
}
