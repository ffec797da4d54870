// This file holds the transfer between the host's memory and the GPU's, by way
// of pinned buffers.

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
)

// Tuning: the size of a pinned buffer and how many there are. 4 MiB take 80 µs
// over the bus, and filling one takes a core longer than that.
const (
	stageBytes = 4 << 20
	stageMost  = 16
)

// stage is a pinned buffer with a stream of its own.
type stage struct {
	p      uintptr
	stream uintptr
}

func (d *Device) stages(n int) ([]stage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.staging) < n {
		var s stage
		err := d.do(func() error {
			if err := call("cuMemHostAlloc", uintptr(unsafe.Pointer(&s.p)), stageBytes, 1); err != nil {
				return err
			}
			return call("cuStreamCreate", uintptr(unsafe.Pointer(&s.stream)), 1)
		})
		if err != nil {
			return nil, err
		}
		d.staging = append(d.staging, s)
	}
	return d.staging[:n], nil
}

var uploading sync.Mutex

// Upload fills the first bytes of dst from what fill writes.
func (d *Device) Upload(dst device.Memory, bytes uint64, fill func(at uint64, part []byte)) error {
	uploading.Lock()
	defer uploading.Unlock()
	parts := int((bytes + stageBytes - 1) / stageBytes)
	workers := min(parts, stageMost, max(2, runtime.GOMAXPROCS(0)))
	stages, err := d.stages(workers)
	if err != nil {
		return err
	}
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := stages[w]
			buf := unsafe.Slice((*byte)(unsafe.Pointer(s.p)), stageBytes)
			errs[w] = d.do(func() error {
				for {
					at := uint64(next.Add(1)-1) * stageBytes
					if at >= bytes {
						return nil
					}
					part := buf[:min(stageBytes, bytes-at)]
					fill(at, part)
					if err := call("cuMemcpyHtoDAsync_v2", dst.Pointer()+uintptr(at), s.p, uintptr(len(part)), s.stream); err != nil {
						return err
					}
					if err := call("cuStreamSynchronize", s.stream); err != nil {
						return err
					}
				}
			})
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Download copies from src, beginning at byte at, to dst.
func (d *Device) Download(dst []byte, src device.Memory, at uint64) error {
	return d.do(func() error {
		return call("cuMemcpyDtoH_v2", uintptr(unsafe.Pointer(&dst[0])), src.Pointer()+uintptr(at), uintptr(len(dst)))
	})
}
