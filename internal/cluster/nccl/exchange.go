//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the calls that exchange lists and gather blocks.

package nccl

import (
	"context"
	"fmt"
)

// List is a list in the memory of the rank's device.
type List struct {
	At    uintptr
	Bytes uint64
}

// Exchange enqueues the sends of out[r] to each rank r, and the receives from each rank r
// into in[r]. The length of in[r] must be the length that rank r sends.
func (c *Comm) Exchange(ctx context.Context, out, in []List) error {
	return c.do(ctx, call{kind: inExchange}, func() error {
		if len(out) != c.size || len(in) != c.size {
			return fmt.Errorf("Exchange needs two lists for each of %d ranks and was given %d and %d", c.size, len(out), len(in))
		}
		if out[c.rank].Bytes != in[c.rank].Bytes {
			return fmt.Errorf("Exchange sends %d bytes to its own rank, which expects %d", out[c.rank].Bytes, in[c.rank].Bytes)
		}
		for from, most := uint64(0), longest(out, in); from < most; from += exchangePiece {
			// Both ends of a list cut it alike, so that their calls are in the same order.
			err := c.messages(func(r int) (List, List) { return out[r].piece(from), in[r].piece(from) })
			if err != nil {
				return err
			}
			if from+exchangePiece < most {
				if err := c.mark(ctx); err != nil {
					return err
				}
				c.unmarked = true
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

// messages enqueues a message to each rank and one from it; empty messages aren't sent.
func (c *Comm) messages(of func(rank int) (out, in List)) error {
	if out, in := of(c.rank); out.Bytes > 0 && out.At != in.At {
		if err := c.stream.Copy(in.At, out.At, out.Bytes); err != nil {
			return err
		}
	}
	any := false
	for i := 1; i < c.size; i++ {
		out, in := of((c.rank + i) % c.size)
		any = any || out.Bytes > 0 || in.Bytes > 0
	}
	if !any {
		return nil
	}
	return c.group(func(h uintptr) (function, code) {
		for i := 1; i < c.size; i++ {
			to, from := (c.rank+i)%c.size, (c.rank+c.size-i)%c.size
			if out, _ := of(to); out.Bytes > 0 {
				if r := c.send(h, out.At, out.Bytes, typeUint8, to); r != success {
					return fnSend, r
				}
			}
			if _, in := of(from); in.Bytes > 0 {
				if r := c.receive(h, in.At, in.Bytes, typeUint8, from); r != success {
					return fnRecv, r
				}
			}
		}
		return fnRecv, success
	})
}

// Block is a block of device memory that every rank has: Bytes at From are sent, and all ranks' blocks are
// received at To, in the order of ranks. In place if From is To + rank*Bytes.
type Block struct {
	From, To uintptr
	Bytes    uint64 // a multiple of 8
}

// Gather enqueues, in one group of NCCL, the gathering of blocks. All ranks pass as many, of the
// same lengths.
func (c *Comm) Gather(ctx context.Context, blocks ...Block) error {
	what := call{kind: inGather, parts: len(blocks)}
	for _, b := range blocks {
		what.n += b.Bytes
		what.mix = what.mix*1_000_003 + b.Bytes // so that the order of lengths counts
	}
	return c.do(ctx, what, func() error { return c.gather(blocks) })
}

func (c *Comm) gather(blocks []Block) error {
	last, calls := Block{}, 0
	for _, b := range blocks {
		if b.Bytes%wordBytes != 0 {
			return fmt.Errorf("Gather needs blocks of a multiple of %d bytes and was given one of %d", wordBytes, b.Bytes)
		}
		if b.Bytes == 0 {
			continue
		}
		if c.size > 1 {
			last = b
			calls++
		} else if b.From != b.To {
			if err := c.stream.Copy(b.To, b.From, b.Bytes); err != nil {
				return err
			}
		}
	}
	switch calls {
	case 0:
		return nil
	case 1:
		return c.single(func(h uintptr) (function, code) { return c.allGather(h, last.From, last.To, last.Bytes) })
	}
	return c.group(func(h uintptr) (function, code) {
		for _, b := range blocks {
			if b.Bytes > 0 {
				if f, r := c.allGather(h, b.From, b.To, b.Bytes); r != success {
					return f, r
				}
			}
		}
		return fnAllGather, success
	})
}
