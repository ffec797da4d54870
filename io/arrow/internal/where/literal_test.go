// This file tests what each type of column says to each type of literal.

package where

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// TestLiterals: every class of columns with every kind of literal. What can't be
// compared is said with the form that can.
func TestLiterals(t *testing.T) {
	cols := map[string]columnar.Column{
		"int": {Class: columnar.Signed, Type: "int64"}, "uint": {Class: columnar.Unsigned, Type: "uint32"},
		"float": {Class: columnar.Float, Type: "double"}, "decimal": {Class: columnar.Decimal, Scale: 2, Type: "decimal of scale 2"},
		"bool": {Class: columnar.Bool, Type: "boolean"}, "string": {Class: columnar.Text, Type: "string"},
		"binary": {Class: columnar.Bytes, Type: "binary"}, "uuid": {Class: columnar.UUID, Type: "uuid"},
		"day": {Class: columnar.Date, Type: "date"}, "date64": {Class: columnar.Date, Unit: 1e3, Type: "date64"},
		"time": {Class: columnar.Time, Unit: 1e6, Type: "time"}, "wall": {Class: columnar.Timestamp, Unit: 1e6, Type: "timestamp"},
		"ts": {Class: columnar.Timestamp, Unit: 1e9, UTC: true, Type: "timestamp"}, "list": {Class: columnar.Opaque, Type: "list of int64"},
		"bigdec": {Class: columnar.BigDecimal, Scale: 2, Type: "decimal of scale 2"}, "i96": {Class: columnar.Int96, Unit: 1e9, Type: "int96"},
	}
	const (
		number  = "compare it with a number, not "
		boolean = "compare it with true or false, not "
		binary  = "compare it with binary, such as x'00ff', or a string, not "
		uuid    = "compare it with a UUID in quotes, such as '01234567-89ab-cdef-0123-456789abcdef', not "
		date    = "compare it with a date in quotes, such as '2025-03-01', not "
		clock   = "compare it with a time in quotes, such as '15:04:05', not "
		stamp   = "compare it with a timestamp in quotes, such as '2025-03-01 15:04:05', not "
	)
	// By literal, what columns say; "" where it is a value of theirs, and
	// columns that aren't there too.
	for lit, want := range map[string]map[string]string{
		"20250101": {
			"bool": boolean + "20250101", "string": "compare it with a string, '20250101', not 20250101",
			"binary": binary + "20250101", "uuid": uuid + "20250101",
			"day":    "compare it with a date in quotes, such as '2025-01-01', not 20250101",
			"date64": "compare it with a date in quotes, such as '2025-01-01', not 20250101",
			"time":   clock + "20250101",
			"wall":   "compare it with a timestamp in quotes, such as '2025-01-01', not 20250101",
			"ts":     "compare it with a timestamp in quotes, such as '2025-01-01', not 20250101",
		},
		"1735689600": { // seconds
			"bool": boolean + "1735689600", "string": "a string, '1735689600'", "binary": binary + "1735689600", "uuid": uuid + "1735689600",
			"day": "such as '2025-01-01', not 1735689600", "date64": "such as '2025-01-01', not 1735689600", "time": clock + "1735689600",
			"wall": "such as '2025-01-01 00:00:00', not 1735689600", "ts": "such as '2025-01-01 00:00:00', not 1735689600",
		},
		"1735689661000000": { // microseconds
			"bool": boolean, "string": "a string, '1735689661000000'", "binary": binary, "uuid": uuid,
			"day": "such as '2025-01-01', not 17", "date64": "such as '2025-01-01', not 17", "time": clock,
			"wall": "such as '2025-01-01 00:01:01', not 17", "ts": "such as '2025-01-01 00:01:01', not 17",
		},
		"-5": {"bool": boolean + "-5", "string": "compare it with a string, '-5', not -5", "binary": binary + "-5", "uuid": uuid + "-5",
			"day": date + "-5", "date64": date + "-5", "time": clock + "-5", "wall": stamp + "-5", "ts": stamp + "-5"},
		"1.5": {"bool": boolean + "1.5", "string": "compare it with a string, '1.5', not 1.5", "binary": binary + "1.5", "uuid": uuid + "1.5",
			"day": date + "1.5", "date64": date + "1.5", "time": clock + "1.5", "wall": stamp + "1.5", "ts": stamp + "1.5"},
		"1e999": {"int": "1e999 is too long: numbers have at most 400 characters, and powers of ten of at most 400", "uint": "too long", "float": "too long", "decimal": "too long",
			"bool": boolean + "1e999", "string": "'1e999'", "binary": binary, "uuid": uuid, "day": date, "date64": date, "time": clock, "wall": stamp, "ts": stamp},
		"true": {"int": number + "true", "uint": number + "true", "float": number + "true", "decimal": number + "true",
			"string": "compare it with a string, 'true', not true", "binary": binary + "true", "uuid": uuid + "true",
			"day": date + "true", "date64": date + "true", "time": clock + "true", "wall": stamp + "true", "ts": stamp + "true"},
		"'12'": {"bool": boolean + "'12'", "uuid": "'12' is no UUID, which has 32 hexadecimal digits",
			"day": "'12' is not a date, such as '2025-03-01'", "date64": "'12' is not a date, such as '2025-03-01'", "time": "'12' is not a time, such as '15:04:05'",
			"wall": "'12' is not a timestamp, such as '2025-03-01 15:04:05'", "ts": "'12' is not a timestamp, such as"},
		"'it''s'": {"int": "'it''s' is no number", "uint": "'it''s' is no number", "float": "'it''s' is no number", "decimal": "'it''s' is no number",
			"bool": boolean + "'it''s'", "uuid": "'it''s' is no UUID", "day": "'it''s' is not a date", "date64": "is not a date", "time": "is not a time", "wall": "is not a timestamp", "ts": "is not a timestamp"},
		"'20250101'": {"bool": boolean + "'20250101'", "uuid": "is no UUID", "day": "'20250101' is not a date, such as '2025-01-01'", "date64": "such as '2025-01-01'",
			"time": "is not a time, such as '15:04:05'", "wall": "'20250101' is not a timestamp, such as '2025-01-01'", "ts": "such as '2025-01-01'"},
		"'2025-03-01'": {"int": "'2025-03-01' is no number", "uint": "is no number", "float": "is no number", "decimal": "is no number", "bool": boolean,
			"uuid": "is no UUID", "time": "'2025-03-01' is not a time, such as '15:04:05'"},
		"date '2025-03-01'": {"int": "'2025-03-01' is no number", "uint": "is no number", "float": "is no number", "decimal": "is no number", "bool": boolean,
			"uuid": "is no UUID", "time": "'2025-03-01' is not a time, such as '15:04:05'"},
		"'15:04:05'": {"int": "is no number", "uint": "is no number", "float": "is no number", "decimal": "is no number", "bool": boolean, "uuid": "is no UUID",
			"day": "'15:04:05' is not a date, such as '2025-03-01'", "date64": "is not a date", "wall": "'15:04:05' is not a timestamp, such as", "ts": "is not a timestamp"},
		"'2025-03-01 10:00:00Z'": {"int": "is no number", "uint": "is no number", "float": "is no number", "decimal": "is no number", "bool": boolean, "uuid": "is no UUID",
			"day":    "'2025-03-01 10:00:00Z' has a time zone, which the column lacks; leave it out",
			"date64": "has a time zone, which the column lacks; leave it out", "time": "is not a time", "wall": "has a time zone, which the column lacks; leave it out"},
		"x'00ff'": {"int": number + "x'00ff'", "uint": number + "x'00ff'", "float": number + "x'00ff'", "decimal": number + "x'00ff'", "bool": boolean + "x'00ff'",
			"day": date + "x'00ff'", "date64": date + "x'00ff'", "time": clock + "x'00ff'", "wall": stamp + "x'00ff'", "ts": stamp + "x'00ff'"},
		"x'0g'": {"int": number + "x'0g'", "uint": number, "float": number, "decimal": number, "bool": boolean, "string": "x'0g' isn't hexadecimal",
			"binary": "x'0g' isn't hexadecimal", "uuid": "x'0g' isn't hexadecimal", "day": date, "date64": date, "time": clock, "wall": stamp, "ts": stamp},
	} {
		want["bigdec"], want["i96"] = want["decimal"], want["wall"]
		want["list"] = "columns of this type can't be compared"
		for name, col := range cols {
			for _, op := range []string{" = " + lit, " >= " + lit, " in (" + lit + ")", " between " + lit + " and " + lit} {
				e, err := Parse(name + op)
				if err != nil {
					t.Fatalf("%s%s: %v", name, op, err)
				}
				_, err = e.Bind(func(int) (columnar.Column, bool) { return col, true })
				switch want := want[name]; {
				case want == "" && err != nil:
					t.Errorf("%s%s: %v", name, op, err)
				case want != "" && (!errors.Is(err, ErrType) || !strings.Contains(err.Error(), want)):
					t.Errorf("%s%s: got %v, want %q", name, op, err, want)
				case op == " >= "+lit:
					t.Logf("%s%s: %v", name, op, err)
				}
			}
		}
	}
}
