// This file holds PushByWeight, the push along edges that are light enough.

package advance

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// Within selects the edges that a PushByWeight visits: edges of weight w out of a vertex u for which
// Key[u] + w, in float32, is more than Above and at most Most.
type Within struct {
	// Key has an entry per vertex, on the device of the graph. The functor may lower entries, by
	// package atomics.
	Key         *device.Buffer[float32]
	Above, Most float32
}

// PushByWeight is Push along the edges that w selects. The rows of the graph must ascend by weight,
// so it finds these edges by a search in each row and skips the others: shortest paths then visit
// few of the edges. Other graphs are graph.ErrOptions; the order is checked once per placed graph.
//
// It runs on the host; on a GPU it is device.ErrNotSupported.
func PushByWeight(f Functor, w Within) operators.Step { return &pushStep{f: f, within: &w} }

var errWithin = fmt.Errorf("advance: push within: %w: only the host has it; Push does with a functor that looks at weights", device.ErrNotSupported)

// check returns what is wrong with it.
func (w *Within) check(p *graph.Placed) error {
	if err := link.CheckBuffer("Key", w.Key, false); err != nil {
		return fmt.Errorf("advance: push within: %w", err)
	}
	if w.Key.Len() < p.NumVertices() {
		return fmt.Errorf("%w: push within: Key has fewer entries than the graph has vertices", errFunctor)
	}
	return ascends("push within", p)
}

// ascends returns an error unless rows ascend by weight, which is looked at once per placed graph.
func ascends(step string, p *graph.Placed) error {
	_, err := placed.LoadOrMake(p.State(), placed.Ascending(0), func() (bool, error) {
		if err := p.Graph().Fetch(); err != nil {
			return false, err
		}
		c := p.Graph().Out()
		if c.Weights == nil && c.NumEdges() > 0 {
			return false, fmt.Errorf("advance: %s: %w: load the graph with arrow.Options.Weight, or build it with graph.Options.Weights", step, graph.ErrNoWeights)
		}
		for v := range c.NumVertices() {
			for e := c.Offsets[v] + 1; e < c.Offsets[v+1]; e++ {
				if !(c.Weights[e-1] <= c.Weights[e]) {
					return false, fmt.Errorf("advance: %s: %w: the weights of row %d don't ascend; sort the rows, or use Push", step, graph.ErrOptions, v)
				}
			}
		}
		return true, nil
	})
	return err
}

// cut returns the part of a row that is to be visited.
func (w *Within) cut(weights []float32, v uint32, first, d uint64) (uint64, uint64) {
	key := math.Float32frombits(atomic.LoadUint32((*uint32)(unsafe.Pointer(&w.Key.Host()[v]))))
	if !(key <= w.Most) {
		return first, 0
	}
	row := weights[first : first+d]
	end := beyond(row, key, w.Most)
	if key > w.Above {
		return first, end
	}
	begin := beyond(row[:end], key, w.Above)
	return first + begin, end - begin
}

// beyond returns the first entry of an ascending row that, added to the key, is more than most:
// by steps that double, since it is near the front as a rule.
func beyond(row []float32, key, most float32) uint64 {
	lo, hi := 0, 1
	for hi <= len(row) && key+row[hi-1] <= most {
		lo, hi = hi, 2*hi
	}
	hi = min(hi, len(row)+1) - 1
	for lo < hi { // row[:lo] is within, row[hi:] is not
		if m := int(uint(lo+hi) >> 1); key+row[m] <= most {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return uint64(lo)
}
