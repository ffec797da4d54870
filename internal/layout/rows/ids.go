// This file numbers sparse ids on a GPU.

package rows

import (
	"errors"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/osmem/hugepage"
	"github.com/foray-graph/foray/internal/osmem/pages"
	"github.com/foray-graph/foray/internal/text"
)

// idArgs are the arguments of the kernels (ids.cuh).
type idArgs struct {
	keys, count, edges, slots, mask uint64
	found, sorted, distinct, pairs  uint64
	post                            gpu.Post
}

var _ = [1]struct{}{}[unsafe.Sizeof(idArgs{})-96] // as in ids.cuh

// idSlot is a place of the table: a key, and its rank.
type idSlot struct {
	_    uint64
	_, _ uint32
}

// Map makes the pairs of keys.
func (b *builder) Map(fill func(at uint64, part []byte), count, distinct uint64, sorting func(keys []uint64) error) (int, error) {
	a := idArgs{count: count, edges: b.plan.Pairs}
	var keys, table, found, sorted device.Memory
	if err := b.alloc(&keys, 8*count); err != nil {
		return 0, err
	}
	if err := b.dev.Upload(keys, 8*count, fill); err != nil {
		return 0, err
	}
	a.keys = address(keys)
	run := func(name string, n uint64, done *gpu.Ticket) error {
		return enqueue(b, name, &a, &a.post, blocksOf(n), done)
	}
	places := uint64(1) << bits.Len64(2*max(distinct, 16)-1)
	for ; ; places *= 2 { // grows if more keys differ than estimated
		if err := b.alloc(&table, uint64(unsafe.Sizeof(idSlot{}))*places); err != nil {
			return 0, err
		}
		a.slots, a.mask = address(table), places-1
		var inserted gpu.Ticket
		if err := run("ids_insert", count, &inserted); err != nil {
			return 0, err
		}
		mail, err := inserted.Wait()
		if err != nil {
			return 0, err
		}
		if mail.Counts[2] == 0 {
			a.distinct = mail.Counts[0] + min(mail.Counts[1], 1)
			break
		}
		if err := b.free(&table); err != nil {
			return 0, err
		}
	}
	list := pages.Uncleared[uint64](int(a.distinct))
	hugepage.Expect(list)
	list[len(list)-1] = ^uint64(0) // unless the table has as many
	if err := b.alloc(&found, 8*a.distinct); err != nil {
		return 0, err
	}
	a.found = address(found)
	var listed gpu.Ticket
	if err := run("ids_list", places, &listed); err != nil {
		return 0, err
	}
	mail, err := listed.Wait()
	if err != nil {
		return 0, err
	}
	if err := errors.Join(discrete.Read(b.dev, list[:mail.Counts[0]], found), b.free(&found)); err != nil {
		return 0, err
	}
	if err := sorting(list); err != nil {
		return 0, err
	}
	if err := b.alloc(&sorted, 8*a.distinct); err != nil {
		return 0, err
	}
	if err := discrete.Write(b.dev, sorted, list); err != nil {
		return 0, err
	}
	b.plan.Space, b.a.space = int(a.distinct), uint32(a.distinct)
	b.plan.Raw = false
	if need := b.plan.Bytes(); b.dev.Info().MemoryFree < need-min(need, 8*count+uint64(unsafe.Sizeof(idSlot{}))*places) {
		return 0, fmt.Errorf("rows: %w: %d vertices take about %s", device.ErrMemory, a.distinct, text.Bytes(need))
	}
	if err := b.newPiece(b.plan.Pairs); err != nil {
		return 0, err
	}
	a.sorted, a.pairs = address(sorted), address(b.last().Pairs)
	if err := errors.Join(run("ids_rank", a.distinct, nil), run("ids_pairs", a.edges, nil)); err != nil {
		return 0, err
	}
	return int(a.distinct), errors.Join(b.free(&keys), b.free(&table), b.free(&sorted))
}
