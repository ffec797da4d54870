// This file holds DIMACS shortest-path files, and the scanning that they share
// with Matrix Market. The format:
// http://www.diag.uniroma1.it/challenge9/format.shtml

package edgelist

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

func readDIMACS(l *lines, o *Options, yield func(graph.Batch) error) error {
	b, no, err := l.nextData("c")
	if err == io.EOF {
		return headless(l.in.name, "line p sp VERTICES ARCS")
	}
	if err != nil {
		return err
	}
	var size [2]uint64
	f := fieldsOf(b)
	switch {
	case len(f) == 0 || string(f[0]) != "p":
		return at(l.in.name, no, faultf(errNoHead, "want a line p sp VERTICES ARCS before any other, found %s", quoted(b)))
	case len(f) < 2 || string(f[1]) != "sp":
		return at(l.in.name, no, faultf(ErrFormat, "only shortest-path problems (p sp) are read, found %s", quoted(b)))
	case !uints(f[2:], size[:]):
		return at(l.in.name, no, faultf(ErrSyntax, "want p sp VERTICES ARCS, found %s", quoted(b)))
	}
	n := declared{1, size[0]}
	if err := n.check(o, size[1], false); err != nil {
		return at(l.in.name, no, err)
	}
	var arcs atomic.Uint64
	err = runPipeline(l, nil, o.workers(), func() parser {
		return &grParser{batch: newBatch(o, graph.Int64, yield), size: size[0], arcs: &arcs, comments: &l.comments}
	})
	if found := arcs.Load(); err == nil && found != size[1] {
		err = countError(l, "arcs", size[1], found)
	}
	if err != nil {
		return err
	}
	return n.yield(l.in, o, yield)
}

// grParser parses the lines behind the problem's.
type grParser struct {
	*batch
	size uint64
	arcs *atomic.Uint64 // of all parsers

	comments *atomic.Uint64 // likewise
}

func (t *grParser) parse(b []byte) (int, error) {
	arcs, comments := uint64(0), uint64(0)
	for p := 0; p < len(b); {
		start := p
		p = skipBlanks(b, p)
		c := b[p]
		if c == '\n' || c == 'c' || c == '\r' && b[p+1] == '\n' {
			if c == 'c' {
				comments++
			}
			p += bytes.IndexByte(b[p:], '\n') + 1
			continue
		}
		q := skipBlanks(b, p+1)
		if c != 'a' || q == p+1 {
			return start, t.fault(b[start:])
		}
		u, v, p2, ok := scanPair(b, q)
		if !ok || u-1 >= t.size || v-1 >= t.size {
			return start, t.fault(b[start:])
		}
		from, to, ok := nextField(b, p2)
		var w weight
		if ok && t.w != nil {
			w, ok = parseWeight(b[from:to])
		}
		if !ok {
			return start, t.fault(b[start:])
		}
		if p, ok = endOfLine(b, to); !ok {
			return start, t.fault(b[start:])
		}
		arcs++
		if err := t.add(u, v, w); err != nil {
			return -1, err
		}
	}
	t.arcs.Add(arcs)
	t.comments.Add(comments)
	return 0, nil
}

func (t *grParser) fault(b []byte) error {
	line := firstLine(b)
	f := fieldsOf(line)
	if len(f) != 4 || string(f[0]) != "a" {
		return faultf(ErrSyntax, "want a FROM TO WEIGHT, found %s", quoted(line))
	}
	for _, f := range f[1:3] {
		if err := rangeFault(f, t.size); err != nil {
			return err
		}
	}
	return faultf(ErrSyntax, "want a FROM TO WEIGHT, found %s", quoted(line))
}

// add adds an edge to the batch.
func (b *batch) add(u, v uint64, w weight) error {
	b.src[b.n], b.dst[b.n] = int64(u), int64(v)
	if b.w != nil {
		if !b.w.add(w) {
			return faultf(errWeights, "a weight is past 9223372036854775807, the largest integer: set Options.WeightType to WeightsFloat64")
		}
	}
	if b.n++; b.n == len(b.src) {
		return b.flush()
	}
	return nil
}

// The functions below rely, as those in scan.go do, on b ending in LF.

func skipBlanks(b []byte, p int) int {
	for b[p] == ' ' || b[p] == '\t' {
		p++
	}
	return p
}

// scanPair scans two unsigned integers with blanks between.
func scanPair(b []byte, p int) (u, v uint64, q int, ok bool) {
	u, p, ok = scanUint(b, p)
	if q = skipBlanks(b, p); !ok || q == p {
		return u, v, p, false
	}
	v, q, ok = scanUint(b, q)
	return u, v, q, ok
}

// nextField finds the field behind the one that ends at p: b[from:to].
func nextField(b []byte, p int) (from, to int, ok bool) {
	from = skipBlanks(b, p)
	for to = from; b[to] > ' '; to++ {
	}
	return from, to, from > p && to > from
}

// endOfLine skips blanks and the end of the line.
func endOfLine(b []byte, p int) (int, bool) {
	p = skipBlanks(b, p)
	if b[p] == '\r' {
		p++
	}
	return p + 1, b[p] == '\n'
}

// rangeFault says why a field is no id from 1 to n. It is nil where it is one.
func rangeFault(f []byte, n uint64) error {
	x, q, ok := scanUint(append(bytes.Clone(f), '\n'), 0)
	switch {
	case !isNumber(f):
		return faultf(ErrSyntax, "want an id, found %s", quoted(f))
	case !ok || q < len(f) || x == 0 || x > n:
		return faultf(graph.ErrIDRange, "id %s isn't one of 1 to %d, as the head declares", quoted(f), n)
	}
	return nil
}
