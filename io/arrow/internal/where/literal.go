// This file reads literals as numbers and times.

package where

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// maxNumber is the longest number, and maxExponent the largest power of ten.
const (
	maxNumber   = 400
	maxExponent = 400
)

// rational makes a literal a value of a column of numbers or times, in the
// column's units.
func rational(v value, col *columnar.Column) (*big.Rat, error) {
	switch col.Class {
	case columnar.Bool:
		if v.kind != word {
			return nil, fmt.Errorf("compare it with true or false, not %.60q", v.text)
		}
		if v.text == "true" {
			return big.NewRat(1, 1), nil
		}
		return new(big.Rat), nil
	case columnar.Date, columnar.Timestamp, columnar.Time:
		return instant(v, col)
	}
	if v.kind != number && v.kind != text {
		return nil, fmt.Errorf("compare it with a number, not %.60q", v.text)
	}
	r, err := parseNumber(v.text)
	if err == nil && col.Class == columnar.Decimal {
		r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(col.Scale)), nil)))
	}
	return r, err
}

func parseNumber(s string) (*big.Rat, error) {
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
	if !ok {
		return nil, fmt.Errorf("%.60q is no number", s)
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
	if v.kind == number && col.Class != columnar.Date {
		return parseNumber(v.text) // in the column's unit
	}
	if v.kind != text {
		return nil, fmt.Errorf("compare it with %s in quotes, such as %s", col.Class, example(col.Class))
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
			return nil, fmt.Errorf("%.60q has a time zone, which the column lacks", v.text)
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
	return nil, fmt.Errorf("%.60q is not %s, such as %s", v.text, col.Class, example(col.Class))
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
