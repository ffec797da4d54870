// This file brings prepared graphs from stores into memory: parts side by side,
// straight to where they stay, and their checksums made as they come.

package prepared

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/zeebo/xxh3"
)

// checkBlock is how many bytes are hashed at a time, and then looked at: small
// enough to be in the L2 cache still, also where threads share it. It is part of
// the format: an array's checksum is the XXH3 (64 bits) of those of its blocks,
// little-endian one after the other.
const checkBlock = 64 << 10

// readChunk is how much of a file is read at a time, between two looks at the
// context: with the pages that it touches first, a millisecond.
const readChunk = 1 << 20

// openStoredObject is OpenGraph for an object.
func openStoredObject(ctx context.Context, path string, o OpenGraphOptions) (*graph.Graph, error) {
	client := o.S3.Client()
	defer client.Close()
	var g *graph.Graph
	err := columnar.Guard(func() error {
		found, err := client.Stat(ctx, path)
		if err != nil {
			return err
		}
		r, err := client.Open(ctx, found)
		if err != nil {
			return err
		}
		if g, err = openStoredBy(ctx, r, o); err == nil && o.Stats != nil {
			*o.Stats = OpenStats{Files: 1, Bytes: r.Size(), BytesRead: client.Stats().Fetched}
		}
		return err
	})
	var of *s3.Error
	switch {
	case err == nil:
		return g, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, input.StoppedAt(ctx, path, err)
	case errors.As(err, &of): // it names the object
		return nil, fmt.Errorf("arrow: %w", err)
	}
	return nil, input.InFile(path, "", err)
}

func openStoredBy(ctx context.Context, r s3.Reader, o OpenGraphOptions) (*graph.Graph, error) {
	if err := storedFits(r.Size()); err != nil {
		return nil, err
	}
	ends, err := input.NewEnds(ctx, r, input.NearBytes)
	if err != nil {
		return nil, err
	}
	s, at, err := readStored(ends, r.Size())
	if err != nil {
		return nil, err
	}
	if err := graph.CheckMemory(uint64(s.length), o.MemoryLimit); err != nil {
		return nil, err
	}
	body := alignedBytes(int(s.length))
	a := newStoredArrival(s, body, o)
	if err := r.Fill(ctx, body, at, a.arrive); err != nil {
		return nil, err
	}
	g, err := s.finish(ctx, o, nil)
	if err == nil {
		s.tellTables(&o)
	}
	return g, err
}

// alignedBytes returns n bytes of the heap that begin at a cache line, as arrays do in files, in huge pages where they
// are many. The caller writes all of them: they aren't cleared.
func alignedBytes(n int) []byte {
	words := pages.Uncleared[uint64](n/8 + 1 + storedAlign/8)
	hugepage.Expect(words)
	b := bytesOf(words)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (storedAlign - 1)
	return b[skip : skip+n : skip+n]
}

// storedArrival makes the checksums of arrays of which parts arrive in any order.
type storedArrival struct {
	arrays []*storedArray
	first  []int          // the number of an array's first block, and of all blocks
	sums   []byte         // of the blocks
	left   []atomic.Int64 // bytes of a block that are to come
	blocks []atomic.Int64 // blocks of an array that aren't hashed
	trust  bool

	mu          sync.Mutex
	done, total uint64
	progress    func(graph.Progress)
}

// newStoredArrival gives the graph's arrays their places in a body that is to
// come.
func newStoredArrival(s *storedGraph, body []byte, o OpenGraphOptions) *storedArrival {
	s.place(body)
	f := &storedArrival{arrays: s.arrays(), trust: o.Trust, total: uint64(len(body)), progress: o.Progress}
	if f.trust {
		return f
	}
	f.first = firstBlocks(f.arrays)
	n := f.first[len(f.arrays)]
	f.sums, f.left, f.blocks = make([]byte, 8*n), make([]atomic.Int64, n), make([]atomic.Int64, len(f.arrays))
	for i, a := range f.arrays {
		f.blocks[i].Store(int64(f.first[i+1] - f.first[i]))
		for b := f.first[i]; b < f.first[i+1]; b++ {
			f.left[b].Store(min(checkBlock, a.size-int64(b-f.first[i])*checkBlock))
		}
	}
	return f
}

// arrive is told that bytes lo to hi of the body are there, each once. It hashes
// the blocks that are whole now, and returns what is wrong with arrays that are.
func (f *storedArrival) arrive(lo, hi int) error {
	for i, a := range f.arrays {
		from, to := max(int64(lo)-a.at, 0), min(int64(hi)-a.at, a.size)
		if f.trust || from >= to {
			continue
		}
		for at := from / checkBlock * checkBlock; at < to; at += checkBlock {
			end := min(at+checkBlock, a.size)
			b := f.first[i] + int(at/checkBlock)
			if f.left[b].Add(-(min(end, to) - max(at, from))) > 0 {
				continue
			}
			binary.LittleEndian.PutUint64(f.sums[8*b:], xxh3.Hash(a.data[at:end]))
			if f.blocks[i].Add(-1) > 0 {
				continue
			}
			if err := a.checkSum(xxh3.Hash(f.sums[8*f.first[i] : 8*f.first[i+1]])); err != nil {
				return err
			}
		}
	}
	if f.progress != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.done += uint64(hi - lo)
		f.progress(graph.Progress{Phase: "fetch", Done: f.done, Total: f.total})
	}
	return nil
}

// storedFits refuses a file that can't be opened on this machine.
func storedFits(size int64) error {
	if size > math.MaxInt-2*storedAlign {
		return columnar.Unsupported("a file of %d bytes, on a machine of 32 bits", size)
	}
	return checkLittleEndian()
}
