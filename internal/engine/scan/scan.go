// Package scan holds the exclusive prefix sum over arrays in a device's memory:
// out[i] is the sum of in[0] to in[i-1]. It turns degrees into offsets, flags
// into positions, and the sizes of pieces into their start positions.
//
// # What works where
//
//	                         host                 GPU
//	uint32 to uint32         all workers          yes
//	uint32 to uint64         all workers          yes
//	uint64 to uint64         all workers          yes
//	uint64 to uint32         all workers          yes
//	in place (one buffer)    yes                  yes
//	any length               yes                  yes
//
// On the host and on a GPU the array is cut into parts. The first pass adds up
// each part, the second scans the sums, and the third scans each part, beginning
// with the sum of the parts before it (reduce-then-scan: Dotsenko et al., ICS
// 2008; Merrill, Grimshaw, 2009). A short array takes one pass.
//
// The package doesn't depend on graphs. The kernels on frontiers (conversion,
// filters, edge prefixes) scan inside their own passes, with the same device
// code (frontier/tiles.cuh).
package scan

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/host"
)

// Elem is what can be added up.
type Elem interface{ ~uint32 | ~uint64 }

// Scanner runs prefix sums on one stream. It keeps what they need between
// calls, so that repeated calls allocate nothing. It isn't safe for concurrent
// use. Close gives its memory back.
type Scanner struct {
	on     backend
	job    job // a *scanning of the types of the last call
	closed bool
}

// backend runs scans on a device: onHost or onGPU, as New chooses.
type backend interface {
	bind(device.Stream) bool
	err() error // the stream's
	close() error
	run(j job) (sum uint64, err error)
}

// job is a scan of some types of elements, with a method for each backend, which calls the
// one that is its own.
type job interface {
	host(s *host.Stream) (sum uint64, err error)
	gpu(r *onGPU) (sum uint64, err error)
}

// New returns a Scanner on a stream. The error is device.ErrNotSupported for no
// stream, or for a stream of a device without operators.
func New(s device.Stream) (*Scanner, error) {
	if _, ok := s.(*gpu.Stream); ok {
		gs, err := gpu.StreamOf(s)
		if err != nil {
			return nil, fmt.Errorf("scan: %w", err)
		}
		return &Scanner{on: &onGPU{s: gs}}, nil
	}
	hs, err := host.StreamOf(s)
	if err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	return &Scanner{on: &onHost{s: hs}}, nil
}

// Bind makes the Scanner run on another stream of the same device, so that a
// later search can use it again. It reports whether the stream fits.
func (c *Scanner) Bind(s device.Stream) bool { return c != nil && c.on != nil && c.on.bind(s) }

// Close gives back what the Scanner holds. Later calls fail with
// device.ErrClosed. Closing a nil Scanner, or closing twice, does nothing.
func (c *Scanner) Close() error {
	if c == nil || c.on == nil {
		return nil
	}
	c.closed, c.job = true, nil
	return c.on.close()
}

// Exclusive writes to out[i], for every i below n, the sum of in[0] to in[i-1],
// and returns the sum of all n. If out has an entry n and isn't in, that entry
// becomes the sum too: n degrees make n+1 offsets. out may be in. On a GPU the
// call waits until the sum is there.
//
// Sums are taken modulo 2^64, and entries of a narrower out are their low bits:
// the returned sum shows whether all of them fit.
//
// The error is device.ErrClosed for a Scanner that was closed or a stream that
// was closed, device.ErrSize where a buffer has fewer than n entries (a nil or
// closed one has none) or n is negative, device.ErrNotSupported for a buffer of
// another kind of device than the stream's, the context's, where the stream has
// one that is done (out is then incomplete), or the device's.
func Exclusive[In, Out Elem](c *Scanner, in *device.Buffer[In], out *device.Buffer[Out], n int) (sum uint64, err error) {
	if err := c.ready(); err != nil {
		return 0, err
	}
	if n < 0 || in.Len() < n || out.Len() < n {
		return 0, fmt.Errorf("scan: %w: %d entries of an input of %d into an output of %d; nil and closed buffers have none", device.ErrSize, n, in.Len(), out.Len())
	}
	same := in.Pointer() == out.Pointer()
	total := n < out.Len() && !same
	if n == 0 && !total {
		return 0, nil
	}
	j, ok := c.job.(*scanning[In, Out])
	if !ok {
		j = &scanning[In, Out]{}
		c.job = j
	}
	j.in, j.out, j.n, j.total = in, out, n, total
	defer j.release()
	return c.on.run(j)
}

// scanning is a call of Exclusive.
type scanning[In, Out Elem] struct {
	in    *device.Buffer[In]
	out   *device.Buffer[Out]
	n     int
	total bool
	work  scanHost[In, Out]
}

func (j *scanning[In, Out]) release() { j.in, j.out = nil, nil }

func (j *scanning[In, Out]) host(s *host.Stream) (uint64, error) {
	if j.out.Host() == nil || j.n > 0 && j.in.Host() == nil {
		return 0, errElsewhere
	}
	return j.work.run(s, j.in.Host()[:j.n], j.out.Host(), j.total)
}

func (j *scanning[In, Out]) gpu(r *onGPU) (uint64, error) {
	if j.out.Host() != nil || j.n > 0 && j.in.Host() != nil {
		return 0, errElsewhere
	}
	return r.scan(uint64(j.in.Pointer()), uint64(j.out.Pointer()), uint64(j.n), wide[In](), wide[Out](), j.total)
}

var errElsewhere = fmt.Errorf("scan: %w: a buffer in the memory of another device than the stream's", device.ErrNotSupported)

// ready returns why there can be no scan.
func (c *Scanner) ready() error {
	switch {
	case c == nil, c.on == nil && !c.closed:
		return fmt.Errorf("scan: %w: no Scanner (nil); New makes one", device.ErrNotSupported)
	case c.closed:
		return fmt.Errorf("scan: %w: the Scanner; make another", device.ErrClosed)
	}
	return c.on.err()
}
