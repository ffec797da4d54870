package roaring

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// write serializes values, which ascend, with a random kind of container for each 65,536.
func write(r *rand.Rand, values []int64) []byte {
	le := binary.LittleEndian
	byKey := map[uint32]map[uint16][]uint16{}
	for _, x := range values {
		key, container := uint32(x>>32), uint16(x>>16)
		if byKey[key] == nil {
			byKey[key] = map[uint16][]uint16{}
		}
		byKey[key][container] = append(byKey[key][container], uint16(x))
	}
	out := le.AppendUint64(nil, uint64(len(byKey)))
	for _, key := range sorted(byKey) {
		out = le.AppendUint32(out, key)
		containers := byKey[key]
		keys := sorted(containers)
		withRuns := r.IntN(2) == 0
		isRun := make([]bool, len(keys))
		var head, body []byte
		for i, k := range keys {
			v := containers[k]
			head = le.AppendUint16(le.AppendUint16(head, k), uint16(len(v)-1))
			isRun[i] = withRuns && r.IntN(2) == 0
			switch {
			case isRun[i]:
				var runs []byte
				n := 0
				for at := 0; at < len(v); n++ {
					more := 0
					for at+more+1 < len(v) && v[at+more+1] == v[at]+uint16(more)+1 {
						more++
					}
					runs = le.AppendUint16(le.AppendUint16(runs, v[at]), uint16(more))
					at += more + 1
				}
				body = append(le.AppendUint16(body, uint16(n)), runs...)
			case len(v) <= arrayMost:
				for _, x := range v {
					body = le.AppendUint16(body, x)
				}
			default:
				words := make([]byte, wordsBytes)
				for _, x := range v {
					words[x/8] |= 1 << (x % 8)
				}
				body = append(body, words...)
			}
		}
		if withRuns {
			out = le.AppendUint32(out, cookieRuns|uint32(len(keys)-1)<<16)
			flags := make([]byte, (len(keys)+7)/8)
			for i, is := range isRun {
				if is {
					flags[i/8] |= 1 << (i % 8)
				}
			}
			out = append(out, flags...)
		} else {
			out = le.AppendUint32(le.AppendUint32(out, cookiePlain), uint32(len(keys)))
		}
		out = append(out, head...)
		if !withRuns || len(keys) >= noOffsets {
			out = append(out, make([]byte, 4*len(keys))...) // which is not needed
		}
		out = append(out, body...)
	}
	return out
}

func sorted[K uint16 | uint32, V any](m map[K]V) (keys []K) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// random returns values that ascend, in runs and alone.
func random(r *rand.Rand) (values []int64) {
	at := r.Int64N(100)
	for range r.IntN(40) {
		switch r.IntN(5) {
		case 0:
			at += r.Int64N(1 << 33)
		case 1:
			at += r.Int64N(1 << 17)
		}
		step := 1 + r.Int64N(3)*r.Int64N(20)
		for range r.IntN(1 + r.IntN(12000)) {
			values = append(values, at)
			at += step
		}
	}
	return values
}

// TestParse64: what was written comes back, and another number of values is an error.
func TestParse64(t *testing.T) {
	testlong.Project(t)
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		values := random(r)
		data := write(r, values)
		got, err := Parse64(data, int64(len(values)))
		if err != nil || !slices.Equal(got, values) {
			t.Fatalf("seed %d: %v, %d values of %d", seed, err, len(got), len(values))
		}
		for _, n := range []int64{int64(len(values)) + 1, int64(len(values)) - 1} {
			if _, err := Parse64(data, n); !errors.Is(err, columnar.ErrCorrupt) {
				t.Fatalf("seed %d, of %d values: %v", seed, n, err)
			}
		}
	}
}

// TestParse64Damaged: damaged bitmaps are errors or other values, which ascend, and take no
// more memory than as many values as were asked for.
func TestParse64Damaged(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 4))
		values := []int64{1, 2, 3, 70000, 70001, 1 << 33}[:1+r.IntN(6)]
		data := write(r, values)
		for range 1 + r.IntN(3) {
			data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
		}
		if r.IntN(5) == 0 {
			data = data[:r.IntN(len(data))]
		}
		got, err := Parse64(data, int64(len(values)))
		if err != nil && !errors.Is(err, columnar.ErrCorrupt) || err == nil && (len(got) != len(values) || !slices.IsSorted(got) || got[0] < 0) {
			t.Fatalf("seed %d: %v, %v", seed, got, err)
		}
	}
}
