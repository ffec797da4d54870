// This file holds the scan on the host: chunks are added up, then scanned.

package scan

import (
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/host"
)

// wide reports whether T has 64 bits.
func wide[T Elem]() bool {
	var x T
	return unsafe.Sizeof(x) == 8
}

// onHost is the part of a Scanner that runs on the workers of a stream.
type onHost struct{ s *host.Stream }

func (h *onHost) bind(s device.Stream) bool {
	hs, err := host.StreamOf(s)
	if err != nil {
		return false
	}
	h.s = hs
	return true
}

func (h *onHost) err() error                { return h.s.Err() }
func (*onHost) close() error                { return nil }
func (h *onHost) run(j job) (uint64, error) { return j.host(h.s) }

// scanHost is one scan. It is a host.Job.
type scanHost[In, Out Elem] struct {
	s     *host.Stream
	in    []In
	out   []Out
	sums  []uint64 // of each chunk; then of the chunks before it
	write bool     // the second pass
	next  atomic.Int64
}

func (j *scanHost[In, Out]) run(s *host.Stream, in []In, out []Out, total bool) (sum uint64, err error) {
	n := len(in)
	if n <= serialBelow || s.Workers() == 1 {
		for i := 0; i < n && !s.Stopped(); i += chunk {
			hi := min(i+chunk, n)
			sum = exclusive(in[i:hi], out[i:hi], sum)
		}
	} else {
		j.s, j.in, j.out = s, in, out
		chunks := (n + chunk - 1) / chunk
		if cap(j.sums) < chunks {
			j.sums = make([]uint64, chunks)
		}
		j.sums = j.sums[:chunks]
		j.pass(false)
		for i, x := range j.sums {
			j.sums[i] = sum
			sum += x
		}
		j.pass(true)
		j.s, j.in, j.out = nil, nil, nil
	}
	if err := s.Err(); err != nil {
		return 0, err
	}
	if total {
		out[n] = Out(sum)
	}
	return sum, nil
}

func (j *scanHost[In, Out]) pass(write bool) {
	j.write = write
	j.next.Store(0)
	j.s.Run(j)
}

// Run is the share of one worker.
func (j *scanHost[In, Out]) Run(int) {
	for !j.s.Stopped() {
		i := int(j.next.Add(chunk)) - chunk
		if i >= len(j.in) {
			return
		}
		hi := min(i+chunk, len(j.in))
		if j.write {
			exclusive(j.in[i:hi], j.out[i:hi], j.sums[i/chunk])
			continue
		}
		sum := uint64(0)
		for _, x := range j.in[i:hi] {
			sum += uint64(x)
		}
		j.sums[i/chunk] = sum
	}
}

// exclusive scans in into out, which has its length and may be it, beginning
// with sum. It returns the sum behind.
func exclusive[In, Out Elem](in []In, out []Out, sum uint64) uint64 {
	out = out[:len(in)]
	for i, x := range in {
		out[i] = Out(sum)
		sum += uint64(x)
	}
	return sum
}
