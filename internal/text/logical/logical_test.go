package logical

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func parsed(t testing.TB, name string) Type {
	t.Helper()
	x, err := Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestNames(t *testing.T) {
	for _, name := range []string{"date32", "date64", "timestamp[s]", "timestamp[ns,Europe/Berlin]", "timestamp[us,+01:30]",
		"decimal(1,0)", "decimal(38,0)", "uuid", "fixed(0)", "fixed(20)", "tuple(int32,string,timestamp[us,UTC],decimal(9,0))", "tuple(uint8)"} {
		if x := parsed(t, name); x.String() != name {
			t.Errorf("%q is read as %q", name, x)
		}
	}
	for _, name := range []string{"", "int32", "string", "date", "timestamp", "timestamp[]", "timestamp[d]", "timestamp[us,]", "timestamp[us,a]]",
		"decimal(0,0)", "decimal(39,0)", "decimal(9,2)", "fixed(-1)", "fixed(1073741824)", "tuple()", "tuple(int32,)", "tuple(tuple(int8))",
		"tuple(float)", "tuple(" + strings.Repeat("int8,", 64) + "int8)", strings.Repeat("x", 5000)} {
		if x, err := Parse(name); err == nil {
			t.Errorf("%.40q is read as %v", name, x)
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		name, base string
		want       bool
	}{
		{"date32", "int32", true}, {"date32", "uint32", false}, {"date64", "int64", true}, {"timestamp[s]", "string", false},
		{"decimal(18,0)", "int64", true}, {"decimal(19,0)", "int64", false}, {"decimal(19,0)", "binary", true},
		{"uuid", "binary", true}, {"uuid", "string", false}, {"tuple(int8)", "binary", true}, {"tuple(int8)", "int8", false},
	} {
		if got := parsed(t, c.name).Fits(c.base); got != c.want {
			t.Errorf("%s of %s: %v", c.name, c.base, got)
		}
	}
}

// TestIntegerText writes and reads integers of every kind, and some that stand
// for nothing.
func TestIntegerText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"date32", "date64", "timestamp[s]", "timestamp[ms]", "timestamp[us,UTC]", "timestamp[ns,UTC]", "timestamp[ns]", "decimal(18,0)"} {
		x := parsed(t, name)
		for i := range 2000 {
			n := int64(r.Uint64()) >> r.IntN(64)
			if i < 4 {
				n = []int64{0, -1, math.MaxInt64, math.MinInt64}[i]
			}
			text := x.FormatInt(n)
			if got, err := x.ParseInt(text); err != nil || got != n {
				t.Fatalf("%s: %d is written %q, which is read as %d, %v", name, n, text, got, err)
			}
		}
	}
	for _, c := range []struct{ name, text string }{
		{"date32", "2024-1-1"}, {"date32", "x"}, {"date64", "2024-02-30"}, {"timestamp[s]", "2024-01-01T00:00:00.5"}, {"timestamp[s]", "2024-01-01T00:00:00Z"},
		{"timestamp[s,UTC]", "2024-01-01T00:00:00"}, {"timestamp[ns]", "2300-01-01"}, {"timestamp[ns]", "1600-01-01"}, {"decimal(5,0)", "1e3"}, {"date32", "@"},
	} {
		if n, err := parsed(t, c.name).ParseInt(c.text); err == nil {
			t.Errorf("%s: %q is read as %d", c.name, c.text, n)
		}
	}
	for _, c := range []struct {
		name, text string
		want       int64
	}{
		{"date32", "1970-01-02", 1}, {"date64", "1970-01-02", 86_400_000}, {"timestamp[ms]", "1970-01-02", 86_400_000},
		{"timestamp[ms,UTC]", "1970-01-01T01:00:00+01:00", 0}, {"timestamp[us]", "1970-01-01 00:00:01.5", 1_500_000},
	} {
		if n, err := parsed(t, c.name).ParseInt(c.text); err != nil || n != c.want {
			t.Errorf("%s: %q is read as %d, %v; want %d", c.name, c.text, n, err, c.want)
		}
	}
}

func TestBytesText(t *testing.T) {
	x := parsed(t, "decimal(38,0)")
	for _, text := range []string{"0", "-1", "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999"} {
		b, err := x.ParseBytes(text)
		if err != nil || len(b) != 16 || x.FormatBytes(b) != text {
			t.Errorf("%s: %x, %v", text, b, err)
		}
	}
	for name, texts := range map[string][]string{
		"uuid": {"", "x", "00112233-4455-6677-8899-aabbccddeef", "00112233445566778899aabbccddeeff00"}, "fixed(2)": {"", "ab", "abc", "abcdef"},
		"decimal(38,0)": {"", "1.5", "x", strings.Repeat("9", 39)}, "tuple(int8,string)": {"", "1", "x,y", "1,2,3", `1,"a`, `1,"a"b`},
	} {
		for _, text := range texts {
			if b, err := parsed(t, name).ParseBytes(text); err == nil {
				t.Errorf("%s: %q is read as %x", name, text, b)
			}
		}
	}
	for name, raw := range map[string]string{"uuid": "abc", "fixed(2)": "a", "decimal(38,0)": "", "tuple(int8,int8)": "abc", "tuple(string,int8)": "ab\x00\x02x"} {
		if got := parsed(t, name).FormatBytes([]byte(raw)); got[0] != '@' {
			t.Errorf("%s: %q is written %s", name, raw, got)
		}
	}
}

// TestTuples: keys sort as tuples do, are split into what they were made of, and
// are read as they are written.
func TestTuples(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	names := []string{"int8", "int16", "int32", "int64", "uint8", "uint64", "string", "binary", "date32", "timestamp[us]", "decimal(9,0)", "decimal(30,0)", "uuid", "fixed(3)"}
	for range 300 {
		var parts []string
		for range 1 + r.IntN(4) {
			parts = append(parts, names[r.IntN(len(names))])
		}
		x := parsed(t, "tuple("+strings.Join(parts, ",")+")")
		type tuple struct {
			values []Value
			key    []byte
		}
		var all []tuple
		for range 30 {
			var u tuple
			for i, p := range x.Parts {
				var v Value
				switch {
				case p.Integer():
					v.Int = int64(r.IntN(5)) - 2
					if r.IntN(2) == 0 {
						v.Int = int64(r.Uint64())
					}
					v.Int = fit(&p, v.Int)
					u.key = x.AppendInt(u.key, i, v.Int)
				default:
					n := p.bytesWidth()
					if n < 0 {
						n = r.IntN(4)
					}
					v.Bytes = []byte{}
					for range n {
						v.Bytes = append(v.Bytes, []byte{0, 1, ',', '"', 'a', 0xff}[r.IntN(6)])
					}
					u.key = x.AppendBytes(u.key, i, v.Bytes)
				}
				u.values = append(u.values, v)
			}
			got, ok := x.Split(nil, u.key)
			if !ok || len(got) != len(u.values) {
				t.Fatalf("%v: %x isn't split", x, u.key)
			}
			for i := range got {
				if got[i].Int != u.values[i].Int || !bytes.Equal(got[i].Bytes, u.values[i].Bytes) {
					t.Fatalf("%v: %x is split into %v, want %v", x, u.key, got, u.values)
				}
			}
			if back, err := x.ParseBytes(x.FormatBytes(u.key)); err != nil || !bytes.Equal(back, u.key) {
				t.Fatalf("%v: %x is written %q, which is read as %x, %v", x, u.key, x.FormatBytes(u.key), back, err)
			}
			all = append(all, u)
		}
		for _, a := range all {
			for _, b := range all {
				order := 0
				for i := range a.values {
					p := &x.Parts[i]
					switch {
					case !p.Integer():
						order = cmp.Or(order, bytes.Compare(a.values[i].Bytes, b.values[i].Bytes))
					case p.signed():
						order = cmp.Or(order, cmp.Compare(a.values[i].Int, b.values[i].Int))
					default:
						order = cmp.Or(order, cmp.Compare(uint64(a.values[i].Int), uint64(b.values[i].Int)))
					}
				}
				if bytes.Compare(a.key, b.key) != order {
					t.Fatalf("%v: %v and %v have the keys %x and %x", x, a.values, b.values, a.key, b.key)
				}
			}
		}
	}
}

// fit truncates an integer to the width of its type.
func fit(p *Type, x int64) int64 {
	shift := 64 - 8*p.keyWidth()
	if p.signed() {
		return x << shift >> shift
	}
	return int64(uint64(x) << shift >> shift)
}

func TestDecimalBytesSort(t *testing.T) {
	a, b := decimalBytes(big.NewInt(-5)), decimalBytes(big.NewInt(3))
	if bytes.Compare(a, b) >= 0 {
		t.Errorf("%x, %x", a, b)
	}
}

// FuzzSplit: any bytes are a tuple or none, and text is read or refused.
func FuzzSplit(f *testing.F) {
	f.Add("tuple(string,int8)", []byte("a\x00\x00\x01"))
	f.Add("timestamp[us,UTC]", []byte("2024-01-01T00:00:00Z"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		x, err := Parse(name)
		if err != nil {
			return
		}
		if y, err := Parse(x.String()); err != nil || y.String() != x.String() {
			t.Fatalf("%q: %v", name, err)
		}
		if x.Integer() {
			if n, err := x.ParseInt(string(data)); err == nil {
				if back, err := x.ParseInt(x.FormatInt(n)); err != nil || back != n {
					t.Fatalf("%q: %d, then %d, %v", name, n, back, err)
				}
			}
			return
		}
		_ = x.FormatBytes(data)
		if b, err := x.ParseBytes(string(data)); err == nil {
			if back, err := x.ParseBytes(x.FormatBytes(b)); err != nil || !bytes.Equal(back, b) {
				t.Fatalf("%q: %x, then %x, %v", name, b, back, err)
			}
		}
	})
}
