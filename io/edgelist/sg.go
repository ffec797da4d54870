// This file holds the reading of serialized graphs, the .sg and .wsg of the GAP
// Benchmark Suite: a byte that is 1 if the graph is directed, the number
// of directed edges and that of vertices (int64), the offsets of the rows
// (int64, one per vertex and one more), the targets (int32; with weights each
// followed by an int32), and for directed graphs offsets and sources of the
// reverse graph in the same form. All little-endian, nothing aligned.

package edgelist

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// sgReader reads the parts of a serialized graph in their order.
type sgReader struct {
	ctx      context.Context
	in       *input
	weighted bool
	directed bool
	head     uint64 // its length
	n, m     uint64
	at       uint64 // bytes read
	buf      []byte
}

// newSGReader reads the head, and compares what it says with the length of the
// input, if that is known.
func newSGReader(ctx context.Context, in *input, o *Options) (*sgReader, error) {
	s := &sgReader{ctx: ctx, in: in, weighted: o.format == formatWSG, head: sgHead, buf: make([]byte, sgBlock)}
	if o.Graph.Weights && !s.weighted {
		return nil, in.named(fmt.Errorf("%w: weights are wanted, but an .sg file has none; use a .wsg file", errWeights))
	}
	if err := s.readHead(); err != nil {
		return nil, err
	}
	m, v := int64(binary.LittleEndian.Uint64(s.buf[1:])), int64(binary.LittleEndian.Uint64(s.buf[9:]))
	if s.buf[0] > 1 || m < 0 || m >= 1<<56 || v < 0 || v > 1<<31 {
		return nil, in.named(fmt.Errorf("%w: the head says directed=%d, %d edges, %d vertices; it is no serialized graph",
			errNoHead, s.buf[0], m, v))
	}
	s.directed, s.m, s.n = s.buf[0] == 1, uint64(m), uint64(v)
	if in.size >= 0 && uint64(in.size) != s.length() {
		err := errTruncated
		if uint64(in.size) > s.length() {
			err = errNoHead
		}
		return nil, in.named(fmt.Errorf("%w: the file has %d bytes, but with %d vertices and %d edges (directed=%v, weights=%v) it would have %d",
			err, in.size, v, m, s.directed, s.weighted, s.length()))
	}
	if limit := o.Graph.MemoryLimit; limit > 0 && s.length() > limit {
		return nil, in.named(fmt.Errorf("%w: %s and %s take %s, but the limit is %s (Options.MemoryLimit)",
			device.ErrMemory, text.Plural(v, "vertex"), text.Plural(m, "edge"), text.Bytes(s.length()), text.Bytes(limit)))
	}
	return s, nil
}

// readHead reads the head into the buffer.
func (s *sgReader) readHead() error {
	n, err := s.in.fill(s.ctx, s.buf[:s.head])
	switch {
	case err == io.EOF && n == 0:
		return s.in.named(fmt.Errorf("%w: the file is empty; check what wrote it", errTruncated))
	case err == io.EOF:
		return s.in.named(fmt.Errorf("%w: %d bytes are no head", errTruncated, n))
	case err != nil:
		return err
	}
	s.at = s.head
	return nil
}

func (s *sgReader) item() uint64 {
	if s.weighted {
		return 8
	}
	return 4
}

// length is how long the input should be.
func (s *sgReader) length() uint64 {
	side := 8*(s.n+1) + s.item()*s.m
	if s.directed {
		side *= 2
	}
	return s.head + side
}

// trusted is how many of n items to allocate at first.
func (in *input) trusted(n uint64) uint64 {
	if in.size >= 0 {
		return n
	}
	return min(n, sgTrust)
}

// blocks reads n items of the given size, and hands them on in blocks.
func (s *sgReader) blocks(what string, n, size uint64, take func(b []byte) error) error {
	for left := n * size; left > 0; {
		b := s.buf[:min(left, sgBlock)]
		k, err := s.in.fill(s.ctx, b)
		s.at += uint64(k)
		if err == io.EOF && k < len(b) {
			return s.in.named(fmt.Errorf("%w: it ends after %d of %d bytes, in the %s", errTruncated, s.at, s.length(), what))
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err := take(b); err != nil {
			return s.in.named(err)
		}
		left -= uint64(len(b))
		s.in.report()
	}
	return nil
}

// offsets reads a row of offsets, which must ascend from 0 to the number of
// edges.
func (s *sgReader) offsets() ([]uint64, error) {
	to := make([]uint64, 0, s.in.trusted(s.n+1))
	last := uint64(0)
	err := s.blocks("offsets", s.n+1, 8, func(b []byte) error {
		for ; len(b) > 0; b = b[8:] {
			x := binary.LittleEndian.Uint64(b)
			if x < last || x > s.m || len(to) == 0 && x != 0 {
				return fmt.Errorf("%w: offset %d is %d, after %d and with %d edges", graph.ErrMalformed, len(to), int64(x), last, s.m)
			}
			last = x
			to = append(to, x)
		}
		return nil
	})
	if err == nil && last != s.m {
		err = s.in.named(fmt.Errorf("%w: the last offset is %d, but there are %d edges", graph.ErrMalformed, last, s.m))
	}
	return to, err
}

// targets reads the targets, which must be vertices, and hands them on in
// blocks, with the bits of the weights, int32, if there are any.
func (s *sgReader) targets(take func(t []uint32, w []float32) error) error {
	t, w := make([]uint32, 0, sgBlock/4), []float32(nil)
	if s.weighted {
		w = make([]float32, 0, sgBlock/8)
	}
	return s.blocks("targets", s.m, s.item(), func(b []byte) error {
		t, w = t[:0], w[:0]
		for len(b) > 0 {
			x := binary.LittleEndian.Uint32(b)
			if uint64(x) >= s.n {
				return fmt.Errorf("%w: an edge leads to vertex %d of %d", graph.ErrMalformed, int32(x), s.n)
			}
			t = append(t, x)
			if b = b[4:]; s.weighted {
				w = append(w, math.Float32frombits(binary.LittleEndian.Uint32(b)))
				b = b[4:]
			}
		}
		return take(t, w)
	})
}

// csr reads offsets and targets.
func (s *sgReader) csr(weights bool) (c graph.CSR, err error) {
	if c.Offsets, err = s.offsets(); err != nil {
		return c, err
	}
	c.Targets = make([]uint32, 0, s.in.trusted(s.m))
	if weights {
		c.Weights = make([]float32, 0, s.in.trusted(s.m))
	}
	err = s.targets(func(t []uint32, w []float32) error {
		c.Targets = append(c.Targets, t...)
		if weights {
			c.Weights = append(c.Weights, w...)
		}
		return nil
	})
	return c, err
}

// end requires the end of the input. An unrequested reverse graph is skipped.
func (s *sgReader) end(reverseRead bool) error {
	if s.directed && !reverseRead {
		if _, err := s.offsets(); err != nil {
			return err
		}
		if err := s.targets(func([]uint32, []float32) error { return nil }); err != nil {
			return err
		}
	}
	n, err := s.in.fill(s.ctx, s.buf[:1])
	if n > 0 {
		return s.in.named(fmt.Errorf("%w: there are bytes behind the %d that the head declares", errNoHead, s.length()))
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// yieldSG reads a serialized graph as edges.
func yieldSG(ctx context.Context, in *input, o *Options, yield func(graph.Batch) error) error {
	s, err := newSGReader(ctx, in, o)
	if err != nil {
		return err
	}
	offsets, err := s.offsets()
	if err != nil {
		return err
	}
	b := newBatch(o, graph.Int64, yield)
	once := !s.directed && !o.Graph.Directed
	u, e := uint64(0), uint64(0)
	var yielded error
	err = s.targets(func(t []uint32, w []float32) error {
		for i, v := range t {
			for e == offsets[u+1] {
				u++
			}
			e++
			if once && uint64(v) < u {
				continue
			}
			var x weight
			if w != nil {
				x = wholeWeight(int64(int32(math.Float32bits(w[i]))))
			}
			if yielded = b.add(u, uint64(v), x); yielded != nil {
				return yielded
			}
		}
		return nil
	})
	if yielded != nil {
		return yielded
	}
	if err == nil {
		err = s.end(false)
	}
	if err != nil {
		return err
	}
	if s.n == 0 {
		return empty(in.name)
	}
	if err := b.flush(); err != nil {
		return err
	}
	return declared{0, s.n}.yield(in, o, yield)
}
