// This file tests tasks as processes send them.

package paper

import (
	"reflect"
	"testing"
)

func TestPack(t *testing.T) {
	for _, k := range []task{
		{Src: []uint32{}, Dst: []uint32{}},
		{Ranks: 3, Each: 2, Trials: 1, Ways: []way{{ByMachine: true}, {}}, Threshold: 32, Vertices: 4, Sources: []uint32{1, 3}, Depths: [][]int32{{0, -1, 2, 1}, {1, 0, -1, 7}},
			Src: []uint32{1, 1 << 31}, Dst: []uint32{0, 3}},
	} {
		packed, err := k.pack()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unpack(packed); err != nil || !reflect.DeepEqual(got, k) {
			t.Errorf("%+v became %+v, %v", k, got, err)
		}
		for cut := range len(packed) {
			if _, err := unpack(packed[:cut]); err == nil {
				t.Errorf("cut to %d bytes of %d: no error", cut, len(packed))
			}
		}
	}
}
