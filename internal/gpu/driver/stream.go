// This file holds streams and events.

package driver

import (
	"fmt"
)

// Stream is a sequence of work on a device. It doesn't wait for other streams,
// including the driver's default stream. One goroutine uses it at a time.
// Its maker must close it.
type Stream struct {
	ctx   *Context
	h     handle
	bound bool // inside Do: the thread is locked and the context current
	idle  bool // nothing was enqueued since Sync waited last
	none  *Args
}

// NewStream returns a new stream.
func (c *Context) NewStream() (*Stream, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	h, r := c.drv.streamCreate(streamNonBlocking)
	if r != codeOK {
		return nil, c.fail("cuStreamCreate", r, c.dev.String())
	}
	c.live.streams.Add(1)
	return &Stream{ctx: c, h: h}, nil
}

// Context returns the stream's context.
func (s *Stream) Context() *Context { return s.ctx }

// Handle is the driver's own handle of the stream, for a library that enqueues work
// there.
func (s *Stream) Handle() uintptr {
	s.idle = false
	return uintptr(s.h)
}

// Do runs f with the goroutine locked to its thread and the stream's context
// current there, so that the calls on this stream inside f need not see to
// that one by one. It is meant for loops of launches. f must not use the
// stream from other goroutines.
func (s *Stream) Do(f func() error) error {
	if s.bound {
		return f()
	}
	if err := s.enter(); err != nil {
		return err
	}
	s.bound = true
	defer func() {
		s.bound = false
		s.ctx.leave()
	}()
	return f()
}

func (s *Stream) enter() error {
	if s.h == 0 {
		return fmt.Errorf("cuda: stream on %v: %w", s.ctx.dev, ErrClosed)
	}
	s.idle = false
	if s.bound {
		return s.ctx.usable()
	}
	return s.ctx.enter()
}

func (s *Stream) enterAlways() error {
	if s.h == 0 {
		return fmt.Errorf("cuda: stream on %v: %w", s.ctx.dev, ErrClosed)
	}
	s.idle = false
	if s.bound {
		return nil
	}
	return s.ctx.enterAlways()
}

func (s *Stream) leave() {
	if !s.bound {
		s.ctx.leave()
	}
}

// Sync waits until all enqueued work is done, and returns the error of work
// that failed. If nothing was enqueued since the last Sync, it doesn't call the driver, which would take
// some microseconds.
func (s *Stream) Sync() error {
	if s.idle && s.h != 0 {
		return s.ctx.usable()
	}
	if err := s.enter(); err != nil {
		return err
	}
	r := s.ctx.drv.streamSync(s.h)
	s.leave()
	if r != codeOK {
		return s.ctx.fail("cuStreamSynchronize", r, s.ctx.dev.String())
	}
	s.idle = true
	return nil
}

// Done reports whether all enqueued work is done. It doesn't wait.
func (s *Stream) Done() (bool, error) {
	if err := s.enter(); err != nil {
		return false, err
	}
	r := s.ctx.drv.streamQuery(s.h)
	s.leave()
	return s.ctx.done("cuStreamQuery", r)
}

func (c *Context) done(call string, r Code) (bool, error) {
	switch r {
	case codeOK:
		return true, nil
	case codeNotReady:
		return false, nil
	}
	return false, c.fail(call, r, c.dev.String())
}

// Wait makes later work of the stream wait for the event, which may belong to
// another stream or device. The host doesn't wait.
func (s *Stream) Wait(e *Event) error {
	if e.h == 0 {
		return e.errClosed()
	}
	if err := s.enter(); err != nil {
		return err
	}
	r := s.ctx.drv.streamWait(s.h, e.h)
	s.leave()
	if r != codeOK {
		return s.ctx.fail("cuStreamWaitEvent", r, s.ctx.dev.String())
	}
	return nil
}

// Close waits for the stream's work and frees the stream. If that work failed,
// Close frees the stream too, and returns the error. A second call returns an
// error that wraps ErrClosed; Close of a nil stream does nothing.
func (s *Stream) Close() error {
	if s == nil {
		return nil
	}
	if err := s.enterAlways(); err != nil {
		return err
	}
	defer s.leave()
	c := s.ctx
	err := c.freed("cuStreamSynchronize", c.drv.streamSync(s.h), c.dev.String())
	if e := c.freed("cuStreamDestroy", c.drv.streamDestroy(s.h), c.dev.String()); err == nil {
		err = e
	}
	s.h = 0
	c.live.streams.Add(-1)
	return err
}

// EventFlags are properties of an event; they can be combined.
type EventFlags uint32

const (
	// NoTiming makes recording and waiting cheaper; Since fails.
	NoTiming EventFlags = eventDisableTiming
	// Blocking makes Sync sleep instead of spin.
	Blocking EventFlags = eventBlockingSync
)

// Event is a point in a stream. Its maker must close it.
type Event struct {
	ctx *Context
	h   handle
}

// NewEvent returns an event that isn't in any stream yet.
func (c *Context) NewEvent(flags EventFlags) (*Event, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	h, r := c.drv.eventCreate(uint32(flags))
	if r != codeOK {
		return nil, c.fail("cuEventCreate", r, c.dev.String())
	}
	c.live.events.Add(1)
	return &Event{ctx: c, h: h}, nil
}

func (e *Event) errClosed() error {
	return fmt.Errorf("cuda: event on %v: %w", e.ctx.dev, ErrClosed)
}

func (e *Event) enter() error {
	if e.h == 0 {
		return e.errClosed()
	}
	return e.ctx.enter()
}

// Record puts the event behind all work enqueued in the stream, which must have
// the same context. A second Record moves it.
func (s *Stream) Record(e *Event) error {
	if e.h == 0 {
		return e.errClosed()
	}
	if err := s.enter(); err != nil {
		return err
	}
	r := s.ctx.drv.eventRecord(e.h, s.h)
	s.leave()
	if r != codeOK {
		return s.ctx.fail("cuEventRecord", r, s.ctx.dev.String())
	}
	return nil
}

// Sync waits until the event is reached. One that was never recorded counts as
// reached.
func (e *Event) Sync() error {
	if err := e.enter(); err != nil {
		return err
	}
	r := e.ctx.drv.eventSync(e.h)
	e.ctx.leave()
	if r != codeOK {
		return e.ctx.fail("cuEventSynchronize", r, e.ctx.dev.String())
	}
	return nil
}

// Done reports whether the event is reached. It doesn't wait.
func (e *Event) Done() (bool, error) {
	if err := e.enter(); err != nil {
		return false, err
	}
	r := e.ctx.drv.eventQuery(e.h)
	e.ctx.leave()
	return e.ctx.done("cuEventQuery", r)
}

// Since returns the seconds on the device from an earlier event of the same
// context to this one, to about half a microsecond. It waits until both are
// reached. Both must have been recorded and made for timing.
func (e *Event) Since(earlier *Event) (seconds float64, err error) {
	if earlier.h == 0 {
		return 0, earlier.errClosed()
	}
	if err := e.enter(); err != nil {
		return 0, err
	}
	defer e.ctx.leave()
	drv := e.ctx.drv
	for _, h := range [...]handle{earlier.h, e.h} {
		if r := drv.eventSync(h); r != codeOK {
			return 0, e.ctx.fail("cuEventSynchronize", r, e.ctx.dev.String())
		}
	}
	ms, r := drv.eventElapsed(earlier.h, e.h)
	if r != codeOK {
		return 0, e.ctx.fail("cuEventElapsedTime", r, "both events must be recorded, and made for timing")
	}
	return float64(ms) / 1e3, nil
}

// Close frees the event. A second call returns an error that wraps ErrClosed;
// a nil event is left alone.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	if e.h == 0 {
		return e.errClosed()
	}
	if err := e.ctx.enterAlways(); err != nil {
		return err
	}
	defer e.ctx.leave()
	r := e.ctx.drv.eventDestroy(e.h)
	e.h = 0
	e.ctx.live.events.Add(-1)
	return e.ctx.freed("cuEventDestroy", r, e.ctx.dev.String())
}
