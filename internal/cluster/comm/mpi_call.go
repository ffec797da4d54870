//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the steps of a call: records, which describe each rank's call,
// then the data that doesn't fit in them.

package comm

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// A record is sent by each rank to each other rank at the start of a call:
//
//	0  recordMagic and the op
//	1  how many calls the rank made before
//	2  the length of its slice, or in Exchange of the list for this rank in bytes
//	3  the numbers or the list, if short
const (
	recordWords = 8
	recordBytes = recordWords * 8
	recordMagic = 0x464f5259 // changes with the layout
	inlineWords = recordWords - 3
	inlineBytes = inlineWords * 8
)

// Tags of messages.
const (
	tagRecord = 1
	tagList   = 2
	tagNews   = 3
)

// records are the records of a call, with the requests that send and receive them.
// The requests are created once and started for each call. Records between a rank and
// itself aren't sent.
type records struct {
	*requests
	rank, size int
	out, in    []uint64
}

func newRecords(l *library, c handle, rank, size int) (*records, error) {
	r := &records{newRequests(l, 2*(size-1)), rank, size, make([]uint64, size*recordWords), make([]uint64, size*recordWords)}
	for _, side := range []struct {
		f     function
		words []uint64
	}{{fnRecvInit, r.in}, {fnSendInit, r.out}} {
		for other := range size {
			if other == rank {
				continue
			}
			if err := r.add(side.f, pointer(&side.words[other*recordWords]), recordBytes, uintptr(l.bytes), uintptr(other), tagRecord, uintptr(c)); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// of returns a rank's record.
func (r *records) of(words []uint64, rank int) []uint64 {
	return words[rank*recordWords : (rank+1)*recordWords : (rank+1)*recordWords]
}

// start sends and receives the records of some ranks, or of all for nil.
func (r *records) start(ranks []int) error {
	if r.n == 0 {
		return nil
	}
	if ranks == nil {
		return r.l.do(fnStartall, uintptr(r.n), r.at(0))
	}
	for _, rank := range ranks {
		if rank == r.rank {
			continue
		}
		for _, at := range []int{r.index(rank), r.size - 1 + r.index(rank)} {
			if err := r.l.do(fnStartall, 1, r.at(at)); err != nil {
				return err
			}
		}
	}
	return nil
}

// index returns the position of another rank's request among those that receive records; requests that send are in
// the same order.
func (r *records) index(rank int) int {
	if rank > r.rank {
		rank--
	}
	return rank
}

// missing reports whether a rank's record hasn't come, or it hasn't taken this rank's: one that stopped may have
// done only the first.
func (r *records) missing(rank int) bool {
	i := r.index(rank)
	return !r.doneOne(i) || !r.doneOne(r.size-1+i)
}

// asBytes are the bytes of words.
func asBytes(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// run makes a call from its beginning to its end.
func (s *server) run(q *mpiCall) error {
	if q.ctx.Err() != nil {
		return s.interrupted(q.ctx)
	}
	s.circle = q.circle
	r := s.records
	for rank := range r.size {
		w := r.of(r.out, rank)
		w[0], w[1], w[2] = recordMagic<<32|uint64(q.op), q.seq, uint64(q.length)
		if q.op == opExchange {
			w[2] = uint64(len(q.out[rank]))
			if len(q.out[rank]) <= inlineBytes {
				copy(asBytes(w[3:]), q.out[rank])
			}
		} else if q.length <= inlineWords {
			copy(w[3:], q.words)
		}
	}
	copy(r.of(r.in, r.rank), r.of(r.out, r.rank))
	if err := r.start(q.among); err != nil {
		return err
	}
	if err := s.wait(q, r.done, r.missing); err != nil {
		return err
	}
	if err := s.agree(q); err != nil {
		return err
	}
	switch q.op {
	case opSum, opMax, opOr:
		return s.reduce(q)
	case opExchange:
		return s.exchange(q)
	case opFirst:
		return s.first(q)
	case opClose:
		if s.circle != s.c.all {
			return s.leave()
		}
		return s.finalize()
	}
	return nil
}

// agree looks whether all ranks that this one hears of are in the same call.
func (s *server) agree(q *mpiCall) error {
	r := s.records
	calls, than := make([]call, r.size), 0
	if q.among != nil {
		than = r.rank
	}
	for rank := range calls {
		w := r.of(r.in, rank)
		if q.among != nil && rank != r.rank && !slices.Contains(q.among, rank) {
			calls[rank] = q.call
			clear(w) // it sends nothing
			continue
		}
		if w[0]>>32 != recordMagic {
			return &Error{Rank: rank, Err: fmt.Errorf("%w: it sends what this version of Foray doesn't understand; install the same everywhere", ErrDiffers)}
		}
		calls[rank] = call{op(uint32(w[0])), w[1], int(w[2])}
		if calls[rank].op == opExchange {
			calls[rank].length = 0
		}
	}
	if e := mismatch(calls, than); e != nil {
		return e
	}
	return nil
}

// reduce reduces words of all ranks.
func (s *server) reduce(q *mpiCall) error {
	r := s.records
	if q.length <= inlineWords {
		copy(q.words, r.of(r.in, 0)[3:])
		for rank := 1; rank < r.size; rank++ {
			combine(q.op, q.words, r.of(r.in, rank)[3:3+q.length])
		}
		return nil
	}
	o, kind, flip := s.sum, s.words, uint64(0)
	switch q.op {
	case opOr:
		o = s.or
	case opMax:
		// Some releases of MPICH 4.0 and Open MPI 4.1 compute the maximum of unsigned
		// numbers as if they were signed (pmodels/mpich 6083, open-mpi/ompi 10525). With
		// the highest bit flipped, signed numbers have the order of unsigned ones.
		o, kind, flip = s.max, s.signed, 1<<63
	}
	if n := min(q.length, reducePiece); len(s.scratch) < n {
		s.scratch = make([]uint64, n)
	}
	for from := 0; from < q.length; from += reducePiece {
		// Reduce into a separate buffer: if the call fails, MPI may write there later.
		part := q.words[from:min(from+reducePiece, q.length)]
		if flip != 0 {
			for i := range part {
				part[i] ^= flip
			}
		}
		one := newRequests(s.library, 1)
		s.held = append(s.held[:0], one)
		if err := one.add(fnIallreduce, pointer(&part[0]), pointer(&s.scratch[0]), uintptr(len(part)), uintptr(kind), uintptr(o), uintptr(s.data)); err != nil {
			return err
		}
		if err := s.wait(q, one.done, nil); err != nil {
			return err
		}
		for i, w := range s.scratch[:len(part)] {
			part[i] = w ^ flip
		}
	}
	return nil
}

// exchange sends and receives the lists that aren't in records.
func (s *server) exchange(q *mpiCall) error {
	r := s.records
	in := make([][]byte, r.size)
	waves := 0
	for rank := range in {
		n := r.of(r.in, rank)[2]
		if n > 1<<47 {
			return &Error{Rank: rank, Err: fmt.Errorf("it sends a list of %d bytes", n)}
		}
		if rank == r.rank {
			in[rank] = bytes.Clone(q.out[rank])
			continue
		}
		in[rank] = make([]byte, n)
		if n <= inlineBytes {
			copy(in[rank], asBytes(r.of(r.in, rank)[3:]))
		}
		waves = max(waves, pieces(int(n)), pieces(len(q.out[rank])))
	}
	// A piece of each list at a time, since MPI copies all posted pieces within one call.
	for wave := 0; wave < waves; wave++ {
		if err := s.exchangePieces(q, in, wave); err != nil {
			return err
		}
	}
	q.in = in
	return nil
}

// pieces is of how many pieces a list is that isn't in its record.
func pieces(n int) int {
	if n <= inlineBytes {
		return 0
	}
	return (n + exchangePiece - 1) / exchangePiece
}

// exchangePieces sends and receives a piece of each list that is so long.
func (s *server) exchangePieces(q *mpiCall, in [][]byte, wave int) error {
	r := s.records
	all := newRequests(s.library, 2*(r.size-1))
	s.held = append(s.held[:0], all, in)
	for _, side := range []struct {
		f     function
		lists [][]byte
	}{{fnIrecv, in}, {fnIsend, q.out}} {
		for i := range r.size {
			rank := (r.rank + i) % r.size // not all to rank 0 first
			list := side.lists[rank]
			if rank == r.rank || wave >= pieces(len(list)) {
				continue
			}
			part := list[wave*exchangePiece:]
			part = part[:min(len(part), exchangePiece)]
			if err := all.add(side.f, pointer(&part[0]), uintptr(len(part)), uintptr(s.bytes), uintptr(rank), tagList, uintptr(s.data)); err != nil {
				return err
			}
			s.attend(true) // the call may have copied a piece
		}
	}
	return s.wait(q, all.done, nil)
}

// finalize gives everything back. All ranks are here.
func (s *server) finalize() error {
	return errors.Join(s.leave(), s.free(s.news), s.do(fnFinalize))
}
