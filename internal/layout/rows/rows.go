// Package rows builds the CSR of a graph from its edges on a GPU: it counts entries, scatters them
// into rows, sorts them and drops duplicates. Once the host has numbered the vertices, rows move
// to their places. The graph equals the one that package graph builds on the host. A program that
// imports this package can set graph.Options.Device to a GPU.
package rows

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/scan"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

func init() {
	placed.RowBuilder.Provide(func(ctx context.Context, dev discrete.Device, p placed.Plan) (placed.Builder, error) {
		d, ok := dev.(*gpu.Device)
		if !ok {
			return nil, fmt.Errorf("rows: %w: %s", device.ErrNotSupported, dev.Info().Name)
		}
		return newBuilder(ctx, d, p)
	})
	placed.Relabeler.Provide(func(ctx context.Context, dev discrete.Device, e placed.Relabeling) (placed.Relabeled, error) {
		d, ok := dev.(*gpu.Device)
		if !ok {
			return nil, fmt.Errorf("rows: %w: %s", device.ErrNotSupported, dev.Info().Name)
		}
		return newRelabeler(ctx, d, e)
	})
}

// rowsArgs are the arguments of the kernels (rows.cuh).
type rowsArgs struct {
	pairs, weights, wide, count  uint64
	ends, seen, starts, entries  uint64
	lengths, spare, spots, place uint64
	offsets, targets, heavy, ids uint64
	lists                        [2]uint64
	longs                        uint64
	back, sources, first, none   uint64
	post                         gpu.Post
	space, base, flags, bits     uint32
	listed, vertices, huge, room uint32
	begin, skip                  uint32
	warpRow, blockRow            uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(rowsArgs{})-256] // as in rows.cuh

// Flags of rowsArgs.
const (
	directed = 1 << iota
	keepSelfLoops
	keepDuplicates
	asTheyAre
	edgeIDs
	moves
)

// builder is a placed.Builder.
type builder struct {
	dev  *gpu.Device
	s    *gpu.Stream
	scan *scan.Scanner
	plan placed.Plan
	a    rowsArgs
	args gpu.Args
	held []device.Memory

	pieces     []placed.Pairs
	batches    batches       // used instead of pieces
	ends, seen device.Memory // of the rows, until Place
	out, back  side          // back is the reverse
	long       longRows
	targets    int // the number of targets, if they aren't numbers of rows
}

// side is rows that were settled.
type side struct {
	starts, entries, lengths device.Memory
	kept                     []uint32 // the entries, if they are on the host
	windows                  []window // of them
	longest                  uint64   // entries of a row, those there twice once
}

func newBuilder(ctx context.Context, dev *gpu.Device, p placed.Plan) (*builder, error) {
	s, err := dev.Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	b := &builder{dev: dev, s: s, plan: p}
	if b.scan, err = scan.New(s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	b.a.space, b.a.base = uint32(p.Space), p.Base
	b.pieces = slices.Clone(p.Early)
	for _, e := range p.Early {
		b.held = append(b.held, e.Arrays()...)
	}
	b.a.warpRow, b.a.blockRow = warpRow, uint32(blockRow/p.Key())
	if p.Key() > 8 {
		b.a.warpRow = wideWarpRow
	}
	for flag, set := range map[uint32]bool{directed: p.Directed, keepSelfLoops: p.KeepSelfLoops, keepDuplicates: p.KeepDuplicates, edgeIDs: p.EdgeIDs && !p.WholeIDs()} {
		if set {
			b.a.flags |= flag
		}
	}
	return b, nil
}

// Close gives back all memory that wasn't handed over.
func (b *builder) Close() error {
	err := b.s.Wait()
	for _, m := range b.held {
		err = errors.Join(err, m.Close())
	}
	b.held = nil
	return errors.Join(err, b.scan.Close(), b.s.Close())
}

// alloc takes memory, zero.
func (b *builder) alloc(m *device.Memory, bytes uint64) (err error) {
	if *m, err = b.dev.Alloc(max(bytes, 16)); err == nil {
		b.held = append(b.held, *m)
	}
	return err
}

// free gives some of it back, once kernels are through with it.
func (b *builder) free(m *device.Memory) error {
	if *m == nil {
		return nil
	}
	err := errors.Join(b.s.Sync(), (*m).Close())
	b.handOver(*m)
	*m = nil
	return err
}

// handOver passes the ownership of m to the caller.
func (b *builder) handOver(m device.Memory) {
	for i, h := range b.held {
		if h == m {
			b.held[i] = b.held[len(b.held)-1]
			b.held = b.held[:len(b.held)-1]
			return
		}
	}
}

// launch enqueues a kernel with the given number of blocks; done, if not nil, gets its report.
func (b *builder) launch(name string, blocks uint64, done *gpu.Ticket) error {
	return enqueue(b, name, &b.a, &b.a.post, blocks, done)
}

// enqueue is launch with other arguments, of which post is part.
func enqueue[T any](b *builder, name string, a *T, post *gpu.Post, blocks uint64, done *gpu.Ticket) error {
	k, err := b.s.Kernel(image, name)
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	var unasked gpu.Ticket
	if done == nil {
		done = &unasked
	}
	if *post, err = b.s.Post(done); err != nil {
		return err
	}
	b.args.Reset()
	gpu.Struct(&b.args, a)
	return b.s.Launch(k, int(max(min(blocks, mostBlocks), 1)), &b.args)
}

func address(m device.Memory) uint64 {
	if m == nil {
		return 0
	}
	return uint64(m.Pointer())
}

func blocksOf(n uint64) uint64 { return (n + gpu.Block - 1) / gpu.Block }

// freePiece gives back the memory of pairs.
func (b *builder) freePiece(p *placed.Pairs) error {
	return errors.Join(b.free(&p.Pairs), b.free(&p.Extras), b.free(&p.IDs))
}

// Upload fills in the pairs, and their weights and ids.
func (b *builder) Upload(pairs, extras, ids func(at uint64, part []byte)) error {
	if b.plan.Batch > 0 {
		b.batches = batches{pairs: pairs, extras: extras, ids: ids}
		return nil
	}
	rest := b.plan.Pairs
	for _, e := range b.plan.Early {
		rest -= e.Count
	}
	if rest == 0 {
		return nil
	}
	upload := func(m *device.Memory, width uint64, fill func(at uint64, part []byte)) error {
		if *m == nil {
			if err := b.alloc(m, width*rest); err != nil {
				return err
			}
		}
		return b.dev.Upload(*m, width*rest, fill)
	}
	if pairs != nil {
		if err := b.newPiece(rest); err != nil {
			return err
		}
		if err := upload(&b.last().Pairs, 8, pairs); err != nil {
			return err
		}
	}
	if b.plan.Extras() {
		if err := upload(&b.last().Extras, 4, extras); err != nil {
			return err
		}
	}
	if b.plan.WholeIDs() {
		return upload(&b.last().IDs, 8, ids)
	}
	return nil
}

// newPiece allocates memory for pairs; last returns where the last ones are.
func (b *builder) newPiece(pairs uint64) error {
	b.pieces = append(b.pieces, placed.Pairs{Count: pairs})
	return b.alloc(&b.last().Pairs, 8*pairs)
}

func (b *builder) last() *placed.Pairs { return &b.pieces[len(b.pieces)-1] }

// freePairs gives back the memory of all pairs.
func (b *builder) freePairs() (err error) {
	for i := range b.pieces {
		err = errors.Join(err, b.freePiece(&b.pieces[i]))
	}
	b.pieces = nil
	return errors.Join(err, b.batches.free(b))
}

// key returns how many bytes a key has, and kernel returns a kernel for such keys.
func (b *builder) key() uint64 { return b.plan.Key() }

func (b *builder) kernel(name string) string { return fmt.Sprintf("%s_%d", name, 8*b.key()) }

// room makes room for rows of the lengths in ends, and returns how many entries they have.
func (b *builder) room(ends device.Memory, n int, starts *device.Memory) (uint64, error) {
	if err := b.alloc(starts, 8*(uint64(n)+1)); err != nil {
		return 0, err
	}
	return scan.Exclusive(b.scan, discrete.View[uint32](ends.Pointer(), n), discrete.View[uint64]((*starts).Pointer(), n+1), n)
}

// Settle makes the rows of the numbers.
func (b *builder) Settle() (r placed.Settled, err error) {
	n := uint64(b.plan.Space)
	if b.plan.Made != nil {
		if err := b.make(); err != nil {
			return r, err
		}
	}
	if err := b.alloc(&b.ends, 4*n); err != nil {
		return r, err
	}
	if b.plan.Seen {
		if err := b.alloc(&b.seen, (n+63)/64*8); err != nil {
			return r, err
		}
	}
	b.a.ends, b.a.seen = address(b.ends), address(b.seen)
	loops, parted, err := b.part()
	if err != nil {
		return r, err
	}
	count, scatter := "rows_count", b.kernel("rows_scatter")
	if parted {
		count, scatter = "rows_parted_count", b.kernel("rows_parted_scatter")
	}
	counted, err := b.overPairs(count, !parted)
	if err != nil {
		return r, err
	}
	entries, err := b.room(b.ends, b.plan.Space, &b.out.starts)
	if err != nil {
		return r, err
	}
	r.SelfLoops = loops + counted
	if b.wrapped(entries, r.SelfLoops, parted) {
		return r, placed.ErrRowTooLong
	}
	if err := b.alloc(&b.out.entries, b.key()*entries); err != nil {
		return r, err
	}
	b.a.starts, b.a.entries = address(b.out.starts), address(b.out.entries)
	if _, err := b.overPairs(scatter, false); err != nil {
		return r, err
	}
	if err := b.freePairs(); err != nil {
		return r, err
	}
	if err := b.alloc(&b.out.lengths, 4*n); err != nil {
		return r, err
	}
	b.a.lengths, b.a.bits = address(b.out.lengths), bitsOf(max(b.plan.Space, b.targets))
	if err := b.sort("settle", entries); err != nil {
		return r, err
	}
	if err := b.fold(); err != nil {
		return r, err
	}
	if err := b.s.Sync(); err != nil {
		return r, err
	}
	r.Out = pages.Uncleared[uint32](int(n))
	hugepage.Expect(r.Out)
	if err := discrete.Read(b.dev, r.Out, b.out.lengths); err != nil {
		return r, err
	}
	kept := uint64(0)
	for _, d := range r.Out {
		kept += uint64(d)
		b.out.longest = max(b.out.longest, uint64(d))
	}
	r.Duplicates = entries - kept
	if b.plan.Seen {
		r.Seen = make([]uint64, (n+63)/64)
		if err := discrete.Read(b.dev, r.Seen, b.seen); err != nil {
			return r, err
		}
	}
	if b.plan.Directed && (b.plan.Reverse || b.plan.In) {
		r.In, err = b.turn(kept)
	}
	return r, errors.Join(err, b.long.free(b))
}

// wrapped reports whether the rows have fewer entries than were counted. Then a row has 2^32 entries or more,
// and its counter wrapped around.
func (b *builder) wrapped(entries, loops uint64, parted bool) bool {
	switch {
	case parted:
		return entries != b.pieces[0].Count
	case b.plan.Directed:
		return entries != b.plan.Pairs-loops
	case !b.plan.KeepSelfLoops:
		return entries != 2*(b.plan.Pairs-loops)
	}
	return entries < b.plan.Pairs // a self-loop has one entry
}

// overPairs runs a kernel over the pairs. If counts is true, the kernel counts self-loops that it drops; if not,
// it also needs weights or ids.
func (b *builder) overPairs(kernel string, counts bool) (loops uint64, err error) {
	if b.plan.Batch > 0 {
		return b.batches.over(b, kernel, counts)
	}
	for _, p := range b.pieces {
		dropped, err := b.overPiece(p, kernel, counts)
		if err != nil {
			return 0, err
		}
		loops += dropped
	}
	return loops, nil
}

// overPiece is overPairs for some of them.
func (b *builder) overPiece(p placed.Pairs, kernel string, counts bool) (loops uint64, err error) {
	b.a.pairs, b.a.weights, b.a.wide, b.a.count = address(p.Pairs), address(p.Extras), address(p.IDs), p.Count
	if !counts {
		return 0, b.launch(kernel, blocksOf(b.a.count), nil)
	}
	var done gpu.Ticket
	if err := b.launch(kernel, blocksOf(b.a.count), &done); err != nil {
		return 0, err
	}
	mail, err := done.Wait()
	return mail.Counts[0], err
}

// bitsOf returns how many bits numbers below n have.
func bitsOf(n int) uint32 { return uint32(max(bits.Len64(uint64(max(n, 1)-1)), 1)) }

// turn counts the in-edges of edges, and builds the reverse rows if they are requested.
func (b *builder) turn(edges uint64) ([]uint32, error) {
	n := uint64(b.plan.Space)
	b.a.listed, b.a.sources = uint32(b.long.count), 0 // ends is zero
	if err := b.launch(b.kernel("rows_reverse"), blocksOf(32*n), nil); err != nil {
		return nil, err
	}
	in := make([]uint32, n)
	if err := errors.Join(b.s.Sync(), discrete.Read(b.dev, in, b.ends)); err != nil {
		return in, err
	}
	for _, d := range in {
		edges -= uint64(d)
		b.back.longest = max(b.back.longest, uint64(d))
	}
	if edges != 0 || b.back.longest > longestRow {
		return in, placed.ErrRowTooLong
	}
	if !b.plan.Reverse {
		return in, nil
	}
	if err := b.alloc(&b.back.lengths, 4*n); err != nil {
		return nil, err
	}
	if err := b.s.Copy(b.back.lengths.Pointer(), b.ends.Pointer(), 4*n); err != nil {
		return nil, err
	}
	entries, err := b.room(b.ends, b.plan.Space, &b.back.starts)
	if err != nil {
		return nil, err
	}
	if err := b.alloc(&b.back.entries, b.key()*entries); err != nil {
		return nil, err
	}
	b.a.back, b.a.sources = address(b.back.starts), address(b.back.entries)
	return in, b.launch(b.kernel("rows_reverse"), blocksOf(32*n), nil)
}
