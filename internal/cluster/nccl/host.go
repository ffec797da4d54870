//go:build linux && (amd64 || arm64) && !nocuda

// This file holds communicators in host memory that go over NCCL.

package nccl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// Host returns a communicator in host memory of the same ranks. It uses this communicator's stream,
// through pinned memory. All ranks must make its calls and this one's in the same
// order. The two fail together. Its Close is collective, and leaves this one open. Host is
// collective too, and there is one at a time.
//
// Between processes it has a second communicator of NCCL. A goroutine of each process uses it to
// exchange progress and failures with the others every 50 ms. As long as it is open,
// a rank between two calls may take any time, if it calls Progress, and all ranks learn of
// a failure at once, with its rank; that holds for calls of this communicator too.
func (c *Comm) Host(ctx context.Context) (comm.Comm, error) {
	if c.stage == nil {
		words := 3 + min(max(c.size, inlineLeast), inlineMost)
		s, err := newStage(c, uint64(words*wordBytes))
		if err == nil {
			c.stage = s
			err = c.team.gotMemory(ctx, c)
		}
		if err != nil {
			c.Abort(err)
			return nil, c.ending(err)
		}
	}
	if len(c.team.members) < c.size && c.team.news.Load() == nil {
		if err := c.listen(ctx); err != nil {
			return nil, c.ending(c.team.fail(asFailure(c.told(err))))
		}
	}
	return &hostComm{c: c, stage: c.stage}, nil
}

// gotMemory waits until all ranks of this process have their memory: while kernels of one wait for
// another one, an allocation may wait for these kernels.
func (t *team) gotMemory(ctx context.Context, c *Comm) error {
	if t.withMemory.Add(1) == int32(len(t.members)) {
		close(t.allMemory)
	}
	return c.until(ctx, func() (bool, error) { return isClosed(t.allMemory), nil })
}

// stage is memory between lists on the host and NCCL.
type stage struct {
	record    uint64 // bytes of a rank's record
	bytes     uint64 // of out and in each
	records   device.Memory
	out, in   device.Memory
	pinnedRec *gpu.Pinned
	pinnedOut *gpu.Pinned
	pinnedIn  *gpu.Pinned
}

func newStage(c *Comm, record uint64) (s *stage, err error) {
	s = &stage{record: record, bytes: stageBytes}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.free())
		}
	}()
	if s.records, err = c.dev.Alloc(record * uint64(c.size)); err != nil {
		return s, err
	}
	if s.pinnedRec, err = c.dev.Context().AllocHost(record * uint64(c.size)); err != nil {
		return s, err
	}
	if c.size == 1 {
		return s, nil
	}
	for _, m := range []*device.Memory{&s.out, &s.in} {
		if *m, err = c.dev.Alloc(s.bytes); err != nil {
			return s, err
		}
	}
	for _, m := range []**gpu.Pinned{&s.pinnedOut, &s.pinnedIn} {
		if *m, err = c.dev.Context().AllocHost(s.bytes); err != nil {
			return s, err
		}
	}
	// For bitmaps of any length up to that.
	if err = c.roomFor(s.bytes); err == nil {
		gathered := s.bytes
		if p := uint64(c.size); p > 2 {
			gathered = min(gathered, c.gatherMost/(p-1)/(p-2)*p)
		}
		err = c.roomFor(gathered)
	}
	return s, err
}

func (s *stage) free() (err error) {
	for _, m := range []*device.Memory{&s.records, &s.out, &s.in} {
		if *m != nil {
			err = errors.Join(err, (*m).Close())
			*m = nil
		}
	}
	for _, m := range []**gpu.Pinned{&s.pinnedRec, &s.pinnedOut, &s.pinnedIn} {
		if *m != nil {
			err = errors.Join(err, (*m).Close())
			*m = nil
		}
	}
	return err
}

// asWords are bytes of pinned memory as words.
func asWords(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/wordBytes)
}

// asBytes are the bytes of words.
func asBytes(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}

// hostComm is a comm.Comm.
type hostComm struct {
	c      *Comm
	stage  *stage
	seq    uint64
	closed atomic.Bool
}

func (h *hostComm) Rank() int             { return h.c.rank }
func (h *hostComm) Size() int             { return h.c.size }
func (h *hostComm) Progress()             { h.c.Progress() }
func (h *hostComm) Done() <-chan struct{} { return h.c.Done() }
func (h *hostComm) Err() error            { return h.c.Err() }

func (h *hostComm) Abort(cause error) {
	if !h.closed.Load() {
		h.c.Abort(cause)
	}
}

func (h *hostComm) Sum(ctx context.Context, numbers []uint64) error {
	return h.reduce(ctx, comm.OpSum, numbers)
}
func (h *hostComm) Max(ctx context.Context, numbers []uint64) error {
	return h.reduce(ctx, comm.OpMax, numbers)
}
func (h *hostComm) Or(ctx context.Context, bitmap []uint64) error {
	return h.reduce(ctx, comm.OpOr, bitmap)
}

func (h *hostComm) Barrier(ctx context.Context) error {
	return h.do(ctx, comm.OpBarrier, 0, nil, func() error { return nil })
}

func (h *hostComm) Close() error {
	if h.closed.Load() {
		return nil
	}
	err := h.do(context.Background(), comm.OpClose, 0, nil, func() error { return nil })
	if err == nil {
		err = h.c.hush()
	}
	h.closed.Store(err == nil)
	return err
}

// do makes a call. data is sent along with its record.
func (h *hostComm) do(ctx context.Context, o comm.Op, length int, data []uint64, work func() error) error {
	if h.closed.Load() {
		return comm.ErrClosed
	}
	c := h.c
	err := c.enter(ctx, call{kind: inHost, host: comm.CallOf(o, h.seq, length)})
	if err == nil {
		err = func() error {
			defer c.leave()
			h.seq++
			if err := c.mark(ctx); err != nil {
				return err
			}
			err := h.meet(ctx, data)
			if err == nil {
				err = work()
			}
			return c.told(err)
		}()
	}
	return c.ending(err)
}

// of is a rank's record: three words of its call, and data.
func (h *hostComm) of(rank int) []uint64 {
	return asWords(h.stage.pinnedRec.Bytes()[uint64(rank)*h.stage.record:][:h.stage.record])
}

// meet gathers all ranks' records, and compares their calls.
func (h *hostComm) meet(ctx context.Context, data []uint64) error {
	c, s := h.c, h.stage
	own := h.of(c.rank)
	words := c.what.host.Words()
	copy(own, words[:])
	if len(data) <= len(own)-3 {
		copy(own[3:], data)
	}
	if c.size == 1 {
		return nil
	}
	all, at := s.records.Pointer(), uint64(c.rank)*s.record
	if err := c.stream.ToDevice(all+uintptr(at), s.pinnedRec, at, s.record); err != nil {
		return err
	}
	err := c.single(func(n uintptr) (function, code) { return c.allGather(n, all+uintptr(at), all, s.record) })
	if err != nil {
		return err
	}
	if err := c.stream.ToHost(s.pinnedRec, 0, all, s.record*uint64(c.size)); err != nil {
		return err
	}
	if err := c.until(ctx, c.stream.Idle); err != nil {
		return err
	}
	calls := make([]comm.Call, c.size)
	for r := range calls {
		calls[r] = comm.CallIn([3]uint64(h.of(r)))
	}
	if e := comm.Mismatch(calls); e != nil {
		return c.team.fail(e)
	}
	return nil
}

func (h *hostComm) reduce(ctx context.Context, o comm.Op, words []uint64) error {
	return h.do(ctx, o, len(words), words, func() error {
		c, s := h.c, h.stage
		if c.size == 1 {
			return nil
		}
		if n := len(words); n <= int(s.record/wordBytes)-3 {
			copy(words, h.of(0)[3:])
			for r := 1; r < c.size; r++ {
				comm.Combine(o, words, h.of(r)[3:][:n])
			}
			return nil
		}
		for len(words) > 0 {
			part := words[:min(len(words), int(s.bytes/wordBytes))]
			words = words[len(part):]
			if err := h.piece(ctx, o, part); err != nil {
				return err
			}
		}
		return nil
	})
}

// piece reduces as many words as there is room for.
func (h *hostComm) piece(ctx context.Context, o comm.Op, words []uint64) error {
	c, s := h.c, h.stage
	n := uint64(len(words) * wordBytes)
	at := s.out.Pointer()
	copy(s.pinnedOut.Bytes(), asBytes(words))
	err := c.stream.ToDevice(at, s.pinnedOut, 0, n)
	switch {
	case err != nil:
	case o == comm.OpOr && c.gathers(n):
		err = c.uniteGathered(at, n)
	case o == comm.OpOr:
		err = c.uniteOwned(at, n)
	default:
		how := uintptr(reduceSum)
		if o == comm.OpMax {
			how = reduceMax
		}
		err = c.single(func(x uintptr) (function, code) { return c.allReduce(x, at, len(words), how) })
	}
	if err == nil {
		err = c.stream.ToHost(s.pinnedOut, 0, at, n)
	}
	if err == nil {
		err = c.until(ctx, c.stream.Idle)
	}
	if err == nil {
		copy(words, asWords(s.pinnedOut.Bytes()))
	}
	return err
}

func (h *hostComm) Exchange(ctx context.Context, out [][]byte) (in [][]byte, err error) {
	c := h.c
	if len(out) != c.size {
		err := comm.WrongLists(len(out), c.size)
		h.Abort(err)
		return nil, err
	}
	lengths := make([]uint64, c.size)
	for r, list := range out {
		lengths[r] = uint64(len(list))
	}
	err = h.do(ctx, comm.OpExchange, 0, lengths, func() error {
		counts, err := h.counts(ctx, lengths)
		if err != nil {
			return err
		}
		in = make([][]byte, c.size)
		for r, n := range counts {
			if n > 1<<47 {
				return c.team.fail(&comm.Error{Rank: r, Err: fmt.Errorf("it sends a list of %d bytes", n)})
			}
			if r != c.rank {
				in[r] = make([]byte, n)
			}
		}
		in[c.rank] = bytes.Clone(out[c.rank])
		return h.lists(ctx, out, in)
	})
	if err != nil {
		return nil, err
	}
	return in, nil
}

// counts returns the lengths of the incoming lists. It takes them from the records if these have room.
func (h *hostComm) counts(ctx context.Context, lengths []uint64) ([]uint64, error) {
	c := h.c
	in := make([]uint64, c.size)
	if c.size <= int(h.stage.record/wordBytes)-3 {
		for r := range in {
			in[r] = h.of(r)[3+c.rank]
		}
		return in, nil
	}
	copy(asWords(c.pinned.Bytes()), lengths)
	out, to := c.word(wordsOut), c.word(wordsIn)
	err := c.stream.ToDevice(out, c.pinned, 0, c.block())
	if err == nil {
		err = c.messages(func(r int) (List, List) {
			off := uintptr(r * wordBytes)
			return List{out + off, wordBytes}, List{to + off, wordBytes}
		})
	}
	if err == nil {
		err = c.stream.ToHost(c.pinned, c.block(), to, c.block())
	}
	if err == nil {
		err = c.until(ctx, c.stream.Idle)
	}
	copy(in, asWords(c.pinned.Bytes()[c.block():]))
	return in, err
}

// lists sends and receives lists in rounds. The lists of a round are contiguous in the pinned memory.
func (h *hostComm) lists(ctx context.Context, out, in [][]byte) error {
	c, s := h.c, h.stage
	most := 0
	for r := range out {
		if r != c.rank {
			most = max(most, len(out[r]), len(in[r]))
		}
	}
	if most == 0 {
		return nil
	}
	slot := int(s.bytes/uint64(c.size-1)) &^ 15 // both ends of a list cut it alike
	parts := make([][2]List, c.size)
	cut := func(list []byte, from int) []byte { return list[min(from, len(list)):min(from+slot, len(list))] }
	for from := 0; from < most; from += slot {
		var sent, got uint64
		for r := range out {
			parts[r] = [2]List{}
			if r == c.rank {
				continue
			}
			o, i := cut(out[r], from), cut(in[r], from)
			copy(s.pinnedOut.Bytes()[sent:], o)
			parts[r] = [2]List{{s.out.Pointer() + uintptr(sent), uint64(len(o))}, {s.in.Pointer() + uintptr(got), uint64(len(i))}}
			sent += (uint64(len(o)) + 15) &^ 15
			got += (uint64(len(i)) + 15) &^ 15
		}
		var err error
		if sent > 0 {
			err = c.stream.ToDevice(s.out.Pointer(), s.pinnedOut, 0, sent)
		}
		if err == nil {
			err = c.messages(func(r int) (List, List) { return parts[r][0], parts[r][1] })
		}
		if err == nil && got > 0 {
			err = c.stream.ToHost(s.pinnedIn, 0, s.in.Pointer(), got)
		}
		if err == nil {
			err = c.until(ctx, c.stream.Idle)
		}
		if err != nil {
			return err
		}
		for r := range in {
			if i := parts[r][1]; i.Bytes > 0 {
				copy(cut(in[r], from), s.pinnedIn.Bytes()[i.At-s.in.Pointer():][:i.Bytes])
			}
		}
	}
	return nil
}
