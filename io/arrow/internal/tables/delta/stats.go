// This file reads the statistics of data files.

package delta

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// statistics are the log's statistics of the values in a file. Text of statistics is read
// when it is asked for, and what isn't as it should be says nothing.
type statistics struct {
	shape  *shape // nil where values are the whole text
	values string
	parsed *parsedStats // where there is no text
}

// numRecords is how statistics begin, as writers have them.
const numRecords = `{"numRecords":`

// statistics returns the statistics of an added file.
func (a *addFile) statistics(rowsOnly bool) statistics {
	switch {
	case !a.hasStats():
		return statistics{parsed: a.parsed}
	case a.shape == nil:
		return statistics{values: a.Stats}
	case rowsOnly && strings.HasPrefix(a.shape.text, numRecords+hole):
		return statistics{shape: a.shape, values: a.values[:strings.Index(a.values, hole)+1]}
	}
	return statistics{shape: a.shape, values: a.values}
}

// text returns the statistics as the log has them.
func (s *statistics) text() string {
	if s.shape == nil {
		return s.values
	}
	return s.shape.with(s.values)
}

// parsedStats are statistics that a checkpoint has as columns, by physical names joined
// by dots.
type parsedStats struct {
	rows     int64 // -1 if unknown
	min, max map[string]parsedValue
	nulls    map[string]int64
}

// parsedValue is a value of a column of the checkpoint.
type parsedValue struct {
	columnar.Scalar
	typ *columnar.Column
}

// bounds is tables.DataFile.Bounds.
func (p *parsedStats) bounds(c *column) tables.Known {
	name := strings.Join(c.physical, ".")
	k := tables.Known{Nulls: true}
	if n, ok := p.nulls[name]; ok && n >= 0 {
		k.Nulls, k.AllNull = n > 0, n > 0 && n == p.rows
	}
	k.Min, k.HasMin = p.min[name].bound(&c.field.Type, false)
	k.Max, k.HasMax = p.max[name].bound(&c.field.Type, true)
	k.AllNull = k.AllNull && !k.HasMin && !k.HasMax
	return k
}

// bound returns the value as a bound of a column's values.
func (v parsedValue) bound(c *columnar.Column, most bool) (s columnar.Scalar, ok bool) {
	s = v.Scalar
	switch {
	case v.typ == nil || v.typ.Class != c.Class || v.typ.Scale != c.Scale || len(s.Bytes) > maxBound:
		return s, false
	case c.Class == columnar.Float:
		return s, s.Double == s.Double
	case c.Class == columnar.Timestamp:
		if v.typ.Unit != c.Unit {
			return s, false
		}
		if most && s.Int <= math.MaxInt64-999 {
			s.Int += 999 // writers cut them to milliseconds
		}
		return s, true
	}
	return s, c.Class == columnar.Text || c.Class == columnar.Signed || c.Class == columnar.Date || c.Class == columnar.Decimal
}

// rows returns how many rows the file has, deleted ones included.
func (s *statistics) rows() (int64, bool) {
	if p := s.parsed; p != nil {
		return p.rows, p.rows >= 0
	}
	if s.values == "" {
		return 0, false
	}
	if s.shape != nil && strings.HasPrefix(s.shape.text, numRecords+hole) {
		text, _, _ := strings.Cut(s.values, hole)
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil && n >= 0
	}
	stats := s.text()
	if rest, ok := strings.CutPrefix(stats, numRecords); ok {
		if i := strings.IndexAny(rest, ",}"); i > 0 {
			n, err := strconv.ParseInt(rest[:i], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	var head struct {
		NumRecords *int64 `json:"numRecords"`
	}
	if json.Unmarshal([]byte(stats), &head) != nil || head.NumRecords == nil || *head.NumRecords < 0 {
		return 0, false
	}
	return *head.NumRecords, true
}

// boundsOf returns tables.DataFile.Bounds of files with such statistics.
func (t *table) boundsOf(s *statistics) func(stats, path string) (tables.Known, bool) {
	if p := s.parsed; p != nil {
		return func(_, path string) (tables.Known, bool) {
			if c := t.columns[path]; c != nil {
				return p.bounds(c), true
			}
			return tables.Known{}, false
		}
	}
	f, ok := t.bounds[s.shape]
	if !ok {
		of := s.shape
		f = func(stats, path string) (tables.Known, bool) {
			c := t.columns[path]
			switch {
			case c == nil:
				return tables.Known{}, false
			case of != nil:
				holes := t.holesOf(of, path, c)
				return t.boundsOfValues(c, func(i int) any { return valueAt(stats, holes[i]) }), true
			case !json.Valid([]byte(stats)):
				return tables.Known{}, false
			}
			return t.boundsOfValues(c, func(i int) any { return findStat(stats, i, c) }), true
		}
		if t.bounds == nil {
			t.bounds = map[*shape]func(stats, path string) (tables.Known, bool){}
		}
		t.bounds[of] = f
	}
	return f
}

// The statistics of a column.
const (
	statRows = iota
	statNulls
	statMin
	statMax
	numStats
)

// findStat returns the statistic of a column in a text that is valid JSON, as find does.
func findStat(text string, i int, c *column) any {
	switch i {
	case statRows:
		return find(text, "numRecords", nil)
	case statNulls:
		return find(text, "nullCount", c.physical)
	case statMin:
		return find(text, "minValues", c.physical)
	}
	return find(text, "maxValues", c.physical)
}

// holesOf returns which holes of a shape the statistics of a column fill, from 0 on; -1 for none.
func (t *table) holesOf(s *shape, path string, c *column) (holes [numStats]int) {
	type key struct {
		*shape
		path string
	}
	if known, ok := t.holes.Load(key{s, path}); ok {
		return known.([numStats]int)
	}
	var values strings.Builder
	for i := range strings.Count(s.text, hole) {
		values.WriteString(strconv.Itoa(i) + hole)
	}
	text := s.with(values.String())
	for i := range holes {
		holes[i] = -1
		if n, ok := number(findStat(text, i, c)); ok {
			holes[i] = int(n)
		}
	}
	t.holes.Store(key{s, path}, holes)
	return holes
}

// valueAt returns the value in a hole, as find does.
func valueAt(values string, at int) any {
	if at < 0 {
		return nil
	}
	for ; at > 0; at-- {
		values = values[strings.IndexByte(values, hole[0])+1:]
	}
	value := values[:strings.IndexByte(values, hole[0])]
	if value[0] == '"' {
		return unquote(value)
	}
	return json.Number(value)
}

// boundsOfValues returns what the statistics of a column say.
func (t *table) boundsOfValues(c *column, stat func(i int) any) tables.Known {
	k := tables.Known{Nulls: true}
	if n, ok := number(stat(statNulls)); ok && n >= 0 {
		// Of files with deletion vectors no other counts need be right.
		rows, known := number(stat(statRows))
		k.Nulls = n > 0
		k.AllNull = known && n > 0 && n == rows
	}
	k.Min, k.HasMin = t.bound(stat(statMin), &c.field.Type, false)
	k.Max, k.HasMax = t.bound(stat(statMax), &c.field.Type, true)
	k.AllNull = k.AllNull && !k.HasMin && !k.HasMax
	return k
}

// doubtful reports whether a bound may stand for bytes that aren't text, of which writers
// make U+FFFD, which sorts elsewhere. At the end of a greatest value that was shortened it
// is what they append.
func doubtful(text string, most bool) bool {
	if most && utf8.RuneCountInString(text) > shortened {
		text = strings.TrimSuffix(text, "\ufffd")
	}
	return strings.ContainsRune(text, utf8.RuneError)
}

// find returns the number or string at a path of names in JSON, which must be valid: a
// json.Number, a string, or nil.
func find(text, first string, rest []string) any {
	value, ok := member(text, first)
	for _, name := range rest {
		if !ok {
			return nil
		}
		value, ok = member(value, name)
	}
	if !ok {
		return nil
	}
	switch c := value[0]; {
	case c == '"':
		return unquote(value)
	case c == '-' || '0' <= c && c <= '9':
		return json.Number(value)
	}
	return nil
}

// member returns the value of the first member of that name, if the text is an object.
func member(text, name string) (string, bool) {
	text = strings.TrimLeft(text, space)
	if text == "" || text[0] != '{' {
		return "", false
	}
	for at := 1; ; at++ { // behind the brace or a comma
		at = skipSpace(text, at)
		if text[at] == '}' { // an object without members
			return "", false
		}
		end := skipValue(text, at)
		key := text[at+1 : end-1]
		same := key == name
		if strings.IndexByte(key, '\\') >= 0 {
			same = unquote(text[at:end]) == name
		}
		at = skipSpace(text, skipSpace(text, end)+1) // behind the colon
		end = skipValue(text, at)
		if same {
			return text[at:end], true
		}
		if at = skipSpace(text, end); text[at] == '}' {
			return "", false
		}
	}
}

// space is what JSON has between its tokens.
const space = " \t\r\n"

func skipSpace(text string, at int) int {
	for strings.IndexByte(space, text[at]) >= 0 {
		at++
	}
	return at
}

// skipValue returns where the value that begins at that place ends.
func skipValue(text string, at int) int {
	for depth := 0; ; at++ {
		switch text[at] {
		case '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			if depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		default:
			if depth == 0 { // a number, or true, false, null
				if n := strings.IndexAny(text[at:], ",]}"+space); n >= 0 {
					return at + n
				}
				return len(text)
			}
		}
	}
}

// unquote returns what a string of JSON stands for.
func unquote(text string) string {
	if strings.IndexByte(text, '\\') < 0 && utf8.ValidString(text) {
		return text[1 : len(text)-1]
	}
	var s string
	if json.Unmarshal([]byte(text), &s) != nil {
		return ""
	}
	return s
}

func number(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// bound reads a bound of a column's values.
func (t *table) bound(v any, c *columnar.Column, most bool) (s columnar.Scalar, ok bool) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
		if c.Class == columnar.Text || c.Class == columnar.Date || c.Class == columnar.Timestamp {
			return s, false
		}
	case string:
		text = v
		if c.Class == columnar.Signed || c.Class == columnar.Decimal || c.Class == columnar.BigDecimal {
			return s, false
		}
	default:
		return s, false
	}
	switch c.Class {
	case columnar.Text:
		if len(text) > maxBound || doubtful(text, most) {
			return s, false
		}
		return columnar.Scalar{Bytes: []byte(text)}, true
	case columnar.Signed, columnar.Date:
		return parseValue(text, c)
	case columnar.Float:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || x != x {
			return s, false
		}
		if c.Single || t.widened { // the text stands for a float near it, which isn't the same as a double
			lo, hi := math.Nextafter32(float32(x), float32(math.Inf(-1))), math.Nextafter32(float32(x), float32(math.Inf(1)))
			if x = float64(lo); most {
				x = float64(hi)
			}
		}
		return columnar.Scalar{Double: x}, true
	case columnar.Decimal:
		// Some writers make them floats, which hold so many digits.
		if digits := strings.TrimLeft(strings.Trim(text, "-"), "0."); len(digits) > floatDigits || strings.ContainsAny(text, "eE") {
			return s, false
		}
		return parseValue(text, c)
	case columnar.Timestamp:
		t, ok := parseTime(text)
		if s.Int = t.UnixMicro(); most {
			s.Int += 999 // writers cut them to milliseconds
		}
		return s, ok
	}
	return s, false // of binary and booleans there are none, and wide decimals may be floats
}
