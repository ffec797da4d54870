// This file tests serialized graphs that are damaged.

package edgelist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// TestSGDamage wants an error, of the right kind, for each of many damages.
func TestSGDamage(t *testing.T) {
	es := []triple{{0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {2, 0, 0}}
	und := sgBytes(false, false, rowsOf(es, 3, nil))
	dir := sgBytes(true, false, rowsOf(es, 3, nil), rowsOf(reversed(es), 3, nil))
	with := func(b []byte, at int, x ...byte) []byte {
		b = slices.Clone(b)
		copy(b[at:], x)
		return b
	}
	type damage struct {
		what string
		data []byte
		is   error
	}
	cases := []damage{
		{"empty", nil, errTruncated},
		{"a head of no vertices alone", sgBytes(false, false, nil)[:17], errTruncated},
		{"no vertices", sgBytes(false, false, nil), graph.ErrEmpty},
		{"flag", with(und, 0, 2), errNoHead},
		{"negative vertices", with(und, 16, 0x80), ErrFormat},
		{"negative edges", with(und, 8, 0x80), ErrFormat},
		{"huge vertices", with(und, 12, 0x10), errTruncated},
		{"huge edges", with(und, 7, 0x10), nil},
		{"first offset", with(und, 17, 1), graph.ErrMalformed},
		{"descending offsets", with(und, 17+8, 9), graph.ErrMalformed},
		{"last offset", with(und, 17+24, 3), graph.ErrMalformed},
		{"target", with(und, 17+32, 3), graph.ErrMalformed},
		{"negative target", with(und, 17+35, 0x80), graph.ErrMalformed},
		{"asymmetric", with(und, 17+32, 2), graph.ErrMalformed},
		{"wrong reverse", with(dir, len(dir)-4, 1), graph.ErrMalformed},
		{"more", append(slices.Clone(und), 0), errNoHead},
	}
	for i := 1; i < len(dir); i++ {
		cases = append(cases, damage{fmt.Sprint("cut to ", i), dir[:i], errTruncated})
	}
	for _, c := range cases {
		for _, reader := range []bool{false, true} {
			path := write(t, "x.sg", c.data)
			o := Options{Graph: graph.Options{Directed: len(c.data) > 0 && c.data[0] == 1, Reverse: true}}
			var err error
			if reader {
				// Without a known length.
				o.Format = "sg"
				in, e := newInput(bytes.NewReader(c.data), -1, &o)
				if e != nil {
					t.Fatal(e)
				}
				in.name = path
				_, err = loadSG(ctx, in, &o)
			} else {
				_, err = Load(ctx, path, o)
			}
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%s, reader %v: error %v, want %v", c.what, reader, err, c.is)
			}
		}
	}
	if _, err := Load(ctx, write(t, "x.sg", und), Options{Graph: graph.Options{Weights: true}}); !errors.Is(err, graph.ErrWeights) {
		t.Errorf("weights of an .sg: %v", err)
	}
	if _, err := Load(ctx, write(t, "x.sg", und), Options{Graph: graph.Options{MemoryLimit: 20}}); !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), " B, but the limit is 20 B (Options.MemoryLimit)") {
		t.Errorf("memory: %v", err)
	}
}
