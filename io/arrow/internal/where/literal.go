// This file reads literals as numbers and times.

package where

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// String returns the literal as it may have been written, cut where it is long.
func (v value) String() string {
	s := v.text
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "..."
	}
	switch v.kind {
	case text:
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	case hexText:
		return "x'" + s + "'"
	}
	return s
}

// rational makes a literal a value of a column of numbers or times, in the
// column's units.
func rational(v value, col *columnar.Column) (*big.Rat, error) {
	switch col.Class {
	case columnar.Bool:
		if v.kind != word {
			return nil, fmt.Errorf("compare it with true or false, not %s", v)
		}
		if v.text == "true" {
			return big.NewRat(1, 1), nil
		}
		return new(big.Rat), nil
	case columnar.Date, columnar.Timestamp, columnar.Time, columnar.Int96:
		return instant(v, col)
	}
	if v.kind != number && v.kind != text {
		return nil, fmt.Errorf("compare it with a number, not %s", v)
	}
	r, err := parseNumber(v)
	if err == nil && (col.Class == columnar.Decimal || col.Class == columnar.BigDecimal) {
		power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(col.Scale, -col.Scale))), nil))
		if col.Scale < 0 { // the values are hundreds, say
			power.Inv(power)
		}
		r.Mul(r, power)
	}
	return r, err
}

func parseNumber(v value) (*big.Rat, error) {
	s := v.text
	digits := strings.TrimLeft(s, "+-")
	ok := len(s) <= maxNumber && digits != "" && len(s)-len(digits) <= 1 && digits[0] != '_' &&
		strings.Trim(digits, "0123456789.eE+-") == ""
	if i := strings.IndexAny(s, "eE"); ok && i >= 0 {
		exponent := new(big.Int)
		_, ok = exponent.SetString(strings.TrimPrefix(s[i+1:], "+"), 10)
		ok = ok && exponent.CmpAbs(big.NewInt(maxExponent)) <= 0
	}
	r := new(big.Rat)
	if ok {
		_, ok = r.SetString(s)
	}
	if !ok && v.kind == number {
		return nil, fmt.Errorf("%s is too long: numbers have at most %d characters, and powers of ten of at most %d", v, maxNumber, maxExponent)
	}
	if !ok {
		return nil, fmt.Errorf("%s is no number", v)
	}
	return r, nil
}

// layouts are the forms of dates and timestamps. Fractions of a second may
// follow the seconds.
var layouts = []string{
	"2006-01-02",
	"2006-01-02 15:04", "2006-01-02T15:04",
	"2006-01-02 15:04:05", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z07:00",
}

const zoned = 5 // the first of layouts with a zone

// instant makes a literal a date, a time of day or a timestamp.
func instant(v value, col *columnar.Column) (*big.Rat, error) {
	if v.kind != text {
		// Not even a number: its unit and epoch differ between systems.
		return nil, fmt.Errorf("compare it with %s in quotes, such as %s, not %s", col.Class, meant(v, col), v)
	}
	forms := layouts
	if col.Class == columnar.Time {
		forms = []string{"15:04", "15:04:05"}
	}
	for i, layout := range forms {
		t, err := time.Parse(layout, strings.TrimSpace(v.text))
		if err != nil {
			continue
		}
		if i >= zoned && !col.UTC {
			return nil, fmt.Errorf("%s has a time zone, which the column lacks; leave it out", v)
		}
		seconds := new(big.Rat).SetInt64(t.Unix())
		if col.Class == columnar.Time {
			seconds.SetInt64(int64(t.Hour()*3600 + t.Minute()*60 + t.Second()))
		}
		seconds.Add(seconds, big.NewRat(int64(t.Nanosecond()), 1e9))
		if col.Unit == 0 {
			return seconds.Quo(seconds, big.NewRat(24*3600, 1)), nil
		}
		return seconds.Mul(seconds, big.NewRat(col.Unit, 1)), nil
	}
	return nil, fmt.Errorf("%s is not %s, such as %s", v, col.Class, meant(v, col))
}

// meant returns the form of dates, times or timestamps that a literal that
// isn't in such a form is likely to mean: the digits of a date, or seconds, or parts of
// them, since 1970.
func meant(v value, col *columnar.Column) string {
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil || v.kind != number && v.kind != text || col.Class == columnar.Time {
		return example(col.Class)
	}
	layout := time.DateTime
	if col.Class == columnar.Date {
		layout = time.DateOnly
	}
	if len(v.text) == 8 {
		if t, err := time.Parse("20060102", v.text); err == nil {
			return t.Format("'" + time.DateOnly + "'")
		}
	}
	for _, unit := range []int64{1, 1e3, 1e6, 1e9} {
		if t := time.Unix(n/unit, 0).UTC(); t.Year() >= 1990 && t.Year() < 2100 {
			return t.Format("'" + layout + "'")
		}
	}
	return example(col.Class)
}

func example(c columnar.Class) string {
	switch c {
	case columnar.Date:
		return "'2025-03-01'"
	case columnar.Time:
		return "'15:04:05'"
	}
	return "'2025-03-01 15:04:05'"
}
