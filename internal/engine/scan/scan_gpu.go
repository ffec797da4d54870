// This file holds the launches of the scan on a GPU.

package scan

import (
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// scanArgs are the arguments of the kernels (scan.cu).
type scanArgs struct {
	in, out, sums uint64
	n             uint64
	per           uint64 // entries of a part, a multiple of a tile
	post          gpu.Post
	parts         uint32
	total         uint32 // out[n] becomes the sum
}

var _ = [1]struct{}{}[unsafe.Sizeof(scanArgs{})-72] // as scan.cu says

// onGPU is the part of a Scanner that launches kernels.
type onGPU struct {
	s      *gpu.Stream
	sums   *device.Buffer[uint64] // of the parts
	ticket gpu.Ticket
	call   scanArgs
	args   gpu.Args
}

var widths = map[bool]string{false: "32", true: "64"}

func (r *onGPU) bind(s device.Stream) bool {
	gs, err := gpu.StreamOf(s)
	if err != nil || gs.Device() != r.s.Device() {
		return false
	}
	r.s = gs
	return true
}

func (r *onGPU) err() error                { return r.s.Err() }
func (r *onGPU) run(j job) (uint64, error) { return j.gpu(r) }

func (r *onGPU) scan(in, out, n uint64, wideIn, wideOut, total bool) (uint64, error) {
	tiles := max((n+tileEntries-1)/tileEntries, 1)
	per, parts := tiles, uint64(1) // in tiles, at first
	if n > oneBlock {
		per = (tiles + mostParts - 1) / mostParts
		parts = (tiles + per - 1) / per
	}
	r.call = scanArgs{in: in, out: out, n: n, per: per * tileEntries, parts: uint32(parts)}
	if total {
		r.call.total = 1
	}
	var err error
	if r.call.post, err = r.s.Post(&r.ticket); err != nil {
		return 0, err
	}
	if parts > 1 {
		if r.sums == nil {
			b, err := device.NewBuffer[uint64](r.s.Device(), mostParts)
			if err != nil {
				return 0, fmt.Errorf("scan: %w", err)
			}
			r.sums = b
		}
		r.call.sums = uint64(r.sums.Pointer())
		if err := r.launch("scan_sum_"+widths[wideIn], int(parts)); err != nil {
			return 0, err
		}
		if err := r.launch("scan_parts", 1); err != nil {
			return 0, err
		}
	}
	if err := r.launch("scan_write_"+widths[wideIn]+"_"+widths[wideOut], int(parts)); err != nil {
		return 0, err
	}
	mail, err := r.ticket.Wait()
	return mail.Tail, err
}

func (r *onGPU) launch(name string, blocks int) error {
	k, err := r.s.Kernel(image, name)
	if err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.call)
	return r.s.Launch(k, blocks, &r.args)
}

func (r *onGPU) close() error {
	err := r.sums.Close()
	r.sums = nil
	return err
}
