//go:build linux && (amd64 || arm64) && !nocuda

// This file holds circles: all ranks, or the first ones.

package comm

import "errors"

// circle is the ranks that make a call together.
type circle struct {
	data    handle // MPI's communicator of calls
	records *records
	seq     uint64 // how many calls this rank made
	closed  bool   // by leave, in the last call
}

func newCircle(l *library, data handle, rank, size int) (*circle, error) {
	r, err := newRecords(l, data, rank, size)
	return &circle{data: data, records: r}, err
}

// first makes the circle of the first ranks. The others make one too, which they free at once: MPI divides all ranks.
func (s *server) first(q *mpiCall) error {
	rank, rest := s.c.rank, 0
	if rank >= q.length {
		rest = 1
	}
	data, err := s.split(s.data, rest, rank)
	if err != nil {
		return err
	}
	if rest == 1 {
		return s.free(data)
	}
	q.made, err = newCircle(s.library, data, rank, q.length)
	return err
}

// leave frees the circle. All of its ranks are here.
func (s *server) leave() error {
	var errs []error
	for i := range s.records.n {
		errs = append(errs, s.do(fnRequestFree, s.records.at(i)))
	}
	s.closed = true
	return errors.Join(append(errs, s.free(s.data))...)
}
