// This file compares wide values with the definition.

package columnar

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// decimalOf is the definition of two's complement.
func decimalOf(b []byte) *big.Int {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x
}

func TestCompareDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	random := func() []byte {
		b := make([]byte, r.IntN(6))
		for i := range b {
			b[i] = []byte{0, 0, 0xff, 0xff, 0x7f, 0x80, byte(r.IntN(256))}[r.IntN(7)]
		}
		return b
	}
	equal := 0
	for range 200_000 {
		a, b := random(), random()
		want := decimalOf(a).Cmp(decimalOf(b))
		if got := CompareDecimals(a, b); got != want || (got == 0) != bytes.Equal(Trimmed(a), Trimmed(b)) {
			t.Fatalf("%x and %x: %d, want %d; %x and %x", a, b, got, want, Trimmed(a), Trimmed(b))
		}
		if want == 0 {
			equal++
		}
	}
	if equal < 1000 {
		t.Errorf("only %d were equal", equal)
	}
}

func TestCompareInt96(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	random := func() ([]byte, *big.Int) {
		nanos := []int64{0, dayNanos, -dayNanos, dayNanos - 1, r.Int64N(dayNanos), int64(r.Uint64())}[r.IntN(6)] + r.Int64N(3) - 1
		day := []int32{0, epochDay, epochDay + r.Int32N(3), int32(r.Uint32())}[r.IntN(4)]
		b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, uint64(nanos)), uint32(day))
		x := new(big.Int).Mul(big.NewInt(int64(day)-epochDay), big.NewInt(dayNanos))
		return b, x.Add(x, big.NewInt(nanos))
	}
	for range 200_000 {
		a, x := random()
		b, y := random()
		if got, want := CompareInt96(a, b), x.Cmp(y); got != want {
			t.Fatalf("%x and %x: %d, want %d", a, b, got, want)
		}
		day, nanos := Int96Of(a)
		if z := new(big.Int).Mul(big.NewInt(day), big.NewInt(dayNanos)); z.Add(z, big.NewInt(nanos)).Cmp(x) != 0 || nanos < 0 || nanos >= dayNanos {
			t.Fatalf("%x: day %d, %d ns, want %v ns", a, day, nanos, x)
		}
		if day == int64(int32(day)) && day+epochDay == int64(int32(day+epochDay)) {
			if again := AppendInt96(nil, day, nanos); CompareInt96(a, again) != 0 || uint64(binary.LittleEndian.Uint64(a)) < dayNanos && !slices.Equal(a, again) {
				t.Fatalf("%x became %x", a, again)
			}
		}
	}
}
