//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the times of kernels and exchanges by level.

package engine

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// talk makes a call of NCCL, and times it if requested: from this rank's arrival until the call is done.
func (s *gpuSearch) talk(call func() error) (err error) {
	if !s.r.options.Timed && !s.clock.on {
		return call()
	}
	return s.clock.time(s.s, talking, call)
}

// kernelClock times kernels and calls of NCCL by level.
type kernelClock struct {
	on     bool // kernels are timed
	level  int32
	spans  []span
	waits  []float64 // of kernels for other ranks, by level
	events []device.Event
	used   int
}

// span is what ran between two events.
type span struct {
	level      int32
	name       string
	begin, end device.Event
}

// talking is the name of calls of NCCL.
const talking = "exchange"

// event records the next one.
func (c *kernelClock) event(s *gpu.Stream) (device.Event, error) {
	if c.used < len(c.events) {
		e := c.events[c.used]
		c.used++
		return e, s.RecordAgain(e)
	}
	e, err := s.Record()
	if err == nil {
		c.events = append(c.events, e)
		c.used++
	}
	return e, err
}

// time times f's work in the stream.
func (c *kernelClock) time(s *gpu.Stream, name string, f func() error) (err error) {
	x := span{level: c.level, name: name}
	if x.begin, err = c.event(s); err != nil {
		return err
	}
	if err = f(); err == nil {
		x.end, err = c.event(s)
	}
	if err == nil {
		c.spans = append(c.spans, x)
	}
	return err
}

// waited adds seconds to a level's waiting time.
func (c *kernelClock) waited(level int32, seconds float64) {
	for int(level) >= len(c.waits) {
		c.waits = append(c.waits, 0)
	}
	c.waits[level] += seconds
}

// forget forgets what was timed.
func (c *kernelClock) forget() {
	c.spans, c.waits, c.used = c.spans[:0], c.waits[:0], 0
}

func (c *kernelClock) close() (err error) {
	c.forget()
	for _, e := range c.events {
		err = errors.Join(err, e.Close())
	}
	c.events = nil
	return err
}

// times adds up what each level took by kernel, and how long ranks communicated and waited.
func (s *gpuSearch) times() error {
	defer s.clock.forget()
	stats := s.r.Stats
	if s.clock.on {
		s.r.kernels = make([]map[string]float64, len(stats))
		for i := range stats {
			s.r.kernels[i] = map[string]float64{}
		}
	}
	add := func(level int32, name string, seconds float64) {
		if int(level) >= len(stats) {
			return
		}
		if name == talking {
			stats[level].Talking += seconds
		}
		if s.clock.on {
			s.r.kernels[level][name] += seconds
		}
	}
	for level, seconds := range s.clock.waits {
		if s.r.options.Timed {
			add(int32(level), talking, seconds)
		}
	}
	for _, t := range s.clock.spans {
		seconds, err := t.end.Since(t.begin)
		if err != nil {
			return err
		}
		add(t.level, t.name, seconds)
	}
	return nil
}
