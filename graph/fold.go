// This file combines the values that parallel edges have in a column (Options.Fold).

package graph

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/text"
)

var errValues = text.Named("graph: value out of range", ErrWeights)

// checkFold is the part of Options.Check for Fold.
func (o Options) checkFold() error {
	for _, name := range slices.Sorted(maps.Keys(o.Fold)) {
		switch by := o.Fold[name]; {
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

// foldsAll reports whether no column has the values of the edge that stays.
func (o Options) foldsAll() bool { return len(o.Fold) > 0 && len(o.Fold) == len(o.EdgeColumns) }

// folder combines values of parallel edges in all columns that Options.Fold names, one goroutine at a time.
type folder []func(rows []uint64, stays uint64) error

// fold sets the values of the edge that stays of those with the given rows.
func (f folder) fold(rows []uint64, stays uint64) error {
	for _, column := range f {
		if err := column(rows, stays); err != nil {
			return err
		}
	}
	return nil
}

// folders returns a folder for each worker, and a function that gives the table the new values: until then it has the old
// ones, since others compare them.
func (t *columnTable) folders(o *Options, workers int) (all []folder, settle func(), err error) {
	all = make([]folder, workers)
	var settles []func()
	for i, name := range t.names {
		by, ok := o.Fold[name]
		if !ok || len(t.chunks) == 0 {
			continue
		}
		if t.dicts[i] != nil && by != CombineFirst {
			return nil, nil, fmt.Errorf("%w: Options.Fold has %v for the column %.100q, which has strings; they have CombineFirst, or leave it to Options.Merge", ErrOptions, by, name)
		}
		var add func(f *folder)
		var done func()
		switch t.chunks[0].values[i].(type) {
		case []int32:
			add, done = foldInts[int32](t, i, by)
		case []uint32:
			add, done = foldInts[uint32](t, i, by)
		case []int64:
			add, done = foldInts[int64](t, i, by)
		case []uint64:
			add, done = foldInts[uint64](t, i, by)
		case []float32:
			add, done = foldFloats[float32](t, i, by)
		case []float64:
			add, done = foldFloats[float64](t, i, by)
		}
		for w := range all {
			add(&all[w])
		}
		settles = append(settles, done)
	}
	return all, func() {
		for _, done := range settles {
			done()
		}
	}, nil
}

func foldInts[T int32 | uint32 | int64 | uint64](t *columnTable, i int, by Combine) (add func(*folder), settle func()) {
	return foldBy(t, i, by, cmp.Compare[T], func(values []T) (T, bool) {
		signed := ^T(0) < 0
		high, low := int64(0), uint64(0) // of 128 bits
		for _, x := range values {
			sum, carry := bits.Add64(low, uint64(x), 0)
			low, high = sum, high+int64(carry)
			if signed {
				high += int64(x) >> 63
			}
		}
		if signed {
			return T(int64(low)), high == int64(low)>>63 && int64(T(int64(low))) == int64(low)
		}
		return T(low), high == 0 && uint64(T(low)) == low
	})
}

func foldFloats[T float32 | float64](t *columnTable, i int, by Combine) (add func(*folder), settle func()) {
	compare := func(a, b T) int { return cmp.Compare(floatKey(float64(a)), floatKey(float64(b))) }
	return foldBy(t, i, by, compare, func(values []T) (T, bool) {
		slices.SortFunc(values, compare)
		sum, finite := float64(values[0]), true // -0 stays
		for k, x := range values {
			if k > 0 {
				sum += float64(x)
			}
			finite = finite && !math.IsInf(float64(x), 0)
		}
		return T(sum), !finite || !math.IsInf(float64(T(sum)), 0)
	})
}

// foldBy returns what gives a folder a column of the type, and what gives the table the new values. sum reports whether the
// type holds a sum, and may sort values.
func foldBy[T device.Elem](t *columnTable, i int, by Combine, compare func(a, b T) int, sum func(values []T) (T, bool)) (add func(*folder), settle func()) {
	from, to := chunksOfColumn[T](t, i), make([][]T, len(t.chunks))
	for k := range to {
		to[k] = slices.Clone(from[k])
	}
	add = func(f *folder) {
		var values []T
		*f = append(*f, func(rows []uint64, stays uint64) error {
			values = values[:0]
			first := 0
			for k, row := range rows {
				chunk, at := t.find(row)
				values = append(values, from[chunk][at])
				if row < rows[first] {
					first = k
				}
			}
			var x T
			switch by {
			case CombineMin:
				x = slices.MinFunc(values, compare)
			case CombineMax:
				x = slices.MaxFunc(values, compare)
			case CombineFirst:
				x = values[first]
			case CombineSum:
				var ok bool
				if x, ok = sum(values); !ok {
					return fmt.Errorf("%w: the values of merged edges in the column %.100q add up to more than its type, %s, holds; load it with a wider type, or fold it in another way",
						errValues, t.names[i], t.like[i].typeName())
				}
			}
			chunk, at := t.find(stays)
			to[chunk][at] = x
			return nil
		})
	}
	return add, func() {
		for k, c := range t.chunks {
			c.values[i] = to[k]
		}
	}
}
