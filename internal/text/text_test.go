package text

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(-1234567), "-1,234,567"},
		{Count(int64(math.MinInt64)), "-9,223,372,036,854,775,808"},
		{Count(uint64(math.MaxUint64)), "18,446,744,073,709,551,615"},
		{Plural(1, "level"), "1 level"}, {Plural(2, "level"), "2 levels"}, {Plural(0, "edge"), "0 edges"},
		{Plural(1, "vertex"), "1 vertex"}, {Plural(1000, "vertex"), "1,000 vertices"},
		{Bytes(0), "0 B"}, {Bytes(999), "999 B"}, {Bytes(1000), "1.00 kB"}, {Bytes(12345), "12.3 kB"},
		{Bytes(999_999), "1.00 MB"}, {Bytes(123_456_789), "123 MB"}, {Bytes(5e9), "5.00 GB"}, {Bytes(5e15), "5000 TB"},
		{Duration(0), "0 µs"}, {Duration(12 * time.Microsecond), "12.0 µs"},
		{Duration(999_900 * time.Nanosecond), "1.00 ms"}, {Duration(12345 * time.Microsecond), "12.3 ms"},
		{Duration(1234 * time.Millisecond), "1.23 s"}, {Duration(100 * time.Second), "100 s"},
		{Duration(3*time.Minute + 4400*time.Millisecond), "3 min 4 s"},
		{Rate(0), "0"}, {Rate(0.00123), "0.0012"}, {Rate(1.1e-5), "0.000011"}, {Rate(0.0994), "0.099"}, {Rate(0.5), "0.500"}, {Rate(1.234), "1.23"}, {Rate(1675.2), "1675"},
		{RateUnit(1.1e-5), "11.0 kTEPS"}, {RateUnit(0.0009991), "999 kTEPS"}, {RateUnit(0.001234), "1.23 MTEPS"},
		{RateUnit(0.0994), "99.4 MTEPS"}, {RateUnit(0.25), "0.250 GTEPS"}, {RateUnit(12), "12.0 GTEPS"}, {RateUnit(0), "0.00 kTEPS"},
		{Percent(0, 5), "0 %"}, {Percent(5, 5), "100 %"}, {Percent(9999, 10000), "> 99.9 %"},
		{Percent(1, 10000), "< 0.1 %"}, {Percent(1, 3), "33.3 %"}, {Percent(0, 0), "0 %"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for in, want := range map[string]uint64{
		"1": 1, "512": 512, "10kB": 10_000, "1.5GB": 1_500_000_000, "8GiB": 8 << 30, "2 MiB": 2 << 20,
		"3g": 3_000_000_000, "1tib": 1 << 40, "7B": 7, "1e3": 1000,
	} {
		if got, err := ParseBytes(in); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "x", "0", "-1", "GB", "1XB", "1iB", "1GBB", "NaN", "Inf", "1e30", "0.1", "1 2"} {
		if got, err := ParseBytes(in); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", in, got)
		}
	}
}

func TestTable(t *testing.T) {
	tab := Table{Align: "rl"}
	tab.Row("n", "name")
	tab.Note("first")
	tab.Row("1,000", "é")
	tab.Row("2")
	tab.Note("last")
	var b strings.Builder
	if err := tab.Write(&b, " "); err != nil {
		t.Fatal(err)
	}
	want := "     n  name\n first\n 1,000  é\n     2\n last\n"
	if b.String() != want {
		t.Errorf("got\n%q, want\n%q", b.String(), want)
	}
}
