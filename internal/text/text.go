// Package text formats numbers, sizes, names and tables for messages.
package text

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Count formats a number with commas between groups of three digits.
func Count[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](n T) string {
	s := strconv.FormatUint(uint64(n), 10)
	sign := ""
	if n < 0 {
		s, sign = strconv.FormatInt(int64(n), 10)[1:], "-"
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Plural is the count and the noun, in the plural unless the count is 1.
func Plural[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](n T, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "vertex"):
		return Count(n) + " " + strings.TrimSuffix(noun, "ex") + "ices"
	}
	return Count(n) + " " + noun + "s"
}

// Bytes formats a size in B, kB, MB, GB or TB of powers of 1000, to three
// digits or so.
func Bytes(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10) + " B"
	}
	f := float64(n)
	for _, unit := range []string{"kB", "MB", "GB"} {
		if f /= 1000; f < 999.5 {
			return short(f) + " " + unit
		}
	}
	return short(f/1000) + " TB"
}

// Duration formats a time in µs, ms, s or min, to three digits or so.
func Duration(d time.Duration) string {
	switch ms := float64(d.Nanoseconds()) / 1e6; {
	case d == 0:
		return "0 µs"
	case ms < 0.9995:
		return short(ms*1e3) + " µs"
	case ms < 999.5:
		return short(ms) + " ms"
	case ms < 120e3:
		return short(ms/1e3) + " s"
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d/time.Minute), int(d%time.Minute/time.Second))
}

// short formats a number from 1 up to three digits.
func short(f float64) string {
	switch {
	case f < 9.995:
		return fmt.Sprintf("%.2f", f)
	case f < 99.95:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// RateUnit formats a rate in GTEPS with the unit that suits it: GTEPS, MTEPS or
// kTEPS.
func RateUnit(gteps float64) string {
	switch {
	case gteps >= 0.1:
		return Rate(gteps) + " GTEPS"
	case gteps >= 0.0009995:
		return short(gteps*1e3) + " MTEPS"
	}
	return short(gteps*1e6) + " kTEPS"
}

// Rate formats a rate in GTEPS (10^9 edges a second), to three digits, and
// fewer of small ones.
func Rate(gteps float64) string {
	switch {
	case gteps == 0:
		return "0"
	case gteps < 0.0995:
		decimals := 1 - int(math.Floor(math.Log10(gteps)))
		return strconv.FormatFloat(gteps, 'f', decimals, 64)
	case gteps < 0.9995:
		return fmt.Sprintf("%.3f", gteps)
	}
	return short(gteps)
}

// Percent formats a share of a total. It is 0 or 100 % only if it is exactly.
func Percent(part, total uint64) string {
	if total == 0 || part == 0 {
		return "0 %"
	}
	p := 100 * float64(part) / float64(total)
	switch {
	case part == total:
		return "100 %"
	case p > 99.9:
		return "> 99.9 %"
	case p < 0.1:
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", p)
}

// sizeUnits are the units that ParseBytes accepts, in lower case.
var sizeUnits = map[string]float64{
	"": 1, "b": 1,
	"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// ParseBytes reads a size: a number and B, kB, MB, GB, TB (powers of 1000, the B
// may be left out) or KiB, MiB, GiB, TiB (powers of 1024), in letters of either
// case. Zero and negative sizes are errors.
func ParseBytes(s string) (uint64, error) {
	number := strings.TrimRight(s, "bBkKmMgGtTiI ")
	unit, ok := sizeUnits[strings.ToLower(strings.TrimSpace(s[len(number):]))]
	f, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(f > 0) || f*unit >= 1<<63 || f*unit < 1 {
		return 0, fmt.Errorf("%q is not a size such as 512MB or 8GiB", s)
	}
	return uint64(f * unit), nil
}

// Table lays out columns. Columns are two spaces apart; text is as wide as it
// has runes.
type Table struct {
	// Align has a letter per column: l for left, r for right.
	Align string
	rows  [][]string
	notes map[int]string // a line across the columns, by the row it stands before
}

// Row adds a row. Missing cells are empty.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Note adds a line that doesn't follow the columns.
func (t *Table) Note(line string) {
	if t.notes == nil {
		t.notes = map[int]string{}
	}
	t.notes[len(t.rows)] = line
}

// Write writes the table, each line behind the indent. If w has WriteBold, as an Escaper, it gets the first row.
func (t *Table) Write(w io.Writer, indent string) error {
	widths := make([]int, len(t.Align))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	bold, _ := w.(interface{ WriteBold(line string) error })
	for k := 0; k <= len(t.rows); k++ {
		if note, ok := t.notes[k]; ok {
			b.WriteString(indent + note + "\n")
		}
		if k == len(t.rows) {
			break
		}
		line := indent
		for i, c := range t.rows[k] {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i > 0 {
				line += "  "
			}
			if t.Align[i] == 'r' {
				line += pad + c
			} else {
				line += c + pad
			}
		}
		line = strings.TrimRight(line, " ") + "\n"
		if k == 0 && bold != nil && b.Len() == 0 {
			if err := bold.WriteBold(line); err != nil {
				return err
			}
			continue
		}
		b.WriteString(line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Named returns an error with its own text, which wraps another error.
func Named(text string, err error) error { return named{text, err} }

type named struct {
	text string
	err  error
}

func (n named) Error() string { return n.text }
func (n named) Unwrap() error { return n.err }
