// This file launches kernels.

package kernels

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

// Runner runs jobs on a device. One goroutine uses it at a time.
type Runner struct {
	c       *driver.Context
	streams []*driver.Stream
	args    *driver.Args
	// Compiling is how long the driver has taken to compile modules.
	Compiling time.Duration
}

// streamCount is how many kernels may run at once.
const streamCount = 8

// Open opens a device.
func Open(device int) (*Runner, error) {
	if _, err := driver.Probe(); err != nil {
		return nil, err
	}
	c, err := driver.Open(device)
	if err != nil {
		return nil, err
	}
	r := &Runner{c: c, args: driver.NewArgs()}
	for range streamCount {
		s, err := c.NewStream()
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.streams = append(r.streams, s)
	}
	return r, nil
}

// Device describes the device.
func (r *Runner) Device() driver.Device { return r.c.Device() }

// Close lets go of the device.
func (r *Runner) Close() error {
	var err error
	for _, s := range r.streams {
		err = errors.Join(err, s.Close())
	}
	return errors.Join(err, r.c.Close())
}

// Run runs the cases of jobs, and returns how each ended: by job and case.
func (r *Runner) Run(jobs []Job) (all [][]*functorfuzz.Ended, err error) {
	text, err := Module(jobs, r.c.Device().Major)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	mod, err := r.c.Load(append([]byte(text), 0))
	if err != nil {
		return nil, err
	}
	r.Compiling += time.Since(begin)
	defer func() { err = errors.Join(err, mod.Close()) }()
	var m image
	for _, j := range jobs {
		for _, c := range j.Cases {
			m.add(c)
		}
	}
	memory, err := r.c.Alloc(uint64(len(m.bytes)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, memory.Close()) }()
	m.base = uint64(memory.Ptr())
	if err := r.c.Upload(memory.Ptr(), m.bytes); err != nil {
		return nil, err
	}
	if err := r.launch(mod, jobs, &m); err != nil {
		return nil, err
	}
	before := m
	m.bytes = slices.Clone(m.bytes)
	if err := r.c.Download(m.bytes, memory.Ptr()); err != nil {
		return nil, err
	}
	at := 0
	for _, j := range jobs {
		var ended []*functorfuzz.Ended
		for k := range j.Cases {
			e, err := m.ended(&m.cases[at], &before)
			if err != nil {
				return nil, fmt.Errorf("functor %s, case %d: %w", j.Functor.Name, k, err)
			}
			ended = append(ended, e)
			at++
		}
		all = append(all, ended)
	}
	return all, nil
}

// launch launches a kernel of one thread for each case, and waits for all.
func (r *Runner) launch(mod *driver.Module, jobs []Job, m *image) error {
	at := 0
	for i, j := range jobs {
		f, err := mod.Function(fmt.Sprintf("k%d", i))
		if err != nil {
			return err
		}
		for range j.Cases {
			p := &m.cases[at]
			block := m.block(p)
			r.args.Reset()
			driver.Struct(r.args, &block)
			r.args.U64(m.base + uint64(p.calls)).U32(uint32(len(p.c.Calls)))
			one := driver.Dim{X: 1}
			if err := r.streams[at%len(r.streams)].Launch(f, driver.Config{Grid: one, Block: one}, r.args); err != nil {
				return err
			}
			at++
		}
	}
	for _, s := range r.streams {
		if err := s.Sync(); err != nil {
			return err
		}
	}
	return nil
}
