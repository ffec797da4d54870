// This file runs programs.

package ptxtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Memory is what addresses lead to. Every slice is separate, as elements of one size, or
// there are bytes in one piece, as a GPU has them.
type Memory struct {
	slices []slice
	bytes  []byte
	base   uint64 // of the bytes
}

// SetBytes makes bytes the memory from an address on.
func (m *Memory) SetBytes(base uint64, b []byte) { m.base, m.bytes = base, b }

type slice struct {
	size  int // bytes of an element
	elems []uint64
}

// Address of an element's byte: the slice's number from 1 on, and so many bits within it.
func apart() int { return 40 }

// Add adds a slice of elements of so many bytes, and returns its address.
func (m *Memory) Add(size int, elems []uint64) uint64 {
	m.slices = append(m.slices, slice{size, elems})
	return uint64(len(m.slices)) << apart()
}

// at returns the element at an address.
func (m *Memory) at(address uint64, size int) (*uint64, error) {
	i, offset := int(address>>apart())-1, address&(1<<apart()-1)
	if i < 0 || i >= len(m.slices) || m.slices[i].size != size || offset%uint64(size) != 0 || offset/uint64(size) >= uint64(len(m.slices[i].elems)) {
		return nil, fmt.Errorf("%w: %d bytes at %#x", ErrAddress, size, address)
	}
	return &m.slices[i].elems[offset/uint64(size)], nil
}

// change replaces what is at an address by what f returns of it.
func (m *Memory) change(address uint64, size int, f func(old uint64) (uint64, error)) error {
	if m.bytes != nil {
		if address%uint64(size) != 0 || address < m.base || address-m.base > uint64(len(m.bytes)-size) {
			return fmt.Errorf("%w: %d bytes at %#x", ErrAddress, size, address)
		}
		b := m.bytes[address-m.base:]
		if size == 4 {
			x, err := f(uint64(binary.LittleEndian.Uint32(b)))
			binary.LittleEndian.PutUint32(b, uint32(x))
			return err
		}
		x, err := f(binary.LittleEndian.Uint64(b))
		binary.LittleEndian.PutUint64(b, x)
		return err
	}
	e, err := m.at(address, size)
	if err != nil {
		return err
	}
	*e, err = f(*e)
	return err
}

// ErrAddress is the error of an access that doesn't hit an element.
var ErrAddress = errors.New("an access out of bounds")

// ErrSteps is the error of a program that runs for too long.
var ErrSteps = errors.New("the program doesn't end")

// rubbish is what registers hold before they are assigned, and what the PTX manual leaves open.
func rubbish() uint64 { return 0xdeadbeefdeadbeef }

// Run runs a program with a block of words and inputs, and returns $0.
func (p *Program) Run(m *Memory, block []uint64, inputs []uint64, steps int) (result uint64, err error) {
	r := make([]uint64, len(p.widths))
	for i := range r {
		r[i] = rubbish()
	}
	copy(r[1:], inputs)
	var local Memory
	if p.bytes > 0 {
		local.SetBytes(localBase, bytes.Repeat([]byte{0xdb}, int(p.bytes)))
	}
	for at := 0; at < len(p.ops); at++ {
		if steps--; steps < 0 {
			return 0, ErrSteps
		}
		o := &p.ops[at]
		if o.guard >= 0 && (r[o.guard]&1 != 0) == o.unless {
			continue
		}
		if o.name[0] == "bra" {
			at = o.to - 1
			continue
		}
		memory := m
		if len(o.name) > 1 && o.name[1] == "local" {
			memory = &local
		}
		if err := p.do(o, r, memory, block); err != nil {
			return 0, fmt.Errorf("%s: %w", o.text, err)
		}
	}
	return r[0], nil
}

var errUnknown = errors.New("an instruction that isn't known")

// get returns an operand, as bits of a type.
func (o *op) get(i int, r []uint64, t string) uint64 {
	x := o.operands[i]
	v := x.value
	if x.reg >= 0 {
		v = r[x.reg]
	}
	switch width(t) {
	case 1:
		return v & 1
	case 32:
		return v & math.MaxUint32
	}
	return v
}

func width(t string) int {
	switch {
	case t == "pred":
		return 1
	case strings.HasSuffix(t, "32"):
		return 32
	}
	return 64
}

// do runs an instruction.
func (p *Program) do(o *op, r []uint64, m *Memory, block []uint64) error {
	name := strings.Join(o.name, ".")
	t := o.name[len(o.name)-1]
	if want, known := counts[o.name[0]]; !known || len(o.operands) != want && !(o.name[0] == "setp" && len(o.operands) == 4 && len(o.name) == 4) &&
		!(strings.HasPrefix(name, "atom.global.cas") && len(o.operands) == 4) {
		return errUnknown
	}
	get := func(i int) uint64 { return o.get(i, r, t) }
	set := func(x uint64) error {
		d := o.operands[0].reg
		if d < 0 {
			return errUnknown
		}
		r[d] = x
		return nil
	}
	switch o.name[0] {
	case "mov":
		if d := o.operands[0]; d.reg == -2 {
			x := get(1)
			r[d.pair[0]], r[d.pair[1]] = x&math.MaxUint32, x>>32
			return nil
		}
		if s := o.operands[1]; s.reg == -2 {
			return set(r[s.pair[0]]&math.MaxUint32 | r[s.pair[1]]<<32)
		}
		return set(get(1))
	case "ld":
		a := o.operands[1]
		if name == "ld.param."+t {
			word := block[a.value/8]
			if t == "b32" {
				word = word >> (a.value % 8 * 8) & math.MaxUint32
			}
			return set(word)
		}
		switch name {
		case "ld.global." + t, "ld.local." + t, "ld.relaxed.gpu.global." + t, "ld.volatile.global." + t:
		default:
			return errUnknown
		}
		var x uint64
		if err := m.change(r[a.reg], width(t)/8, func(old uint64) (uint64, error) { x = old; return old, nil }); err != nil {
			return err
		}
		return set(x)
	case "st":
		switch name {
		case "st.global." + t, "st.local." + t, "st.relaxed.gpu.global." + t, "st.volatile.global." + t:
		default:
			return errUnknown
		}
		return m.change(r[o.operands[0].reg], width(t)/8, func(uint64) (uint64, error) { return get(1), nil })
	case "atom":
		var third, was uint64
		if len(o.operands) == 4 {
			third = get(3)
		}
		if err := m.change(r[o.operands[1].reg], width(t)/8, func(old uint64) (uint64, error) {
			was = old
			return atomic(o.name, t, old, get(2), third)
		}); err != nil {
			return err
		}
		return set(was)
	case "setp":
		is, err := compare(o.name[1], t, get(1), get(2))
		if err != nil {
			return err
		}
		if len(o.name) == 4 {
			q := o.get(3, r, "pred") != 0
			switch o.name[2] {
			case "and":
				is = is && q
			case "or":
				is = is || q
			default:
				return errUnknown
			}
		}
		return set(bit(is))
	case "selp":
		if o.get(3, r, "pred") != 0 {
			return set(get(1))
		}
		return set(get(2))
	case "cvt":
		x, err := convert(o.name[1:], func(t string) uint64 { return o.get(1, r, t) })
		if err != nil {
			return err
		}
		return set(x)
	case "fma":
		if name != "fma.rn.f64" {
			return errUnknown
		}
		return set(of64(math.FMA(f64(get(1)), f64(get(2)), f64(get(3)))))
	case "shl", "shr":
		return set(shift(o.name[0], t, get(1), o.get(2, r, "u32")))
	}
	var b uint64
	if len(o.operands) > 2 {
		b = get(2)
	}
	x, err := compute(o.name, t, get(1), b)
	if err != nil {
		return err
	}
	return set(x)
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// counts are the operands of each instruction.
var counts = map[string]int{"mov": 2, "ld": 2, "st": 2, "atom": 3, "setp": 3, "selp": 4, "cvt": 2, "shl": 3, "shr": 3,
	"add": 3, "sub": 3, "mul": 3, "div": 3, "rem": 3, "min": 3, "max": 3, "neg": 2, "abs": 2, "sqrt": 2, "and": 3, "or": 3, "xor": 3, "not": 2,
	"popc": 2, "clz": 2, "brev": 2, "prmt": 4, "fma": 4}
