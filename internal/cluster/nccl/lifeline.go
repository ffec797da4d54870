//go:build linux && (amd64 || arm64) && !nocuda

// This file holds connections between processes that were started without MPI. Each rank has one to rank 0, from the begin
// to the end. A rank whose process ends without a farewell, or gives no sign of life, is named. NCCL can't name it.

package nccl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// A frame is its kind, and as many bytes as the kind has.
const (
	frameHello    = 'h' // helloBytes: of a rank to rank 0, once
	frameID       = 'i' // idBytes: of rank 0, once all ranks are there
	frameAlive    = 'a'
	frameFailure  = 'f' // the words of a failure
	frameFarewell = 'e'
	frameLeaving  = 'l' // the sender knows of the failure, and its process ends soon
)

const (
	helloMagic = "forayncc" // changes with the frames
	helloBytes = len(helloMagic) + 2*wordBytes
)

// lifeline is a rank's end of the connections.
type lifeline struct {
	rank, size int
	limit      time.Duration // without a sign of life
	listener   net.Listener  // of rank 0, until all ranks are there

	mu     sync.Mutex
	ends   []*lifeEnd // by rank; of ranks other than 0 only rank 0's
	id     *uniqueID
	closed bool
	err    *comm.Error
	fails  []func(*comm.Error) // who is told

	all    chan struct{} // closed when all ranks are there
	came   chan struct{} // closed with the id
	failed chan struct{} // closed with err
	stop   chan struct{}
}

// lifeEnd is a connection.
type lifeEnd struct {
	conn  net.Conn
	write sync.Mutex
	heard time.Time
	left  bool // with a farewell
	ends  bool // after a failure
}

// newLifeline begins to connect. It doesn't wait for other ranks.
func newLifeline(ctx context.Context, address string, rank, size int, deadline time.Duration) (*lifeline, error) {
	l := &lifeline{rank: rank, size: size, limit: deadline - deadline/lifeMargin, ends: make([]*lifeEnd, size)}
	for _, c := range []*chan struct{}{&l.all, &l.came, &l.failed, &l.stop} {
		*c = make(chan struct{})
	}
	if rank > 0 {
		go l.dial(ctx, address)
	} else {
		listen := net.ListenConfig{}
		var err error
		if l.listener, err = listen.Listen(ctx, "tcp", address); errors.Is(err, syscall.EADDRNOTAVAIL) { // the name of a service
			_, port, _ := net.SplitHostPort(address)
			l.listener, err = listen.Listen(ctx, "tcp", ":"+port)
		}
		if err != nil {
			return nil, fmt.Errorf("nccl: rank 0 can't be reached at %s: %w", address, err)
		}
		if size == 1 {
			l.listener.Close()
			close(l.all)
		}
		go l.accept()
	}
	go l.watch()
	return l, nil
}

// dial connects to rank 0, which may come later.
func (l *lifeline) dial(ctx context.Context, address string) {
	for d := (net.Dialer{Timeout: time.Second}); ; sleep(dialEvery) {
		select {
		case <-l.stop:
			return
		default:
		}
		conn, err := d.DialContext(ctx, "tcp", address)
		if err != nil {
			continue
		}
		hello := append([]byte{frameHello}, helloMagic...)
		hello = binary.LittleEndian.AppendUint64(hello, uint64(l.rank))
		hello = binary.LittleEndian.AppendUint64(hello, uint64(l.size))
		if l.join(0, conn, hello) {
			l.read(0)
		}
		return
	}
}

// join adds a connection, and sends a first frame.
func (l *lifeline) join(rank int, conn net.Conn, first []byte) bool {
	e := &lifeEnd{conn: conn, heard: time.Now()}
	l.mu.Lock()
	if l.closed || l.ends[rank] != nil {
		l.mu.Unlock()
		conn.Close()
		return false
	}
	l.ends[rank] = e
	failure := l.err
	there := 0
	for _, x := range l.ends {
		if x != nil {
			there++
		}
	}
	l.mu.Unlock()
	if first != nil {
		e.send(first)
	}
	if failure != nil {
		e.send(failureFrame(failure))
	}
	if l.rank == 0 && there == l.size-1 {
		l.listener.Close()
		close(l.all)
	}
	return true
}

// accept takes the ranks that connect to rank 0.
func (l *lifeline) accept() {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			sleep(dialEvery)
			continue
		}
		go func() {
			hello := make([]byte, 1+helloBytes)
			conn.SetReadDeadline(time.Now().Add(helloWithin))
			_, err := io.ReadFull(conn, hello)
			if err != nil || string(hello[:1+len(helloMagic)]) != string(frameHello)+helloMagic { // no rank
				conn.Close()
				return
			}
			conn.SetReadDeadline(time.Time{})
			words := hello[1+len(helloMagic):]
			rank, size := binary.LittleEndian.Uint64(words), binary.LittleEndian.Uint64(words[wordBytes:])
			var why error
			switch {
			case size != uint64(l.size):
				why = fmt.Errorf("%w: it is rank %d of %d, and rank 0 is of %d", comm.ErrDiffers, rank, size, l.size)
			case rank == 0 || rank >= size:
				why = fmt.Errorf("%w: two processes are rank %d", comm.ErrDiffers, rank)
			case !l.join(int(rank), conn, nil):
				why = fmt.Errorf("%w: two processes are rank %d", comm.ErrDiffers, rank)
			default:
				l.read(int(rank))
				return
			}
			l.fail(&comm.Error{Rank: int(min(rank, uint64(l.size))), Err: why})
		}()
	}
}

// read takes what comes from a rank until the connection ends.
func (l *lifeline) read(rank int) {
	l.mu.Lock()
	e := l.ends[rank]
	l.mu.Unlock()
	lengths := map[byte]int{frameAlive: 0, frameFarewell: 0, frameLeaving: 0, frameID: idBytes, frameFailure: comm.FailureWords * wordBytes}
	kind, body := make([]byte, 1), make([]byte, max(idBytes, comm.FailureWords*wordBytes))
	for {
		_, err := io.ReadFull(e.conn, kind)
		n, known := lengths[kind[0]]
		if err == nil && !known {
			err = fmt.Errorf("it sends %q", kind)
		}
		if err == nil {
			_, err = io.ReadFull(e.conn, body[:n])
		}
		l.mu.Lock()
		e.heard = time.Now()
		if err == nil && kind[0] == frameFarewell {
			e.left = true
		}
		if err == nil && kind[0] == frameLeaving {
			e.ends = true
		}
		over := l.closed || e.left
		l.mu.Unlock()
		switch {
		case over:
			return
		case err != nil:
			l.fail(&comm.Error{Rank: rank, Err: fmt.Errorf("%w: it was killed, or it crashed", comm.ErrGone)})
			return
		case kind[0] == frameID && l.rank > 0 && l.id == nil:
			l.id = (*uniqueID)(slices.Clone(body[:n]))
			close(l.came)
		case kind[0] == frameFailure:
			words := make([]uint64, comm.FailureWords)
			for i := range words {
				words[i] = binary.LittleEndian.Uint64(body[i*wordBytes:])
			}
			if failure := comm.FailureIn(words); failure != nil {
				l.fail(failure)
			}
		}
	}
}

func failureFrame(e *comm.Error) []byte {
	words := make([]uint64, comm.FailureWords)
	comm.FailureTo(words, e)
	frame := []byte{frameFailure}
	for _, w := range words {
		frame = binary.LittleEndian.AppendUint64(frame, w)
	}
	return frame
}

// send sends a frame. That it doesn't arrive is found out by reading.
func (e *lifeEnd) send(frame []byte) {
	e.write.Lock()
	defer e.write.Unlock()
	e.conn.SetWriteDeadline(time.Now().Add(sendWithin))
	_, _ = e.conn.Write(frame)
}

func (l *lifeline) connected() (list []*lifeEnd) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.ends {
		if e != nil && !e.left {
			list = append(list, e)
		}
	}
	return list
}

// fail notes a failure, of which the first counts, and tells it to all ranks.
func (l *lifeline) fail(e *comm.Error) {
	l.mu.Lock()
	if l.err != nil || l.closed {
		l.mu.Unlock()
		return
	}
	l.err = e
	told := slices.Clone(l.fails)
	l.mu.Unlock()
	for _, end := range l.connected() {
		end.send(failureFrame(e))
	}
	close(l.failed)
	for _, f := range told {
		f(e)
	}
}

// give tells an error of this rank's start to the others, and closes.
func (l *lifeline) give(err error) {
	var e *comm.Error
	if !errors.As(err, &e) {
		e = &comm.Error{Rank: l.rank, Call: call{}.String(), Err: err}
	}
	if l.failure() == nil {
		l.linger()
	}
	l.fail(e)
	l.close(false)
}

func (l *lifeline) failure() *comm.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// linger waits for a while until a failure can be told to the ranks.
func (l *lifeline) linger() {
	for end := time.Now().Add(lingerMost); time.Now().Before(end); sleep(dialEvery) {
		if n := len(l.connected()); l.rank > 0 && n > 0 || l.rank == 0 && n == l.size-1 {
			return
		}
	}
}

// onFailure has f called with the failure.
func (l *lifeline) onFailure(f func(*comm.Error)) {
	l.mu.Lock()
	l.fails = append(l.fails, f)
	e := l.err
	l.mu.Unlock()
	if e != nil {
		f(e)
	}
}

// watch sends signs of life, and names a rank that gives none.
func (l *lifeline) watch() {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		for _, e := range l.connected() {
			e.send([]byte{frameAlive})
		}
		now := time.Now()
		stood := now.Sub(last) > l.limit/2 // this process itself
		last = now
		l.mu.Lock()
		var silent *comm.Error
		for r, e := range l.ends {
			if e == nil || e.left {
				continue
			}
			if stood {
				e.heard = now
			}
			if idle := now.Sub(e.heard); idle > l.limit {
				silent = l.silent(r, idle)
			}
		}
		l.mu.Unlock()
		if silent != nil {
			l.fail(silent)
		}
	}
}

func (l *lifeline) silent(rank int, idle time.Duration) *comm.Error {
	return &comm.Error{Rank: rank, Err: fmt.Errorf("%w for %v: its process gives no sign of life", comm.ErrHung, idle.Round(time.Millisecond))}
}

// named returns an error that names the rank, if that is found out soon, and otherwise e.
func (l *lifeline) named(e *comm.Error) *comm.Error {
	if l == nil || e.Rank != comm.Unknown {
		return e
	}
	late := time.NewTimer(namedWithin)
	defer late.Stop()
	select {
	case <-l.failed:
	case <-late.C:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	for r, x := range l.ends {
		if x != nil && !x.left && time.Since(x.heard) > l.limit/2 {
			return l.silent(r, time.Since(x.heard))
		}
		if x == nil && l.rank == 0 && r > 0 {
			return &comm.Error{Rank: r, Err: fmt.Errorf("%w: it never came", comm.ErrHung)}
		}
	}
	return e
}

// share returns NCCL's id: rank 0 makes it once all ranks are there.
func (l *lifeline) share(newID func() (*uniqueID, error)) (*uniqueID, error) {
	wait := l.came
	if l.rank == 0 {
		wait = l.all
	}
	select {
	case <-wait:
	case <-l.stop:
		return nil, comm.ErrClosed
	case <-l.failed:
		return nil, l.failure()
	}
	if l.rank > 0 {
		return l.id, nil
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	for _, e := range l.connected() {
		e.send(append([]byte{frameID}, id[:]...))
	}
	return id, nil
}

// leaving tells that this process ends soon.
func (l *lifeline) leaving() {
	for _, e := range l.connected() {
		e.send([]byte{frameLeaving})
	}
}

// close ends the connections. well says that this rank leaves as it should: other ranks don't miss it.
func (l *lifeline) close(well bool) {
	if l == nil {
		return
	}
	if well {
		for _, e := range l.connected() {
			e.send([]byte{frameFarewell})
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	close(l.stop)
	if l.listener != nil {
		l.listener.Close()
	}
	for _, e := range l.ends {
		if e != nil {
			e.conn.Close()
		}
	}
}
