// This file holds the pass over a prepared graph's arrays: their checksums, and
// while they are in the cache, that no value leads outside of the graph.

package prepared

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/zeebo/xxh3"
)

// storedPass is one pass over arrays.
type storedPass struct {
	arrays   []*storedArray
	workers  int    // 0 means GOMAXPROCS
	phase    string // for progress
	progress func(graph.Progress)
	hashed   bool // the checksums are known: only values are looked at
}

// firstBlocks returns the number of each array's first block, and of all blocks.
func firstBlocks(arrays []*storedArray) []int {
	first := make([]int, len(arrays)+1)
	for i, a := range arrays {
		first[i+1] = first[i] + (len(a.data)+checkBlock-1)/checkBlock
	}
	return first
}

// run goes over all arrays, each cut into blocks, and returns their checksums.
// The error is the first in the order of the arrays, or ctx's.
func (p *storedPass) run(ctx context.Context) ([]uint64, error) {
	first := firstBlocks(p.arrays)
	total := uint64(0)
	for _, a := range p.arrays {
		total += uint64(len(a.data))
	}
	blocks := first[len(p.arrays)]
	sums := make([]byte, 8*blocks)
	errs := make([]error, len(p.arrays))
	var (
		next atomic.Int64
		done uint64
		mu   sync.Mutex
		wg   panics.Group
	)
	workers := p.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	work := func() {
		array := 0
		for ctx.Err() == nil {
			block := int(next.Add(1)) - 1
			if block >= blocks {
				return
			}
			for block >= first[array+1] {
				array++
			}
			a := p.arrays[array]
			lo := (block - first[array]) * checkBlock
			hi := min(lo+checkBlock, len(a.data))
			sum, err := a.block(lo, hi, p.hashed)
			binary.LittleEndian.PutUint64(sums[8*block:], sum)
			if err == nil && p.progress == nil {
				continue
			}
			func() {
				mu.Lock()
				defer mu.Unlock()
				if err != nil && errs[array] == nil {
					errs[array] = err
				}
				if done += uint64(hi - lo); p.progress != nil {
					p.progress(graph.Progress{Phase: p.phase, Done: done, Total: total})
				}
			}()
		}
	}
	for range max(1, min(workers, blocks)) {
		wg.Go(work)
	}
	if err := wg.Err(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := make([]uint64, len(p.arrays))
	for i := range p.arrays {
		all[i] = xxh3.Hash(sums[8*first[i] : 8*first[i+1]])
	}
	for i, err := range errs {
		if err != nil {
			return all, columnar.PlaceAt(-1, p.arrays[i].name, err)
		}
	}
	return all, nil
}

// block returns the checksum of bytes lo to hi, if they weren't hashed before,
// and what is wrong with the values. Memory that can't be read, as a mapped file that was cut since is,
// is an error.
func (a *storedArray) block(lo, hi int, hashed bool) (sum uint64, err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			err = columnar.Corrupt("bytes %d to %d can't be read: %v; the file was cut while it was open, or its disk is failing", lo, hi, p)
		}
	}()
	if !hashed {
		sum = xxh3.Hash(a.data[lo:hi])
	}
	if a.check != nil {
		err = a.check(lo, hi)
	}
	return sum, err
}

// checkSum compares an array's checksum with what it was.
func (a *storedArray) checkSum(sum uint64) error {
	if sum == a.sum {
		return nil
	}
	return columnar.PlaceAt(-1, a.name, columnar.Corrupt("its checksum is %s, but when it was written it was %s; restore the file, or prepare the graph again", sumText(sum), sumText(a.sum)))
}

// setChecks gives the arrays the checks of their values: a search indexes
// arrays with them, on a GPU without looking.
func (s *storedGraph) setChecks() {
	n := s.vertices
	for _, c := range s.columns {
		switch c.kind {
		case storedRows, storedWeights, storedEdgeIDs, storedWeightsEdgeIDs,
			storedFloatWeights, storedIntWeights, storedFloatWeightsEdgeIDs, storedIntWeightsEdgeIDs:
			offsets := c.array("offsets")
			offsets.check = ascend(arrayOf[uint64](offsets.data), s.entries)
			below(c.array("targets"), n)
		case storedStrings, storedBinary:
			offsets := c.array("offsets")
			offsets.check = ascend(arrayOf[uint64](offsets.data), uint64(len(c.array("data").data)))
		case storedUint32, storedEll4:
			below(c.array("values"), n)
		}
	}
	for i := range s.edges {
		s.setEdgeChecks(&s.edges[i])
	}
	for i := range s.values {
		s.setCodeChecks(&s.values[i], s.column(columnValue+s.values[i].Name))
	}
	if s.order == graph.OrderDegree {
		s.checkDegrees()
	}
	out, in := s.column(columnOut), s.column(columnIn)
	if in == nil {
		in = out
	}
	if c := s.column(columnNoIn); c != nil {
		c.array("values").bits(in, 0, true)
	}
	if c := s.column(columnLong); c != nil {
		c.array("values").bits(out, 4, false)
	}
}

// ascend checks offsets: from any number to at most limit, never descending.
func ascend(offsets []uint64, limit uint64) func(lo, hi int) error {
	return func(lo, hi int) error {
		lo, hi = lo/8, hi/8
		last := offsets[max(lo-1, 0)]
		for i, x := range offsets[lo:hi] {
			if x < last || x > limit {
				return fmt.Errorf("%w: offset %d is %d, after %d and with %d values", graph.ErrMalformed, lo+i, x, last, limit)
			}
			last = x
		}
		return nil
	}
}

// below sets the check that all values are less than n.
func below(a *storedArray, n uint64) {
	values := arrayOf[uint32](a.data)
	a.check = func(lo, hi int) error {
		part := values[lo/4 : hi/4]
		if allBelow(part, n) {
			return nil
		}
		for i, v := range part {
			if uint64(v) >= n {
				return fmt.Errorf("%w: value %d is vertex %d of %d", graph.ErrMalformed, lo/4+i, v, n)
			}
		}
		return nil
	}
}

// allBelow reports whether all values are less than n, two at a time: a value
// of 31 bits is n or more if adding 2^31-n gives it 32 bits. values must begin
// at a multiple of 8 bytes, as blocks do. A no may be wrong where n is 0 or over
// 2^31.
func allBelow(values []uint32, n uint64) bool {
	if n == 0 || n > 1<<31 {
		return len(values) == 0
	}
	add := 1<<31 - n
	add |= add << 32
	const top = 1<<63 | 1<<31
	pairs := arrayOf[uint64](bytesOf(values[:len(values)&^1]))
	var a, b, c, d uint64
	for ; len(pairs) >= 16; pairs = pairs[16:] {
		p := (*[16]uint64)(pairs)
		a |= p[0] | (p[0] + add) | p[4] | (p[4] + add) | p[8] | (p[8] + add) | p[12] | (p[12] + add)
		b |= p[1] | (p[1] + add) | p[5] | (p[5] + add) | p[9] | (p[9] + add) | p[13] | (p[13] + add)
		c |= p[2] | (p[2] + add) | p[6] | (p[6] + add) | p[10] | (p[10] + add) | p[14] | (p[14] + add)
		d |= p[3] | (p[3] + add) | p[7] | (p[7] + add) | p[11] | (p[11] + add) | p[15] | (p[15] + add)
	}
	for _, p := range pairs {
		a |= p | (p + add)
	}
	if len(values)%2 == 1 {
		last := uint64(values[len(values)-1])
		a |= last | (last + 1<<31 - n)
	}
	return (a|b|c|d)&top == 0
}

// checkDegrees adds, to the check of the offsets, that degrees descend, as New
// sees to. They are unknown for a directed graph without its reverse.
func (s *storedGraph) checkDegrees() {
	in := s.column(columnIn)
	if s.directed && in == nil {
		return
	}
	a := s.column(columnOut).array("offsets")
	out, rev := arrayOf[uint64](a.data), []uint64(nil)
	if in != nil {
		rev = arrayOf[uint64](in.array("offsets").data)
	}
	degree := func(v int) uint64 {
		d := out[v+1] - out[v]
		if rev != nil {
			d += rev[v+1] - rev[v]
		}
		return d
	}
	offsets := a.check
	a.check = func(lo, hi int) error {
		if err := offsets(lo, hi); err != nil {
			return err
		}
		first, end := max(lo/8-1, 0), min(hi/8, len(out)-1) // vertices, with the last of the block before
		if first >= end {
			return nil
		}
		last := degree(first)
		for v := first + 1; v < end; v++ {
			d := degree(v)
			if d > last {
				return fmt.Errorf("%w: the order is by degree, but vertex %d has degree %d and the one before %d", graph.ErrMalformed, v, d, last)
			}
			last = d
		}
		return nil
	}
}

// bits sets the check that each bit is set if its vertex has more than so many
// edges or, with not, that it hasn't, as do the bits past the last vertex.
// Searches look no further: they expect an edge where no_in has no bit, and a
// fifth one where long has one.
func (a *storedArray) bits(rows *storedColumn, edges uint64, not bool) {
	offsets := arrayOf[uint64](rows.array("offsets").data)
	words := arrayOf[uint64](a.data)
	a.check = func(lo, hi int) error {
		for w := lo / 8; w < hi/8; w++ {
			want, last := uint64(0), offsets[w*64]
			for i, next := range offsets[w*64+1 : min(w*64+65, len(offsets))] {
				if next-last > edges {
					want |= 1 << i
				}
				last = next
			}
			if not {
				want = ^want
			}
			if words[w] != want {
				return fmt.Errorf("%w: word %d is %#x, want %#x", graph.ErrMalformed, w, words[w], want)
			}
		}
		return nil
	}
}

// checkEnds checks what takes no pass: where offsets begin and end, and that no
// bit stands for a vertex past the last.
func (s *storedGraph) checkEnds() error {
	for _, c := range s.columns {
		var limit uint64
		switch c.kind {
		case storedRows, storedWeights, storedEdgeIDs, storedWeightsEdgeIDs,
			storedFloatWeights, storedIntWeights, storedFloatWeightsEdgeIDs, storedIntWeightsEdgeIDs:
			limit = s.entries
		case storedStrings, storedBinary:
			limit = uint64(len(c.array("data").data))
		case storedDictionary:
			a := c.array("string_offsets")
			starts, size := arrayOf[uint64](a.data), uint64(len(c.array("data").data))
			if first, last := starts[0], starts[len(starts)-1]; first > last || last > size {
				return columnar.PlaceAt(-1, a.name, fmt.Errorf("%w: offsets from %d to %d for %d bytes", graph.ErrMalformed, first, last, size))
			}
			continue
		default:
			continue
		}
		a := c.array("offsets")
		offsets := arrayOf[uint64](a.data)
		first, last := offsets[0], offsets[len(offsets)-1]
		if c.name != columnID && (first != 0 || last != limit) || first > last || last > limit {
			return columnar.PlaceAt(-1, a.name, fmt.Errorf("%w: offsets from %d to %d for %d values", graph.ErrMalformed, first, last, limit))
		}
	}
	if c := s.column(columnNoIn); c != nil && s.vertices%64 != 0 {
		a := c.array("values")
		words := arrayOf[uint64](a.data)
		if past := ^uint64(0) << (s.vertices % 64); words[len(words)-1]&past != past {
			return columnar.PlaceAt(-1, a.name, fmt.Errorf("%w: the last word is %#x, with %d vertices", graph.ErrMalformed, words[len(words)-1], s.vertices))
		}
	}
	return nil
}
