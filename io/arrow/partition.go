// This file reads the names of directories as columns, as Hive writes them:
// year=2025/month=03.

package arrow

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

// nullPartition is the value in the name of the directory of rows that lack one.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// constant is a column whose value is the same in all rows of a file.
type constant struct {
	name string
	text string
	null bool
	weak bool // it was named, not found: a column of the file of that name is not hidden

	class columnar.Class // what its values are in all files
	value int64          // of Signed and Date

	typed  *columnar.Column // of tables, whose metadata says the type
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

// typePartitions decides for each name what its values are in all files:
// integers, dates, else strings.
func typePartitions(files [][]constant) {
	classes := map[string]columnar.Class{}
	for _, f := range files {
		for _, c := range f {
			if c.null {
				continue
			}
			is := classOf(c.text)
			if was, ok := classes[c.name]; ok && was != is {
				is = columnar.Text
			}
			classes[c.name] = is
		}
	}
	for _, f := range files {
		for i := range f {
			class, ok := classes[f[i].name]
			if !ok { // null in all files
				class = columnar.Text
			}
			f[i].parseAs(class)
		}
	}
}

func classOf(s string) columnar.Class {
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return columnar.Signed
	}
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return columnar.Date
	}
	return columnar.Text
}

// parseAs makes the constant one of a class.
func (c *constant) parseAs(class columnar.Class) {
	c.class = class
	switch {
	case c.null:
	case class == columnar.Signed:
		c.value, _ = strconv.ParseInt(c.text, 10, 64)
	case class == columnar.Date:
		t, _ := time.Parse(time.DateOnly, c.text)
		c.value = t.Unix() / (24 * 3600)
	}
}

// column describes the constant.
func (c *constant) column() columnar.Column {
	if c.typed != nil {
		return *c.typed
	}
	col := columnar.Column{Path: c.name, Nullable: c.null, Partition: true, Weak: c.weak, Class: c.class}
	switch c.class {
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
func (c *constant) bounds() columnar.Bounds {
	return columnar.Exactly(c.one())
}

// one returns the value.
func (c *constant) one() columnar.Scalar {
	if c.typed != nil {
		return c.scalar
	}
	return columnar.Scalar{Int: c.value, Bytes: []byte(c.text)}
}

// weight returns the value as a number.
func (c *constant) weight() float64 {
	v := c.one()
	switch c.class {
	case columnar.Float:
		return v.Double
	case columnar.Unsigned:
		return float64(uint64(v.Int))
	case columnar.Decimal:
		return float64(v.Int) / math.Pow10(c.typed.Scale)
	case columnar.BigDecimal:
		return columnar.DecimalFloat(v.Bytes, c.typed.Scale)
	}
	return float64(v.Int)
}

// fill makes v a column of n times the constant, fewer where it is long.
func (c *constant) fill(v *columnar.Vector, m *columnar.Memory, kind columnar.Kind, n int) error {
	if err := v.Reset(m, kind, n); err != nil {
		return err
	}
	one := c.one()
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
	if !c.null {
		return nil
	}
	return v.MarkValid(m, 0, make([]bool, v.Len()), v.Len())
}

// known returns what is known of the constant.
func (c *constant) known() where.Known {
	if c.null {
		return where.Known{Nulls: true, AllNull: true}
	}
	return where.Known{Bounds: c.bounds()}
}

func knownOf(b columnar.Bounds, nulls, rows int64) where.Known {
	return where.Known{Bounds: b, Nulls: nulls != 0, AllNull: nulls == rows && !b.HasMin && !b.HasMax}
}
