// This file holds Group, several GPUs as one device, and access of one GPU to another one's memory.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/gpu/driver"
)

// MostPeers is how many GPUs a Group has at most (kMostPeers of frontier/peers.cuh).
const MostPeers = 8

// Group presents several GPUs of one machine, whose kernels reach each other's memory, as one device. It has
// no memory and no streams.
type Group struct {
	devs   []*Device
	name   string
	any    bool
	copies Copies
}

// Join makes a Group of GPUs. The Group owns them: it closes them when it is closed, and if Join fails. The error is
// device.ErrNotSupported if a GPU can't reach another one's memory.
func Join(devs []*Device) (*Group, error) {
	g := &Group{devs: devs}
	g.copies.g = g
	names := make([]string, len(devs))
	for i, d := range devs {
		names[i] = d.info.Name
	}
	g.name = strings.Join(names, ",")
	fail := func(err error) (*Group, error) { return nil, errors.Join(err, g.Close()) }
	if len(devs) > MostPeers {
		return fail(fmt.Errorf("%s: %w: %d GPUs; %d at most", g.name, device.ErrNotSupported, len(devs), MostPeers))
	}
	for i, d := range devs {
		for j, e := range devs {
			if i == j {
				continue
			}
			if d.info.Name == e.info.Name {
				return fail(fmt.Errorf("%s: %w: %s twice", g.name, device.ErrUnknown, d.info.Name))
			}
			can, err := d.Access(e)
			if err == nil && !can {
				err = fmt.Errorf("%s: %w: %s doesn't reach the memory of %s", g.name, device.ErrNotSupported, d.info.Name, e.info.Name)
			}
			if err == nil {
				if can, err = d.c.AtomicsReach(e.c); err == nil && !can {
					err = fmt.Errorf("%s: %w: %s can't do atomic operations in the memory of %s, as over NVLink", g.name, device.ErrNotSupported, d.info.Name, e.info.Name)
				}
			}
			if err != nil {
				return fail(err)
			}
		}
	}
	return g, nil
}

// turn admits one user of kernels that wait for one another on several GPUs. Kernels of two searches, launched
// in different orders on two GPUs, would deadlock, since each GPU runs one of them at a time.
var turn = make(chan struct{}, 1)

// Turn waits until no other caller has such kernels running, or until ctx ends, and then returns its error. The
// caller calls done once all its kernels have ended, which admits the next caller.
func (g *Group) Turn(ctx context.Context) (done func(), err error) { return takeTurn(ctx) }

// Turn is Group.Turn that waits no longer than the stream's context.
func (s *Stream) Turn() (done func(), err error) { return takeTurn(s.ctx) }

func takeTurn(ctx context.Context) (done func(), err error) {
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// join is Join, as package device has it.
func join(devs []device.Device) (device.Device, error) {
	all := make([]*Device, len(devs))
	for i, d := range devs {
		all[i] = d.(*Device)
	}
	g, err := Join(all)
	if err != nil {
		return nil, err // not a Device that is a nil *Group
	}
	return g, nil
}

// Info sums up the GPUs. Free memory is the least of any GPU times their number, since all use equal amounts.
func (g *Group) Info() device.Info {
	all := g.devs[0].Info()
	all.Name = g.name
	least := all.MemoryFree
	for _, d := range g.devs[1:] {
		info := d.Info()
		all.Units += info.Units
		all.MemoryTotal += info.MemoryTotal
		least = min(least, info.MemoryFree)
	}
	all.MemoryFree = least * uint64(len(g.devs))
	all.Model = fmt.Sprintf("%d x %s", len(g.devs), all.Model)
	return all
}

// Discrete returns the GPUs, as package graph has them.
func (g *Group) Discrete() []discrete.Device {
	all := make([]discrete.Device, len(g.devs))
	for i, d := range g.devs {
		all[i] = d
	}
	return all
}

// TakeAny allows a graph to be placed on the first GPU alone, if that is faster.
func (g *Group) TakeAny() { g.any = true }

// Any reports whether TakeAny was called.
func (g *Group) Any() bool { return g.any }

// Arrays returns Copies, as internal/engine/placed has it.
func (g *Group) Arrays() interface {
	discrete.Device
	At(i int, at uintptr) uintptr
	Gather(parts [][]byte, at uintptr, each uint64) error
	AllocParts(bytes uint64, of any) (device.Memory, error)
	PartsOf(at uintptr) any
	UploadPart(i int, at uintptr, bytes uint64, fill func(at uint64, part []byte)) error
} {
	return &g.copies
}

// Devices returns the GPUs.
func (g *Group) Devices() []*Device { return slices.Clone(g.devs) }

// Name returns the name in Info, without querying free memory.
func (g *Group) Name() string { return g.name }

// Alloc fails: memory is a GPU's.
func (g *Group) Alloc(uint64) (device.Memory, error) {
	return nil, fmt.Errorf("%s: %w: memory belongs to one GPU", g.name, device.ErrNotSupported)
}

// NewStream fails: a stream is a GPU's.
func (g *Group) NewStream(context.Context) (device.Stream, error) {
	return nil, fmt.Errorf("%s: %w: operators run on one GPU; several are for bfs, dobfs, sssp, msbfs, closeness, pagerank, reach and cc", g.name, device.ErrNotSupported)
}

// Close closes all GPUs, or none if one is in use.
func (g *Group) Close() (err error) {
	for _, d := range g.devs {
		if err := d.inUse(); err != nil {
			return err
		}
	}
	for _, d := range g.devs {
		err = errors.Join(err, d.Close())
	}
	return err
}

// Used is how many bytes of Alloc the GPUs have given.
func (g *Group) Used() (bytes uint64) {
	for _, d := range g.devs {
		bytes += d.Used()
	}
	return bytes
}

// Access lets kernels on this GPU load and store the memory of another one, by the other's addresses.
// It reports whether they can: false without an error means that this machine's GPUs can't reach
// one another. The reverse direction needs its own call. It holds for memory of Alloc, whenever it was
// allocated, until the GPU is closed everywhere; a repeated call is cheap.
func (d *Device) Access(other *Device) (bool, error) {
	for _, x := range [...]*Device{d, other} {
		if err := x.err(); err != nil {
			return false, err
		}
	}
	can, err := d.c.CanAccess(other.c)
	if err == nil && can {
		err = d.c.EnablePeer(other.c)
		if errors.Is(err, driver.ErrNotSupported) {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("gpu: %s to the memory of %s: %w", d.info.Name, other.info.Name, err)
	}
	return can, nil
}

// CopyFrom enqueues a copy of bytes bytes from another GPU's memory to this one's. Access isn't needed, but
// makes the copy faster. The work that writes the source must be done.
func (s *Stream) CopyFrom(dst uintptr, from *Device, src uintptr, bytes uint64) error {
	return s.h.CopyPeer(driver.Ptr(dst), s.d.c, driver.Ptr(src), from.c, bytes)
}

// Shared names a piece of a GPU's memory to other processes of the machine.
type Shared = driver.Shared

// Mapped is memory of another process that kernels of this GPU reach. Close unmaps it.
type Mapped = driver.Memory

// Share names memory of Alloc to other processes.
func (d *Device) Share(m device.Memory) (Shared, error) {
	own, ok := m.(*memory)
	if !ok || own.m == nil {
		return Shared{}, fmt.Errorf("gpu: %w: only memory of a GPU is shared", device.ErrNotSupported)
	}
	return own.m.Share()
}

// Map lets kernels of this GPU reach memory that another process shares, on any GPU of the machine.
func (d *Device) Map(s Shared) (*Mapped, error) {
	if err := d.err(); err != nil {
		return nil, err
	}
	return d.c.Map(s)
}
