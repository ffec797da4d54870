// Package placed is what operators and algorithms of this module need to know of a
// graph on a device whose memory the host can't address: where its arrays are there.
package placed

import (
	"math"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/tuning"
)

// Remote is where a placed graph's arrays are on a device whose memory the
// host can't address. All are the placed graph's own.
type Remote struct {
	// Wide says that offsets are 64 bits wide; else they are 32.
	Wide bool
	// Offsets (n+1 entries) and Targets (32 bits each) are those of Graph.Out.
	Offsets, Targets uintptr
	// InOffsets and InTargets are those of Graph.In: the same where the graph is
	// symmetric, 0 where there is no reverse.
	InOffsets, InTargets uintptr
	// Bytes is what they take, with those of Prepared once they are there;
	// Elapsed is what the upload took.
	Bytes   uint64
	Elapsed time.Duration

	Mem []device.Memory // of all of them
}

// Array is what graph.Placed.Once keeps an array of the graph under, a device.Buffer that
// traversals share.
type Array uint8

// The arrays.
const (
	Weights Array = iota
	InWeights
	EdgeIDs
	InEdgeIDs
	Degrees
	Offsets
	Targets
	Ranks
	ByRank
	First
)

// Ascending is what graph.Placed.Once keeps under, for the out-edges (0) and for the in-edges (1),
// that rows ascend by weight.
type Ascending uint8

// ArrayNames are the arrays' names.
var ArrayNames = [...]string{"weights of edges", "weights of in-edges", "ids of edges", "ids of in-edges", "degrees", "offsets of rows", "targets of edges", "ranks of ids", "vertices by rank", "first targets"}

// Prepared is graph.Prepared on such a device.
type Prepared struct {
	// Candidates and Words are those of graph.Prepared.
	Candidates, Words int
	First             uintptr // 32 bits a vertex
	None              uintptr // a bit a vertex, in words of 64 bits
	// Bytes is what both take, Elapsed what the upload took.
	Bytes   uint64
	Elapsed time.Duration
}

// Parts are arrays that are on a device already, as Remote and Prepared have
// them.
type Parts struct {
	Offsets, Targets     device.Memory // offsets of 64 bits where there are 2^32-4096 edges or more
	InOffsets, InTargets device.Memory // nil where the graph is symmetric, or has no reverse
	First, None          device.Memory // nil: they are uploaded when they are wanted
}

// Width is the end of a kernel's name: the width of offsets.
func (r *Remote) Width() string {
	if r.Wide {
		return "_o64"
	}
	return "_o32"
}

// Wide reports whether offsets of so many edges need 64 bits there. Kernels look a little past the end
// of a row, and that must not wrap around.
func Wide(edges uint64) bool { return edges > math.MaxUint32-1<<12 || tuning.WideOffsets }

// Rows uploads the rows of a graph in CSR form, and says where they are.
func (r *Remote) Rows(u device.Uploader, from []uint64, to []uint32, offsets, targets *uintptr) (err error) {
	if r.Wide {
		*offsets, err = Upload(u, r, from)
	} else {
		*offsets, err = uploadBy(u, r, uint64(len(from))*4, func(at uint64, part []byte) {
			narrow := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4)
			for i, x := range from[at/4:][:len(narrow)] {
				narrow[i] = uint32(x)
			}
		})
	}
	if err != nil {
		return err
	}
	*targets, err = Upload(u, r, to)
	return err
}

// Upload copies an array to the device, for r to free.
func Upload[T uint32 | uint64](u device.Uploader, r *Remote, a []T) (uintptr, error) {
	var zero T
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(unsafe.Sizeof(zero)))
	return uploadBy(u, r, uint64(len(raw)), func(at uint64, part []byte) { copy(part, raw[at:]) })
}

func uploadBy(u device.Uploader, r *Remote, bytes uint64, fill func(at uint64, part []byte)) (uintptr, error) {
	mem, err := u.Alloc(max(bytes, 16))
	if err != nil {
		return 0, err
	}
	r.Mem = append(r.Mem, mem)
	r.Bytes += bytes
	if bytes == 0 {
		return mem.Pointer(), nil
	}
	return mem.Pointer(), u.Upload(mem, bytes, fill)
}

// Free gives the memory back.
func (r *Remote) Free() (err error) {
	for _, m := range r.Mem {
		if e := m.Free(); err == nil {
			err = e
		}
	}
	r.Mem = nil
	return err
}
