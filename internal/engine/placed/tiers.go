// This file holds graphs larger than a device's memory: their rows in tiers.

package placed

import (
	"errors"
	"fmt"
	"runtime"
	"sort"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// pinPart is how many bytes a worker copies at a time. vectors is what the address of rows that are pinned where they are is a
// multiple of: kernels read vectors of 16 bytes, and prepared graphs have arrays at multiples of 64.
const (
	pinPart = 8 << 20
	vectors = 64
)

// Tiers are the rows of a graph that is larger than the memory of a device. Whole rows are in pinned memory of the
// host: Remote.Targets and Remote.InTargets are the device's addresses of that. The device has the near rows: the
// first Prefix entries of each row of Graph.In, and all entries of the first Hubs rows.
type Tiers struct {
	Prefix      uint64
	Hubs        int
	NearEntries uint64
	HostBytes   uint64 // pinned
	Bytes       uint64 // of the device, with what pulls need

	// Offsets and Targets are the near rows as Remote has rows. Table is a TiersTable. They are 0 if the graph has no
	// reverse, since pulls alone read near rows.
	Offsets, Targets, Table uintptr

	// Out and In are the whole rows: Remote.Targets and Remote.InTargets, for copies. Hub entries, below Split, are the same in Targets
	// and in whole rows of both directions. In is nil for a graph without its reverse.
	Out, In device.Memory
	Split   uint64
}

// InTiers reports whether the rows of a graph on a GPU are in tiers. It is false for nil, on the host.
func (r *Remote) InTiers() bool { return r != nil && r.Tiers != nil }

// Reversed returns the tiers of the same graph with its edges turned round, without near rows.
func (t *Tiers) Reversed() *Tiers {
	if t == nil {
		return nil
	}
	return &Tiers{HostBytes: t.HostBytes, Bytes: t.Bytes, Out: t.In, In: t.Out}
}

// Pinner is a device that reads pinned memory of the host in place.
type Pinner interface {
	// AllocPinned returns pinned memory of the host, whose contents are undefined.
	AllocPinned(bytes uint64) (device.Memory, error)
	// Register pins memory where it is, until Close. The error is device.ErrNotSupported for memory that can't be pinned so.
	Register(memory []byte) (device.Memory, error)
}

// PlaceTiers places the whole rows in pinned memory, and near rows on the device if in isn't nil. near has the offsets of the
// near rows.
func (r *Remote) PlaceTiers(u discrete.Device, t *Tiers, out, in HostRows, near []uint64) (err error) {
	if t.Out, err = r.pin(u, t, out.Targets); err != nil {
		return err
	}
	r.Targets = t.Out.Pointer()
	if err := r.offsets(u, out.Offsets, &r.Offsets); err != nil {
		return err
	}
	r.Tiers = t
	if in.Offsets == nil {
		return nil
	}
	r.InOffsets, r.InTargets, t.In = r.Offsets, r.Targets, t.Out
	same := unsafe.SliceData(in.Offsets) == unsafe.SliceData(out.Offsets)
	if !same {
		if t.In, err = r.pin(u, t, in.Targets); err != nil {
			return err
		}
		r.InTargets = t.In.Pointer()
		if err := r.offsets(u, in.Offsets, &r.InOffsets); err != nil {
			return err
		}
	}
	if err := r.offsets(u, near, &t.Offsets); err != nil {
		return err
	}
	n := len(near) - 1
	t.NearEntries = near[n]
	t.Targets, err = uploadBy(u, r, 4*t.NearEntries, func(at uint64, part []byte) {
		to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4)
		for e := at / 4; len(to) > 0; {
			v := sort.Search(n, func(v int) bool { return near[v+1] > e })
			for ; len(to) > 0; v++ {
				k := copy(to, in.Targets[in.Offsets[v]+e-near[v]:][:near[v+1]-e])
				to, e = to[k:], e+uint64(k)
			}
		}
	})
	if err != nil {
		return err
	}
	whole := make([]uint64, (n+63)/64)
	for v := range n {
		if near[v+1]-near[v] == in.Offsets[v+1]-in.Offsets[v] {
			whole[v>>6] |= 1 << (v & 63)
		}
	}
	if n&63 != 0 {
		whole[n>>6] |= ^uint64(0) << (n & 63)
	}
	bits, err := Upload(u, r, whole)
	if err != nil {
		return err
	}
	if same {
		t.Split = near[t.Hubs]
	}
	table := TiersTable{Near: uint64(t.Targets), Far: uint64(r.Targets), Split: t.Split, Offsets: uint64(r.InOffsets), Targets: uint64(r.InTargets), Whole: uint64(bits)}
	t.Table, err = Upload(u, r, unsafe.Slice((*uint64)(unsafe.Pointer(&table)), unsafe.Sizeof(table)/8))
	return err
}

// TiersTable is the kernels' struct Tiers (operators/advance/tiers.cuh), which is on the device.
type TiersTable struct{ Near, Far, Split, Offsets, Targets, Whole uint64 }

// HostRows are the rows of a graph on the host.
type HostRows struct {
	Offsets []uint64
	Targets []uint32
}

// pin copies targets to pinned memory.
func (r *Remote) pin(u discrete.Device, t *Tiers, targets []uint32) (device.Memory, error) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(targets))), 4*len(targets))
	m, err := Pin(u, bytes)
	if err != nil {
		return nil, err
	}
	r.Mem = append(r.Mem, m)
	t.HostBytes += uint64(len(bytes))
	return m, nil
}

// Pin pins an array of the host, which the device reads in place, or returns a copy in pinned memory: of a small array, and where the
// system doesn't pin the array itself. Zeros fill the copy up to 256 bytes.
func Pin(u discrete.Device, from []byte) (device.Memory, error) {
	p, ok := u.(Pinner)
	if !ok {
		return nil, fmt.Errorf("arrays in the host's memory: %w by %s", device.ErrNotSupported, u.Info().Name)
	}
	if uint64(len(from)) >= tuning.RegisterBytes && uintptr(unsafe.Pointer(unsafe.SliceData(from)))%vectors == 0 {
		if m, err := p.Register(from); !errors.Is(err, device.ErrNotSupported) {
			return m, err
		}
	}
	m, err := p.AllocPinned(max(uint64(len(from)), 256))
	if err != nil {
		return nil, err
	}
	to := m.Host()
	clear(to[len(from):])
	var wait panics.Group
	workers := min(runtime.GOMAXPROCS(0), len(from)/pinPart+1)
	for w := range workers {
		wait.Go(func() {
			for at := w * pinPart; at < len(from); at += workers * pinPart {
				copy(to[at:], from[at:min(at+pinPart, len(from))])
			}
		})
	}
	wait.Wait()
	return m, nil
}
