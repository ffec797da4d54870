// This file reads the names of directories as columns, as Hive writes them:
// year=2025/month=03.

package input

import (
	"math"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/where"
)

// NullPartition is the value in the name of the directory of rows that lack one.
const NullPartition = "__HIVE_DEFAULT_PARTITION__"

// Constant is a column whose value is the same in all rows of a file.
type Constant struct {
	Name string
	Text string
	Null bool
	Weak bool // it was named, not found: a column of the file of that name is not hidden

	Class columnar.Class // what its values are in all files
	Value int64          // of Signed and Date

	Typed  *columnar.Column // of tables, whose metadata says the type
	scalar columnar.Scalar  // the value of these
}

// elements returns the names that a path has.
func elements(path string) []string {
	if !s3.Is(path) {
		if path = filepath.ToSlash(filepath.Clean(path)); path == "." {
			return nil
		}
	}
	return strings.Split(strings.TrimSuffix(path, "/"), "/")
}

// rootOf returns how many names come before the first one with a wildcard.
func rootOf(pattern string) int {
	pattern = filepath.ToSlash(pattern)
	before := pattern[:strings.IndexAny(pattern, "*?[")]
	return len(elements(before[:strings.LastIndexByte(before, '/')+1]))
}

func isPartition(dir string) bool { return strings.IndexByte(dir, '=') > 0 }

// unescape undoes %XX, where it is that.
func unescape(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}

// TypePartitions decides for each name what its values are in all files:
// integers, dates, else strings.
func TypePartitions(files [][]Constant) {
	classes := map[string]columnar.Class{}
	for _, f := range files {
		for _, c := range f {
			if c.Null {
				continue
			}
			is := ClassOf(c.Text)
			if was, ok := classes[c.Name]; ok && was != is {
				is = columnar.Text
			}
			classes[c.Name] = is
		}
	}
	for _, f := range files {
		for i := range f {
			class, ok := classes[f[i].Name]
			if !ok { // null in all files
				class = columnar.Text
			}
			f[i].ParseAs(class)
		}
	}
}

func ClassOf(s string) columnar.Class {
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return columnar.Signed
	}
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return columnar.Date
	}
	return columnar.Text
}

// ParseAs makes the constant one of a class.
func (c *Constant) ParseAs(class columnar.Class) {
	c.Class = class
	switch {
	case c.Null:
	case class == columnar.Signed:
		c.Value, _ = strconv.ParseInt(c.Text, 10, 64)
	case class == columnar.Date:
		t, _ := time.Parse(time.DateOnly, c.Text)
		c.Value = t.Unix() / (24 * 3600)
	}
}

// Column describes the constant.
func (c *Constant) Column() columnar.Column {
	if c.Typed != nil {
		return *c.Typed
	}
	col := columnar.Column{Path: c.Name, Nullable: c.Null, Partition: true, Weak: c.Weak, Class: c.Class}
	switch c.Class {
	case columnar.Signed:
		col.Type, col.IsID, col.ID, col.Numeric = "int64", true, graph.Int64, true
	case columnar.Date:
		col.Type = "date"
	default:
		col.Type, col.IsID, col.ID = "string", true, graph.String
	}
	return col
}

// bounds returns what is known of the column.
func (c *Constant) bounds() columnar.Bounds {
	return columnar.Exactly(c.One())
}

// One returns the value.
func (c *Constant) One() columnar.Scalar {
	if c.Typed != nil {
		return c.scalar
	}
	return columnar.Scalar{Int: c.Value, Bytes: []byte(c.Text)}
}

// weight returns the value as a number.
func (c *Constant) weight() float64 {
	v := c.One()
	switch c.Class {
	case columnar.Float:
		return v.Double
	case columnar.Unsigned:
		return float64(uint64(v.Int))
	case columnar.Decimal:
		return float64(v.Int) / math.Pow10(c.Typed.Scale)
	case columnar.BigDecimal:
		return columnar.DecimalFloat(v.Bytes, c.Typed.Scale)
	}
	return float64(v.Int)
}

// Fill makes v a column of n times the constant, fewer where it is long.
func (c *Constant) Fill(v *columnar.Vector, m *columnar.Memory, kind columnar.Kind, n int) error {
	if err := v.Reset(m, kind, n); err != nil {
		return err
	}
	one := c.One()
	for i := 0; i < n && !v.Full(); i++ {
		switch kind {
		case columnar.Ints:
			v.Ints = append(v.Ints, one.Int)
		case columnar.Weights:
			v.Floats = append(v.Floats, float32(c.weight()))
		case columnar.Numbers:
			v.Doubles = append(v.Doubles, c.weight())
		default:
			if err := v.AppendString(m, one.Bytes); err != nil {
				return err
			}
		}
	}
	if !c.Null {
		return nil
	}
	return v.MarkValid(m, 0, make([]bool, v.Len()), v.Len())
}

// Known returns what is known of the constant.
func (c *Constant) Known() where.Known {
	if c.Null {
		return where.Known{Nulls: true, AllNull: true}
	}
	return where.Known{Bounds: c.bounds()}
}

func KnownOf(b columnar.Bounds, nulls, rows int64) where.Known {
	return where.Known{Bounds: b, Nulls: nulls != 0, AllNull: nulls == rows && !b.HasMin && !b.HasMax}
}
