// This file holds how a GPU brings its part of an array to others.

package traverse

import (
	"github.com/foray-graph/foray/internal/gpu"
)

// exchangeArgs are ExchangeArgs of exchange.cu.
type exchangeArgs struct {
	from     uint64
	to       [gpu.MostPeers]uint64
	where    uint64
	n        uint64
	count, _ uint32
}

// send enqueues the copy of so many bytes, rounded up to 16, to some other GPUs, whose memory this one reaches: all
// of them, or, if where isn't 0, 16 at a time where there isn't 0 as far behind it.
func send(s *gpu.Stream, from, where uintptr, to []uintptr, bytes uint64) error {
	k, err := s.Kernel(exchangeImage, "traverse_exchange")
	if err != nil {
		return err
	}
	x := exchangeArgs{from: uint64(from), where: uint64(where), n: (bytes + 15) / 16, count: uint32(len(to))}
	for i, at := range to {
		x.to[i] = uint64(at)
	}
	args := gpu.Args{}
	gpu.Struct(&args, &x)
	return s.Launch(k, int((x.n+255)/256), &args)
}
