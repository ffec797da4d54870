// This file copies values of Arrow arrays into vectors.

package dataset

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// readArray fills v with rows of a record's column, from row at on, fewer
// than n where strings are long. way leads through structs to the column.
func readArray(v *columnar.Vector, mem *columnar.Memory, want columnar.Kind, rec arrow.Record, way []int, at, n int) error {
	if err := v.Reset(mem, want, n); err != nil {
		return err
	}
	arr := rec.Column(way[0])
	var around []arrow.Array
	for _, i := range way[1:] {
		around = append(around, arr)
		// The struct slices its fields as it is sliced itself.
		arr = arr.(*array.Struct).Field(i)
	}
	if err := appendArray(v, mem, arr, at, n); err != nil {
		return err
	}
	n = v.Len()
	nulls := 0
	var valid []bool
	for _, a := range append(around, arr) {
		d, isDict := a.(*array.Dictionary)
		if a.NullN() == 0 && !(isDict && d.Dictionary().NullN() > 0) {
			continue
		}
		if valid == nil {
			valid = make([]bool, n)
			for i := range valid {
				valid[i] = true
			}
		}
		for i := range valid {
			if valid[i] && (a.IsNull(at+i) || isDict && d.Dictionary().IsNull(d.GetValueIndex(at+i))) {
				valid[i] = false
				nulls++
			}
		}
	}
	if err := v.MarkValid(mem, 0, valid, nulls); err != nil {
		return err
	}
	return v.Finish(mem)
}

// appendArray appends rows at to at+n of an array to v.
func appendArray(v *columnar.Vector, mem *columnar.Memory, a arrow.Array, at, n int) error {
	switch a := a.(type) {
	case *array.Int8:
		appendInts(v, a.Int8Values()[at:at+n])
	case *array.Int16:
		appendInts(v, a.Int16Values()[at:at+n])
	case *array.Int32:
		appendInts(v, a.Int32Values()[at:at+n])
	case *array.Int64:
		appendInts(v, a.Int64Values()[at:at+n])
	case *array.Uint8:
		appendInts(v, a.Uint8Values()[at:at+n])
	case *array.Uint16:
		appendInts(v, a.Uint16Values()[at:at+n])
	case *array.Uint32:
		appendInts(v, a.Uint32Values()[at:at+n])
	case *array.Uint64:
		appendInts(v, a.Uint64Values()[at:at+n])
	case *array.Date32:
		appendInts(v, a.Date32Values()[at:at+n])
	case *array.Date64:
		appendInts(v, a.Date64Values()[at:at+n])
	case *array.Time32:
		appendInts(v, a.Time32Values()[at:at+n])
	case *array.Time64:
		appendInts(v, a.Time64Values()[at:at+n])
	case *array.Timestamp:
		appendInts(v, a.TimestampValues()[at:at+n])
	case *array.Boolean:
		for i := at; i < at+n; i++ {
			x := int64(0)
			if a.Value(i) {
				x = 1
			}
			v.Ints = append(v.Ints, x)
		}
	case *array.Float16:
		if v.Kind == columnar.Numbers {
			for _, x := range a.Values()[at : at+n] {
				v.Doubles = append(v.Doubles, float64(x.Float32()))
			}
			return nil
		}
		for _, x := range a.Values()[at : at+n] {
			v.Floats = append(v.Floats, x.Float32())
		}
	case *array.Float32:
		if v.Kind == columnar.Numbers {
			for _, x := range a.Float32Values()[at : at+n] {
				v.Doubles = append(v.Doubles, float64(x))
			}
			return nil
		}
		v.Floats = append(v.Floats, a.Float32Values()[at:at+n]...)
	case *array.Float64:
		if v.Kind == columnar.Numbers {
			v.Doubles = append(v.Doubles, a.Float64Values()[at:at+n]...)
			return nil
		}
		for _, x := range a.Float64Values()[at : at+n] {
			v.Floats = append(v.Floats, float32(x))
		}
	case *array.Decimal128:
		if v.Kind == columnar.Ints { // of at most 18 digits
			for _, x := range a.Values()[at : at+n] {
				low := int64(x.LowBits())
				if x.HighBits() != low>>63 {
					low = math.MaxInt64 // which is not among them
				}
				v.Ints = append(v.Ints, low)
			}
			return nil
		}
		if v.Kind == columnar.Strings {
			for i := at; i < at+n && !v.Full(); i++ {
				x := a.Value(i)
				b := binary.BigEndian.AppendUint64(nil, uint64(x.HighBits()))
				if err := v.AppendString(mem, binary.BigEndian.AppendUint64(b, x.LowBits())); err != nil {
					return err
				}
			}
			return nil
		}
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		for _, x := range a.Values()[at : at+n] {
			v.Floats = append(v.Floats, float32(x.ToFloat64(scale)))
		}
	case *array.Decimal256:
		if v.Kind == columnar.Ints { // of at most 18 digits
			for _, x := range a.Values()[at : at+n] {
				w := x.Array()
				low, sign := int64(w[0]), uint64(int64(w[0])>>63)
				if w[1] != sign || w[2] != sign || w[3] != sign {
					low = math.MaxInt64 // which is not among them
				}
				v.Ints = append(v.Ints, low)
			}
			return nil
		}
		if v.Kind == columnar.Strings {
			for i := at; i < at+n && !v.Full(); i++ {
				w := a.Value(i).Array()
				var b []byte
				for k := len(w) - 1; k >= 0; k-- {
					b = binary.BigEndian.AppendUint64(b, w[k])
				}
				if err := v.AppendString(mem, b); err != nil {
					return err
				}
			}
			return nil
		}
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		for _, x := range a.Values()[at : at+n] {
			v.Floats = append(v.Floats, float32(x.ToFloat64(scale)))
		}
	case *array.Dictionary:
		return appendDictionary(v, mem, a, at, n)
	case interface{ Value(int) string }: // strings of all three layouts
		for i := at; i < at+n && !v.Full(); i++ {
			var s string
			if a.(arrow.Array).IsValid(i) {
				s = a.Value(i)
			}
			if err := v.AppendString(mem, []byte(s)); err != nil {
				return err
			}
		}
	case interface{ Value(int) []byte }: // binary of all four
		for i := at; i < at+n && !v.Full(); i++ {
			var s []byte
			if a.(arrow.Array).IsValid(i) {
				s = a.Value(i)
			}
			if err := v.AppendString(mem, s); err != nil {
				return err
			}
		}
	default:
		return columnar.Unsupported("values of type %v", a.DataType())
	}
	return nil
}

// appendInts widens integers; a uint64 keeps its bits.
func appendInts[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](v *columnar.Vector, values []T) {
	if v.Kind == columnar.Weights {
		for _, x := range values {
			v.Floats = append(v.Floats, float32(x))
		}
		return
	}
	for _, x := range values {
		v.Ints = append(v.Ints, int64(x))
	}
}

// appendDictionary appends the values that indices stand for.
func appendDictionary(v *columnar.Vector, mem *columnar.Memory, a *array.Dictionary, at, n int) error {
	values := a.Dictionary()
	for i := at; i < at+n && !v.Full(); i++ {
		var err error
		if !a.IsNull(i) {
			err = appendArray(v, mem, values, a.GetValueIndex(i), 1)
		} else {
			err = appendNull(v, mem)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func appendNull(v *columnar.Vector, mem *columnar.Memory) error {
	switch v.Kind {
	case columnar.Ints:
		v.Ints = append(v.Ints, 0)
	case columnar.Weights:
		v.Floats = append(v.Floats, 0)
	case columnar.Numbers:
		v.Doubles = append(v.Doubles, 0)
	default:
		return v.AppendString(mem, nil)
	}
	return nil
}
