// This file reads the values of partition columns, which the log has as text.

package delta

import (
	"encoding/binary"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// fixed returns the values of the partition columns of a file.
func (t *table) fixed(p *partitionValues) (map[string]tables.Value, error) {
	switch {
	case len(t.partitions) == 0:
		return nil, nil
	case p == nil:
		return t.parseFixed(nil)
	case p.of == t:
		return p.fixed, nil
	}
	values, err := t.parseFixed(p.texts)
	if err == nil {
		p.of, p.fixed = t, values
	}
	return values, err
}

// parseFixed is fixed for their texts.
func (t *table) parseFixed(texts map[string]*string) (map[string]tables.Value, error) {
	key := make([]byte, 0, 64)
	for i := range t.partitions {
		if text, ok := texts[t.partitions[i].key]; ok && text != nil {
			key = binary.AppendUvarint(append(key, 1), uint64(len(*text)))
			key = append(key, *text...)
		} else if key = append(key, 0); !ok {
			return nil, columnar.Corrupt("it lacks a value of the partition column %.100q", t.partitions[i].path)
		}
	}
	if values, ok := t.values[string(key)]; ok {
		return values, nil
	}
	values := make(map[string]tables.Value, len(t.partitions))
	for i := range t.partitions {
		p := &t.partitions[i]
		text := texts[p.key]
		if text == nil || *text == "" {
			values[p.path] = tables.Value{Null: true}
			continue
		}
		v, ok := parseValue(*text, p.typ)
		if !ok {
			return nil, columnar.Corrupt("the value %.100q of the partition column %.100q is not of type %s", *text, p.path, p.typ.Type)
		}
		values[p.path] = tables.Value{Scalar: v}
	}
	if t.values == nil {
		t.values = map[string]map[string]tables.Value{}
	}
	t.values[string(key)] = values
	return values, nil
}

// parseValue reads the text of a value of a type.
func parseValue(s string, c *columnar.Column) (v columnar.Scalar, ok bool) {
	switch c.Class {
	case columnar.Text, columnar.Bytes:
		v.Bytes = []byte(s)
		return v, len(s) <= columnar.MaxIDBytes
	case columnar.Signed:
		n, err := strconv.ParseInt(s, 10, bitsOf[c.ID])
		v.Int = n
		return v, err == nil
	case columnar.Float:
		size := 64
		if c.Single {
			size = 32
		}
		x, err := strconv.ParseFloat(s, size)
		v.Double = x
		return v, err == nil
	case columnar.Bool:
		switch strings.ToLower(s) {
		case "true":
			v.Int = 1
			return v, true
		case "false":
			return v, true
		}
		return v, false
	case columnar.Date:
		d, err := time.Parse(time.DateOnly, s)
		v.Int = floorDiv(d.Unix(), 24*3600)
		return v, err == nil
	case columnar.Timestamp:
		t, ok := parseTime(s)
		v.Int = t.UnixMicro()
		return v, ok
	case columnar.Decimal, columnar.BigDecimal:
		return parseDecimal(s, c)
	}
	return v, false
}

var bitsOf = map[graph.IDType]int{graph.Int8: 8, graph.Int16: 16, graph.Int32: 32, graph.Int64: 64}

// floorDiv is division that rounds down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// timeLayouts are the forms of timestamps; fractions of a second may follow.
var timeLayouts = []string{time.DateTime, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", time.DateOnly}

// parseTime reads a timestamp. One without a zone is in UTC.
func parseTime(s string) (time.Time, bool) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, t.Year() >= 0 && t.Year() <= 9999
		}
	}
	return time.Time{}, false
}

// parseDecimal reads a decimal, of which no digit may be lost.
func parseDecimal(s string, c *columnar.Column) (v columnar.Scalar, ok bool) {
	const longest, mostExponent = 100, 3
	if i := strings.IndexAny(s, "eE"); len(s) > longest || i >= 0 && len(strings.TrimLeft(s[i+1:], "+-0")) > mostExponent {
		return v, false
	}
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return v, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return v, false
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Scale)), nil)))
	if !r.IsInt() {
		return v, false
	}
	n := r.Num()
	if c.Class == columnar.Decimal {
		v.Int = n.Int64()
		return v, n.IsInt64()
	}
	// Two's complement of as many bytes as decimals of 38 digits have.
	const width = 16
	if n.BitLen() >= 8*width {
		return v, false
	}
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), 8*width))
	}
	v.Bytes = n.FillBytes(make([]byte, width))
	return v, true
}
