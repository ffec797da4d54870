// This file holds ids as text.

package logical

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

func unitsPerSecond(unit string) int64 {
	switch unit {
	case "s":
		return 1
	case "ms":
		return 1e3
	case "us":
		return 1e6
	case "ns":
		return 1e9
	}
	return 0
}

// Units returns how many units of a type of dates or timestamps a duration has; false for other types.
func (t Type) Units(d time.Duration) (float64, bool) {
	switch t.Kind {
	case Date32:
		return d.Seconds() / daySeconds, true
	case Date64:
		return d.Seconds() * 1e3, true
	case Timestamp:
		return d.Seconds() * float64(unitsPerSecond(t.Unit)), true
	}
	return 0, false
}

const (
	dayMillis  = 86_400_000
	daySeconds = 86_400
	dateForm   = "2006-01-02"
)

// FormatInt returns the text of an id that is stored as an integer. A value without a
// date in the years 0 to 9999 is written as "@" and the integer.
func (t Type) FormatInt(x int64) string {
	switch t.Kind {
	case Date32:
		if d, ok := dated(x, 1, daySeconds); ok {
			return d.Format(dateForm)
		}
	case Date64:
		if x%dayMillis == 0 {
			if d, ok := dated(x/dayMillis, 1, daySeconds); ok {
				return d.Format(dateForm)
			}
		}
	case Timestamp:
		if d, ok := dated(x, unitsPerSecond(t.Unit), 1); ok {
			s := d.Format("2006-01-02T15:04:05.999999999")
			if t.Zone != "" {
				s += "Z"
			}
			return s
		}
	case Plain:
		if strings.HasPrefix(t.Base, "u") {
			return strconv.FormatUint(uint64(x), 10)
		}
		return strconv.FormatInt(x, 10)
	default:
		return strconv.FormatInt(x, 10)
	}
	return "@" + strconv.FormatInt(x, 10)
}

// dated returns the time x units after 1970, if its year has four digits. A unit is 1/perSecond seconds,
// or seconds seconds.
func dated(x, perSecond, seconds int64) (time.Time, bool) {
	const most = 9999 * 366 * daySeconds
	if x > most/seconds*perSecond && perSecond < 1e9 || x < -most/seconds*perSecond && perSecond < 1e9 {
		return time.Time{}, false
	}
	s, rest := x/perSecond, x%perSecond
	if rest < 0 {
		s, rest = s-1, rest+perSecond
	}
	d := time.Unix(s*seconds, rest*(1e9/perSecond)).UTC()
	return d, d.Year() >= 0 && d.Year() <= 9999
}

// ParseInt reads what FormatInt writes.
func (t Type) ParseInt(text string) (int64, error) {
	switch {
	case t.Kind == Plain && strings.HasPrefix(t.Base, "u"):
		x, err := strconv.ParseUint(text, 10, t.bits())
		return int64(x), err
	case t.Kind == Plain:
		return strconv.ParseInt(text, 10, t.bits())
	case t.Kind == Decimal:
		return strconv.ParseInt(text, 10, 64)
	}
	if n, ok := strings.CutPrefix(text, "@"); ok {
		return strconv.ParseInt(n, 10, 64)
	}
	if t.Kind == Date32 || t.Kind == Date64 {
		d, err := time.Parse(dateForm, text)
		if err != nil {
			return 0, errors.New("want a date such as 2024-01-31")
		}
		days := d.Unix() / daySeconds
		if t.Kind == Date64 {
			return days * dayMillis, nil
		}
		return days, nil
	}
	d, err := t.parseTime(text)
	if err != nil {
		return 0, err
	}
	per := unitsPerSecond(t.Unit)
	s, sub := d.Unix(), int64(d.Nanosecond())
	if sub%(1e9/per) != 0 {
		return 0, fmt.Errorf("finer than the unit %s", t.Unit)
	}
	sub /= 1e9 / per
	if s < 0 {
		// Towards zero, so that the sum passes no number out of range.
		s, sub = s+1, sub-per
	}
	x := s * per
	if x/per != s || sub > 0 && x+sub < x || sub < 0 && x+sub > x {
		return 0, fmt.Errorf("out of the range of timestamps in %s", t.Unit)
	}
	return x + sub, nil
}

// parseTime reads a time of day or a day, or an instant if the type has a zone.
func (t Type) parseTime(text string) (time.Time, error) {
	form, want := "2006-01-02T15:04:05", "want a time such as 2024-01-31T12:30:00"
	if t.Zone != "" {
		form, want = time.RFC3339, "want an instant such as 2024-01-31T12:30:00Z"
	}
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, f := range []string{form, dateForm} {
		if d, err := time.Parse(f, text); err == nil {
			return d, nil
		}
	}
	return time.Time{}, errors.New(want)
}

func (t Type) bits() int {
	n, _ := strconv.Atoi(strings.TrimLeft(t.Base, "uint"))
	return n
}

// FormatBytes returns an id that is kept as bytes as text. Bytes that are no id
// of the type are written in hexadecimal, behind an "@".
func (t Type) FormatBytes(b []byte) string {
	if w := t.bytesWidth(); w >= 0 && w != len(b) {
		return "@" + hex.EncodeToString(b)
	}
	switch t.Kind {
	case UUID:
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	case Decimal:
		return decimalOf(b).String()
	case Tuple:
		values, ok := t.Split(nil, b)
		if !ok {
			return "@" + hex.EncodeToString(b)
		}
		var s strings.Builder
		for i, p := range t.Parts {
			if i > 0 {
				s.WriteByte(',')
			}
			if p.Integer() {
				s.WriteString(p.FormatInt(values[i].Int))
			} else {
				s.WriteString(quote(p.FormatBytes(values[i].Bytes)))
			}
		}
		return s.String()
	case Kinds:
		k, v, ok := t.SplitKind(b)
		if !ok {
			return "@" + hex.EncodeToString(b)
		}
		return t.Names[k] + ":" + t.Parts[k].FormatValue(v)
	case Plain:
		if t.Base == "string" {
			return string(b)
		}
	}
	return hex.EncodeToString(b)
}

// FormatValue returns a part of a tuple, or the id of a vertex of a kind, as text.
func (t Type) FormatValue(v Value) string {
	if t.Integer() {
		return t.FormatInt(v.Int)
	}
	return t.FormatBytes(v.Bytes)
}

// ParseBytes reads what FormatBytes writes.
func (t Type) ParseBytes(text string) ([]byte, error) {
	if t.Kind == Plain && t.Base == "string" {
		return []byte(text), nil
	}
	switch t.Kind {
	case Tuple:
		return t.parseTuple(text)
	case Kinds:
		return t.parseKind(text)
	}
	if t.Kind == Decimal {
		x, ok := new(big.Int).SetString(text, 10)
		if !ok || x.BitLen() > 127 {
			return nil, fmt.Errorf("want a number of up to %d digits", t.Width)
		}
		return decimalBytes(x), nil
	}
	digits := text
	if t.Kind == UUID && len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' {
		digits = text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	}
	b, err := hex.DecodeString(digits)
	switch w := t.bytesWidth(); {
	case t.Kind == UUID && (err != nil || len(b) != 16):
		return nil, errors.New("want a UUID such as 00112233-4455-6677-8899-aabbccddeeff")
	case err != nil:
		return nil, fmt.Errorf("want hexadecimal digits: %w", err)
	case w >= 0 && len(b) != w:
		return nil, fmt.Errorf("want %d bytes in hexadecimal", w)
	}
	return b, nil
}

// DecimalKey appends the 16 bytes of a decimal, given in two's complement,
// big-endian, of any width, and reports whether they hold it.
func DecimalKey(key, b []byte) ([]byte, bool) {
	sign := byte(0)
	if len(b) > 0 && b[0]>>7 != 0 {
		sign = 0xff
	}
	for len(b) > 16 {
		if b[0] != sign || b[1]>>7 != sign>>7 {
			return key, false
		}
		b = b[1:]
	}
	at := len(key)
	for range 16 - len(b) {
		key = append(key, sign)
	}
	key = append(key, b...)
	key[at] ^= 0x80
	return key, true
}

// decimalOf reads a decimal of 16 bytes; decimalBytes writes one.
func decimalOf(b []byte) *big.Int {
	x := new(big.Int).SetBytes(b)
	return x.Sub(x, new(big.Int).Lsh(big.NewInt(1), 127))
}

func decimalBytes(x *big.Int) []byte {
	x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), 127))
	return x.FillBytes(make([]byte, 16))
}

// quote writes a part of a tuple, in quotes if it has a comma or a quote.
func quote(s string) string {
	if !strings.ContainsAny(s, ",\"") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// Fields cuts text at its commas, those between quotes excepted; a quote
// between quotes is written twice.
func Fields(text string) ([]string, error) {
	var fields []string
	for {
		if !strings.HasPrefix(text, `"`) {
			field, rest, more := strings.Cut(text, ",")
			fields = append(fields, field)
			if !more {
				return fields, nil
			}
			text = rest
			continue
		}
		var field strings.Builder
		rest := text[1:]
		for {
			before, after, ok := strings.Cut(rest, `"`)
			if !ok {
				return nil, fmt.Errorf("a quote that isn't closed in %q", text)
			}
			field.WriteString(before)
			rest = after
			if !strings.HasPrefix(rest, `"`) {
				break
			}
			field.WriteByte('"')
			rest = rest[1:]
		}
		fields = append(fields, field.String())
		if rest == "" {
			return fields, nil
		}
		if rest[0] != ',' {
			return nil, fmt.Errorf("%q after a closing quote; want a comma", rest)
		}
		text = rest[1:]
	}
}

func (t Type) parseTuple(text string) ([]byte, error) {
	fields, err := Fields(text)
	if err != nil {
		return nil, err
	}
	if len(fields) != len(t.Parts) {
		return nil, fmt.Errorf("%d parts; want %d, with commas between them", len(fields), len(t.Parts))
	}
	var key []byte
	for i, p := range t.Parts {
		if p.Integer() {
			x, err := p.ParseInt(fields[i])
			if err != nil {
				return nil, fmt.Errorf("part %d, %q: %w", i+1, fields[i], err)
			}
			key = t.AppendInt(key, i, x)
			continue
		}
		b, err := p.ParseBytes(fields[i])
		if err != nil {
			return nil, fmt.Errorf("part %d, %q: %w", i+1, fields[i], err)
		}
		key = t.AppendBytes(key, i, b)
	}
	return key, nil
}
