// This file builds rows on several GPUs, as shards (placed.ShardBuilder). Each GPU has its share of the pairs. It
// groups their entries by the GPU that has the row, and within that by rows. Then each GPU reads the entries for
// its rows over the links: once to count them, once to store them. Rows belong first to numbers, x on GPU x mod the
// number of GPUs, and once all degrees are known, to vertices in the same way.

package rows

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
)

func init() {
	placed.ShardRowBuilder.Provide(func(ctx context.Context, devs placed.Sharded, p placed.Plan) (placed.ShardBuilder, error) {
		g, ok := devs.(*gpu.Group)
		if !ok || !p.Shardable() {
			return nil, fmt.Errorf("rows: %w: %s", device.ErrNotSupported, devs.Info().Name)
		}
		return newDealer(ctx, g, p)
	})
}

// dealArgs are the arguments of the kernels (deal.cuh).
type dealArgs struct {
	pairs, count, seen, begins, starts uint64
	entries, place, from, offsets      uint64
	first, none                        uint64
	post                               gpu.Post
	rows, me, devices, bits            uint32
	base, flags, stride, _             uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(dealArgs{})-144] // as in deal.cuh

const dealtSwapped = 1 << iota // a flag of dealArgs

// shardBuilder is a placed.ShardBuilder.
type shardBuilder struct {
	plan  placed.Plan
	parts []*shardPart
	bits  uint32 // of the numbers of a GPU
	share uint64 // of the pairs
	batch uint64
	fill  func(at uint64, part []byte)
}

// shardPart is the work of one GPU. It has its own builder and plan, whose Space is that GPU's vertex numbers.
type shardPart struct {
	*builder
	d     *shardBuilder
	me    int
	pairs device.Memory // a batch or a window of them
	to    device.Memory // their entries, parted
	maker *madeArgs
	ends  []uint64      // of the parts of each GPU in to
	parts device.Memory // counters
	begin device.Memory // how many entries the settled rows before each have
	count uint64        // of entries of settled rows
	place device.Memory // vertices of numbers
	loops uint64

	before  uint64 // free memory before the first allocation; 0: unknown
	old     side   // rows of numbers, while the rows of vertices are built
	oldRows int
	entries uint64 // of the rows of vertices
}

func newDealer(ctx context.Context, g *gpu.Group, p placed.Plan) (*shardBuilder, error) {
	devs := g.Devices()
	m := len(devs)
	d := &shardBuilder{plan: p, share: placed.Share(p.Pairs, m)}
	_, _, d.batch = p.ShardPhases(m, 0)
	d.bits = uint32(bits.Len64(max(placed.Share(uint64(p.Space), m), 1) - 1))
	if uint64(m)<<d.bits > 1<<32 {
		return nil, fmt.Errorf("rows: %w: %d vertices on %d GPUs", device.ErrNotSupported, p.Space, m)
	}
	for i, dev := range devs {
		own, before := p, dev.Info().MemoryFree
		own.Space = (p.Space - i + m - 1) / m
		b, err := newBuilder(ctx, dev, own)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		d.parts = append(d.parts, &shardPart{builder: b, d: d, me: i, before: before})
	}
	return d, nil
}

// Close implements placed.ShardBuilder.
func (d *shardBuilder) Close() error {
	errs := make([]error, len(d.parts))
	for i, p := range d.parts { // one GPU may still read another one's entries
		errs[i] = p.s.Wait()
	}
	for _, p := range d.parts {
		errs = append(errs, p.builder.Close())
	}
	d.parts = nil
	return errors.Join(errs...)
}

// Upload implements placed.ShardBuilder.
func (d *shardBuilder) Upload(pairs, _, _ func(at uint64, part []byte)) error {
	d.fill = pairs
	return nil
}

// each has all GPUs do something at the same time, and waits until all have.
func (d *shardBuilder) each(do func(p *shardPart) error) error {
	errs := make([]error, len(d.parts))
	var wait sync.WaitGroup
	for i, p := range d.parts {
		wait.Go(func() {
			errs[i] = panics.Call(func() error {
				if err := do(p); err != nil {
					return err
				}
				return p.s.Sync()
			})
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil { // the other GPUs' errors are mostly the same
			return err
		}
	}
	return nil
}

// Settle implements placed.ShardBuilder.
func (d *shardBuilder) Settle() (r placed.Settled, err error) {
	if err := d.each((*shardPart).prepare); err != nil {
		return r, err
	}
	batches := max((d.share+d.batch-1)/d.batch, 1)
	for k := range batches {
		if err := d.pass(k, true, "rows_parted_count"); err != nil {
			return r, err
		}
	}
	entries := make([]uint64, len(d.parts))
	if err := d.each(func(p *shardPart) error { return p.roomFor(&entries[p.me]) }); err != nil {
		return r, err
	}
	all := uint64(0)
	for i, p := range d.parts {
		r.SelfLoops += p.loops
		all += entries[i]
	}
	// rows_parted_count counts in 32 bits.
	want := d.plan.Pairs - r.SelfLoops
	if !d.plan.Directed {
		want *= 2
	}
	if d.plan.Directed || !d.plan.KeepSelfLoops {
		if all != want {
			return r, placed.ErrRowTooLong
		}
	} else if all < d.plan.Pairs { // a self-loop has one entry
		return r, placed.ErrRowTooLong
	}
	for k := range batches {
		if err := d.pass(k, batches > 1, d.parts[0].kernel("rows_parted_scatter")); err != nil {
			return r, err
		}
	}
	r.Out = pages.Uncleared[uint32](d.plan.Space)
	hugepage.Expect(r.Out)
	kept := make([]uint64, len(d.parts))
	if err := d.each(func(p *shardPart) (err error) {
		kept[p.me], err = p.settle(entries[p.me], r.Out)
		return err
	}); err != nil {
		return r, err
	}
	r.Duplicates = all
	for _, k := range kept {
		r.Duplicates -= k
	}
	if d.plan.Seen {
		if r.Seen, err = d.seen(); err != nil {
			return r, err
		}
	}
	if d.plan.In || d.plan.Reverse {
		r.In, err = d.inDegrees(all - r.Duplicates)
	}
	return r, err
}

// prepare takes what batches of pairs need.
func (p *shardPart) prepare() error {
	n, parted := uint64(p.plan.Space), uint64(16)
	if p.plan.Directed {
		parted = 8
	}
	batch := min(p.d.batch, p.d.share)
	for _, want := range []struct {
		m     *device.Memory
		bytes uint64
	}{{&p.pairs, 8 * batch}, {&p.to, parted * batch}, {&p.parts, 8 * mostParts}, {&p.builder.ends, 4 * n}} {
		if err := p.alloc(want.m, want.bytes); err != nil {
			return err
		}
	}
	if p.plan.Seen {
		if err := p.alloc(&p.seen, (uint64(p.d.plan.Space)+63)/64*8); err != nil {
			return err
		}
	}
	if p.plan.Made != nil {
		a, err := p.builder.maker()
		if err != nil {
			return err
		}
		p.maker = &a
	}
	return nil
}

// pass makes all GPUs group a batch of pairs, unless they have done so, and then makes each run a kernel over the
// entries for its rows. counts is true in the first pass.
func (d *shardBuilder) pass(k uint64, parts bool, kernel string) error {
	if parts {
		counts := kernel == "rows_parted_count"
		if err := d.each(func(p *shardPart) error { return p.bring(k, counts) }); err != nil {
			return err
		}
	}
	return d.each(func(p *shardPart) error { return p.gather(kernel) })
}

// bring makes or uploads batch k of the GPU's share of the pairs, and parts their entries.
func (p *shardPart) bring(k uint64, counts bool) error {
	from := min(uint64(p.me)*p.d.share+k*p.d.batch, p.d.plan.Pairs)
	to := max(min(from+p.d.batch, uint64(p.me+1)*p.d.share, p.d.plan.Pairs), from)
	if to > from {
		if p.maker != nil {
			p.maker.pairs, p.maker.from, p.maker.to = address(p.pairs), from, to
			if err := p.makeEdges(p.maker); err != nil {
				return err
			}
		} else if err := p.dev.Upload(p.pairs, 8*(to-from), func(at uint64, part []byte) { p.d.fill(8*from+at, part) }); err != nil {
			return err
		}
	}
	a := p.args0()
	a.pairs, a.count, a.base = address(p.pairs), to-from, p.d.plan.Base
	if counts {
		a.seen = address(p.seen)
	}
	if err := p.deal("deal_pairs", &a, a.count, nil); err != nil {
		return err
	}
	flags := p.a.flags & (directed | keepSelfLoops)
	return p.part(to-from, flags, counts)
}

// args0 returns arguments with what never changes.
func (p *shardPart) args0() dealArgs {
	return dealArgs{rows: uint32(p.plan.Space), me: uint32(p.me), devices: uint32(len(p.d.parts)), bits: p.d.bits}
}

func (p *shardPart) deal(name string, a *dealArgs, work uint64, done *gpu.Ticket) error {
	return enqueue(p.builder, name, a, &a.post, blocksOf(work), done)
}

// partsEach returns how many parts each GPU's rows are cut into.
func (d *shardBuilder) partsEach() uint32 {
	each := uint32(bits.Len32(uint32(mostParts/len(d.parts)))) - 1
	return min(each, d.bits)
}

// part distributes the entries of count pairs with sharded sources into one part per GPU, each contiguous. If
// counts is true, it also counts the self-loops that it drops.
func (p *shardPart) part(count uint64, flags uint32, counts bool) error {
	each := p.d.partsEach()
	a := partArgs{pairs: address(p.pairs), count: count, counts: address(p.parts), to: address(p.to), flags: flags,
		shift: p.d.bits - each, parts: uint32(len(p.d.parts)) << each}
	if err := p.s.Fill(p.parts.Pointer(), 0, 2*mostParts); err != nil {
		return err
	}
	var counted gpu.Ticket
	err := enqueue(p.builder, "part_count", &a, &a.post, blocksOf(count), &counted)
	if err == nil {
		err = enqueue(p.builder, "part_begin", &a, &a.post, 1, nil)
	}
	if err == nil {
		err = enqueue(p.builder, p.kernel("part_scatter"), &a, &a.post, blocksOf(count), nil)
	}
	if err != nil {
		return err
	}
	mail, err := counted.Wait()
	if err != nil {
		return err
	}
	if counts {
		p.loops += mail.Counts[0]
	}
	if err := p.s.Sync(); err != nil {
		return err
	}
	ends := make([]uint64, a.parts) // scattering made them of the beginnings
	if err := discrete.Read(p.dev, ends, p.parts); err != nil {
		return err
	}
	p.ends = p.ends[:0]
	for i := range p.d.parts {
		p.ends = append(p.ends, ends[(i+1)<<each-1])
	}
	return nil
}

// gather runs a kernel over the entries that all GPUs have for the rows of this one. It begins with the next GPU's
// entries, so that not all GPUs read from the same one.
func (p *shardPart) gather(kernel string) error {
	base := uint64(p.me) << p.d.bits // rows have sharded numbers there
	p.a.ends = address(p.builder.ends) - 4*base
	p.a.starts = address(p.out.starts) - 8*base
	p.a.entries, p.a.weights = address(p.out.entries), 0
	for k := range p.d.parts {
		from := p.d.parts[(p.me+k)%len(p.d.parts)]
		begin := uint64(0)
		if p.me > 0 {
			begin = from.ends[p.me-1]
		}
		p.a.pairs, p.a.count = address(from.to)+8*begin, from.ends[p.me]-begin
		if p.a.count == 0 {
			continue
		}
		if err := p.launch(kernel, blocksOf(p.a.count), nil); err != nil {
			return err
		}
	}
	return nil
}
