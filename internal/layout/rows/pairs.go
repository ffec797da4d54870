// This file builds rows from pairs that the caller has put into a GPU's memory, and generates edges, a piece at
// a time. It serves graphs of which each process has a part (internal/cluster/engine).

package rows

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

// Maker generates edges of a generator in its own stream.
type Maker struct {
	b *builder
	a madeArgs
}

// NewMaker returns a Maker on a GPU.
func NewMaker(ctx context.Context, dev *gpu.Device, m *placed.Maker) (*Maker, error) {
	b, err := newBuilder(ctx, dev, placed.Plan{Pairs: m.Edges, Space: int(m.Vertices), Made: m})
	if err != nil {
		return nil, err
	}
	a, err := b.maker()
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return &Maker{b, a}, nil
}

// Stream is where edges are made.
func (m *Maker) Stream() *gpu.Stream { return m.b.s }

// Make enqueues the making of edges from to end-1 as pairs, source<<32 | target.
func (m *Maker) Make(to uintptr, from, end uint64) error {
	m.a.pairs, m.a.from, m.a.to = uint64(to), from, end
	return m.b.makeEdges(&m.a)
}

// Close frees the Maker's memory and stream.
func (m *Maker) Close() error { return m.b.Close() }

// Rows are rows whose targets ascend, each once. Row i has Lengths[i] of them from Entries[Starts[i]] on; Offsets are
// where rows would begin if nothing lay between them.
type Rows struct {
	Starts, Entries, Lengths, Offsets device.Memory // of 64, 32, 32 and 32 bits
	Kept                              uint64        // entries; with 2^32 or more there are no Offsets
	b                                 *builder
}

// Of builds n rows from count pairs, source<<32 | target. If both is set, it also adds each pair reversed. Targets
// are less than targets. The function frees the memory of pairs, which
// no other stream may use any more.
func Of(ctx context.Context, dev *gpu.Device, pairs device.Memory, count uint64, n int, targets int, both bool) (*Rows, error) {
	p := placed.Plan{Pairs: count, Space: n, Directed: !both, KeepSelfLoops: !both, Early: []placed.Pairs{{Pairs: pairs, Count: count}}}
	b, err := newBuilder(ctx, dev, p)
	if err != nil {
		return nil, errors.Join(err, pairs.Close())
	}
	b.targets = targets
	r := &Rows{b: b}
	if err := r.settle(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return r, nil
}

func (r *Rows) settle() error {
	b := r.b
	n := b.plan.Space
	settled, err := b.Settle()
	if err != nil {
		return err
	}
	for _, d := range settled.Out {
		r.Kept += uint64(d)
	}
	pages.Release(settled.Out)
	if err := errors.Join(b.free(&b.ends), b.long.free(b)); err != nil {
		return err
	}
	r.Starts, r.Entries, r.Lengths = b.out.starts, b.out.entries, b.out.lengths
	if r.Kept >= 1<<32 {
		return nil
	}
	if err := b.alloc(&r.Offsets, 4*(uint64(n)+1)); err != nil {
		return err
	}
	_, err = scan.Exclusive(b.scan, discrete.View[uint32](r.Lengths.Pointer(), n), discrete.View[uint32](r.Offsets.Pointer(), n+1), n)
	return errors.Join(err, b.s.Sync())
}

// Close gives the rows' memory back.
func (r *Rows) Close() error { return r.b.Close() }
