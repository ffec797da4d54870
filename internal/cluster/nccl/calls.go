//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the calls on device memory.

package nccl

import (
	"context"
	_ "embed"
	"unsafe"

	"github.com/foray-graph/foray/internal/gpu"
)

//go:generate go run ../../tools/fatbin -o unite.fatbin.zst unite.cu

//go:embed unite.fatbin.zst
var image []byte

// The words of a Comm on its device: a block of Size words each.
const (
	wordsBarrier = iota // the first word
	wordsOut            // counts of lists that go out
	wordsIn             // and of those that come in
	wordsBlocks
)

const wordBytes = 8

// block returns the size of a block in bytes, and word its address.
func (c *Comm) block() uint64 { return uint64(c.size * wordBytes) }

func (c *Comm) word(block int) uintptr { return c.words.Pointer() + uintptr(block)*uintptr(c.block()) }

// call6 is library.do without an allocation. c.frame isn't on a stack.
func (c *Comm) call6(f function, a, b, d, e, g, h uintptr) code {
	c.frame = [7]uintptr{a, b, d, e, g, h}
	return c.lib.framed(f, c.frame[:6])
}

func (c *Comm) allReduce(h, at uintptr, n int, how uintptr) (function, code) {
	c.frame = [7]uintptr{at, at, uintptr(n), typeUint64, how, h, c.stream.Handle()}
	return fnAllReduce, c.lib.framed(fnAllReduce, c.frame[:])
}

// allGather gathers bytes bytes of each rank contiguously.
func (c *Comm) allGather(h, from, to uintptr, bytes uint64) (function, code) {
	return fnAllGather, c.call6(fnAllGather, from, to, uintptr(bytes/wordBytes), typeUint64, h, c.stream.Handle())
}

func (c *Comm) send(h, at uintptr, n uint64, kind uintptr, to int) code {
	return c.call6(fnSend, at, uintptr(n), kind, uintptr(to), h, c.stream.Handle())
}

func (c *Comm) receive(h, at uintptr, n uint64, kind uintptr, from int) code {
	return c.call6(fnRecv, at, uintptr(n), kind, uintptr(from), h, c.stream.Handle())
}

func (c *Comm) sum(at uintptr, n int) error {
	return c.single(func(h uintptr) (function, code) { return c.allReduce(h, at, n, reduceSum) })
}

// Barrier enqueues a wait for all ranks' barriers.
func (c *Comm) Barrier(ctx context.Context) error {
	return c.do(ctx, call{kind: inBarrier}, c.barrier)
}

func (c *Comm) barrier() error { return c.sum(c.word(wordsBarrier), 1) }

// roomFor allocates memory for uniting bitmaps of the given size, waiting for the device.
func (c *Comm) roomFor(bytes uint64) error {
	need := bytes // each owner gets its piece of all bitmaps, and the tail
	if c.gathers(bytes) {
		need = bytes * uint64(c.size)
	} else {
		need += uint64(c.size * c.size * wordBytes)
	}
	if need <= c.room {
		return nil
	}
	if c.scratch != nil {
		if err := c.scratch.Close(); err != nil {
			return err
		}
		c.scratch, c.room = nil, 0
	}
	m, err := c.dev.Alloc(need)
	if err != nil {
		return err
	}
	c.scratch, c.room = m, need
	return nil
}

// gathers reports whether each rank gathers and unites all ranks' bitmaps. NCCL has no bitwise or.
//
// Either each rank gathers all ranks' bitmaps and unites them: one call of NCCL, in which it
// receives (p-1)b bytes. Or each rank owns a piece, receives it from all others, unites it
// and sends it to all: two calls, with 2(p-1)b/p bytes. The second is worthwhile if it
// saves more than gatherMost; on two ranks it saves nothing.
func (c *Comm) gathers(bytes uint64) bool {
	p := uint64(c.size)
	return p <= 2 || bytes/p*(p-1)*(p-2) <= c.gatherMost
}

// uniteGathered enqueues the replacing of a bitmap by the union of all ranks' bitmaps, whose length is a multiple of 8
// bytes, and for which there is room. All ranks gather them.
func (c *Comm) uniteGathered(at uintptr, bytes uint64) error {
	all := c.scratch.Pointer()
	err := c.single(func(h uintptr) (function, code) { return c.allGather(h, at, all, bytes) })
	if err != nil {
		return err
	}
	return c.unite(at, all, bytes/wordBytes, bytes/wordBytes, c.rank)
}

// uniteOwned does it by owners. Their pieces have equal length; the words that are left over are gathered.
func (c *Comm) uniteOwned(at uintptr, bytes uint64) error {
	words, p := bytes/wordBytes, uint64(c.size)
	piece, left := words/p, words%p
	pieces := c.scratch.Pointer()
	tails := pieces + uintptr(piece*p*wordBytes)
	own, tail := at+uintptr(piece*wordBytes)*uintptr(c.rank), at+uintptr(piece*p*wordBytes)
	err := c.group(func(h uintptr) (function, code) {
		for i := 1; i < c.size; i++ {
			to, from := (c.rank+i)%c.size, (c.rank+c.size-i)%c.size
			if r := c.send(h, at+uintptr(piece*wordBytes)*uintptr(to), piece, typeUint64, to); r != success {
				return fnSend, r
			}
			if r := c.receive(h, pieces+uintptr(piece*wordBytes)*uintptr(from), piece, typeUint64, from); r != success {
				return fnRecv, r
			}
		}
		if left == 0 {
			return fnRecv, success
		}
		return c.allGather(h, tail, tails, left*wordBytes)
	})
	if err != nil {
		return err
	}
	if left > 0 {
		if err := c.unite(tail, tails, left, left, c.rank); err != nil {
			return err
		}
	}
	if err := c.unite(own, pieces, piece, piece, c.rank); err != nil {
		return err
	}
	return c.single(func(h uintptr) (function, code) { return c.allGather(h, own, at, piece*wordBytes) })
}

// uniteArgs are the arguments of the kernel (unite.cu).
type uniteArgs struct {
	into, from    uint64
	words, stride uint64
	count, skip   uint32
}

// unite adds the bits of all other ranks' words, which are contiguous.
func (c *Comm) unite(into, from uintptr, words, stride uint64, skip int) error {
	a := uniteArgs{into: uint64(into), from: uint64(from), words: words, stride: stride, count: uint32(c.size), skip: uint32(skip)}
	c.args.Reset()
	gpu.Struct(&c.args, &a)
	return c.stream.Launch(c.kernel, int(min(words/gpu.Block+1, uniteBlocks)), &c.args)
}

var _ = [1]struct{}{}[unsafe.Sizeof(uniteArgs{})-40] // as in unite.cu
