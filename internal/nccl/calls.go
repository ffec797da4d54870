//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the calls on device memory.

package nccl

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/internal/gpu"
)

//go:generate go run ../../internal/fatbin -o unite.fatbin.zst unite.cu

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

// block is how many bytes a block has, and word where it is.
func (c *Comm) block() uint64 { return uint64(c.size * wordBytes) }

func (c *Comm) word(block int) uintptr { return c.words.Pointer() + uintptr(block)*uintptr(c.block()) }

// do makes a call whose work is enqueued.
func (c *Comm) do(ctx context.Context, call string, f func() error) error {
	if err := c.enter(ctx, call); err != nil {
		return c.ending(err)
	}
	defer c.leave()
	if err := c.roomForMark(ctx); err != nil {
		return c.ending(err)
	}
	if err := f(); err != nil {
		return c.ending(c.told(err))
	}
	return c.ending(c.enqueued())
}

// SumUint64 enqueues the replacing of n numbers of 64 bits by their sums over all ranks, modulo
// 2^64.
func (c *Comm) SumUint64(ctx context.Context, at uintptr, n int) error {
	return c.do(ctx, fmt.Sprintf("SumUint64 of %d numbers", n), func() error { return c.sum(ctx, at, n) })
}

func (c *Comm) sum(ctx context.Context, at uintptr, n int) error {
	return c.group(ctx, func() (function, code) {
		return fnAllReduce, c.lib.do(fnAllReduce, at, at, uintptr(n), typeUint64, reduceSum, c.handle, c.stream.Handle())
	})
}

// Barrier enqueues a wait for all ranks' barriers.
func (c *Comm) Barrier(ctx context.Context) error {
	return c.do(ctx, "Barrier", func() error { return c.barrier(ctx) })
}

func (c *Comm) barrier(ctx context.Context) error { return c.sum(ctx, c.word(wordsBarrier), 1) }

// Reserve makes room for uniting bitmaps of up to so many bytes, which Unite does otherwise the
// first time, waiting for the device.
func (c *Comm) Reserve(bytes uint64) error {
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
		if err := c.scratch.Free(); err != nil {
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

// gathers says how bitmaps are united. NCCL has no bitwise or.
//
// Either each rank gathers all ranks' bitmaps and unites them: a call of NCCL in which it
// receives (p-1)b bytes. Or each rank owns a piece, receives it from all others, unites that
// and hands it round: two calls, with 2(p-1)b/p bytes. The second is worth its call where it
// saves more than gatherMost; on two ranks it saves nothing.
func (c *Comm) gathers(bytes uint64) bool {
	p := uint64(c.size)
	return p <= 2 || bytes/p*(p-1)*(p-2) <= c.gatherMost
}

// Unite enqueues the replacing of a bitmap by the union of all ranks' bitmaps. The number of
// bytes is a multiple of 8.
func (c *Comm) Unite(ctx context.Context, at uintptr, bytes uint64) error {
	return c.do(ctx, fmt.Sprintf("Unite of %d bytes", bytes), func() error {
		if bytes%wordBytes != 0 {
			return fmt.Errorf("Unite needs a multiple of %d bytes and was given %d", wordBytes, bytes)
		}
		if c.size == 1 || bytes == 0 {
			return nil
		}
		if err := c.Reserve(bytes); err != nil {
			return err
		}
		if c.gathers(bytes) {
			return c.uniteGathered(ctx, at, bytes)
		}
		return c.uniteOwned(ctx, at, bytes)
	})
}

func (c *Comm) uniteGathered(ctx context.Context, at uintptr, bytes uint64) error {
	all := c.scratch.Pointer()
	err := c.group(ctx, func() (function, code) {
		return fnAllGather, c.lib.do(fnAllGather, at, all, uintptr(bytes/wordBytes), typeUint64, c.handle, c.stream.Handle())
	})
	if err != nil {
		return err
	}
	return c.unite(at, all, bytes/wordBytes, bytes/wordBytes, c.rank)
}

// uniteOwned has pieces of equal length; the words that are left over are gathered.
func (c *Comm) uniteOwned(ctx context.Context, at uintptr, bytes uint64) error {
	words, p, s := bytes/wordBytes, uint64(c.size), c.stream.Handle()
	piece, left := words/p, words%p
	pieces := c.scratch.Pointer()
	tails := pieces + uintptr(piece*p*wordBytes)
	own, tail := at+uintptr(piece*wordBytes)*uintptr(c.rank), at+uintptr(piece*p*wordBytes)
	err := c.group(ctx, func() (function, code) {
		for i := 1; i < c.size; i++ {
			to, from := (c.rank+i)%c.size, (c.rank+c.size-i)%c.size
			if r := c.lib.do(fnSend, at+uintptr(piece*wordBytes)*uintptr(to), uintptr(piece), typeUint64, uintptr(to), c.handle, s); r != success && r != inProgress {
				return fnSend, r
			}
			if r := c.lib.do(fnRecv, pieces+uintptr(piece*wordBytes)*uintptr(from), uintptr(piece), typeUint64, uintptr(from), c.handle, s); r != success && r != inProgress {
				return fnRecv, r
			}
		}
		if left == 0 {
			return fnRecv, success
		}
		return fnAllGather, c.lib.do(fnAllGather, tail, tails, uintptr(left), typeUint64, c.handle, s)
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
	return c.group(ctx, func() (function, code) {
		return fnAllGather, c.lib.do(fnAllGather, own, at, uintptr(piece), typeUint64, c.handle, s)
	})
}

// uniteArgs are the arguments of the kernel (unite.cu).
type uniteArgs struct {
	into, from    uint64
	words, stride uint64
	count, skip   uint32
}

// unite adds the bits of all ranks' words but this rank's own, which lie side by side.
func (c *Comm) unite(into, from uintptr, words, stride uint64, skip int) error {
	a := uniteArgs{into: uint64(into), from: uint64(from), words: words, stride: stride, count: uint32(c.size), skip: uint32(skip)}
	c.args.Reset()
	gpu.Struct(&c.args, &a)
	return c.stream.Launch(c.kernel, int(min(words/gpu.Block+1, uniteBlocks)), &c.args)
}

var _ = [1]struct{}{}[unsafe.Sizeof(uniteArgs{})-40] // as unite.cu says

// List is a list in the memory of the rank's device.
type List struct {
	At    uintptr
	Bytes uint64
}

// Counts tells each rank how long the list for it will be, and returns how long those of the
// others are: in[r] from rank r. It waits for all ranks, and for what was enqueued before.
func (c *Comm) Counts(ctx context.Context, out []uint64) (in []uint64, err error) {
	_, in, err = c.counts(ctx, func() (uintptr, error) {
		if len(out) != c.size {
			return 0, fmt.Errorf("Counts needs a count for each of %d ranks and was given %d", c.size, len(out))
		}
		for r, n := range out {
			binary.NativeEndian.PutUint64(c.pinned.Bytes()[r*wordBytes:], n)
		}
		return c.word(wordsOut), c.stream.ToDevice(c.word(wordsOut), c.pinned, 0, c.block())
	})
	return in, err
}

// CountsAt is Counts of what a kernel counted: Size numbers of 64 bits on the device. It returns
// both sides' counts.
func (c *Comm) CountsAt(ctx context.Context, at uintptr) (out, in []uint64, err error) {
	return c.counts(ctx, func() (uintptr, error) { return at, nil })
}

func (c *Comm) counts(ctx context.Context, from func() (uintptr, error)) (out, in []uint64, err error) {
	err = c.do(ctx, "Counts", func() error {
		at, err := from()
		if err != nil {
			return err
		}
		to := c.word(wordsIn)
		err = c.messages(ctx, func(r int) (List, List) {
			off := uintptr(r * wordBytes)
			return List{at + off, wordBytes}, List{to + off, wordBytes}
		})
		if err != nil {
			return err
		}
		return errors.Join(c.stream.ToHost(c.pinned, 0, at, c.block()), c.stream.ToHost(c.pinned, c.block(), to, c.block()))
	})
	if err == nil {
		err = c.Wait(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	both := make([]uint64, 2*c.size)
	for i := range both {
		both[i] = binary.NativeEndian.Uint64(c.pinned.Bytes()[i*wordBytes:])
	}
	return both[:c.size:c.size], both[c.size:], nil
}

// Exchange enqueues the sending of out[r] to each rank r, and the receiving of what it sends to
// this one, into in[r], whose length is that which the rank said by Counts.
func (c *Comm) Exchange(ctx context.Context, out, in []List) error {
	return c.do(ctx, "Exchange", func() error {
		if len(out) != c.size || len(in) != c.size {
			return fmt.Errorf("Exchange needs two lists for each of %d ranks and was given %d and %d", c.size, len(out), len(in))
		}
		if out[c.rank].Bytes != in[c.rank].Bytes {
			return fmt.Errorf("Exchange sends %d bytes to its own rank, which expects %d", out[c.rank].Bytes, in[c.rank].Bytes)
		}
		for from, most := uint64(0), longest(out, in); from < most; from += exchangePiece {
			// Both ends of a list cut it alike, so that their calls are in the same order.
			err := c.messages(ctx, func(r int) (List, List) { return out[r].piece(from), in[r].piece(from) })
			if err != nil {
				return err
			}
			if from+exchangePiece < most {
				if err := errors.Join(c.enqueued(), c.roomForMark(ctx)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func longest(lists ...[]List) (bytes uint64) {
	for _, side := range lists {
		for _, l := range side {
			bytes = max(bytes, l.Bytes)
		}
	}
	return bytes
}

// piece is the part of a list that begins there.
func (l List) piece(from uint64) List {
	if from >= l.Bytes {
		return List{}
	}
	return List{l.At + uintptr(from), min(l.Bytes-from, exchangePiece)}
}

// messages enqueues a message to each rank and one from it; those of no bytes aren't sent.
func (c *Comm) messages(ctx context.Context, of func(rank int) (out, in List)) error {
	if out, in := of(c.rank); out.Bytes > 0 && out.At != in.At {
		if err := c.stream.Copy(in.At, out.At, out.Bytes); err != nil {
			return err
		}
	}
	s, any := c.stream.Handle(), false
	for i := 1; i < c.size; i++ {
		out, in := of((c.rank + i) % c.size)
		any = any || out.Bytes > 0 || in.Bytes > 0
	}
	if !any {
		return nil
	}
	return c.group(ctx, func() (function, code) {
		for i := 1; i < c.size; i++ {
			to, from := (c.rank+i)%c.size, (c.rank+c.size-i)%c.size
			if out, _ := of(to); out.Bytes > 0 {
				if r := c.lib.do(fnSend, out.At, uintptr(out.Bytes), typeUint8, uintptr(to), c.handle, s); r != success && r != inProgress {
					return fnSend, r
				}
			}
			if _, in := of(from); in.Bytes > 0 {
				if r := c.lib.do(fnRecv, in.At, uintptr(in.Bytes), typeUint8, uintptr(from), c.handle, s); r != success && r != inProgress {
					return fnRecv, r
				}
			}
		}
		return fnRecv, success
	})
}
