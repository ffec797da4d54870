// This file handles GPUs with too little memory for their part.

package engine

import (
	"context"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/text"
)

// NoRoom reports that the GPU of a rank has too little memory, so that no part is on a GPU. PlaceOn returns it on all
// ranks, which still can search on hosts.
type NoRoom struct {
	Rank        int // the first one that lacks memory
	Needs, Free uint64
}

func (e *NoRoom) Error() string {
	return fmt.Sprintf("%v: %s; start more ranks on more GPUs, or search on hosts", device.ErrMemory, e.Reason())
}

// Reason is the error without what to do.
func (e *NoRoom) Reason() string {
	return fmt.Sprintf("rank %d's part takes %s of its GPU's memory, %s more than is free", e.Rank, text.Bytes(e.Needs), text.Bytes(e.Needs-min(e.Needs, e.Free)))
}

func (e *NoRoom) Unwrap() error { return device.ErrMemory }

// agree returns the NoRoom of the first rank that has one, on all ranks.
func agree(ctx context.Context, c comm.Comm, own *NoRoom) (*NoRoom, error) {
	lacks := []uint64{0} // how many ranks there are from the first that lacks memory
	if own != nil {
		lacks[0] = uint64(c.Size() - c.Rank())
	}
	if err := c.Max(ctx, lacks); err != nil || lacks[0] == 0 {
		return nil, err
	}
	e := &NoRoom{Rank: c.Size() - int(lacks[0])}
	sizes := make([]uint64, 2)
	if e.Rank == c.Rank() {
		sizes = []uint64{own.Needs, own.Free}
	}
	err := c.Sum(ctx, sizes)
	e.Needs, e.Free = sizes[0], sizes[1]
	return e, err
}
