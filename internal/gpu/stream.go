// This file holds Stream, in which operators run one after the other.

package gpu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/gpu/driver"
)

// Stream is a sequence of operators on a GPU. Like every stream it belongs to
// one goroutine at a time.
type Stream struct {
	d      *Device
	h      *driver.Stream
	ring   ring
	faults faults
	Step   string // the step of a traversal whose work is being enqueued: faults name it
	fail   error  // of the device; stays
	closed atomic.Bool
	ctx    context.Context
}

// NewStream is Stream, as package device has it.
func (d *Device) NewStream(ctx context.Context) (device.Stream, error) { return d.Stream(ctx) }

// Stream makes a stream whose operators are no longer enqueued when ctx is
// done.
func (d *Device) Stream(ctx context.Context) (*Stream, error) {
	if err := callctx.Check(ctx, "gpu"); err != nil {
		return nil, err
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	s := &Stream{d: d, ctx: ctx}
	h, err := d.c.NewStream()
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	s.h = h
	d.streams.Add(1)
	if s.ring.pinned, err = d.c.AllocHost((ringSlots + 1) * slotBytes); err != nil {
		return nil, errors.Join(fmt.Errorf("gpu: %w", err), s.Close())
	}
	if s.ring.slots, err = d.Alloc(ringSlots * slotBytes); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	clear(s.ring.pinned.Bytes())
	s.ring.mails = unsafe.Slice((*Mail)(unsafe.Pointer(unsafe.SliceData(s.ring.pinned.Bytes()))), ringSlots)
	s.ring.owners = make([]*Ticket, ringSlots)
	s.ring.stamp = 1
	return s, nil
}

// StreamOf returns the GPU's stream that an operator runs on: s itself, or an
// error that wraps device.ErrNotSupported where s is nil or another device's.
func StreamOf(s device.Stream) (*Stream, error) {
	switch gs, ok := s.(*Stream); {
	case s == nil || ok && gs == nil:
		return nil, fmt.Errorf("%w: no stream (nil); Device.NewStream makes one", device.ErrNotSupported)
	case !ok:
		return nil, fmt.Errorf("%w: the graph is on a GPU, the stream on %s", device.ErrNotSupported, s.Device().Info().Name)
	default:
		return gs, nil
	}
}

// Rebind gives a stream that was unbound another context.
func (s *Stream) Rebind(ctx context.Context) {
	s.ctx = ctx
}

// Unbind waits until all enqueued work is done and detaches the context from
// the stream, so that a later search can reuse the stream.
func (s *Stream) Unbind() {
	s.wait()
	s.faults.forget()
	s.ctx = context.Background()
}

// Device returns the GPU.
func (s *Stream) Device() device.Device { return s.d }

// GPU returns the Device, with its type.
func (s *Stream) GPU() *Device { return s.d }

// Name is the device's name, as device.Open takes it.
func (s *Stream) Name() string { return s.d.info.Name }

// Threads returns how many threads are resident on the GPU at once.
func (s *Stream) Threads() int { return s.d.card.SMs * s.d.card.ThreadsPerSM }

// Arch is the device's compute capability by 10: 90 for 9.0.
func (s *Stream) Arch() int { return s.d.card.Major*10 + s.d.card.Minor }

// Err returns why operators can't run: device.ErrClosed after Close, the error that made the
// device fail, the fault of a functor (FaultWord), or the context's error. It is nil on a stream in use.
func (s *Stream) Err() error {
	switch {
	case s.closed.Load():
		return fmt.Errorf("gpu: %w: the stream; make another", device.ErrClosed)
	case s.fail != nil:
		return s.fail
	}
	if err := s.faults.err(); err != nil {
		return err
	}
	return s.ctx.Err()
}

// failed queries the driver for errors, and for whether all work is done.
func (s *Stream) failed() (idle bool, err error) {
	if s.fail == nil {
		idle, s.fail = s.h.Done()
	}
	return idle, s.fail
}

// wait waits even after an error: earlier work may still be under way.
func (s *Stream) wait() {
	if err := s.h.Sync(); s.fail == nil {
		s.fail = err
	}
}

// Sync waits until all enqueued work is done, and returns Err.
func (s *Stream) Sync() error {
	if !s.closed.Load() {
		s.wait()
	}
	return s.Err()
}

// Handle is the driver's handle of the stream, for a library that enqueues work there.
func (s *Stream) Handle() uintptr { return s.h.Handle() }

// Idle reports whether all enqueued work is done, and what failed on the device. It
// doesn't wait.
func (s *Stream) Idle() (bool, error) { return s.failed() }

// Fill enqueues the filling of words of 32 bits.
func (s *Stream) Fill(p uintptr, value uint32, words uint64) error {
	return s.h.Memset32(driver.Ptr(p), value, words)
}

// Copy enqueues a copy of bytes bytes between two places on the device, which
// must not overlap.
func (s *Stream) Copy(dst, src uintptr, bytes uint64) error {
	return s.h.Copy(driver.Ptr(dst), driver.Ptr(src), bytes)
}

// ToHost enqueues a copy of bytes bytes of the device to pinned memory, beginning at offset.
func (s *Stream) ToHost(dst *Pinned, offset uint64, src uintptr, bytes uint64) error {
	return s.h.ToHost(dst, offset, driver.Ptr(src), bytes)
}

// ToDevice enqueues a copy the other way. The caller must not change the pinned memory until it is done.
func (s *Stream) ToDevice(dst uintptr, src *Pinned, offset, bytes uint64) error {
	return s.h.ToDevice(driver.Ptr(dst), src, offset, bytes)
}

// Word waits until all enqueued work is done, and then returns the 8 bytes at a device
// address. The error is the one that Sync returns.
func (s *Stream) Word(p uintptr) (uint64, error) {
	if err := s.Ask(0, p); err != nil {
		return 0, err
	}
	if err := s.Sync(); err != nil {
		return 0, err
	}
	return s.Answer(0), nil
}

const answersAt = ringSlots * slotBytes // behind the mails

// Ask enqueues the copy that Word waits for. After Sync, Answer returns it: so several streams can be asked before any wait.
func (s *Stream) Ask(i int, p uintptr) error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.h.ToHost(s.ring.pinned, answersAt+8*uint64(i), driver.Ptr(p), 8)
}

// Answer returns the 8 bytes that Ask copied.
func (s *Stream) Answer(i int) uint64 {
	return binary.NativeEndian.Uint64(s.ring.pinned.Bytes()[answersAt+8*i:])
}

// Kernel returns the kernel of that name of a fatbin, which is loaded when it
// is first asked for. The fatbin may be compressed, as one zstd frame.
func (s *Stream) Kernel(image []byte, name string) (*Kernel, error) {
	return s.d.kernel(image, name, Block, 0)
}

// KernelOf is Kernel for blocks of the given number of threads, instead of Block.
func (s *Stream) KernelOf(image []byte, name string, threads int) (*Kernel, error) {
	return s.d.kernel(image, name, threads, 0)
}

// SharedKernel is KernelOf for blocks with shared bytes of dynamic shared memory, or with as
// many as a block may have, if that is less. It returns that number.
func (s *Stream) SharedKernel(image []byte, name string, threads, shared int) (*Kernel, int, error) {
	k, err := s.d.kernel(image, name, threads, shared)
	if err != nil {
		return nil, 0, err
	}
	return k, k.shared, nil
}

// Launch enqueues a kernel with the given number of blocks, but no more than run at once:
// kernels loop until all work is done, with any number of blocks.
func (s *Stream) Launch(k *Kernel, blocks int, a *Args) error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.h.Launch(k.fn, driver.Config{
		Grid: driver.Dim{X: uint32(max(1, min(blocks, k.resident)))}, Block: driver.Dim{X: uint32(k.threads)}, Shared: uint32(k.shared),
	}, a)
}

// LaunchTogether enqueues a kernel with as many blocks as run at once, which may wait for one another. The error wraps driver.ErrTooLarge where
// they can't run at once.
func (s *Stream) LaunchTogether(k *Kernel, a *Args) error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.h.Launch(k.fn, driver.Config{
		Grid: driver.Dim{X: uint32(k.resident)}, Block: driver.Dim{X: uint32(k.threads)}, Cooperative: true,
	}, a)
}

// LaunchStaying is LaunchTogether with at most perSM blocks per multiprocessor; 0 is
// as many as fit.
func (s *Stream) LaunchStaying(k *Kernel, perSM int, a *Args) error {
	if err := s.Err(); err != nil {
		return err
	}
	blocks := k.resident
	if perSM > 0 {
		blocks = min(blocks, perSM*s.d.card.SMs)
	}
	return s.h.Launch(k.fn, driver.Config{
		Grid: driver.Dim{X: uint32(blocks)}, Block: driver.Dim{X: uint32(k.threads)}, Shared: uint32(k.shared), Cooperative: true,
	}, a)
}

// ClusterKernel returns a kernel that runs as one cluster of as many blocks as
// the device allows, 16 at most, or one block if the device has no clusters. shared returns
// the bytes of shared memory that each block of such a cluster needs. If the device has
// less, otherwise returns how many bytes suffice.
func (s *Stream) ClusterKernel(image []byte, name string, threads int, shared func(blocks int) int, otherwise func() int) (*Kernel, error) {
	return s.d.clusterKernel(image, name, threads, shared, otherwise)
}

// LaunchCluster enqueues a kernel of ClusterKernel.
func (s *Stream) LaunchCluster(k *Kernel, a *Args) error {
	if err := s.Err(); err != nil {
		return err
	}
	c := driver.Config{Grid: driver.Dim{X: uint32(k.resident)}, Block: driver.Dim{X: uint32(k.threads)}, Shared: uint32(k.shared)}
	if k.resident > 1 {
		c.Cluster = c.Grid
	}
	return s.h.Launch(k.fn, c, a)
}

// Close waits and frees the stream. Closing it again does nothing.
func (s *Stream) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.d.streams.Add(-1)
	errs := []error{s.h.Sync()}
	s.ring.collect()
	errs = append(errs, s.h.Close(), s.ring.pinned.Close(), s.faults.close())
	if s.ring.slots != nil {
		errs = append(errs, s.ring.slots.Close())
	}
	return errors.Join(errs...)
}

type event struct{ e *driver.Event }

// Record marks a point in the stream.
func (s *Stream) Record() (device.Event, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	e, err := s.d.c.NewEvent(0)
	if err != nil {
		return nil, err
	}
	if err := s.h.Record(e); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return event{e}, nil
}

// RecordAgain moves an event of Record to the present end of the stream.
func (s *Stream) RecordAgain(e device.Event) error {
	if err := s.Err(); err != nil {
		return err
	}
	return s.h.Record(e.(event).e)
}

// Since returns the seconds from an earlier event.
func (e event) Since(earlier device.Event) (float64, error) {
	was, ok := earlier.(event)
	if !ok {
		return 0, fmt.Errorf("gpu: %w: an event of another device", device.ErrNotSupported)
	}
	return e.e.Since(was.e)
}

// Close frees the event.
func (e event) Close() error { return e.e.Close() }

// Mark is a point in a stream that can be waited for.
type Mark struct {
	s *Stream
	e *driver.Event
}

// Mark returns one that was never recorded, which counts as reached.
func (s *Stream) Mark() (*Mark, error) {
	e, err := s.d.c.NewEvent(driver.NoTiming)
	if err != nil {
		return nil, err
	}
	return &Mark{s, e}, nil
}

// Record puts the mark behind all work enqueued so far.
func (m *Mark) Record() error { return m.s.h.Record(m.e) }

// Await makes later work wait for a mark of any GPU's stream. The host doesn't wait.
func (s *Stream) Await(m *Mark) error { return s.h.Wait(m.e) }

// Wait waits until the mark is reached, even if the context has ended.
func (m *Mark) Wait() error { return m.e.Sync() }

// Reached reports whether the mark is reached. It doesn't wait.
func (m *Mark) Reached() (bool, error) { return m.e.Done() }

// After makes later work wait for a mark of another stream, of this device or
// another one. The host doesn't wait.
func (s *Stream) After(m *Mark) error { return s.h.Wait(m.e) }

// Close frees the mark. A nil mark is left alone.
func (m *Mark) Close() error {
	if m == nil {
		return nil
	}
	return m.e.Close()
}

// Wait is Sync that waits even if the context has ended: afterwards no enqueued work is
// under way.
func (s *Stream) Wait() error {
	s.wait()
	if s.fail != nil {
		return s.fail
	}
	return s.faults.err()
}
