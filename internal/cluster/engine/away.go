// This file holds how rows that a GPU built stay there, and how they are copied to the host on demand.
// For such a part the host has offsets, vertex numbers and delegates, which suffice for searches on GPUs.

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
)

// elsewhere has targets of rows that the host lacks.
type elsewhere interface {
	// fetch copies the rows of subgraphs to the host. All ranks call it.
	fetch(ctx context.Context, p *Part, which []int) error
	free() error
}

// names are the names of the subgraphs.
var names = [subgraphs]string{subND: "nd", subDD: "dd", subDN: "dn", subNN: "nn"}

// errClosed is the error of rows that were on a GPU when the part was closed.
var errClosed = errors.New("the part was closed, and its rows were on a GPU: build it again")

// bring brings targets of subgraphs to the host, as far as they aren't there. All ranks call it.
func (p *Part) bring(ctx context.Context, which ...int) error {
	which = p.lacking(which)
	if len(which) == 0 {
		return nil
	}
	if err := p.roomToBring(ctx, which); err != nil {
		return err
	}
	return p.fetch(ctx, which)
}

// lacking returns the subgraphs whose targets the host lacks; they are the same on all ranks.
func (p *Part) lacking(which []int) (absent []int) {
	for _, i := range which {
		if p.absent[i] {
			absent = append(absent, i)
		}
	}
	return absent
}

// roomToBring returns an error, the same on all ranks, if the host of a rank has too little memory.
func (p *Part) roomToBring(ctx context.Context, which []int) error {
	need := uint64(0)
	for _, i := range which {
		need += [subgraphs]uint64{subND: p.nd.targetBytes(), subDD: p.dd.targetBytes(), subDN: p.dn.targetBytes(), subNN: p.nn.targetBytes()}[i]
		if i == subNN {
			need += 2 * nearBytes * uint64(p.local) // numbers on GPUs, of this rank and one other rank
		}
	}
	if p.limit > 0 {
		need += p.Stats.Foretold
	}
	_, lacks, short, err := memory(ctx, p.comm, budget{Free: p.limit, Given: p.limit > 0, Needs: []uint64{need}})
	if err == nil && lacks >= 0 {
		err = &comm.Error{Rank: lacks, Err: fmt.Errorf("%w: parents, checks and searches on hosts need edges that GPUs have: %s", device.ErrMemory, short)}
	}
	return err
}

func (p *Part) fetch(ctx context.Context, which []int) error {
	if p.away == nil {
		return errClosed
	}
	defer comm.Working(p.team.progress)()
	if err := p.away.fetch(ctx, p, which); err != nil {
		return fmt.Errorf("bringing edges from the GPU: %w", err)
	}
	for _, i := range which {
		p.absent[i] = false
	}
	return nil
}

// leave gives back the memory elsewhere.
func (p *Part) leave() error {
	if p.away == nil {
		return nil
	}
	err := p.away.free()
	p.away = nil
	return err
}

// Close frees the part's memory on a GPU. If the part is placed on one (Place), close that first. A part whose
// rows were copied to the host can still be searched there.
func (p *Part) Close() (err error) {
	if _, host := p.engine.(hostSearch); !host {
		err = p.engine.(io.Closer).Close()
	}
	return errors.Join(err, p.leave())
}
