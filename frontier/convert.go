// This file holds the conversion between queue and bitmap on the host.

package frontier

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
)

// convertChunk is how many entries, or words of a bitmap, a worker claims.
const convertChunk = 1 << 10

// serialBelow is the number of entries or words below which worker 0 converts
// alone: that takes less time than waking the others.
const serialBelow = 2 * convertChunk

// converter is one conversion. It is a host.Job.
type converter struct {
	s     *host.Stream
	list  []uint32
	words []uint64
	form  Form // converted to
	count bool // bitmap to queue: counting, not yet writing
	at    []int
	next  atomic.Int64
	added atomic.Int64
	n     uint32        // vertices
	bad   atomic.Uint64 // an entry that is no vertex, and one more; 0 for none
}

// Convert changes the frontier to the form, unless it has it already. Duplicates
// of a queue merge. A bitmap becomes a queue of ascending vertices. s is a stream
// of the graph's device.
//
// The error is the error of the stream's context if that is done, device.ErrClosed
// for a closed stream or closed frontier, ErrForm for an invalid form, or on the
// host graph.ErrNoVertex for an entry of a queue that isn't a vertex; the frontier
// is then an empty bitmap.
func (f *Frontier) Convert(s device.Stream, form Form) error {
	if err := f.err(); err != nil {
		return err
	}
	if form != Queue && form != Bitmap {
		return fmt.Errorf("frontier: convert: %w: %s isn't a form; want queue or bitmap", ErrForm, form)
	}
	if f.Form() == form {
		return nil
	}
	if f.Form() == All {
		vs := f.Vertices()
		if err := f.Clear(form); err != nil {
			return err
		}
		return f.Add(vs...)
	}
	return f.on.convert(s, form)
}

func (f onHost) convert(s device.Stream, form Form) error {
	hs, err := host.StreamOf(s)
	if err != nil {
		return fmt.Errorf("frontier: convert: %w", err)
	}
	if err := hs.Err(); err != nil {
		return err
	}
	c := &f.conv
	c.s, c.form = hs, form
	if form == Bitmap {
		list := f.Queue()
		if err := f.Clear(Bitmap); err != nil {
			return err
		}
		c.list, c.words = list, f.Bits()
		c.added.Store(0)
		c.bad.Store(0)
		c.n = uint32(f.S.N)
		c.pass(len(list))
		if v := c.bad.Load(); v != 0 {
			c.list, c.words, c.s = nil, nil, nil
			if err := f.Clear(Bitmap); err != nil {
				return err
			}
			return fmt.Errorf("frontier: convert: %w: vertex %d of %d; a functor or caller wrote it there", graph.ErrNoVertex, v-1, f.S.N)
		}
		f.SetLen(int(c.added.Load()))
	} else {
		words := f.Bits()
		length := f.Len()
		if err := f.Reset(Queue); err != nil {
			return err
		}
		c.list, c.words = f.S.List.Host(), words
		chunks := (len(words) + convertChunk - 1) / convertChunk
		if cap(c.at) < chunks {
			c.at = make([]int, chunks)
		}
		c.at = c.at[:chunks]
		c.count = true
		c.pass(len(words))
		if err := hs.Err(); err != nil {
			return err // not all was counted
		}
		total := 0
		for i, k := range c.at {
			c.at[i] = total
			total += k
		}
		if total != length {
			return fmt.Errorf("frontier: convert: %w: a bitmap of length %d has %d bits; call SetLen with the number of vertices written", ErrForm, length, total)
		}
		c.count = false
		c.pass(len(words))
		f.SetLen(total)
	}
	c.list, c.words, c.s = nil, nil, nil
	return hs.Err()
}

// pass runs over n entries or words.
func (c *converter) pass(n int) {
	c.next.Store(0)
	if n <= serialBelow {
		c.Run(0)
	} else {
		c.s.Run(c)
	}
}

// Run is the share of one worker.
func (c *converter) Run(int) {
	n := len(c.words)
	if c.form == Bitmap {
		n = len(c.list)
	}
	for !c.s.Stopped() {
		i := int(c.next.Add(convertChunk)) - convertChunk
		if i >= n {
			return
		}
		hi := min(i+convertChunk, n)
		switch {
		case c.form == Bitmap:
			c.mark(c.list[i:hi])
		case c.count:
			k := 0
			for _, w := range c.words[i:hi] {
				k += bits.OnesCount64(w)
			}
			c.at[i/convertChunk] = k
		default:
			c.write(i, hi)
		}
	}
}

func (c *converter) mark(vs []uint32) {
	added := int64(0)
	for _, v := range vs {
		if v >= c.n {
			c.bad.Store(uint64(v) + 1)
			return
		}
		bit := uint64(1) << (v & 63)
		if atomic.OrUint64(&c.words[v>>6], bit)&bit == 0 {
			added++
		}
	}
	c.added.Add(added)
}

func (c *converter) write(lo, hi int) {
	k := c.at[lo/convertChunk]
	for i := lo; i < hi; i++ {
		for w := c.words[i]; w != 0; w &= w - 1 {
			c.list[k] = uint32(i*64 + bits.TrailingZeros64(w))
			k++
		}
	}
}

// List makes the frontier a queue. On a GPU its vertices are in no order, which
// takes one pass; Convert's are ascending and take three.
func (f *Frontier) List(s device.Stream) error { return f.at().list(s) }
