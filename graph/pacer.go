// This file keeps the garbage of building within a memory limit that was set.

package graph

import (
	"runtime"
	"runtime/metrics"
	"sync"
)

// pacer collects garbage when the heap comes near a limit. Without it the runtime lets the heap grow to
// twice the live memory, or to the ratio that GOGC sets.
type pacer struct {
	mu    sync.Mutex
	most  uint64 // the heap may have beside what there was before
	base  uint64 // what there was
	after uint64 // what there was after the last collection
}

// newPacer returns nil, which does nothing, if no limit was set.
func newPacer(limit uint64) *pacer {
	if limit == 0 {
		return nil
	}
	return &pacer{most: limit, base: heapBytes()}
}

// look collects garbage if the heap is near the limit, and has grown since that was done last.
func (p *pacer) look() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := heapBytes()
	if now < p.base+p.most/2 || now < p.after+p.most/8 {
		return
	}
	runtime.GC()
	p.after = heapBytes()
}

// heapBytes returns what objects take, garbage included.
func heapBytes() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
