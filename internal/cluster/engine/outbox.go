// This file holds the data that a batch sends to other ranks: lists by worker and rank, and messages made from them.

package engine

import (
	"context"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/text"
)

// outbox holds lists by worker, per lists for each rank; list i of worker w for rank r is lists[w][r*per+i].
type outbox[T number] struct {
	*chunks[T]
	per      int
	lists    [][]bin[T]
	messages [][]T // of both sets: one is sent at a time
}

// bin is a list in chunks.
type bin[T number] struct {
	open []T // the next numbers go here, if there is room
	full [][]T
}

// chunks are memory of lists: a list that grew in one piece would be copied, and have more memory than it needs.
type chunks[T number] struct {
	size int
	mu   sync.Mutex // guards free
	free [][]T
}

// newOutboxes makes the two sets of lists of batches.
func newOutboxes[T number](workers, ranks, per int) (sets [2]*outbox[T]) {
	c := &chunks[T]{size: min(max(chunksNumbers/(ranks*per), leastChunk), mostChunk)}
	messages := make([][]T, ranks)
	for i := range sets {
		sets[i] = &outbox[T]{c, per, make([][]bin[T], workers), messages}
		for w := range sets[i].lists {
			sets[i].lists[w] = make([]bin[T], ranks*per)
		}
	}
	return sets
}

// more makes room in a list that has too little.
func (c *chunks[T]) more(l *bin[T]) {
	if len(l.open) > 0 {
		l.full = append(l.full, l.open)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		l.open, c.free = c.free[n-1], c.free[:n-1]
	} else {
		l.open = make([]T, 0, c.size)
	}
}

func (l *bin[T]) len() int {
	n := len(l.open)
	for _, c := range l.full {
		n += len(c)
	}
	return n
}

// empty copies a list to the front of m, gives its chunks back and returns the rest of m.
func (c *chunks[T]) empty(l *bin[T], m []T) []T {
	if l.open == nil {
		return m
	}
	l.full = append(l.full, l.open)
	for i, x := range l.full {
		m = m[copy(m, x):]
		l.full[i] = x[:0]
	}
	c.mu.Lock()
	c.free = append(c.free, l.full...)
	c.mu.Unlock()
	clear(l.full)
	l.open, l.full = nil, l.full[:0]
	return m
}

// pack makes a message for each rank, of some numbers, the lengths of its lists and the lists of all workers one
// after the other, and empties the lists. Messages are valid until the next call.
func (o *outbox[T]) pack(ctx context.Context, t *team, first ...T) [][]byte {
	starts := make([]int, len(o.messages)*o.per)
	for r, m := range o.messages {
		n := len(first) + o.per
		lengths := make([]T, o.per)
		for l := range o.per {
			starts[r*o.per+l] = n
			for w := range o.lists {
				have := o.lists[w][r*o.per+l].len()
				n += have
				lengths[l] += T(have)
			}
		}
		if cap(m) < n {
			m = make([]T, n+n/messageSlack)
		}
		m = m[:n]
		copy(m[copy(m, first):], lengths)
		o.messages[r] = m
	}
	t.tiles(ctx, len(starts), max(len(starts)/(4*t.workers), 1), func(_, from, to int) {
		for k := from; k < to; k++ {
			m := o.messages[k/o.per][starts[k]:]
			for w := range o.lists {
				m = o.empty(&o.lists[w][k], m)
			}
		}
	})
	out := make([][]byte, len(o.messages))
	for r, m := range o.messages {
		out[r] = bytesOf(m)
	}
	return out
}

// unpack returns the numbers before, and the lists of, a message.
func unpack[T number](message []byte, first, per int) (before []T, lists [][]T) {
	m := numbersOf[T](message)
	before, lengths, m := m[:first], m[first:first+per], m[first+per:]
	lists = make([][]T, per)
	for l, n := range lengths {
		lists[l], m = m[:n:n], m[n:]
	}
	return before, lists
}

// keep has the next message to a rank made in other memory: the last one stays.
func (o *outbox[T]) keep(rank int) { o.messages[rank] = nil }

// swap sends messages to all ranks and returns what came. Its own isn't copied.
func (b *builder) swap(ctx context.Context, out [][]byte) ([][]byte, error) {
	own := out[b.rank]
	out[b.rank] = nil
	for r := range out {
		b.sent += uint64(len(out[r]))
	}
	in, err := b.comm.Exchange(ctx, out)
	if err != nil {
		return nil, err
	}
	in[b.rank] = own
	return in, nil
}

// batches reads batches of edges. Workers call take for blocks of edges, with the number of the batch's set of
// lists, 0 or 1. send is called once all blocks of a batch are taken, while
// workers take the next batch; reading is whether this rank has more to read. send reports whether any rank has.
func (b *builder) batches(in *intake, take func(set, worker int, x *block), send func(set int, reading bool) (any bool, err error)) error {
	type outcome struct {
		more bool
		err  error
	}
	taken := make(chan outcome, 1)
	begin := func(set int) {
		in.done.Go(func() {
			var more bool
			err := panics.Call(func() (err error) {
				more, err = in.round(func(w int, x *block) { take(set, w, x) })
				return err
			})
			taken <- outcome{more, err}
		})
	}
	begin(0)
	for set, reading := 0, true; ; set = 1 - set {
		if reading {
			o := <-taken
			if o.err != nil {
				return o.err
			}
			if reading = o.more; reading {
				begin(1 - set)
			}
		}
		if more, err := send(set, reading); err != nil || !more {
			return err
		}
	}
}

// as reinterprets a slice of numbers as numbers of another width.
func as[T, F number](s []F) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(bytesOf(s)))/unsafe.Sizeof(x))
}

// number is what messages consist of.
type number interface{ ~uint32 | ~uint64 }

// bytesOf returns the memory of numbers. All ranks have the same byte order: MPI is opened on little-endian
// machines only.
func bytesOf[T number](s []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(x)))
}

// numbersOf is the inverse of bytesOf, of memory that is aligned.
func numbersOf[T number](b []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(x)))
}

// join returns lists one after the other. A single one that isn't empty isn't copied.
func join[T number](lists ...[]T) []T {
	n, last := 0, []T(nil)
	for _, l := range lists {
		n += len(l)
		if len(l) > 0 {
			last = l
		}
	}
	if n == len(last) {
		return last
	}
	all := make([]T, 0, n)
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func plural(n uint64) string { return text.Plural(n, "edge") }

// anywhere reports whether something holds on any rank.
func (p *Part) anywhere(ctx context.Context, holds bool) (bool, error) {
	n := []uint64{0}
	if holds {
		n[0] = 1
	}
	err := p.comm.Max(ctx, n)
	return n[0] > 0, err
}

// bins are lists by worker and rank.
func bins[T number](workers, ranks int) [][][]T {
	b := make([][][]T, workers)
	for w := range b {
		b[w] = make([][]T, ranks)
	}
	return b
}
