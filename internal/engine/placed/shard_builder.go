// This file holds what several devices do to build a graph that is sharded over them.

package placed

import (
	"context"

	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/linked"
)

// listShare is how many entries of a device there are for each byte that lists of rows take which a warp doesn't sort:
// 4 bytes for a row of more than 256 entries (warpRow of internal/layout/rows), so one for 64, and as much again for
// lists of longer rows and for rows that aren't quite so long.
const listShare = 32

// ShardBuilder makes rows on several devices, each of which ends up with the rows of its vertices: Upload,
// unless the plan says who makes the pairs, Settle, Shard, in this order, then Close, which gives back what Shard doesn't
// hand over. Neither the host nor a device ever has all pairs or all entries.
type ShardBuilder interface {
	Settler // Settle calls what Upload gets, from several goroutines
	// Shard makes the parts of a, whose fields but memory are set, after Settle. place has the vertex of
	// each number that has an edge, and nil means the number itself; out and in are the offsets of all rows, in nil
	// where in-edges aren't wanted or are the out-edges. What it made stays a's where it fails.
	Shard(place []uint32, a *Shards, out, in []uint64) error
}

// ShardRowBuilder returns a ShardBuilder on several devices, whose context is ctx. p.Batch is 0, or how many pairs a
// device has at a time.
var ShardRowBuilder = linked.Part[func(ctx context.Context, devs Sharded, p Plan) (ShardBuilder, error)]{
	Name: RowBuilder.Name, Import: RowBuilder.Import}

// Shardable reports whether rows of the plan can be made as shards: edges have nothing but their ends.
func (p *Plan) Shardable() bool { return p.Key() == 4 && !p.Raw }

// Share returns how many of n things one of so many devices has at most.
func Share(n uint64, devices int) uint64 { return (n + uint64(devices) - 1) / uint64(devices) }

// ShardBytes returns what one of so many devices takes of its memory at most while rows are made as shards, if
// edges are shared out evenly.
func (p *Plan) ShardBytes(devices int) uint64 {
	pairs := Share(p.Pairs, devices)
	entries := pairs
	if !p.Directed {
		entries *= 2
	}
	return p.shard(devices, entries)
}

// shard is ShardBytes for a device with so many entries.
func (p *Plan) shard(devices int, entries uint64) uint64 {
	first, second, _ := p.ShardPhases(devices, entries)
	return max(first, second)
}

// ShardPhases returns what a device with so many entries takes at most while rows of numbers are made, and
// while they become those of vertices; batch is how many pairs it has at a time.
func (p *Plan) ShardPhases(devices int, entries uint64) (settling, dealing, batch uint64) {
	batch = Share(p.Pairs, devices)
	if p.Batch > 0 {
		batch = min(batch, p.Batch)
	}
	rows := Share(uint64(p.Space), devices)
	parted := uint64(8)
	sides := uint64(1)
	if !p.Directed {
		parted = 16
	}
	if p.Reverse {
		sides = 2
	}
	n, window := uint64(p.Space), ShardWindow(entries)
	spare := entries/listShare + min(4*entries, tuning.SpareBytes) + tuning.ShardRest
	settling = (8+parted)*batch + 4*entries + (8+4+4)*rows + n/8 + spare
	if p.In || p.Reverse { // counted by what rows become pairs in
		settling = max(settling, 16*window+4*entries+(8+4+4+8)*rows+n/8+spare)
	}
	dealing = 4*entries*(1+sides) + 16*window + 4*n + (8+4+8)*rows + sides*(8+8+4+4)*rows + 5*rows + spare
	return settling, dealing, batch
}

// ShardWindow returns how many of a device's entries become pairs at a time.
func ShardWindow(entries uint64) uint64 { return max(min(entries, tuning.ShardWindow), 1) }
