// This file lays out what cases hold in a device's memory.

package kernels

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

// image is the memory of all cases of a batch, as it is uploaded.
type image struct {
	bytes []byte
	base  uint64 // its address
	cases []place
}

// place is the position of a case, in bytes from the image's start.
type place struct {
	c          *functorfuzz.Case
	fault      int
	stop       int
	calls      int
	slices     []int
	begin, end int
}

// gap surrounds each piece of memory: writes into it are detected.
const gap = 32

func (m *image) take(n int) (at int) {
	at = len(m.bytes)
	m.bytes = append(m.bytes, make([]byte, (n+7)/8*8)...)
	m.bytes = append(m.bytes, bytes.Repeat([]byte{0xa5}, gap)...)
	return at
}

func (m *image) put(at, size int, x uint64) {
	if size == 4 {
		binary.LittleEndian.PutUint32(m.bytes[at:], uint32(x))
		return
	}
	binary.LittleEndian.PutUint64(m.bytes[at:], x)
}

func (m *image) get(at, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(m.bytes[at:]))
	}
	return binary.LittleEndian.Uint64(m.bytes[at:])
}

// add adds a case.
func (m *image) add(c *functorfuzz.Case) {
	p := place{c: c, begin: len(m.bytes)}
	m.take(0)
	p.fault, p.stop, p.calls = m.take(8), m.take(8), m.take(8*callWords*len(c.Calls))
	for i, call := range c.Calls {
		words := inputs(c.Functor, call)
		for k, x := range words {
			m.put(p.calls+8*(callWords*i+k), 8, x)
		}
	}
	for i, s := range c.Data.Slices {
		size := size(c.Functor, i)
		at := m.take(size * len(s))
		for j, x := range s {
			m.put(at+size*j, size, x)
		}
		p.slices = append(p.slices, at)
	}
	p.end = len(m.bytes)
	m.cases = append(m.cases, p)
}

// size returns the bytes of a field's elements.
func size(f *ir.Functor, field int) int { return max(f.FieldOf(field).Type.Bits()/8, 1) }

// inputs returns the first words of a call's record.
func inputs(f *ir.Functor, call functorfuzz.Call) []uint64 {
	in := &call.Inputs
	words := []uint64{0, in[ir.Source], in[ir.Target], in[ir.Level], in[ir.Index]}
	switch call.Method.Kind {
	case ir.Apply, ir.Score:
		words = []uint64{0, in[ir.VertexID], in[ir.Total], in[ir.Level]}
		if f.Method(ir.Key) != nil {
			words = append(words, in[ir.KeyOf])
		}
	case ir.Vertex:
		words = []uint64{0, in[ir.VertexID], in[ir.Level]}
	}
	for i, m := range f.Methods {
		if m == call.Method {
			words[0] = uint64(i)
		}
	}
	return words
}

// block returns a case's block.
func (m *image) block(p *place) (words [blockWords]uint64) {
	f := p.c.Functor
	words[ir.FaultWord], words[ir.StopWord] = m.base+uint64(p.fault), m.base+uint64(p.stop)
	at, _ := f.Words()
	for i, w := range at {
		switch {
		case w < 0:
		case f.FieldOf(i).Accumulator: // of the one thread that there is
			words[w] = m.base + uint64(p.slices[i])
		case f.FieldOf(i).Slice:
			words[w], words[w+1] = m.base+uint64(p.slices[i]), uint64(len(p.c.Data.Slices[i]))
		default:
			words[w] = p.c.Data.Scalars[i]
		}
	}
	return words
}

// ended reads how a case ended. before is the image as it was uploaded. Memory that the case
// mustn't write is unchanged, or the error names the first difference.
func (m *image) ended(p *place, before *image) (*functorfuzz.Ended, error) {
	e := &functorfuzz.Ended{Data: p.c.Data.Clone()}
	word := m.get(p.fault, 8)
	stop := m.get(p.stop, 4)
	for i, call := range p.c.Calls {
		at := p.calls + 8*callWords*i
		if m.get(at+8*doneAt, 8) != 1 {
			break
		}
		bits, _ := registers(p.c.Functor, call.Method)
		out := functorfuzz.Outcome{Result: m.get(at+8*resultAt, bits/8)}
		e.Calls = append(e.Calls, out)
		m.put(at+8*resultAt, 8, 0)
		m.put(at+8*doneAt, 8, 0)
	}
	if word != 0 || stop != 0 {
		if len(e.Calls) == 0 || stop != 1 {
			return nil, fmt.Errorf("fault word %#x and stop flag %d after %d calls", word, stop, len(e.Calls))
		}
		last := &e.Calls[len(e.Calls)-1]
		last.Site, last.Index = int(word>>ir.FaultBits), int64(word<<(64-ir.FaultBits))>>(64-ir.FaultBits)
	}
	m.put(p.fault, 8, 0)
	m.put(p.stop, 4, 0)
	for i, s := range e.Data.Slices {
		if i >= len(p.c.Functor.Fields) {
			break // weights and ids
		}
		size := size(p.c.Functor, i)
		for j := range s {
			s[j] = m.get(p.slices[i]+size*j, size)
			m.put(p.slices[i]+size*j, size, before.get(p.slices[i]+size*j, size))
		}
	}
	for i := p.begin; i < p.end; i++ {
		if m.bytes[i] != before.bytes[i] {
			return nil, fmt.Errorf("byte %d of the case's memory was written, which nothing may write", i-p.begin)
		}
	}
	return e, nil
}
