// This file holds Matrix Market coordinate files. The format:
// https://math.nist.gov/MatrixMarket/formats.html

package edgelist

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
)

const banner = "%%MatrixMarket"

// matrix is the header of a Matrix Market file.
type matrix struct {
	values   int    // columns behind the ids: 0, 1 or 2
	mirrored bool   // entry i, j stands for j, i too
	sign     int    // of the value of the mirrored entry
	real     bool   // values are floats, whole numbers too
	size     uint64 // rows and columns
	entries  uint64
}

func readMatrixMarket(l *lines, o *Options, yield func(graph.Batch) error) error {
	m, err := matrixHead(l, o)
	if err != nil {
		return err
	}
	var entries atomic.Uint64
	err = runPipeline(l, nil, o.workers(), func() parser {
		return &mtxParser{matrix: m, batch: newBatch(o, graph.Int64, yield).ofFloats(m.real), entries: &entries, comments: &l.comments,
			mirror: m.mirrored && o.Graph.Directed}
	})
	if n := entries.Load(); err == nil && n != m.entries {
		err = countError(l, "entries", m.entries, n)
	}
	if err != nil {
		return err
	}
	return m.vertices().yield(l.in, o, yield)
}

func countError(l *lines, what string, declared, found uint64) error {
	remedy := "it may be truncated"
	if found > declared {
		remedy = "correct the number"
	}
	return l.in.named(faultf(errCount, "the head declares %d %s, but there are %d; %s", declared, what, found, remedy))
}

// matrixHead reads the banner, the comments and the line of sizes.
func matrixHead(l *lines, o *Options) (m matrix, err error) {
	b, no, err := l.next()
	if err == io.EOF {
		return m, headless(l.in.name, "banner "+banner+" matrix coordinate FIELD SYMMETRY")
	}
	if err != nil {
		return m, err
	}
	if err := m.banner(b, o); err != nil {
		return m, at(l.in.name, no, err)
	}
	b, no, err = l.nextData("%")
	if err == io.EOF {
		return m, l.in.named(faultf(errTruncated, "there is no line of sizes"))
	}
	if err != nil {
		return m, err
	}
	var size [3]uint64
	if !uints(fieldsOf(b), size[:]) {
		return m, at(l.in.name, no, faultf(ErrSyntax, "want rows, columns and entries, found %s", quoted(b)))
	}
	if size[0] != size[1] {
		return m, at(l.in.name, no, faultf(ErrFormat,
			"the matrix has %d rows and %d columns; only a square one is a graph", size[0], size[1]))
	}
	m.size, m.entries = size[0], size[2]
	return m, at(l.in.name, no, m.vertices().check(o, m.entries, false))
}

// vertices returns those that the size declares.
func (m *matrix) vertices() declared { return declared{1, m.size} }

// fieldsOf returns what stands between blanks.
func fieldsOf(line []byte) [][]byte {
	return bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
}

// uints parses exactly len(to) unsigned integers, no larger than an int64.
func uints(f [][]byte, to []uint64) bool {
	if len(f) != len(to) {
		return false
	}
	for i := range f {
		x, q, ok := scanUint(append(bytes.Clone(f[i]), '\n'), 0)
		if !ok || q != len(f[i]) || int64(x) < 0 {
			return false
		}
		to[i] = x
	}
	return true
}

func (m *matrix) banner(b []byte, o *Options) error {
	f := fieldsOf(bytes.ToLower(b))
	if len(f) != 5 || string(f[0]) != "%%matrixmarket" {
		return faultf(errNoHead, "want a banner %s matrix coordinate FIELD SYMMETRY, found %s", banner, quoted(b))
	}
	if string(f[1]) != "matrix" {
		return faultf(ErrFormat, "the object is %s; only a matrix is a graph", quoted(f[1]))
	}
	switch string(f[2]) {
	case "coordinate":
	case "array":
		return faultf(ErrFormat, "the matrix is dense (array); write it as coordinate")
	default:
		return faultf(ErrFormat, "unknown matrix format %s; want coordinate", quoted(f[2]))
	}
	switch string(f[3]) {
	case "pattern": // all weights are 1
	case "integer":
		m.values = 1
	case "real", "double":
		m.values, m.real = 1, true
	case "complex":
		m.values = 2
		if o.Graph.Weights {
			return faultf(errWeights, "weights are wanted, but the matrix has complex values")
		}
	default:
		return faultf(ErrFormat, "unknown field %s; want pattern, integer, real or complex", quoted(f[3]))
	}
	m.sign = 1
	switch string(f[4]) {
	case "general":
	case "symmetric", "hermitian":
		m.mirrored = true
	case "skew-symmetric":
		m.mirrored = true
		if m.values > 0 {
			m.sign = -1
		}
		if o.Graph.Weights && !o.Graph.Directed && m.values > 0 {
			return faultf(errWeights, "weights are wanted, but those of a skew-symmetric matrix depend on the direction; set Options.Graph.Directed")
		}
	default:
		return faultf(ErrFormat, "unknown symmetry %s; want general, symmetric, skew-symmetric or hermitian", quoted(f[4]))
	}
	return nil
}

// mtxParser parses the entries.
type mtxParser struct {
	matrix
	*batch
	mirror   bool
	entries  *atomic.Uint64 // of all parsers
	comments *atomic.Uint64 // likewise
}

func (t *mtxParser) parse(b []byte) (int, error) {
	entries, comments := uint64(0), uint64(0)
	for p := 0; p < len(b); {
		start := p
		p = skipBlanks(b, p)
		if c := b[p]; c == '\n' || c == '%' || c == '\r' {
			if c == '\r' && b[p+1] != '\n' {
				return start, t.fault(b[start:])
			}
			if c == '%' {
				comments++
			}
			p += bytes.IndexByte(b[p:], '\n') + 1
			continue
		}
		u, v, p2, ok := scanPair(b, p)
		if !ok || u-1 >= t.size || v-1 >= t.size {
			return start, t.fault(b[start:])
		}
		var w weight
		if t.values == 0 {
			w = wholeWeight(1)
		}
		to := p2
		for range t.values {
			var from int
			from, to, ok = nextField(b, to)
			if ok && t.w != nil { // then there is one value
				w, ok = parseWeight(b[from:to])
			}
			if !ok {
				return start, t.fault(b[start:])
			}
		}
		if p, ok = endOfLine(b, to); !ok {
			return start, t.fault(b[start:])
		}
		entries++
		if err := t.add(u, v, w); err != nil {
			return -1, err
		}
		if t.mirror && u != v {
			if err := t.add(v, u, w.times(t.sign)); err != nil {
				return -1, err
			}
		}
	}
	t.entries.Add(entries)
	t.comments.Add(comments)
	return 0, nil
}

func (t *mtxParser) fault(b []byte) error {
	line := firstLine(b)
	f := fieldsOf(line)
	want := [...]string{"row and column", "row, column and value", "row, column and two values"}[t.values]
	if len(f) != 2+t.values {
		return faultf(ErrSyntax, "want %s, found %s", want, quoted(line))
	}
	for _, f := range f[:2] {
		if err := rangeFault(f, t.size); err != nil {
			return err
		}
	}
	return faultf(ErrSyntax, "want %s, found %s", want, quoted(line))
}
