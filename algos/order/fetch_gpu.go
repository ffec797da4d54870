// This file runs downloads of finished arrays concurrently with the kernels, in a
// separate goroutine, and prepares the pages for them.

package order

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// fetcher downloads while kernels run. One goroutine asks, another downloads in
// the order in which it was asked.
type fetcher struct {
	dev   *gpu.Device
	trace *trace
	outer context.Context // the caller's
	ctx   context.Context // done when the rest is pointless
	stop  context.CancelFunc
	jobs  chan job
	wait  sync.WaitGroup // for the downloads, and for those who warm pages
	ended bool
	errs  []error // of the downloads, once they have ended
}

// job is a download of data that the stream has written by mark. done is closed
// when it has ended, or is no longer needed.
type job struct {
	mark *gpu.Mark
	do   func() error
	done chan struct{}
}

func newFetcher(ctx context.Context, dev *gpu.Device, t *trace) *fetcher {
	f := &fetcher{dev: dev, trace: t, outer: ctx, jobs: make(chan job, 64)}
	f.ctx, f.stop = context.WithCancel(ctx)
	f.wait.Go(func() {
		for j := range f.jobs {
			if err := panics.Call(func() error { return f.one(j) }); err != nil {
				f.errs = append(f.errs, err)
				f.stop()
			}
			close(j.done)
		}
	})
	return f
}

func (f *fetcher) one(j job) (err error) {
	defer func() { err = errors.Join(err, j.mark.Close()) }()
	if f.ctx.Err() != nil {
		return nil
	}
	start := time.Now()
	if err := j.mark.Wait(); err != nil {
		return err
	}
	f.trace.since("download-waits", start)
	if f.ctx.Err() != nil {
		return nil
	}
	start = time.Now()
	defer f.trace.since("download", start)
	return j.do()
}

// after calls do when all work now in the stream has run. The channel is closed
// when do has returned.
func (f *fetcher) after(s *gpu.Stream, do func() error) (<-chan struct{}, error) {
	mark, err := s.Mark()
	if err != nil {
		return nil, err
	}
	if err := mark.Record(); err != nil {
		return nil, errors.Join(err, mark.Close())
	}
	j := job{mark, do, make(chan struct{})}
	f.jobs <- j
	return j.done, nil
}

// end waits for all downloads and returns their error. No download runs
// afterwards.
func (f *fetcher) end() error {
	if !f.ended {
		f.ended = true
		close(f.jobs)
		f.wait.Wait()
		f.stop()
	}
	errs := f.errs
	f.errs = nil // told once
	return errors.Join(errs...)
}

// err is the error that ended downloads, or nil.
func (f *fetcher) err() error {
	if f.ctx.Err() == nil {
		return nil
	}
	return errors.Join(f.outer.Err(), f.end())
}

// abandon is end for callers that no longer need the downloads.
func (f *fetcher) abandon() error {
	f.stop()
	return f.end()
}

// warm has the pages of slices that will be downloaded into, in that order, put
// there by half of the processors while the device is at work.
func (f *fetcher) warm(slices ...[]uint32) {
	var parts [][]uint32
	for _, s := range slices {
		hugepage.Expect(s) // once for all of it: it keeps others from getting pages
		for len(s)*4 > warmPart {
			parts = append(parts, s[:warmPart/4])
			s = s[warmPart/4:]
		}
		parts = append(parts, s)
	}
	var next atomic.Int64
	start := time.Now()
	for range min(len(parts), max(1, runtime.GOMAXPROCS(0)/2)) {
		f.wait.Go(func() {
			for f.ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(parts) {
					return
				}
				if pages.Populate(parts[i]); i == len(parts)-1 {
					f.trace.since("pages", start) // till then, beside all else
				}
			}
		})
	}
}

// into downloads entries of 32 bits, those from at on.
func (f *fetcher) into(to []uint32, from device.Memory, at uint64) error {
	return f.dev.Download(bytesOf(to), from, 4*at)
}

// widened downloads entries of 32 bits into ones of 64.
func (f *fetcher) widened(to []uint64, from device.Memory) error {
	return f.dev.Fetch(from, 0, 4*uint64(len(to)), func(at uint64, part []byte) {
		narrow := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4)
		wide := to[at/4:][:len(narrow)]
		for i, x := range narrow {
			wide[i] = uint64(x)
		}
	})
}

func bytesOf[T uint32 | uint64](a []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(unsafe.Sizeof(zero)))
}

// as32 is the same memory as entries of 32 bits.
func as32(a []uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(a))), 2*len(a))
}
