// This file has a GPU combine parallel edges, and make the edges of a quotient graph.

package rows

import (
	"context"
	"errors"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
)

// foldArgs are the arguments of the kernels (fold.cuh).
type foldArgs struct {
	starts, entries, lengths uint64
	post                     gpu.Post
	space, how, kind, _      uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(foldArgs{})-64] // as in fold.cuh

// fold combines parallel edges of the settled rows, if the plan has Combine.
func (b *builder) fold() error {
	if b.plan.Combine == 0 {
		return nil
	}
	a := foldArgs{starts: b.a.starts, entries: b.a.entries, lengths: b.a.lengths, space: b.a.space, how: uint32(b.plan.Combine), kind: uint32(b.plan.WeightType)}
	var done gpu.Ticket
	if err := enqueue(b, b.kernel("fold"), &a, &a.post, blocksOf(32*uint64(b.plan.Space)), &done); err != nil {
		return err
	}
	mail, err := done.Wait()
	if err == nil && mail.Counts[0] > 0 {
		err = placed.ErrNotFolded
	}
	return err
}

// relabelArgs are the arguments of relabel_edges (relabel.cuh).
type relabelArgs struct {
	offsets, targets, labels, weights, ids uint64
	pairs, extras, wideIDs, next           uint64
	post                                   gpu.Post
	entries                                uint64
	vertices, wide, directed, heavy        uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(relabelArgs{})-120] // as in relabel.cuh

// relabeler is a placed.Relabeled.
type relabeler struct {
	b *builder
	a relabelArgs
}

func newRelabeler(ctx context.Context, dev *gpu.Device, e placed.Relabeling) (*relabeler, error) {
	b, err := newBuilder(ctx, dev, e.Plan)
	if err != nil {
		return nil, err
	}
	r := &relabeler{b: b, a: relabelArgs{offsets: uint64(e.Offsets), targets: uint64(e.Targets), weights: uint64(e.Weights), ids: uint64(e.EdgeIDs),
		entries: e.Entries, vertices: uint32(e.Vertices)}}
	for flag, set := range map[*uint32]bool{&r.a.wide: e.Wide, &r.a.directed: e.Directed, &r.a.heavy: e.Plan.Weights} {
		if set {
			*flag = 1
		}
	}
	var labels, next device.Memory
	err = errors.Join(b.alloc(&labels, 4*uint64(len(e.Labels))), b.alloc(&next, 8))
	if err == nil {
		err = discrete.Write(dev, labels, e.Labels)
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	r.a.labels, r.a.next = address(labels), address(next)
	return r, nil
}

// Count counts the edges.
func (r *relabeler) Count() (uint64, error) {
	var done gpu.Ticket
	if err := r.launch(&done); err != nil {
		return 0, err
	}
	mail, err := done.Wait()
	return mail.Counts[0], err
}

func (r *relabeler) launch(done *gpu.Ticket) error {
	return enqueue(r.b, "relabel_edges", &r.a, &r.a.post, blocksOf((r.a.entries+relabelTile-1)/relabelTile), done)
}

// Make makes the edges.
func (r *relabeler) Make(count uint64) (p placed.Pairs, err error) {
	b := r.b
	p.Count = count
	err = b.alloc(&p.Pairs, 8*count)
	if err == nil && b.plan.Extras() {
		err = b.alloc(&p.Extras, 4*count)
	}
	if err == nil && b.plan.WholeIDs() {
		err = b.alloc(&p.IDs, 8*count)
	}
	if err != nil {
		return p, err // Close frees them
	}
	r.a.pairs, r.a.extras, r.a.wideIDs = address(p.Pairs), address(p.Extras), address(p.IDs)
	if err := errors.Join(r.launch(nil), b.s.Sync()); err != nil {
		return p, err
	}
	for _, m := range p.Arrays() {
		b.handOver(m)
	}
	return p, nil
}

// Close frees the memory of labels.
func (r *relabeler) Close() error { return r.b.Close() }
