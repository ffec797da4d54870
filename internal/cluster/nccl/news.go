//go:build linux && (amd64 || arm64) && !nocuda

// This file holds what processes send each other outside of calls, on a separate communicator: their
// progress, and failures.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// A report is the state that a rank sends in a round:
//
//	0  newsMagic, and whether it is closing
//	1  how many calls it made
//	2  for how long its call has waited without progress, in ns; 0 if it doesn't wait
//	3  how long ago it was at work, in ns
//	4  a failure
const (
	newsMagic   = 0x4e455753 << 32 // changes with the layout
	newsClosing = 1
	newsHead    = 4
	newsWords   = newsHead + comm.FailureWords
	newsBytes   = newsWords * wordBytes
)

// news is a rank's end of it.
type news struct {
	c       *Comm // whose calls are looked after
	inner   *Comm
	stream  *gpu.Stream
	reports device.Memory
	pinned  *gpu.Pinned
	closing atomic.Bool
	wake    chan struct{} // closed when this rank closes
	told    chan struct{} // closed when a failure was sent to all, or when it ended
	ended   chan struct{} // closed when no round follows
	once    sync.Once
	err     error // of the end
}

// listen connects all ranks once more, and begins to listen. It is collective.
func (c *Comm) listen(ctx context.Context) (err error) {
	n := &news{c: c, wake: make(chan struct{}), told: make(chan struct{}), ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.free())
		}
	}()
	if n.stream, err = c.dev.Stream(context.Background()); err != nil {
		return err
	}
	if n.reports, err = c.dev.Alloc(uint64(c.size) * newsBytes); err != nil {
		return err
	}
	if n.pinned, err = c.dev.Context().AllocHost(uint64(c.size) * newsBytes); err != nil {
		return err
	}
	id, err := c.shareID(ctx, n)
	if err != nil {
		return err
	}
	t := newTeam(Options{Deadline: c.team.deadline}, nil)
	connected := make(chan struct{})
	defer close(connected)
	go func() { // or it would wait for a rank that is gone
		select {
		case <-c.team.done:
			t.fail(c.team.err.Load())
		case <-connected:
		}
	}()
	all, err := c.lib.connect(ctx, t, []*gpu.Stream{n.stream}, c.rank, c.size, func() (*uniqueID, error) { return id, nil })
	if err != nil {
		return err
	}
	n.inner = all[0]
	n.inner.spin = 0 // latency doesn't matter here
	c.team.news.Store(n)
	go n.run()
	return nil
}

// shareID makes the id of a communicator on rank 0, and gives it to all.
func (c *Comm) shareID(ctx context.Context, n *news) (*uniqueID, error) {
	id := new(uniqueID)
	if c.rank == 0 {
		own, err := c.lib.newID()
		if err != nil {
			return nil, err
		}
		id = own
	}
	at := uint64(c.rank) * idBytes
	copy(n.pinned.Bytes()[at:], id[:])
	err := c.do(ctx, call{kind: inHandshake}, func() error {
		all := n.reports.Pointer()
		if err := c.stream.ToDevice(all+uintptr(at), n.pinned, at, idBytes); err != nil {
			return err
		}
		err := c.single(func(h uintptr) (function, code) { return c.allGather(h, all+uintptr(at), all, idBytes) })
		if err != nil {
			return err
		}
		return c.stream.ToHost(n.pinned, 0, all, uint64(c.size)*idBytes)
	})
	if err == nil {
		err = c.Wait(ctx)
	}
	copy(id[:], n.pinned.Bytes())
	return id, err
}

// run makes rounds until all ranks close, or one failed.
func (n *news) run() {
	defer close(n.ended)
	defer n.once.Do(func() { close(n.told) })
	for {
		err := n.round()
		if err == nil {
			var over bool
			if over, err = n.read(time.Now()); over {
				n.err = errors.Join(n.inner.Close(), n.free())
				return
			}
		}
		if err != nil {
			// The same on all ranks, or no more reports arrive here.
			n.once.Do(func() { close(n.told) })
			n.inner.Abort(err)
			n.c.team.fail(asFailure(err))
			n.err = errors.Join(n.inner.Close(), n.free())
			return
		}
		wait := time.NewTimer(newsEvery)
		select {
		case <-wait.C:
		case <-n.wake: // the others close too
		case <-n.c.team.done: // reported at once
		}
		wait.Stop()
	}
}

func asFailure(err error) *comm.Error {
	var e *comm.Error
	if !errors.As(err, &e) {
		e = &comm.Error{Rank: comm.Unknown, Err: err}
	}
	return e
}

func (n *news) report(r int) []uint64 { return asWords(n.pinned.Bytes()[r*newsBytes:][:newsBytes]) }

// round gathers all ranks' reports.
func (n *news) round() error {
	c, own, now := n.c, n.report(n.c.rank), time.Now().UnixNano()
	clear(own)
	own[0], own[1] = newsMagic, c.seq.Load()
	if n.closing.Load() {
		own[0] |= newsClosing
	}
	if since := c.waits.Load(); since > 0 {
		own[2] = uint64(max(1, now-since))
	}
	own[3] = uint64(max(0, now-c.last.Load()))
	if e := c.team.err.Load(); e != nil {
		comm.FailureTo(own[newsHead:], e)
	}
	in, at, all := n.inner, uint64(c.rank)*newsBytes, n.reports.Pointer()
	ctx := context.Background()
	err := in.do(ctx, call{kind: inNews}, func() error {
		if err := in.stream.ToDevice(all+uintptr(at), n.pinned, at, newsBytes); err != nil {
			return err
		}
		err := in.single(func(h uintptr) (function, code) { return in.allGather(h, all+uintptr(at), all, newsBytes) })
		if err != nil {
			return err
		}
		return in.stream.ToHost(n.pinned, 0, all, uint64(c.size)*newsBytes)
	})
	if err == nil {
		err = in.Wait(ctx)
	}
	return err
}

// read reads a round. over means that all close.
func (n *news) read(now time.Time) (over bool, err error) {
	over, working, e := judge(asWords(n.pinned.Bytes()), n.c.size, n.c.team.deadline)
	if e != nil {
		return false, e
	}
	if working {
		n.c.team.heard.Store(now.UnixNano())
	}
	return over, nil
}

// judge judges the reports of a round, which all ranks have alike. over means that all close, working that a
// rank for which others wait is at work.
func judge(reports []uint64, size int, deadline time.Duration) (over, working bool, _ *comm.Error) {
	of := func(r int) []uint64 { return reports[r*newsWords:][:newsWords] }
	over = true
	for r := range size {
		if e := comm.FailureIn(of(r)[newsHead:]); e != nil {
			return false, false, e
		}
		over = over && of(r)[0] == newsMagic|newsClosing
	}
	if over {
		return true, false, nil
	}
	for r := range size {
		w := of(r)
		if w[2] > 0 { // it waits, and isn't waited for
			continue
		}
		// Who has waited longest for it, in a later call or in the one that it is in.
		who, waited := 0, time.Duration(0)
		for q := range size {
			x := of(q)
			if d := time.Duration(x[2]); d > waited && x[1] >= w[1] {
				who, waited = q, d
			}
		}
		if waited == 0 {
			continue
		}
		working = true
		if idle := min(waited, time.Duration(w[3])); idle > deadline {
			return false, false, &comm.Error{Rank: r, Err: fmt.Errorf("%w for %v, while rank %d waits for it", comm.ErrHung, idle.Round(time.Millisecond), who)}
		}
	}
	return false, working, nil
}

// tell waits until a failure has been told to all ranks, for a while.
func (n *news) tell() {
	late := time.NewTimer(tellMost)
	defer late.Stop()
	select {
	case <-n.told:
	case <-late.C:
		n.once.Do(func() { close(n.told) })
		n.inner.Abort(n.c.Err()) // or the round would wait on
	}
}

// over waits, after a failure, until the news have ended.
func (n *news) over() {
	late := time.NewTimer(farewell)
	defer late.Stop()
	select {
	case <-n.ended:
	case <-late.C:
	}
}

// hush ends the news: all ranks close. It returns when they have.
func (c *Comm) hush() error {
	n := c.team.news.Load()
	if n == nil {
		return nil
	}
	n.closing.Store(true)
	close(n.wake)
	<-n.ended
	c.team.news.CompareAndSwap(n, nil)
	if err := c.Err(); err != nil {
		return err
	}
	return n.err
}

func (n *news) free() (err error) {
	if n.stream != nil {
		err = n.stream.Close()
	}
	if n.reports != nil {
		err = errors.Join(err, n.reports.Close())
	}
	if n.pinned != nil {
		err = errors.Join(err, n.pinned.Close())
	}
	return err
}
