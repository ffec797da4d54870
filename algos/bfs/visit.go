// This file holds what happens at an edge of a breadth-first search, on the
// host: the functors of push, by queue and by level array, and the sink of
// pull.

package bfs

import (
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/bitmap"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/osmem/prefetch"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
)

// visitor labels the vertices of one level. It is the functor of a push over
// a bitmap of visited vertices and the sink of a pull. A vertex is claimed by
// one worker, which alone writes its depth and parent. The slices are the
// caller's; the methods are safe for concurrent use by the workers of a stream.
type visitor struct {
	Seen    []uint64 // visited vertices, a bit each; pushes add to it, pulls don't
	Depths  []int32  // one per vertex, or nil
	Parents []uint32 // one per vertex, or nil
	Level   int32    // the depth that is being assigned

	// On a GPU: the arrays' addresses there, and how what was seen is dropped.
	remote struct{ seen, depths, parents uint64 }
	culls  filter.Culls
	counts bool // what culling drops is counted
}

// Unique reports whether no vertex is let through twice.
func (f *visitor) Unique() bool { return f.culls == 0 || f.culls&filter.Exactly != 0 }

// Trusted reports that the functor lets only targets through.
func (f *visitor) Trusted(step.Trust) any { return f }

// laboratory is the image of kernels that have to be asked for. Options were checked for that.
func laboratory() []byte {
	image, _ := gpu.BFSLaboratory.Get()
	return image
}

// Kernels returns the kernels of this package.
func (f *visitor) Kernels() ([]byte, string) {
	switch {
	case f.counts:
		return laboratory(), "bfs_counting"
	case f.culls != filter.Exactly:
		return laboratory(), "bfs_culling"
	}
	return image, "bfs"
}

// ExtraKernels returns the kernels of strategies that auto never takes.
func (f *visitor) ExtraKernels() ([]byte, string) {
	_, name := f.Kernels()
	return laboratory(), name
}

// Params are the fields as the device has them (visitor.cuh).
func (f *visitor) Params(words *step.Params) {
	words[0], words[1], words[2] = f.remote.seen, f.remote.depths, f.remote.parents
	words[3] = uint64(uint32(f.Level)) | uint64(f.culls)<<32
}

// Visit claims the targets that weren't visited and lets them through.
func (f *visitor) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	row := [1]operators.Row{{First: 0, Source: source, Len: uint32(len(targets))}}
	return f.VisitRows(w, row[:], targets, out)
}

// VisitRows does so for many rows.
func (f *visitor) VisitRows(w operators.Worker, rows []operators.Row, targets, out []uint32) int {
	if w.Alone {
		return f.alone(rows, targets, out)
	}
	k, seen, depths, parents, level := 0, f.Seen, f.Depths, f.Parents, f.Level
	for _, r := range rows {
		for _, t := range targets[r.First : r.First+uint64(r.Len)] {
			if !bitmap.Claim(seen, t) {
				continue
			}
			if depths != nil {
				depths[t] = level
			}
			if parents != nil {
				parents[t] = r.Source
			}
			out[k] = t
			k++
		}
	}
	return k
}

// alone is VisitRows without atomic operations.
func (f *visitor) alone(rows []operators.Row, targets, out []uint32) int {
	k, seen, depths, parents, level := 0, f.Seen, f.Depths, f.Parents, f.Level
	for _, r := range rows {
		for _, t := range targets[r.First : r.First+uint64(r.Len)] {
			if !bitmap.ClaimAlone(seen, t) {
				continue
			}
			if depths != nil {
				depths[t] = level
			}
			if parents != nil {
				parents[t] = r.Source
			}
			out[k] = t
			k++
		}
	}
	return k
}

// Found labels what a pull found.
func (f *visitor) Found(_ operators.Worker, vertices, parents []uint32) {
	depths, level := f.Depths, f.Level
	parents = parents[:len(vertices)]
	switch {
	case depths != nil && f.Parents != nil:
		ps := f.Parents[:len(depths)]
		for i, v := range vertices {
			ps[v] = parents[i]
			depths[v] = level
		}
	case depths != nil:
		for _, v := range vertices {
			depths[v] = level
		}
	case f.Parents != nil:
		for i, v := range vertices {
			f.Parents[v] = parents[i]
		}
	}
}

// arrayVisitor labels the vertices of one level without a bitmap: the array
// of parents, or of depths if there are no parents, marks the visited vertices.
// A vertex is claimed by a compare-and-swap on its entry. A push touches one array
// instead of two, which matters on a graph of low degree, where every edge leads
// to another cache line.
type arrayVisitor struct {
	depths  []int32
	parents []uint32
	level   int32
	// claim by depths even if there are parents
	byDepth bool
	// prefetch what a row's claims touch, a row ahead: pays where degrees are even
	// (claims.go), and costs where hubs lead to the same vertices again and again
	ahead bool
}

// Trusted reports that the functor lets only targets through.
func (f *arrayVisitor) Trusted(step.Trust) any { return f }

// Unique reports whether no vertex is let through twice.
func (*arrayVisitor) Unique() bool { return true }

// Visit claims the targets that weren't visited and lets them through.
func (f *arrayVisitor) Visit(w operators.Worker, source uint32, firstEdge uint64, targets, out []uint32) int {
	row := [1]operators.Row{{First: 0, Source: source, Len: uint32(len(targets))}}
	return f.VisitRows(w, row[:], targets, out)
}

// lazy reports whether depths are written when vertices are expanded and not
// when they are found.
func (f *arrayVisitor) lazy() bool {
	return f.depths != nil && f.parents != nil && !f.byDepth
}

// claim reports whether t wasn't visited, and labels it if so.
func (f *arrayVisitor) claim(t, source uint32) bool {
	if f.parents == nil || f.byDepth {
		if atomic.LoadInt32(&f.depths[t]) >= 0 || !atomic.CompareAndSwapInt32(&f.depths[t], -1, f.level) {
			return false
		}
		if f.parents != nil {
			f.parents[t] = source
		}
		return true
	}
	if atomic.LoadUint32(&f.parents[t]) != graph.NoVertex || !atomic.CompareAndSwapUint32(&f.parents[t], graph.NoVertex, source) {
		return false
	}
	if f.depths != nil {
		f.depths[t] = f.level
	}
	return true
}

// word returns the bits of the vertices lo to hi-1 that were visited.
func (f *arrayVisitor) word(lo, hi int) (word uint64) {
	if f.parents == nil || f.byDepth {
		for i, d := range f.depths[lo:hi] {
			word |= uint64(^uint32(d)>>31) << i
		}
		return word
	}
	for i, p := range f.parents[lo:hi] {
		word |= (uint64(p+1) + 1<<32 - 1) >> 32 << i // 0 for NoVertex, the largest
	}
	return word
}

// VisitRows does so for many rows.
func (f *arrayVisitor) VisitRows(_ operators.Worker, rows []operators.Row, targets, out []uint32) int {
	k := 0
	if f.ahead && len(rows) > 0 {
		f.fetch(rows[0], targets)
	}
	for i, r := range rows {
		if f.ahead && i+1 < len(rows) {
			f.fetch(rows[i+1], targets)
		}
		for _, t := range targets[r.First : r.First+uint64(r.Len)] {
			if f.claim(t, r.Source) {
				out[k] = t
				k++
			}
		}
	}
	return k
}

// fetch prefetches what the claims of a row touch, or of its beginning.
func (f *arrayVisitor) fetch(r operators.Row, targets []uint32) {
	targets = targets[r.First : r.First+uint64(min(r.Len, fetchAhead))]
	prefetch.Write4(f.parents, targets)
	prefetch.Write4(f.depths, targets)
}

// Ahead prefetches the depths that VisitEll4 will write.
func (f *arrayVisitor) Ahead(sources []uint32) {
	if f.lazy() {
		prefetch.Write4(f.depths, sources)
	}
}

// VisitEll4 does so for ELL4 rows. With both parents and depths the
// depth is written when a vertex is expanded, in the order of the queue, and
// not when it is found, which would miss the cache once more.
func (f *arrayVisitor) VisitEll4(_ operators.Worker, sources []uint32, rows [][4]uint32, out []uint32) int {
	k := 0
	if f.byDepth && f.parents != nil {
		for _, v := range sources {
			for _, t := range rows[v] {
				if f.claim(t, v) {
					out[k] = t
					k++
				}
			}
		}
		return k
	}
	if parents := f.parents; parents != nil {
		depths, level := f.depths, f.level-1
		for _, v := range sources {
			row := &rows[v]
			if depths != nil {
				depths[v] = level
			}
			// Written out: each of the four has its own branch, which
			// predicts better than one in a loop.
			if t := row[0]; atomic.LoadUint32(&parents[t]) == graph.NoVertex && atomic.CompareAndSwapUint32(&parents[t], graph.NoVertex, v) {
				out[k] = t
				k++
			}
			if t := row[1]; atomic.LoadUint32(&parents[t]) == graph.NoVertex && atomic.CompareAndSwapUint32(&parents[t], graph.NoVertex, v) {
				out[k] = t
				k++
			}
			if t := row[2]; atomic.LoadUint32(&parents[t]) == graph.NoVertex && atomic.CompareAndSwapUint32(&parents[t], graph.NoVertex, v) {
				out[k] = t
				k++
			}
			if t := row[3]; atomic.LoadUint32(&parents[t]) == graph.NoVertex && atomic.CompareAndSwapUint32(&parents[t], graph.NoVertex, v) {
				out[k] = t
				k++
			}
		}
		return k
	}
	depths, level := f.depths, f.level
	for _, v := range sources {
		row := &rows[v]
		if t := row[0]; atomic.LoadInt32(&depths[t]) < 0 && atomic.CompareAndSwapInt32(&depths[t], -1, level) {
			out[k] = t
			k++
		}
		if t := row[1]; atomic.LoadInt32(&depths[t]) < 0 && atomic.CompareAndSwapInt32(&depths[t], -1, level) {
			out[k] = t
			k++
		}
		if t := row[2]; atomic.LoadInt32(&depths[t]) < 0 && atomic.CompareAndSwapInt32(&depths[t], -1, level) {
			out[k] = t
			k++
		}
		if t := row[3]; atomic.LoadInt32(&depths[t]) < 0 && atomic.CompareAndSwapInt32(&depths[t], -1, level) {
			out[k] = t
			k++
		}
	}
	return k
}
