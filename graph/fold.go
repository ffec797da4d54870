// This file combines the values that parallel edges have in a column (Options.Fold).

package graph

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/text"
)

var errValues = text.Named("graph: value out of range", ErrWeights)

// checkFold is the part of Options.Check for Fold.
func (o Options) checkFold() error {
	for name, by := range o.Fold {
		switch {
		case len(o.EdgeColumns) == 0:
			return fmt.Errorf("%w: Options.Fold names the column %.100q, but EdgeColumns is empty; name the column there too", ErrOptions, name)
		case !slices.Contains(o.EdgeColumns, name):
			return fmt.Errorf("%w: Options.Fold names the column %.100q; want those of EdgeColumns: %s", ErrOptions, name, quoted(o.EdgeColumns))
		case int(by) >= len(combineNames):
			return fmt.Errorf("%w: Options.Fold has %v for the column %.100q; want CombineMin, CombineMax, CombineSum or CombineFirst", ErrOptions, by, name)
		case o.KeepDuplicates:
			return fmt.Errorf("%w: Options.Fold with KeepDuplicates, which keeps all edges; leave out one of them", ErrOptions)
		}
	}
	return nil
}

// noQuantity reports a type whose values can't be added up: booleans, dates and times.
func noQuantity(logical string) bool {
	return logical == "bool" || strings.HasPrefix(logical, "date") || strings.HasPrefix(logical, "time")
}

// foldsAll reports whether no column has the values of the edge that stays.
func (o Options) foldsAll() bool { return len(o.Fold) > 0 && len(o.Fold) == len(o.EdgeColumns) }

// folder combines the values of parallel edges in the columns that Options.Fold names, one goroutine at a time.
type folder struct {
	t       *columnTable
	columns []int
	by      []Combine
	to      [][]any // by column and chunk: the new values
	keys    []uint64
}

// folders returns a folder for each worker, and a function that gives the table the new values: until then it has the old
// ones, since others compare them.
func (t *columnTable) folders(o *Options, workers int) (all []folder, settle func(), err error) {
	f := folder{t: t}
	for i, name := range t.names {
		by, ok := o.Fold[name]
		if !ok || len(t.chunks) == 0 {
			continue
		}
		if t.dicts[i] != nil && by != CombineFirst {
			return nil, nil, fmt.Errorf("%w: Options.Fold has %v for the column %.100q, which has strings; they have CombineFirst, or leave it to Options.Merge", ErrOptions, by, name)
		}
		if logical := t.like[i].Logical; by == CombineSum && noQuantity(logical) {
			return nil, nil, fmt.Errorf("%w: Options.Fold has %v for the column %.100q, whose type is %.100s; a sum of these is none: use CombineMin, CombineMax or CombineFirst", ErrOptions, by, name, logical)
		}
		to := make([]any, len(t.chunks))
		for k, c := range t.chunks {
			to[k] = makeLike(c.values[i], valuesLen(c.values[i]))
			copyValues(to[k], c.values[i])
		}
		f.columns, f.by, f.to = append(f.columns, i), append(f.by, by), append(f.to, to)
	}
	all = make([]folder, workers)
	for w := range all {
		all[w] = f
	}
	return all, func() {
		for k, i := range f.columns {
			for c, values := range f.to[k] {
				t.chunks[c].values[i] = values
			}
		}
	}, nil
}

// fold sets the values of the edge that stays of those with the given rows.
func (f *folder) fold(rows []uint64, stays uint64) error {
	if len(f.columns) == 0 {
		return nil
	}
	t := f.t
	chunk, at := t.find(stays)
	for k, i := range f.columns {
		first := rows[0]
		f.keys = f.keys[:0]
		for _, row := range rows {
			first = min(first, row)
			c, at := t.find(row)
			f.keys = append(f.keys, keyOfValue(t.chunks[c].values[i], int(at)))
		}
		var bits uint64
		switch to := f.to[k][chunk]; f.by[k] {
		case CombineFirst:
			c, at := t.find(first)
			bits = valueBits(t.chunks[c].values[i], int(at))
		case CombineMin:
			bits = bitsOfKey(to, slices.Min(f.keys))
		case CombineMax:
			bits = bitsOfKey(to, slices.Max(f.keys))
		case CombineSum:
			var ok bool
			if bits, ok = sumOfKeys(to, f.keys); !ok {
				return fmt.Errorf("%w: the values of merged edges in the column %.100q add up to more than its type, %s, holds; load it with a wider type, or fold it in another way",
					errValues, t.names[i], t.like[i].typeName())
			}
		}
		putValue(f.to[k][chunk], int(at), bits)
	}
	return nil
}

// keyOfValue returns a number that sorts unsigned as the value does: -0 before 0, and NaN last.
func keyOfValue(values any, e int) uint64 {
	switch a := values.(type) {
	case []int32:
		return intKey(int64(a[e]))
	case []int64:
		return intKey(a[e])
	case []float32:
		return floatKey(float64(a[e]))
	case []float64:
		return floatKey(a[e])
	}
	return valueBits(values, e)
}

// bitsOfKey returns the bits, as valueBits has them, of the value with a key.
func bitsOfKey(values any, key uint64) uint64 {
	switch values.(type) {
	case []int32, []int64:
		return uint64(intOfKey(key))
	case []float32:
		return uint64(math.Float32bits(float32(floatOfKey(key))))
	case []float64:
		return math.Float64bits(floatOfKey(key))
	}
	return key
}

// sumOfKeys adds up values, and reports whether their type holds the sum. Floats are added in ascending order.
func sumOfKeys(values any, keys []uint64) (bits uint64, ok bool) {
	switch values.(type) {
	case []float32, []float64:
		slices.Sort(keys)
		sum, finite := floatOfKey(keys[0]), true // -0 stays
		for k, key := range keys {
			x := floatOfKey(key)
			if k > 0 {
				sum += x
			}
			finite = finite && !math.IsInf(x, 0)
		}
		bits = bitsOfKey(values, floatKey(sum))
		if _, narrow := values.([]float32); narrow {
			sum = float64(float32(sum))
		}
		return bits, !finite || !math.IsInf(sum, 0)
	}
	high, low := int64(0), uint64(0) // of 128 bits
	for _, key := range keys {
		x := bitsOfKey(values, key)
		sum, carry := mathbits.Add64(low, x, 0)
		low, high = sum, high+int64(carry)
		switch values.(type) {
		case []int32, []int64:
			high += int64(x) >> 63
		}
	}
	switch values.(type) {
	case []int32:
		return low, high == int64(low)>>63 && int64(int32(low)) == int64(low)
	case []int64:
		return low, high == int64(low)>>63
	case []uint32:
		return low, high == 0 && low <= math.MaxUint32
	}
	return low, high == 0
}

func putValue(values any, e int, bits uint64) {
	switch a := values.(type) {
	case []int32:
		a[e] = int32(bits)
	case []uint32:
		a[e] = uint32(bits)
	case []int64:
		a[e] = int64(bits)
	case []uint64:
		a[e] = bits
	case []float32:
		a[e] = math.Float32frombits(uint32(bits))
	case []float64:
		a[e] = math.Float64frombits(bits)
	}
}

func copyValues(to, from any) {
	switch a := from.(type) {
	case []int32:
		copy(to.([]int32), a)
	case []uint32:
		copy(to.([]uint32), a)
	case []int64:
		copy(to.([]int64), a)
	case []uint64:
		copy(to.([]uint64), a)
	case []float32:
		copy(to.([]float32), a)
	case []float64:
		copy(to.([]float64), a)
	}
}
