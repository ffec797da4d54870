//go:build linux && (amd64 || arm64) && !nocuda

// This file holds messages outside of calls: reports of failures, and questions whether
// a rank makes progress. They have their own communicator.

package comm

import (
	"context"
	"errors"
	"slices"
	"time"
	"unsafe"
)

// Kinds of messages.
const (
	newsFailure = iota + 1
	newsAsk     // does the receiver make progress?
	newsAnswer  // how long ago it did
	newsLeaving // the sender knows of the failure, and its process ends soon
)

// A message has a fixed size, small enough that every MPI sends it at once.
const (
	newsBytes = 1024
	newsText  = newsBytes - 5*8 // the remaining bytes, for texts
)

// news is a message.
type news struct {
	kind uint64
	rank int           // that failed
	idle time.Duration // since the sender's last progress
	code uint64        // of the cause, as in causes
	call string        // the call that the rank was in
	text string        // the cause's text
}

// causes are the causes that keep their identity on other ranks, by code-1.
var causes = []error{context.Canceled, context.DeadlineExceeded, ErrMismatch, ErrHung, ErrAborted, ErrDiffers, ErrGone}

// told is the cause of a failure that another rank reported.
type told struct {
	text  string
	cause error // one of causes, or nil
}

func (t told) Error() string { return t.text }
func (t told) Unwrap() error { return t.cause }

// failure makes a newsFailure of an error.
func failure(e *Error) news {
	m := news{kind: newsFailure, rank: e.Rank, call: e.Call, text: e.Err.Error()}
	for i, cause := range causes {
		if errors.Is(e.Err, cause) {
			m.code = uint64(i + 1)
			break
		}
	}
	return m
}

// failure makes an error of a message.
func (m news) failure() *Error {
	t := told{text: m.text}
	if m.code > 0 && m.code <= uint64(len(causes)) {
		t.cause = causes[m.code-1]
	}
	return &Error{m.rank, m.call, t}
}

func (m news) encode() *[newsBytes / 8]uint64 {
	w := new([newsBytes / 8]uint64)
	text := asBytes(w[5:])
	call := copy(text[:newsText/2], m.call)
	n := copy(text[call:], m.text)
	if n < len(m.text) {
		copy(text[newsText-3:], "...")
	}
	w[0], w[1], w[2], w[3], w[4] = m.kind, uint64(m.rank), uint64(m.idle), m.code, uint64(call)<<32|uint64(n)
	return w
}

func decode(w *[newsBytes / 8]uint64) news {
	text := asBytes(w[5:])
	call := min(w[4]>>32, newsText)
	n := min(w[4]&(1<<32-1), newsText-call)
	return news{kind: w[0], rank: int(w[1]), idle: time.Duration(w[2]), code: w[3], call: string(text[:call]), text: string(text[call : call+n])}
}

// FailureWords is the length, in words, of a failure as it is sent to another rank.
const FailureWords = newsBytes / 8

// FailureTo puts a failure into words, for FailureIn. Long texts are cut.
func FailureTo(w []uint64, e *Error) { copy(w, failure(e).encode()[:]) }

// FailureIn is the failure of words, or nil. errors.Is finds causes of this package in it.
func FailureIn(w []uint64) *Error {
	if m := decode((*[FailureWords]uint64)(w)); m.kind == newsFailure {
		return m.failure()
	}
	return nil
}

// sending is a message on its way.
type sending struct {
	*requests
	to    int
	words *[newsBytes / 8]uint64
}

// send sends a message. That a rank can't be reached isn't an error here: who
// waits for it finds out.
func (s *server) send(rank int, m news) {
	x := &sending{newRequests(s.library, 1), rank, m.encode()}
	if x.add(fnIsend, pointer(x.words), newsBytes, uintptr(s.bytes), uintptr(rank), tagNews, uintptr(s.news)) == nil {
		s.sending = append(s.sending, x)
	}
}

// tell sends the communicator's failure to all other ranks.
func (s *server) tell(e *Error) { s.tellAs(newsFailure, e) }

func (s *server) tellAs(kind uint64, e *Error) {
	if s.failed.IsZero() {
		s.failed = time.Now()
	}
	m := failure(e)
	m.kind = kind
	for rank := range s.c.size {
		if rank != s.c.rank {
			s.send(rank, m)
		}
	}
}

// attend looks for messages, answers questions, and ends the job if the
// communicator failed long ago. inCall: this rank is in a call.
func (s *server) attend(inCall bool) {
	for {
		if s.do(fnIprobe, s.anySource, tagNews, uintptr(s.news), pointer(&s.flag), pointer(&s.status)) != nil || s.flag == 0 {
			break
		}
		from := int(*(*int32)(unsafe.Add(unsafe.Pointer(&s.status), s.statusSource)))
		if s.do(fnRecv, pointer(s.post), newsBytes, uintptr(s.bytes), uintptr(from), tagNews, uintptr(s.news), s.ignoreStatus) != nil {
			break
		}
		s.receive(from, decode(s.post), inCall)
	}
	if len(s.sending) > 0 {
		kept := s.sending[:0]
		for _, x := range s.sending {
			if done, err := x.done(); !done && err == nil {
				kept = append(kept, x)
			}
		}
		s.sending = kept
	}
	if !s.failed.IsZero() && time.Since(s.failed) > lastResort {
		s.do(fnAbort, uintptr(s.world), 1)
	}
}

func (s *server) receive(from int, m news, inCall bool) {
	switch m.kind {
	case newsFailure, newsLeaving:
		if s.failed.IsZero() {
			s.failed = time.Now()
		}
		s.c.fail(m.failure())
		if m.kind == newsLeaving {
			s.c.leaving[from].Store(true)
		}
	case newsAsk:
		var e *Error
		if errors.As(s.c.Err(), &e) {
			s.send(from, failure(e))
			return
		}
		m := news{kind: newsAnswer}
		if !inCall {
			m.idle = time.Since(time.Unix(0, s.c.last.Load()))
		}
		s.send(from, m)
	case newsAnswer:
		if s.inquiry.answered != nil {
			s.inquiry.answered[from] = time.Now()
		}
		if at := time.Now().Add(-m.idle); at.After(s.heard[from]) {
			s.heard[from] = at
		}
	}
}

// inquiry is about who answers at all.
type inquiry struct {
	answered []time.Time // when each rank answered; nil: no inquiry is under way
	asked    time.Time
}

// Silent returns a rank that doesn't answer when it is asked whether it runs, or Unknown. A caller that waits for other
// ranks outside of MPI calls it between MPI calls: each call asks the ranks.
func (c *mpiJob) Silent() int {
	c.asking.Store(time.Now().UnixNano())
	return int(c.silent.Load()) - 1
}

// inquire asks the other ranks whether they run, for Silent.
func (s *server) inquire() {
	x, now, every := &s.inquiry, time.Now(), s.c.deadline/asks
	if now.Sub(time.Unix(0, s.c.asking.Load())) > unanswered*every {
		*x = inquiry{}
		return
	}
	if x.answered == nil {
		x.answered = slices.Repeat([]time.Time{now}, s.c.size)
	}
	silent, longest := Unknown, unanswered*every
	for r, at := range x.answered {
		if idle := now.Sub(at); r != s.c.rank && idle > longest {
			silent, longest = r, idle
		}
	}
	s.c.silent.Store(int64(silent) + 1)
	if now.Sub(x.asked) < every {
		return
	}
	x.asked = now
	for r := range s.c.size {
		if r != s.c.rank {
			s.send(r, news{kind: newsAsk})
		}
	}
}

// hear receives the messages that other ranks have sent. This rank calls it before it reports a failure that another
// one may have caused. The launcher continues and interrupts all ranks once the first one has ended, and that
// rank sent its failure to all before (farewell): its failure counts, not that of a rank that was interrupted or that
// heard of no other rank while it was stopped.
func (s *server) hear() {
	for i, began := 0, time.Now(); s.c.Err() == nil && (i < hearRounds || time.Since(began) < attend); i++ {
		s.attend(true)
		pause(spin)
	}
}

// interrupted returns the communicator's failure, or the error of the context, which has ended.
func (s *server) interrupted(ctx context.Context) error {
	if s.hear(); s.c.Err() != nil {
		return s.c.Err()
	}
	return ended(ctx)
}

// Leaving reports whether a rank has told this one that it knows of the failure and that its process ends soon.
func (c *mpiJob) Leaving(rank int) bool { return c.leaving[rank].Load() }

// farewell sends the failure to all ranks and waits until it is sent, since the process ends soon. A rank that
// learned of the failure from another one sends it too. So no launcher interrupts a rank that doesn't know of it.
func (s *server) farewell(e *Error) {
	if !s.leaving {
		s.leaving = true
		s.tellAs(newsLeaving, e)
	}
	for end := time.Now().Add(farewell); s.untold() && time.Now().Before(end); pause(napAfter) {
		s.attend(false)
	}
}

// untold reports whether a message is on its way to a rank that may still receive it: a hanging rank doesn't.
func (s *server) untold() bool {
	hung := Unknown
	if e := (*Error)(nil); errors.As(s.c.Err(), &e) && errors.Is(e, ErrHung) {
		hung = e.Rank
	}
	return slices.ContainsFunc(s.sending, func(x *sending) bool { return x.to != hung })
}
