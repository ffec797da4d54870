// This file holds streams and events.

package cuda

import "unsafe"

// Stream is a sequence of work on a device.
type Stream struct {
	c      *Context
	handle uintptr
}

// nonBlocking streams don't wait for the default one.
const nonBlocking = 1

// NewStream returns a stream.
func (c *Context) NewStream() (*Stream, error) {
	s := &Stream{c: c}
	err := c.Do(func() error {
		h, err := get(cuStreamCreate, "making a stream", nonBlocking)
		s.handle = uintptr(h)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.live.streams.Add(1)
	return s, nil
}

// Sync waits for all that was enqueued.
func (s *Stream) Sync() error {
	return s.c.Do(func() error { return call(cuStreamSynchronize, "waiting for the GPU", s.handle) })
}

// Done reports whether all that was enqueued is done.
func (s *Stream) Done() (bool, error) {
	done := false
	err := s.c.Do(func() error {
		err := call(cuStreamQuery, "", s.handle)
		if e, ok := err.(*Error); ok && e.Code == codeNotReady {
			return nil
		}
		done = err == nil
		return err
	})
	return done, err
}

// Close frees the stream, after what was enqueued.
func (s *Stream) Close() error {
	if s == nil || s.handle == 0 {
		return nil
	}
	h := s.handle
	s.handle = 0
	s.c.live.streams.Add(-1)
	return s.c.Do(func() error { return call(cuStreamDestroy, "", h) })
}

// Event is a point in a stream.
type Event struct {
	c      *Context
	handle uintptr
}

// Record makes an event of the stream's present end.
func (s *Stream) Record() (*Event, error) {
	e := &Event{c: s.c}
	err := s.c.Do(func() error {
		h, err := get(cuEventCreate, "making an event", 0)
		if err != nil {
			return err
		}
		e.handle = uintptr(h)
		return call(cuEventRecord, "", e.handle, s.handle)
	})
	if e.handle != 0 {
		s.c.live.events.Add(1)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Since returns the milliseconds from an earlier event to this one. It waits
// until both have been reached.
func (e *Event) Since(earlier *Event) (ms float64, err error) {
	err = e.c.Do(func() error {
		if err := call(cuEventSynchronize, "", e.handle); err != nil {
			return err
		}
		x, err := get(cuEventElapsedTime, "", earlier.handle, e.handle)
		low := uint32(x)
		ms = float64(*(*float32)(unsafe.Pointer(&low)))
		return err
	})
	return ms, err
}

// Close frees the event.
func (e *Event) Close() error {
	if e == nil || e.handle == 0 {
		return nil
	}
	h := e.handle
	e.handle = 0
	e.c.live.events.Add(-1)
	return e.c.Do(func() error { return call(cuEventDestroy, "", h) })
}
