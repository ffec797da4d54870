package graph_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// far is a device whose memory the host can't address, with so many bytes free.
type far struct {
	free  uint64
	fails int // the upload that fails, counted from 1
	live  map[uintptr][]byte
	next  uintptr
}

type farMemory struct {
	d *far
	p uintptr
}

func (m *farMemory) Host() []byte     { return nil }
func (m *farMemory) Pointer() uintptr { return m.p }
func (m *farMemory) Close() error     { delete(m.d.live, m.p); return nil }

var errBus = errors.New("the bus is broken")

func (d *far) Info() device.Info { return device.Info{Kind: "far", Name: "far:0", MemoryFree: d.free} }
func (d *far) Close() error      { return nil }
func (d *far) NewStream(context.Context) (device.Stream, error) {
	return nil, device.ErrNotSupported
}
func (d *far) Alloc(bytes uint64) (device.Memory, error) {
	d.next += 1 << 32
	d.live[d.next] = make([]byte, bytes)
	return &farMemory{d, d.next}, nil
}
func (d *far) Upload(dst device.Memory, bytes uint64, fill func(at uint64, part []byte)) error {
	if d.fails--; d.fails == 0 {
		return errBus
	}
	to := d.live[dst.Pointer()][:bytes]
	const part = 1 << 16
	for at := 0; at < len(to); at += part {
		fill(uint64(at), to[at:min(at+part, len(to))])
	}
	return nil
}
func (d *far) Download([]byte, device.Memory, uint64) error { return device.ErrNotSupported }

// TestRemote: what is uploaded is the graph; all of it is given back.
func TestRemote(t *testing.T) {
	for _, name := range []string{"none", "one", "skewed-undirected", "uniform-reverse", "uniform-directed"} {
		g := testgraph.ByName(name).Graph(71)
		d := &far{free: 1 << 40, live: map[uintptr][]byte{}}
		p, err := g.On(d)
		if err != nil {
			t.Fatal(err)
		}
		r := p.Remote()
		check := func(what string, at uintptr, want []uint32) {
			t.Helper()
			for i, x := range want {
				if got := binary.LittleEndian.Uint32(d.live[at][4*i:]); got != x {
					t.Fatalf("%s, %s: entry %d is %d, want %d", name, what, i, got, x)
				}
			}
		}
		csr := func(c *graph.CSR, offsets, targets uintptr) {
			t.Helper()
			narrow := make([]uint32, len(c.Offsets))
			for i, x := range c.Offsets {
				narrow[i] = uint32(x)
			}
			check("offsets", offsets, narrow)
			check("targets", targets, c.Targets)
		}
		csr(g.Out(), r.Offsets, r.Targets)
		if g.In() != nil {
			csr(g.In(), r.InOffsets, r.InTargets)
			prep, err := p.PrepareRemote()
			if err != nil {
				t.Fatal(err)
			}
			check("first probes", prep.First, p.State().Prepare().First)
		}
		if r.Wide || placed.Wide(g.Out().NumEdges()) || r.Bytes != g.RemoteBytes() {
			t.Errorf("%s: %d bytes, estimated %d", name, r.Bytes, g.RemoteBytes())
		}
		if err := p.Close(); err != nil || len(d.live) != 0 {
			t.Errorf("%s: %d pieces of memory left, %v", name, len(d.live), err)
		}
	}
}

// TestRemoteFails: a graph that doesn't fit is refused before anything is
// taken; an upload that fails leaves nothing.
func TestRemoteFails(t *testing.T) {
	g := testgraph.ByName("uniform-reverse").Graph(72)
	d := &far{free: g.RemoteBytes() - 1, live: map[uintptr][]byte{}}
	if _, err := g.On(d); !errors.Is(err, device.ErrMemory) ||
		strings.Count(err.Error(), "not enough memory") != 1 || !strings.Contains(err.Error(), "far:0") || d.next != 0 {
		t.Errorf("too little memory: %v, %d allocations", err, d.next>>32)
	}
	for fails := 1; fails <= 4; fails++ {
		d := &far{free: 1 << 40, fails: fails, live: map[uintptr][]byte{}}
		if _, err := g.On(d); !errors.Is(err, errBus) || len(d.live) != 0 {
			t.Errorf("upload %d fails: %v, %d pieces of memory left", fails, err, len(d.live))
		}
	}
}
