// This file measures how fast a device copies memory, which bounds searches from below.

package paper

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/foray-graph/foray/device"
)

// Bandwidth is the rate at which a device copies memory.
type Bandwidth struct {
	Bytes uint64  `json:"bytes"`    // of the copied array
	GBs   float64 `json:"gb_per_s"` // 10^9 bytes a second, read and written ones together
}

// copier is a stream that copies between two places of its device's memory, as a GPU's does.
type copier interface {
	Copy(dst, src uintptr, bytes uint64) error
}

// bandwidth measures copies of so many bytes, or of as many as the device has room for. It returns nil if the device can't
// copy.
func bandwidth(ctx context.Context, dev device.Device, gpu bool, bytes uint64) (*Bandwidth, error) {
	if !gpu {
		return hostBandwidth(ctx, dev.Info().Units, bytes)
	}
	for ; bytes >= bandwidthLeast; bytes /= 2 {
		b, err := copyBandwidth(ctx, dev, bytes)
		if !errors.Is(err, device.ErrMemory) {
			return b, err
		}
	}
	return nil, nil
}

func copyBandwidth(ctx context.Context, dev device.Device, bytes uint64) (_ *Bandwidth, err error) {
	s, err := dev.NewStream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c, ok := s.(copier)
	if !ok {
		return nil, nil
	}
	from, err := dev.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := dev.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	var times []float64
	for range bandwidthRuns {
		begin, err := s.Record()
		if err != nil {
			return nil, err
		}
		err = c.Copy(to.Pointer(), from.Pointer(), bytes)
		end, err2 := s.Record()
		if err = errors.Join(err, err2, s.Sync()); err != nil {
			return nil, err
		}
		seconds, err := end.Since(begin)
		if err = errors.Join(err, begin.Close(), end.Close()); err != nil {
			return nil, err
		}
		times = append(times, seconds)
	}
	return fastest(bytes, times), nil
}

// hostBandwidth copies parts of an array on all workers at once.
func hostBandwidth(ctx context.Context, workers int, bytes uint64) (*Bandwidth, error) {
	workers = max(workers, 1)
	each := int(bytes) / workers
	from, to := make([]byte, each*workers), make([]byte, each*workers)
	defer runtime.GC() // they are larger than the graphs that follow
	var times []float64
	for run := range bandwidthRuns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := time.Now()
		var all sync.WaitGroup
		for w := range workers {
			all.Go(func() {
				part := from[w*each : (w+1)*each]
				if run == 0 {
					fill(ctx, part, to[w*each:])
				} else {
					copy(to[w*each:], part)
				}
			})
		}
		all.Wait()
		times = append(times, time.Since(began).Seconds())
	}
	return fastest(bytes, times), nil
}

// fill writes an array, each page of which is otherwise the same one, of zeros, and copies it. It ends early with the
// context: memory that a process touches first is slow on busy machines.
func fill(ctx context.Context, from, to []byte) {
	for len(from) > 0 && ctx.Err() == nil {
		piece := from[:min(len(from), bandwidthLeast)]
		for i := 0; i < len(piece); i += 64 {
			piece[i] = byte(i)
		}
		copy(to, piece)
		from, to = from[len(piece):], to[len(piece):]
	}
}

func fastest(bytes uint64, times []float64) *Bandwidth {
	least := times[1]
	for _, t := range times[1:] {
		least = min(least, t)
	}
	if least <= 0 {
		return nil
	}
	return &Bandwidth{Bytes: bytes, GBs: 2 * float64(bytes) / least / 1e9}
}

// floorShare returns the time in which memory of the measured bandwidth moves the bytes of a search by pushes, and what part of
// the measured time this is; 0 if the bandwidth isn't known. The floor is for pushes: other searches move less.
func (r *Report) floorShare(bytes uint64, ms float64) (floorMS, share float64) {
	if r.Bandwidth == nil || ms <= 0 {
		return 0, 0
	}
	floorMS = float64(bytes) / r.Bandwidth.GBs / 1e6
	return floorMS, floorMS / ms
}
