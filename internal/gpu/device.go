// Package gpu implements package device on NVIDIA GPUs: memory, streams, kernels, and the ring of
// slots by which operators report to the host. Importing it registers the driver with device.Open.
// Programs use it through device/gpu.
//
// # An operator
//
// An operator is a kernel, launched on a Stream, that counts in a slot on the
// device. Its steps on the host:
//
//	k, err := s.Kernel(image, "mine_o32") // of an embedded fatbin, loaded once
//	args.post, err = s.Post(&ticket)      // a slot, all zeroes, and where to report
//	a.Reset()
//	gpu.Struct(&a, &args)                 // laid out as the kernel's parameter
//	err = s.Launch(k, blocks, &a)         // doesn't wait
//	mail, err := ticket.Wait()            // waits until it is done
//
// Post takes the next slot of the stream's ring of 2,048 and makes the Ticket
// stand for it; the kernel gets both addresses as a Post. The kernel adds to
// the slot, and its last block copies it to the host's memory (report of
// frontier/queue.cuh). An operator that takes several posts before its first
// launch calls Ready with their number first.
//
// Launch enqueues blocks of Block threads, but at most as many as the GPU runs
// at once (Kernel.Resident): a kernel loops until all work is
// done. Launch fails with the error that ended the stream; a later call returns
// errors of the kernel.
//
// Wait spins until the report arrives and returns it as a Mail: Tail, Visited
// and Counts are what the kernel added. If the report never arrives, it returns the
// context's error or the device's. A Ticket may be waited for any number
// of times, also after its slot has a new owner, but not from two goroutines.
package gpu

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/text"
)

// Kind is the kind of these devices.
const Kind device.Kind = "cuda"

// alignment of memory in bytes. Sizes are rounded up to a multiple of it, so that
// kernels may write a whole step of 16 bytes per thread at the end.
const alignment = 256

// init only registers the device; the driver is searched for on
// first use.
func init() {
	device.Register(device.Driver{Kind: Kind, Rank: 10, Probe: probe, Open: open, Join: join})
}

// open is Open, as package device has it.
func open(i int) (device.Device, error) {
	d, err := Open(i)
	if err != nil {
		return nil, err // not a Device that is a nil *Device
	}
	return d, nil
}

func probe() ([]device.Info, error) {
	found, err := driver.Probe()
	if err != nil {
		return nil, unsupported(err)
	}
	infos := make([]device.Info, found.Devices)
	for i := range infos {
		c, err := driver.DeviceInfo(i)
		if err != nil {
			return nil, err
		}
		infos[i] = describe(i, c)
	}
	return infos, nil
}

// unsupported gives an error of package driver the text that those of package device have.
func unsupported(err error) error {
	if errors.Is(err, driver.ErrNotSupported) {
		return notSupported{err}
	}
	return err
}

// notSupported is an error of package driver with the text of device.ErrNotSupported, which
// it wraps, instead of that of driver.ErrNotSupported.
type notSupported struct{ err error }

func (e notSupported) Error() string {
	why := strings.TrimPrefix(e.err.Error(), "cuda: ")
	why = strings.TrimPrefix(why, driver.ErrNotSupported.Error()+": ")
	return device.ErrNotSupported.Error() + ": " + why
}

func (e notSupported) Unwrap() error { return e.err }

func describe(i int, c driver.Device) device.Info {
	return device.Info{
		Kind: Kind, Name: fmt.Sprintf("%s:%d", Kind, i), Model: fmt.Sprintf("%s (sm_%d%d)", c.Name, c.Major, c.Minor),
		Units: c.SMs, MemoryTotal: c.Memory, Driver: "CUDA " + c.Driver.String(),
	}
}

// Device is an NVIDIA GPU. It is safe for concurrent use.
type Device struct {
	c    *driver.Context
	info device.Info
	card driver.Device

	mu      sync.Mutex
	modules map[*byte]*driver.Module
	kernels map[kernelKey]*Kernel
	staging []*stage
	fills   *driver.Stream // for Fill

	loading sync.Mutex // one transfer at a time: it uses the whole bus
	workers int        // stageWorkers
	streams atomic.Int64
	memory  atomic.Int64
	used    atomic.Int64 // bytes
	limit   atomic.Int64 // of used; 0 for none
	closed  atomic.Bool
}

// Open opens GPU i, counted from 0. Close gives it back. The error wraps
// device.ErrNotSupported if there is no usable GPU i.
func Open(i int) (*Device, error) {
	c, err := driver.Open(i)
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", unsupported(err))
	}
	d, err := New(c)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return d, nil
}

// New makes a device of a context, which Close closes. In builds with the tag
// gorgonia that can be one that the program made with gorgonia.org/cu
// (driver.FromCU).
func New(c *driver.Context) (_ *Device, err error) {
	d := &Device{c: c, card: c.Device(), modules: map[*byte]*driver.Module{}, kernels: map[kernelKey]*Kernel{}, workers: stageWorkers}
	d.info = describe(d.card.Index, d.card)
	if d.fills, err = c.NewStream(); err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	return d, nil
}

// Context is the GPU's context, for calls that this package doesn't have.
func (d *Device) Context() *driver.Context { return d.c }

// Name is the device's name, as device.Open takes it.
func (d *Device) Name() string { return d.info.Name }

// Info describes the GPU. Free memory is measured at each call.
func (d *Device) Info() device.Info {
	info := d.info
	if free, err := d.Free(); err == nil {
		info.MemoryFree = free
	}
	return info
}

// Limit bounds what Alloc hands out, and the free memory that Info tells. 0 is no limit.
func (d *Device) Limit(bytes uint64) { d.limit.Store(int64(min(bytes, 1<<62))) }

// Free measures the free memory, of which a limit may leave less.
func (d *Device) Free() (uint64, error) {
	free, _, err := d.c.MemInfo()
	if limit := d.limit.Load(); err == nil && limit > 0 {
		free = min(free, uint64(max(limit-d.used.Load(), 0)))
	}
	return free, err
}

func (d *Device) err() error {
	if d.closed.Load() {
		return fmt.Errorf("gpu: %w: the device; open it again", device.ErrClosed)
	}
	return nil
}

// memory is a piece of the GPU's memory.
type memory struct {
	d     *Device
	m     *driver.Memory
	bytes int64
}

// Host returns nil: the host can't address it.
func (m *memory) Host() []byte { return nil }

// Pointer is the device's address of the first byte.
func (m *memory) Pointer() uintptr {
	if m.m == nil {
		return 0
	}
	return uintptr(m.m.Ptr())
}

// Close frees the memory after all work on the device has ended. A second call does
// nothing.
func (m *memory) Close() error {
	if m.m == nil {
		return nil
	}
	mem := m.m
	m.m = nil
	m.d.memory.Add(-1)
	m.d.used.Add(-m.bytes)
	return mem.Close()
}

// Alloc returns zeroed memory, aligned to 256 bytes and rounded up to a multiple of
// 256 bytes. If too little is free, the error wraps driver.ErrOutOfMemory, which is
// device.ErrMemory too, and reports how much is free.
func (d *Device) Alloc(bytes uint64) (device.Memory, error) {
	if err := d.err(); err != nil {
		return nil, err
	}
	if bytes > 1<<46 {
		return nil, fmt.Errorf("gpu: %w: %d bytes asked for at once, past the address space", device.ErrSize, bytes)
	}
	bytes = (max(bytes, 1) + alignment - 1) &^ (alignment - 1)
	if limit := d.limit.Load(); limit > 0 && d.used.Load()+int64(bytes) > limit {
		return nil, fmt.Errorf("gpu: %s: %w: %s of it in use by this program, %s wanted, %s allowed", d.info.Name, device.ErrMemory, text.Bytes(uint64(d.used.Load())), text.Bytes(bytes), text.Bytes(uint64(limit)))
	}
	mem, err := d.c.Alloc(bytes)
	if errors.Is(err, driver.ErrOutOfMemory) {
		return nil, fmt.Errorf("gpu: %s: not enough memory, %s of it in use by this program: %w", d.info.Name, text.Bytes(uint64(d.used.Load())), err)
	}
	if err != nil {
		return nil, fmt.Errorf("gpu: %s: %w", d.info.Name, err)
	}
	d.memory.Add(1)
	d.used.Add(int64(bytes))
	m := &memory{d: d, m: mem, bytes: int64(bytes)}
	if err := d.Fill(m.Pointer(), 0, bytes/4); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Used returns how many bytes Alloc has handed out that weren't freed.
func (d *Device) Used() uint64 { return uint64(d.used.Load()) }

// Fill fills words of 32 bits and waits until that is done.
func (d *Device) Fill(p uintptr, value uint32, words uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fills.Memset32(driver.Ptr(p), value, words); err != nil {
		return err
	}
	return d.fills.Sync()
}

// Sync waits for all work on the device.
func (d *Device) Sync() error { return d.c.Sync() }

// Close gives the GPU back. All streams and memory must have been freed. Otherwise
// the device stays open, and the error wraps driver.ErrInUse and counts the rest.
// A second call does nothing.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed.Load() {
		return nil
	}
	if err := d.inUse(); err != nil {
		return err
	}
	d.closed.Store(true)
	var errs []error
	for _, s := range d.staging {
		errs = append(errs, s.close())
	}
	for _, m := range d.modules {
		errs = append(errs, m.Close())
	}
	errs = append(errs, d.fills.Close(), d.c.Close())
	return errors.Join(errs...)
}

// inUse returns what keeps the GPU from being closed.
func (d *Device) inUse() error {
	if s, m := d.streams.Load(), d.memory.Load(); s > 0 || m > 0 {
		return fmt.Errorf("gpu: closing %s: %w: %s, %s of memory; close placed graphs, buffers and graphs that were built there", d.info.Name, driver.ErrInUse,
			text.Plural(int(s), "stream"), text.Plural(int(m), "piece"))
	}
	return nil
}

func (d *Device) clusterKernel(image []byte, name string, threads int, shared func(int) int, otherwise func() int) (*Kernel, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn, err := d.function(image, name)
	if err != nil {
		return nil, err
	}
	// The limit belongs to the function, which other callers may launch with more or less.
	static, err := fn.Attribute(driver.FuncStaticShared)
	if err != nil {
		return nil, err
	}
	most := d.card.SharedMax - static
	if err := fn.SetAttribute(driver.FuncMaxDynamicShared, most); err != nil {
		return nil, err
	}
	try := func(blocks, bytes int) bool {
		if bytes > most {
			return false
		}
		if blocks == 1 {
			n, err := fn.BlocksPerSM(threads, uint32(bytes))
			return err == nil && n > 0
		}
		if blocks > 8 && fn.SetAttribute(driver.FuncLargeClusters, 1) != nil {
			return false
		}
		n, err := fn.MaxClusters(driver.Config{
			Grid: driver.Dim{X: uint32(blocks)}, Block: driver.Dim{X: uint32(threads)},
			Cluster: driver.Dim{X: uint32(blocks)}, Shared: uint32(bytes),
		})
		return err == nil && n > 0
	}
	// Code that was compiled for devices without clusters treats a block as a cluster, even after the
	// driver has compiled it for this device.
	ptx, err := fn.Attribute(driver.FuncPTXVersion)
	if err != nil {
		return nil, err
	}
	largest := 1
	if d.card.Clusters && ptx >= clusterPTX {
		largest = largestCluster
	}
	for blocks := largest; blocks >= 1; blocks /= 2 {
		if bytes := shared(blocks); try(blocks, bytes) {
			return &Kernel{fn: fn, threads: threads, resident: blocks, shared: bytes}, nil
		}
	}
	for blocks := largest; blocks >= 1; blocks /= 2 {
		if bytes := otherwise(); try(blocks, bytes) {
			return &Kernel{fn: fn, threads: threads, resident: blocks, shared: bytes}, nil
		}
	}
	return nil, fmt.Errorf("gpu: %s: %w: kernel %s takes more shared memory than a block has", d.info.Name, device.ErrNotSupported, name)
}
