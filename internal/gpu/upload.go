// This file holds the transfer between the host's memory and the GPU's, by way
// of pinned buffers.

package gpu

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/gpu/driver"
)

// stage is what a worker copies with: two pinned buffers, one of which is filled
// while the other is copied, and the worker's own streams.
type stage struct {
	buffers [2]*driver.Host
	streams [2]*driver.Stream
}

func (s *stage) close() error {
	var errs []error
	for i := range s.buffers {
		errs = append(errs, s.streams[i].Close(), s.buffers[i].Close())
	}
	return errors.Join(errs...)
}

// stages returns n stages, made when first needed and kept until Close.
func (d *Device) stages(n int) ([]*stage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.staging) < n {
		s := &stage{}
		for i := range s.buffers {
			var err error
			if s.buffers[i], err = d.c.AllocHost(stageBytes); err == nil {
				s.streams[i], err = d.c.NewStream()
			}
			if err != nil {
				return nil, errors.Join(err, s.close())
			}
		}
		d.staging = append(d.staging, s)
	}
	return d.staging[:n], nil
}

// Upload fills the first bytes of dst with what fill writes, in parts of 4 MiB,
// several at once: filling overlaps the transfer over the bus.
func (d *Device) Upload(dst device.Memory, bytes uint64, fill func(at uint64, part []byte)) error {
	if err := d.err(); err != nil {
		return err
	}
	if bytes == 0 {
		return nil
	}
	d.loading.Lock()
	defer d.loading.Unlock()
	parts := int((bytes + stageBytes - 1) / stageBytes)
	workers := min((parts+1)/2, d.workers, runtime.GOMAXPROCS(0))
	stages, err := d.stages(workers)
	if err != nil {
		return err
	}
	if workers == 1 { // without what goroutines allocate
		var next atomic.Int64
		return panics.Call(func() error { return stages[0].upload(driver.Ptr(dst.Pointer()), bytes, &next, fill) })
	}
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[w] = panics.Call(func() error { return stages[w].upload(driver.Ptr(dst.Pointer()), bytes, &next, fill) })
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (s *stage) upload(dst driver.Ptr, bytes uint64, next *atomic.Int64, fill func(at uint64, part []byte)) error {
	for i := 0; ; i ^= 1 {
		at := uint64(next.Add(1)-1) * stageBytes
		if at >= bytes {
			break
		}
		if err := s.streams[i].Sync(); err != nil { // until the buffer is free
			return err
		}
		n := int(min(stageBytes, bytes-at))
		fill(at, s.buffers[i].Bytes()[:n])
		if err := s.streams[i].ToDevice(dst+driver.Ptr(at), s.buffers[i], 0, uint64(n)); err != nil {
			return err
		}
	}
	return errors.Join(s.streams[0].Sync(), s.streams[1].Sync())
}

// Download copies from src, beginning at byte at, to dst, in parts of 4 MiB,
// several at once. If a kernel writes src meanwhile, dst may have some of its writes but not others.
func (d *Device) Download(dst []byte, src device.Memory, at uint64) error {
	if done, err := d.fetchAlone(src, at, uint64(len(dst)), func(at uint64, part []byte) { copy(dst[at:], part) }); done {
		return err
	}
	return d.Fetch(src, at, uint64(len(dst)), func(at uint64, part []byte) { copy(dst[at:], part) })
}

// Fetch is Download for callers that process the bytes instead of storing them. It
// calls take for each part of 4 MiB, from several goroutines at
// once, with the offset of the part, counted from the first byte that is fetched.
// The part is valid during the call only.
func (d *Device) Fetch(src device.Memory, at, bytes uint64, take func(at uint64, part []byte)) error {
	if err := d.err(); err != nil {
		return err
	}
	if bytes == 0 {
		return nil
	}
	d.loading.Lock()
	defer d.loading.Unlock()
	parts := int((bytes + stageBytes - 1) / stageBytes)
	workers := min((parts+3)/4, d.workers, runtime.GOMAXPROCS(0))
	stages, err := d.stages(workers)
	if err != nil {
		return err
	}
	from := driver.Ptr(src.Pointer()) + driver.Ptr(at)
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() {
			errs[w] = panics.Call(func() error { return stages[w].fetch(from, bytes, &next, take) })
		})
	}
	errs[0] = stages[0].fetch(from, bytes, &next, take)
	wg.Wait()
	return errors.Join(errs...)
}

// fetchAlone is Fetch of one part, by the caller's goroutine, without the allocations of several. done is false
// if there are more parts.
func (d *Device) fetchAlone(src device.Memory, at, bytes uint64, take func(at uint64, part []byte)) (done bool, err error) {
	if bytes == 0 || bytes > stageBytes {
		return false, nil
	}
	if err := d.err(); err != nil {
		return true, err
	}
	d.loading.Lock()
	defer d.loading.Unlock()
	stages, err := d.stages(1)
	if err != nil {
		return true, err
	}
	var next atomic.Int64
	return true, stages[0].fetch(driver.Ptr(src.Pointer())+driver.Ptr(at), bytes, &next, take)
}

// fetch takes parts until none is left: one part is being copied while the previous
// one is taken.
func (s *stage) fetch(from driver.Ptr, bytes uint64, next *atomic.Int64, take func(at uint64, part []byte)) error {
	pending := bytes // where the previous part begins
	for i := 0; ; i ^= 1 {
		at := uint64(next.Add(1)-1) * stageBytes
		if at < bytes {
			if err := s.streams[i].ToHost(s.buffers[i], 0, from+driver.Ptr(at), min(stageBytes, bytes-at)); err != nil {
				return errors.Join(err, s.streams[i^1].Sync())
			}
		}
		if pending < bytes {
			if err := s.streams[i^1].Sync(); err != nil {
				return errors.Join(err, s.streams[i].Sync())
			}
			take(pending, s.buffers[i^1].Bytes()[:min(stageBytes, bytes-pending)])
		}
		if pending = at; at >= bytes {
			return nil
		}
	}
}
