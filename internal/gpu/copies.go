// This file holds Copies, memory of which each GPU of a Group has a copy.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
)

// Copies presents the GPUs of a Group as one device whose memory is replicated on each of them. A write by the host
// goes to all copies; a read comes from the first GPU. Addresses are the first GPU's; At returns
// the others'.
type Copies struct {
	g *Group

	mu  sync.RWMutex
	all []*copied // by address
}

// copied is a piece of memory.
type copied struct {
	of    *Copies
	first uintptr
	bytes uint64
	parts any // each GPU has its part of this; nil: all have the same
	mem   []device.Memory
}

// Info returns the Info of the Group.
func (c *Copies) Info() device.Info { return c.g.Info() }

// NewStream fails: a stream is a GPU's.
func (c *Copies) NewStream(ctx context.Context) (device.Stream, error) { return c.g.NewStream(ctx) }

// Close does nothing: the Group is closed.
func (c *Copies) Close() error { return nil }

// Alloc allocates memory on each GPU, or on none if one of them has too little.
func (c *Copies) Alloc(bytes uint64) (device.Memory, error) { return c.AllocParts(bytes, nil) }

// AllocParts is Alloc of memory in which each GPU has its own part of something, which PartsOf returns. The host writes it by
// UploadPart, and reads it by Gather.
func (c *Copies) AllocParts(bytes uint64, of any) (device.Memory, error) {
	m := &copied{of: c, bytes: max(bytes, 1), parts: of}
	for _, d := range c.g.devs {
		x, err := d.Alloc(bytes)
		if err != nil {
			return nil, errors.Join(err, m.give())
		}
		m.mem = append(m.mem, x)
	}
	m.first = m.mem[0].Pointer()
	c.mu.Lock()
	defer c.mu.Unlock()
	at, _ := slices.BinarySearchFunc(c.all, m.first, byAddress)
	c.all = slices.Insert(c.all, at, m)
	return m, nil
}

func byAddress(m *copied, at uintptr) int {
	switch {
	case m.first < at:
		return -1
	case m.first > at:
		return 1
	}
	return 0
}

// At returns the address on GPU i of the copy of the memory at an address. It returns an address that is in no
// replicated memory unchanged.
func (c *Copies) At(i int, at uintptr) uintptr {
	if m := c.find(at); m != nil {
		return m.mem[i].Pointer() + (at - m.first)
	}
	return at
}

// PartsOf returns what AllocParts got for the memory at an address; nil for other memory.
func (c *Copies) PartsOf(at uintptr) any {
	if m := c.find(at); m != nil {
		return m.parts
	}
	return nil
}

func (c *Copies) find(at uintptr) *copied {
	c.mu.RLock()
	defer c.mu.RUnlock()
	i, found := slices.BinarySearchFunc(c.all, at, byAddress)
	if !found {
		i--
	}
	if i < 0 || uint64(at-c.all[i].first) >= c.all[i].bytes {
		return nil
	}
	return c.all[i]
}

// Upload fills the copies, one after the other.
func (c *Copies) Upload(dst device.Memory, bytes uint64, fill func(at uint64, part []byte)) error {
	for i, d := range c.g.devs {
		if err := d.Upload(moved{dst, c.At(i, dst.Pointer())}, bytes, fill); err != nil {
			return err
		}
	}
	return nil
}

// UploadPart fills the memory of GPU i alone.
func (c *Copies) UploadPart(i int, at uintptr, bytes uint64, fill func(at uint64, part []byte)) error {
	m := c.find(at)
	if m == nil {
		return fmt.Errorf("%s: %w: memory that has no copies", c.g.name, device.ErrNotSupported)
	}
	return c.g.devs[i].Upload(moved{m.mem[i], c.At(i, at)}, bytes, fill)
}

// moved is a copy of memory.
type moved struct {
	device.Memory
	at uintptr
}

func (m moved) Pointer() uintptr { return m.at }

// Download copies from the first GPU's copy.
func (c *Copies) Download(dst []byte, src device.Memory, at uint64) error {
	return c.g.devs[0].Download(dst, src, at)
}

// Gather copies parts of an array to the host, each from the GPU that it belongs to: part i is each bytes
// from byte i times each on.
func (c *Copies) Gather(parts [][]byte, at uintptr, each uint64) error {
	m := c.find(at)
	if m == nil {
		return fmt.Errorf("%s: %w: memory that has no copies", c.g.name, device.ErrNotSupported)
	}
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if len(p) > 0 {
				errs[i] = panics.Call(func() error {
					return c.g.devs[i].Download(p, moved{m.mem[i], c.At(i, at)}, uint64(i)*each)
				})
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (m *copied) Host() []byte     { return nil }
func (m *copied) Pointer() uintptr { return m.first }

// Close gives all copies back.
func (m *copied) Close() error {
	c := m.of
	c.mu.Lock()
	c.all = slices.DeleteFunc(c.all, func(x *copied) bool { return x == m })
	c.mu.Unlock()
	return m.give()
}

func (m *copied) give() (err error) {
	for _, x := range m.mem {
		err = errors.Join(err, x.Close())
	}
	m.mem = nil
	return err
}
