// This file tests GPUs that reach one another's memory.

package gpu

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/foray-graph/foray/device"
)

// TestGPUPeers: data goes from the first GPU to the second and back, by copies that need no access and
// by one on a GPU that has it.
func TestGPUPeers(t *testing.T) {
	one := opened(t)
	defer one.Close()
	infos, err := probe()
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) < 2 {
		t.Skipf("needs two GPUs, or emulated ones (FORAY_EMULATOR_DEVICES=2): there are %d", len(infos))
	}
	two, err := device.Open("cuda:1")
	if err != nil {
		t.Fatal(err)
	}
	all := []*Device{one, two.(*Device)}
	defer all[1].Close()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if all[1].card.UUID == one.card.UUID || all[1].card.PCI == one.card.PCI || all[1].info.Name != "cuda:1" {
		t.Errorf("%+v and %+v are one", one.card, all[1].card)
	}
	const size = 1<<20 + 5
	data, r := make([]byte, size), rand.New(rand.NewPCG(17, 4))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	var memory [2][2]device.Memory
	var streams [2]*Stream
	for i, d := range all {
		for j := range 2 {
			memory[i][j], err = d.Alloc(size)
			check(err)
			defer memory[i][j].Close()
		}
		streams[i], err = d.Stream(context.Background())
		check(err)
		defer streams[i].Close()
	}
	check(one.Upload(memory[0][0], size, func(at uint64, part []byte) { copy(part, data[at:]) }))
	check(streams[1].CopyFrom(memory[1][0].Pointer(), one, memory[0][0].Pointer(), size))
	check(streams[1].Sync())
	for i, d := range all {
		other := all[1-i]
		if can, err := d.Access(d); err != nil || !can {
			t.Errorf("%s to itself: %v, %v", d.info.Name, can, err)
		}
		can, err := d.Access(other)
		check(err)
		again, err := d.Access(other)
		check(err)
		if can != again {
			t.Errorf("%s to %s: %v, then %v", d.info.Name, other.info.Name, can, again)
		}
		if !can {
			t.Logf("%s doesn't reach the memory of %s", d.info.Name, other.info.Name)
		}
	}
	if can, err := one.Access(all[1]); err != nil || !can {
		check(streams[0].CopyFrom(memory[0][1].Pointer(), all[1], memory[1][0].Pointer(), size))
	} else {
		check(streams[0].Copy(memory[0][1].Pointer(), memory[1][0].Pointer(), size))
	}
	check(streams[0].Sync())
	got := make([]byte, size)
	for _, where := range []struct {
		d *Device
		m device.Memory
	}{{all[1], memory[1][0]}, {one, memory[0][1]}} {
		clear(got)
		check(where.d.Download(got, where.m, 0))
		if !bytes.Equal(got, data) {
			t.Errorf("other bytes arrived at %s", where.d.info.Name)
		}
	}
	if used := one.Used(); used < 2*size {
		t.Errorf("the first GPU holds %d bytes", used)
	}
}
