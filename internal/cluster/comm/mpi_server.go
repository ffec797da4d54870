//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the thread that makes all calls of MPI.

package comm

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// server belongs to the thread.
type server struct {
	*library
	c *mpiJob

	*circle          // the ranks of the call that is under way
	news    handle   // the communicator of failures and questions
	scratch []uint64 // what words are reduced into

	post    *[newsBytes / 8]uint64 // a message that comes in
	sending []*sending
	heard   []time.Time // when each rank last made progress, as far as it reported
	failed  time.Time   // when the communicator failed
	inquiry inquiry
	leaving bool  // farewell was called
	held    []any // what MPI may still read or write after a failure
}

// serve opens MPI, sends the result to ready, and serves calls until Close.
func serve(c *mpiJob, st start, ready chan<- error) {
	runtime.LockOSThread()
	// In the end the thread goes back to Go. When it ended instead, processes crashed
	// with Open MPI 4.1 in half of the runs, after MPI_Finalize.
	defer runtime.UnlockOSThread()
	s := &server{c: c}
	if err := s.open(st); err != nil {
		ready <- err
		return
	}
	c.Progress()
	ready <- nil
	tick := time.NewTicker(attend)
	defer tick.Stop()
	for {
		select {
		case q := <-c.calls:
			err := s.serve(q)
			if q.op == opClose && q.circle == c.all && err == nil {
				close(c.closed)
				q.finished <- nil
				return
			}
			q.finished <- err
		case e := <-c.aborts:
			s.tell(e)
		case heard := <-c.hear:
			s.hear()
			close(heard)
		case <-tick.C:
			s.attend(false)
			s.inquire()
		}
	}
}

func (s *server) open(st start) (err error) {
	restore, err := keepSignals()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, restore()) }()
	if s.library, err = openLibrary(st.libraries); err != nil {
		return err
	}
	l := s.library
	if err := l.do(fnInitialized, pointer(&l.flag)); err != nil {
		return err
	}
	if l.flag != 0 {
		return errors.New("MPI was initialized by something else in this process")
	}
	if err := l.do(fnInitThread, 0, 0, threadFunneled, pointer(&l.count)); err != nil {
		return err
	}
	if l.count < threadFunneled {
		return fmt.Errorf("%s allows no other threads in the process", l.path)
	}
	c := s.c
	if c.rank, err = l.intOf(fnCommRank, l.world); err != nil {
		return err
	}
	if c.size, err = l.intOf(fnCommSize, l.world); err != nil {
		return err
	}
	if st.size > 0 && (c.size != st.size || c.rank != st.rank) {
		version, _ := l.version()
		l.do(fnFinalize)
		return fmt.Errorf("to %s this is rank %d of %d, but MPI says rank %d of %d: %s isn't the launcher's library; set FORAY_MPI to that (opened was %.60q)",
			st.launcher, st.rank, st.size, c.rank, c.size, l.path, version)
	}
	// Errors come back as codes, of calls without a communicator too.
	if err := l.do(fnSetErrhandler, uintptr(l.world), uintptr(l.returnErrors)); err != nil {
		return err
	}
	if s.news, err = l.duplicate(l.world); err != nil {
		return err
	}
	s.post = new([newsBytes / 8]uint64)
	s.heard = make([]time.Time, c.size)
	c.leaving = make([]atomic.Bool, c.size)
	data, err := l.duplicate(l.world)
	if err != nil {
		return err
	}
	c.all, err = newCircle(l, data, c.rank, c.size)
	return err
}

// serve makes a call.
func (s *server) serve(q *mpiCall) error {
	if err := s.c.Err(); err != nil {
		select {
		case e := <-s.c.aborts:
			s.tell(e)
		default:
		}
		var e *Error
		if q.op == opClose && q.circle == s.c.all && errors.As(err, &e) {
			s.farewell(e)
		}
		return err
	}
	err := s.run(q)
	if err == nil {
		s.held = nil
		return nil
	}
	s.held = append(s.held, q)
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{s.c.rank, q.call.String(), err}
	}
	if s.c.fail(e) {
		s.tell(e)
	}
	return s.c.Err()
}

// wait makes tests until done, and does everything else meanwhile. missing
// reports whether a rank is one that it waits for; nil if that isn't known.
func (s *server) wait(q *mpiCall, done func() (bool, error), missing func(rank int) bool) error {
	since := time.Now()
	asked, looked := since, since
	ask := max(s.c.deadline/asks, 1)
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		s.attend(true)
		if err := s.c.Err(); err != nil {
			return err
		}
		select {
		case <-q.ctx.Done():
			return s.interrupted(q.ctx)
		default:
		}
		select {
		case heard := <-s.c.hear:
			s.hear()
			close(heard)
		default:
		}
		now := time.Now()
		pause(now.Sub(since))
		if now.Sub(looked) < ask/looks {
			continue
		}
		if paused := now.Sub(looked); paused > ask { // this rank was stopped, and couldn't hear of the others
			for r := range s.heard {
				s.heard[r] = s.heard[r].Add(paused)
			}
			since = since.Add(paused)
		}
		looked = now
		question := now.Sub(asked) >= ask
		if question {
			asked = now
		}
		for r := range s.records.size {
			if r == s.c.rank || missing != nil && !missing(r) {
				continue
			}
			if s.heard[r].Before(since) {
				s.heard[r] = since
			}
			if now.Sub(s.heard[r]) > s.c.deadline {
				if s.hear(); s.c.Err() != nil {
					return s.c.Err()
				}
				if idle := now.Sub(s.heard[r]); idle > s.c.deadline {
					return &Error{Rank: r, Err: hung(idle)}
				}
			}
			if question {
				s.send(r, news{kind: newsAsk})
			}
		}
	}
}

// pause yields, for longer the longer the wait has been.
func pause(waited time.Duration) {
	switch {
	case waited < spin:
		syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
		return
	case waited < napAfter:
		waited = nap
	default:
		waited = napLong
	}
	t := syscall.NsecToTimespec(int64(waited))
	syscall.Nanosleep(&t, nil) // if a signal ends it early, the wait tests early
}
