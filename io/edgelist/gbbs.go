// This file holds the reading of the formats of GBBS, PBBS, Ligra and PASGAL: rows as .bin and .adj files have them.
//
// A .bin file is, little-endian, the number of vertices, that of edges and the length of the file (64 bits each), the
// offsets of the rows (64 bits, one per vertex and one more), and the targets (32 bits).
//
// An .adj file is text, with blanks or line ends between words: AdjacencyGraph or WeightedAdjacencyGraph, the number of
// vertices, that of edges, an offset per vertex, the targets, and in the latter a weight per edge
// (https://www.cs.cmu.edu/~pbbs/benchmarks/graphIO.html).

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

// heads are the first words of .adj files.
const (
	adjHead         = "AdjacencyGraph"
	weightedADJHead = "WeightedAdjacencyGraph"
)

// gbbsRows are the rows of a file. weights is nil where the file has none, or none are wanted.
type gbbsRows struct {
	offsets []uint64
	targets []uint32
	weights []weight
}

// checkSize refuses a head that no graph of this package has, or whose rows take more memory than there may be.
func checkSize(in *input, o *Options, n, m uint64) error {
	switch {
	case n > uint64(graph.NoVertex):
		return in.named(fmt.Errorf("%w: the head declares %d; a graph has at most %d", graph.ErrTooManyVertices, n, graph.NoVertex))
	case m >= 1<<56:
		return in.named(fmt.Errorf("%w: the head declares %d edges", errNoHead, m))
	}
	if take := 8*(n+1) + 4*m; o.Graph.MemoryLimit > 0 && take > o.Graph.MemoryLimit {
		return in.named(fmt.Errorf("%w: %s and %s take %s, but the limit is %s (Options.MemoryLimit)",
			device.ErrMemory, text.Plural(n, "vertex"), text.Plural(m, "edge"), text.Bytes(take), text.Bytes(o.Graph.MemoryLimit)))
	}
	if err := (declared{0, n}).check(o, m, true); err != nil {
		return in.named(err)
	}
	return nil
}

// yieldBIN reads a .bin file as edges.
func yieldBIN(ctx context.Context, in *input, o *Options, yield func(graph.Batch) error) error {
	if o.Graph.Weights {
		return in.named(fmt.Errorf("%w: weights are wanted, but a .bin file has none; use an .adj file with the head %s", errWeights, weightedADJHead))
	}
	s := &sgReader{ctx: ctx, in: in, buf: make([]byte, sgBlock), head: binHead}
	if err := s.readHead(); err != nil {
		return err
	}
	s.n, s.m = binary.LittleEndian.Uint64(s.buf), binary.LittleEndian.Uint64(s.buf[8:])
	if length := binary.LittleEndian.Uint64(s.buf[16:]); s.n >= 1<<56 || s.m >= 1<<56 || length != s.length() {
		return in.named(fmt.Errorf("%w: the head says %d vertices, %d edges, %d bytes, which don't fit one another; it is no graph of GBBS or PASGAL", errNoHead, s.n, s.m, length))
	}
	if in.size >= 0 && uint64(in.size) != s.length() {
		err := errTruncated
		if uint64(in.size) > s.length() {
			err = errNoHead
		}
		return in.named(fmt.Errorf("%w: the file has %d bytes, but its head says %d", err, in.size, s.length()))
	}
	if err := checkSize(in, o, s.n, s.m); err != nil {
		return err
	}
	c, err := s.csr(false)
	if err == nil {
		err = s.end(true)
	}
	if err != nil {
		return err
	}
	return gbbsRows{offsets: c.Offsets, targets: c.Targets}.yield(ctx, in, o, yield)
}

// words reads words that blanks and line ends separate.
type words struct {
	*lines
	rest []byte // of the line
	no   uint64 // its number
	bad  error
}

// next returns the next word, or nil at the end of the input and after an error, which is w.bad.
func (w *words) next() []byte {
	for w.bad == nil {
		w.rest = trimLeft(w.rest, ' ')
		if len(w.rest) > 0 {
			i := 0
			for i < len(w.rest) && w.rest[i] != ' ' && w.rest[i] != '\t' {
				i++
			}
			word := w.rest[:i]
			w.rest = w.rest[i:]
			return word
		}
		line, no, err := w.lines.next()
		switch {
		case err != nil:
			w.bad = err
		case no%(1<<14) == 0:
			w.in.report()
			if err := w.ctx.Err(); err != nil {
				w.bad = w.in.named(err)
			}
		}
		w.rest, w.no = line, no
	}
	return nil
}

// uint returns the next word as a number below the limit. Item i of n is named in errors.
func (w *words) uint(what string, i, n, limit uint64) uint64 {
	word := w.next()
	if word == nil {
		if w.bad == io.EOF {
			w.bad = w.in.named(fmt.Errorf("%w: it ends after %d of %d %s", errTruncated, i, n, what))
		}
		return 0
	}
	x := uint64(0)
	for _, c := range word {
		if c < '0' || c > '9' || x > math.MaxUint64/10-1 {
			w.bad = at(w.in.name, w.no, faultf(ErrSyntax, "want a number among the %s, found %s", what, quoted(word)))
			return 0
		}
		x = 10*x + uint64(c-'0')
	}
	if x >= limit {
		w.bad = at(w.in.name, w.no, faultf(graph.ErrMalformed, "%d is among the %s, which are at most %d", x, what, int64(limit)-1))
		return 0
	}
	return x
}

// readADJ reads an .adj file.
func readADJ(l *lines, o *Options, yield func(graph.Batch) error) error {
	l.max = max(l.max, metisLine)
	w := &words{lines: l}
	head := string(w.next())
	switch {
	case w.bad == io.EOF:
		return headless(l.in.name, "word "+adjHead+" or "+weightedADJHead)
	case w.bad != nil:
		return w.bad
	case head != adjHead && head != weightedADJHead:
		return at(l.in.name, w.no, faultf(errNoHead, "want %s or %s, found %s", adjHead, weightedADJHead, quoted([]byte(head))))
	case o.Graph.Weights && head == adjHead:
		return l.in.named(fmt.Errorf("%w: weights are wanted, but the file has the head %s, not %s", errWeights, adjHead, weightedADJHead))
	}
	n := w.uint("two numbers of the head", 0, 2, 1<<56)
	m := w.uint("two numbers of the head", 1, 2, 1<<56)
	if w.bad != nil {
		return w.bad
	}
	numbers := n + m
	if head == weightedADJHead {
		numbers += m
	}
	if size := l.in.size; size >= 0 && uint64(size) < 2*numbers { // a digit and a blank for each
		return l.in.named(fmt.Errorf("%w: the file has %d bytes, too few for the %d numbers of %d vertices and %d edges", errTruncated, size, numbers, n, m))
	}
	if err := checkSize(l.in, o, n, m); err != nil {
		return err
	}
	r := gbbsRows{offsets: make([]uint64, 0, l.in.trusted(n+1)), targets: make([]uint32, 0, l.in.trusted(m))}
	for i := uint64(0); i < n && w.bad == nil; i++ {
		x := w.uint("offsets", i, n, m+1)
		if w.bad == nil && (i == 0 && x != 0 || i > 0 && x < r.offsets[i-1]) {
			w.bad = at(l.in.name, w.no, faultf(graph.ErrMalformed, "offset %d is %d; offsets ascend from 0", i, x))
		}
		r.offsets = append(r.offsets, x)
	}
	r.offsets = append(r.offsets, m)
	for i := uint64(0); i < m && w.bad == nil; i++ {
		r.targets = append(r.targets, uint32(w.uint("targets", i, m, n)))
	}
	if head == weightedADJHead && w.bad == nil {
		r.weights = make([]weight, 0, l.in.trusted(m))
		for i := uint64(0); i < m && w.bad == nil; i++ {
			word := w.next()
			x, ok := parseWeight(word)
			switch {
			case word == nil && w.bad == io.EOF:
				w.bad = l.in.named(fmt.Errorf("%w: it ends after %d of %d weights", errTruncated, i, m))
			case word != nil && !ok:
				w.bad = at(l.in.name, w.no, faultf(ErrSyntax, "want a number among the weights, found %s", quoted(word)))
			}
			r.weights = append(r.weights, x)
		}
	}
	if w.bad != nil {
		return w.bad
	}
	if word := w.next(); word != nil {
		return at(l.in.name, w.no, faultf(errCount, "%s stands behind all numbers that the head declares", quoted(word)))
	}
	if w.bad != io.EOF {
		return w.bad
	}
	if n == 0 && m > 0 {
		return l.in.named(fmt.Errorf("%w: %d edges without a vertex", graph.ErrMalformed, m))
	}
	return r.yield(l.ctx, l.in, o, yield)
}

// symmetric reports whether each edge stands in the rows of both its ends, with the same weight.
func (r gbbsRows) symmetric(ctx context.Context) (bool, error) {
	forth, back := uint64(0), uint64(0)
	for u := range uint32(len(r.offsets) - 1) {
		if err := canceled(ctx, u); err != nil {
			return false, err
		}
		for e := r.offsets[u]; e < r.offsets[u+1]; e++ {
			v, bits := uint64(r.targets[e]), uint64(0)
			if r.weights != nil {
				bits = math.Float64bits(r.weights[e].asFloat() + 0) // which both ends have; -0 is 0
			}
			forth += mix(mix(uint64(u)<<32|v) ^ bits)
			back += mix(mix(v<<32|uint64(u)) ^ bits)
		}
	}
	return forth == back, nil
}

// yield passes the edges on. A file doesn't say whether its graph is directed: if rows are symmetric and an undirected graph
// is wanted, each edge comes once.
func (r gbbsRows) yield(ctx context.Context, in *input, o *Options, yield func(graph.Batch) error) error {
	once := false
	if !o.Graph.Directed {
		var err error
		if once, err = r.symmetric(ctx); err != nil {
			return in.named(err)
		}
	}
	n := uint64(len(r.offsets) - 1)
	if n == 0 {
		return empty(in.name)
	}
	b := newBatch(o, graph.Int64, yield)
	for u := range n {
		if err := canceled(ctx, uint32(u)); err != nil {
			return in.named(err)
		}
		for e := r.offsets[u]; e < r.offsets[u+1]; e++ {
			v, w := uint64(r.targets[e]), weight{}
			if once && v < u {
				continue
			}
			if r.weights != nil {
				w = r.weights[e]
			}
			if err := b.add(u, v, w); err != nil {
				return err
			}
		}
	}
	if err := b.flush(); err != nil {
		return err
	}
	return declared{0, n}.yield(in, o, yield)
}
