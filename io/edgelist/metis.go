// This file holds METIS files. The format: section 4.1.1 of the manual of METIS 5,
// http://glaros.dtc.umn.edu/gkhome/fetch/sw/metis/manual.pdf

package edgelist

import (
	"io"
	"math"

	"github.com/foray-graph/foray/graph"
)

// metisHead is the first line of a METIS file.
type metisHead struct {
	vertices, edges uint64
	before          uint64 // numbers in a line before its neighbors: sizes and weights of the vertex
	weighted        bool   // a weight follows each neighbor
}

// readMETIS reads a line of neighbors per vertex. A blank one is a vertex without any,
// so that lines are counted in order, by this goroutine alone.
func readMETIS(l *lines, o *Options, yield func(graph.Batch) error) error {
	l.max = max(l.max, metisLine)
	h, err := readMETISHead(l, o)
	if err != nil {
		return err
	}
	b := newBatch(o, graph.Int64, yield)
	var entries, forth, back uint64 // and sums that show whether each edge is listed at both ends
	for u := uint64(1); ; {
		line, no, err := l.next()
		if err == nil {
			err = l.ctx.Err()
			if err != nil {
				return l.in.named(err)
			}
		}
		if err == io.EOF {
			if u <= h.vertices {
				return countError(l, "vertices", h.vertices, u-1)
			}
			break
		}
		if err != nil {
			return err
		}
		if no%1024 == 0 {
			l.in.report()
		}
		if p := trimLeft(line, ' '); len(p) > 0 && p[0] == '%' {
			l.comments.Add(1)
			continue
		} else if u > h.vertices {
			if len(p) == 0 {
				continue
			}
			return countError(l, "vertices", h.vertices, u)
		}
		line = append(line, '\n') // over what ended it: a line end, or room behind the input
		p := skipBlanks(line, 0)
		i := uint64(0)
		for ; line[p] != '\n'; i++ {
			x, q, ok := scanUint(line, p)
			if end := line[q]; !ok || end != ' ' && end != '\t' && end != '\n' {
				return at(l.in.name, no, faultf(ErrSyntax, "want whole numbers, found %s", quoted(line[p:len(line)-1])))
			}
			p = skipBlanks(line, q)
			if i < h.before {
				continue
			}
			if x == 0 || x > h.vertices {
				return at(l.in.name, no, faultf(graph.ErrIDRange, "vertex %d has the neighbor %d, which isn't one of 1 to %d, as the head declares", u, x, h.vertices))
			}
			var w weight
			if h.weighted {
				from, to := p, p
				for line[to] > ' ' {
					to++
				}
				if w, ok = parseWeight(line[from:to]); !ok {
					return at(l.in.name, no, faultf(ErrSyntax, "want a weight behind the neighbor %d, found %s", x, quoted(line[from:len(line)-1])))
				}
				p = skipBlanks(line, to)
			}
			entries++
			bits := uint64(math.Float64bits(w.asFloat() + 0)) // which both ends have; -0 is 0
			forth, back = forth+mix(mix(u<<32|x)^bits), back+mix(mix(x<<32|u)^bits)
			if o.Graph.Directed || u <= x {
				if err := b.add(u, x, w); err != nil {
					return err
				}
			}
		}
		if i < h.before {
			return at(l.in.name, no, faultf(ErrSyntax, "the line of vertex %d has too few numbers: %d, where the head declares %d sizes and weights before the neighbors", u, i, h.before))
		}
		u++
	}
	switch {
	case forth != back:
		return l.in.named(faultf(ErrFormat, "an edge stands in the line of one of its ends alone, or with another weight there; METIS has it in both"))
	case entries != 2*h.edges:
		remedy := "it may be truncated"
		if entries > 2*h.edges {
			remedy = "correct the number"
		}
		return l.in.named(faultf(errCount, "the head declares %d edges, which are %d neighbors, as each edge is in two lines, but there are %d; %s", h.edges, 2*h.edges, entries, remedy))
	}
	if err := b.flush(); err != nil {
		return err
	}
	return declared{1, h.vertices}.yield(l.in, o, yield)
}

// readMETISHead reads the number of vertices, that of edges, and which weights there are.
func readMETISHead(l *lines, o *Options) (h metisHead, err error) {
	b, no, err := l.nextData("%")
	if err == io.EOF {
		return h, headless(l.in.name, "line VERTICES EDGES")
	}
	if err != nil {
		return h, err
	}
	fail := func() (metisHead, error) {
		return h, at(l.in.name, no, faultf(errNoHead, "want VERTICES EDGES, and perhaps which weights there are, as in 7 11 011, found %s", quoted(b)))
	}
	f := fieldsOf(b)
	var size [2]uint64
	if len(f) < 2 || len(f) > 4 || !uints(f[:2], size[:]) || size[0] > 1<<32-1 || size[1] > 1<<62 {
		return fail()
	}
	h.vertices, h.edges = size[0], size[1]
	sizes, weights := uint64(0), uint64(0)
	if len(f) > 2 {
		if len(f[2]) > 3 {
			return fail()
		}
		for i, c := range f[2] {
			if c != '0' && c != '1' {
				return fail()
			}
			switch bit := uint64(c - '0'); len(f[2]) - 1 - i {
			case 0:
				h.weighted = bit == 1
			case 1:
				weights = bit
			case 2:
				sizes = bit
			}
		}
	}
	if len(f) > 3 {
		var n [1]uint64
		if !uints(f[3:], n[:]) || n[0] > 1<<20 {
			return fail()
		}
		weights *= n[0]
	}
	h.before = sizes + weights
	if err := (declared{1, h.vertices}).check(o, h.edges, true); err != nil {
		return h, at(l.in.name, no, err)
	}
	if o.Graph.Weights && !h.weighted {
		return h, at(l.in.name, no, faultf(errWeights, "weights are wanted, but the head says that edges have none"))
	}
	return h, nil
}
