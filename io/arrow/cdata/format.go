//go:build cdata && cgo

// This file translates between the interface's format strings and Arrow's types.

package cdata

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// leaves are the types whose formats take no parameters.
var leaves = map[string]arrow.DataType{
	"n": arrow.Null, "b": arrow.FixedWidthTypes.Boolean,
	"c": arrow.PrimitiveTypes.Int8, "C": arrow.PrimitiveTypes.Uint8,
	"s": arrow.PrimitiveTypes.Int16, "S": arrow.PrimitiveTypes.Uint16,
	"i": arrow.PrimitiveTypes.Int32, "I": arrow.PrimitiveTypes.Uint32,
	"l": arrow.PrimitiveTypes.Int64, "L": arrow.PrimitiveTypes.Uint64,
	"e": arrow.FixedWidthTypes.Float16, "f": arrow.PrimitiveTypes.Float32, "g": arrow.PrimitiveTypes.Float64,
	"z": arrow.BinaryTypes.Binary, "Z": arrow.BinaryTypes.LargeBinary,
	"u": arrow.BinaryTypes.String, "U": arrow.BinaryTypes.LargeString,
	"vz": arrow.BinaryTypes.BinaryView, "vu": arrow.BinaryTypes.StringView,
	"tdD": arrow.PrimitiveTypes.Date32, "tdm": arrow.PrimitiveTypes.Date64,
	"tts": arrow.FixedWidthTypes.Time32s, "ttm": arrow.FixedWidthTypes.Time32ms,
	"ttu": arrow.FixedWidthTypes.Time64us, "ttn": arrow.FixedWidthTypes.Time64ns,
}

var units = map[byte]arrow.TimeUnit{'s': arrow.Second, 'm': arrow.Millisecond, 'u': arrow.Microsecond, 'n': arrow.Nanosecond}

// typeOf returns the type of a format without children, or nil for those that
// no edge is made of.
func typeOf(format string) (arrow.DataType, error) {
	if t := leaves[format]; t != nil {
		return t, nil
	}
	kind, params, _ := strings.Cut(format, ":")
	var nums []int
	if kind == "w" || kind == "d" {
		for _, s := range strings.Split(params, ",") {
			n, err := strconv.Atoi(s)
			if err != nil {
				return nil, fmt.Errorf("cdata: %w: format %.64q", ErrMalformed, format)
			}
			nums = append(nums, n)
		}
	}
	switch {
	case kind == "w" && len(nums) == 1 && nums[0] >= 0:
		return &arrow.FixedSizeBinaryType{ByteWidth: nums[0]}, nil
	case kind == "d" && len(nums) == 2, kind == "d" && len(nums) == 3 && nums[2] == 128:
		return &arrow.Decimal128Type{Precision: int32(nums[0]), Scale: int32(nums[1])}, nil
	case kind == "d" && len(nums) == 3 && nums[2] == 256:
		return &arrow.Decimal256Type{Precision: int32(nums[0]), Scale: int32(nums[1])}, nil
	case len(kind) == 3 && kind[:2] == "ts":
		if unit, ok := units[kind[2]]; ok {
			return &arrow.TimestampType{Unit: unit, TimeZone: params}, nil
		}
	}
	return nil, nil
}

// formatOf returns the format of a type that results have.
func formatOf(t arrow.DataType) (string, error) {
	for format, leaf := range leaves {
		if leaf.ID() == t.ID() && arrow.TypeEqual(leaf, t) && layoutOf(t) != layoutNone && layoutOf(t) != layoutViews {
			return format, nil
		}
	}
	switch t := t.(type) {
	case *arrow.ListType:
		if len(elementsOf(t.Elem())) == 0 {
			_, err := formatOf(t.Elem())
			return "+l", err
		}
	case *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("w:%d", t.ByteWidth), nil
	case *arrow.Decimal128Type:
		return fmt.Sprintf("d:%d,%d", t.Precision, t.Scale), nil
	case *arrow.Decimal256Type:
		return fmt.Sprintf("d:%d,%d,256", t.Precision, t.Scale), nil
	case *arrow.TimestampType:
		for c, unit := range units {
			if unit == t.Unit {
				return fmt.Sprintf("ts%c:%s", c, t.TimeZone), nil
			}
		}
	}
	return "", fmt.Errorf("cdata: %w: a column of type %v; results have numbers, strings and binary", errUnsupported, t)
}

// layout returns the buffers of a type's arrays, after the validity.
type layout uint8

const (
	layoutNone      layout = iota // none, not even validity
	layoutBits                    // a bit a value
	layoutFixed                   // values of fixed width
	layoutOffsets32               // offsets and bytes
	layoutOffsets64
	layoutList  // offsets, and a child
	layoutViews // views, bytes, and the lengths of these
)

func layoutOf(t arrow.DataType) layout {
	switch t.ID() {
	case arrow.LIST:
		return layoutList
	case arrow.NULL:
		return layoutNone
	case arrow.BOOL:
		return layoutBits
	case arrow.STRING, arrow.BINARY:
		return layoutOffsets32
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return layoutOffsets64
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return layoutViews
	}
	return layoutFixed
}

// widthOf returns the bytes of a value of a type of fixed width.
func widthOf(t arrow.DataType) int { return t.(arrow.FixedWidthDataType).BitWidth() / 8 }
