//go:build linux && (amd64 || arm64) && !nocuda

// This file tests the connections between processes, without GPUs.

package nccl

import (
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// lifelines connects so many ranks of this process.
func lifelines(t *testing.T, n int, deadline time.Duration) (all []*lifeline, address string) {
	t.Helper()
	address = "127.0.0.1:" + freePort(t)
	for r := range n {
		l, err := newLifeline(t.Context(), address, r, n, deadline)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
		t.Cleanup(func() { l.close(false) })
	}
	return all, address
}

// allThere waits until ranks have the id, which must be one.
func allThere(t *testing.T, all []*lifeline) {
	t.Helper()
	want := uniqueID{1, 2, 3}
	errs := make(chan error, len(all))
	for _, l := range all {
		go func() {
			id, err := l.share(func() (*uniqueID, error) { return &want, nil })
			if err == nil && *id != want {
				err = errors.New("another id")
			}
			errs <- err
		}()
	}
	for range all {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
}

// failed waits for a rank's failure.
func (l *lifeline) failedBy(t *testing.T, within time.Duration) *comm.Error {
	t.Helper()
	select {
	case <-l.failed:
	case <-time.After(within):
	}
	return l.failure()
}

func hello(t *testing.T, address string, rank, size int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	frame := append([]byte{frameHello}, helloMagic...)
	frame = binary.LittleEndian.AppendUint64(frame, uint64(rank))
	if _, err := conn.Write(binary.LittleEndian.AppendUint64(frame, uint64(size))); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestLifelines: ranks that leave with a farewell, in any order, aren't missed; each other end is known to all, with its rank.
func TestLifelines(t *testing.T) {
	const n, soon = 4, 5 * time.Second
	t.Run("farewell", func(t *testing.T) {
		all, _ := lifelines(t, n, time.Minute)
		allThere(t, all)
		for _, r := range []int{2, 0, 3, 1} {
			all[r].close(true)
			time.Sleep(20 * time.Millisecond)
		}
		for r, l := range all {
			if e := l.failure(); e != nil {
				t.Errorf("rank %d: %v", r, e)
			}
		}
	})
	for gone := range n {
		t.Run("gone", func(t *testing.T) {
			all, _ := lifelines(t, n, time.Minute)
			allThere(t, all)
			told := make(chan *comm.Error, 1)
			all[(gone+1)%n].onFailure(func(e *comm.Error) { told <- e })
			all[gone].close(false) // as when its process ends
			for r, l := range all {
				if r == gone {
					continue
				}
				if e := l.failedBy(t, soon); e == nil || e.Rank != gone || !errors.Is(e, comm.ErrGone) {
					t.Errorf("rank %d: %v", r, e)
				}
			}
			if e := <-told; e.Rank != gone {
				t.Error(e)
			}
		})
	}
	t.Run("failure", func(t *testing.T) {
		all, _ := lifelines(t, n, time.Minute)
		allThere(t, all)
		all[2].fail(&comm.Error{Rank: 2, Call: "Barrier", Err: comm.ErrMismatch})
		all[2].leaving()
		all[2].close(false)
		for r, l := range all {
			if e := l.failedBy(t, soon); e == nil || e.Rank != 2 || e.Call != "Barrier" || !errors.Is(e, comm.ErrMismatch) {
				t.Errorf("rank %d: %v", r, e)
			}
		}
		if e := all[1].named(&comm.Error{Rank: comm.Unknown, Err: comm.ErrHung}); e.Rank != 2 {
			t.Error(e)
		}
	})
	t.Run("silent", func(t *testing.T) {
		all, address := lifelines(t, 2, 2*time.Second)
		three, err := newLifeline(t.Context(), "127.0.0.1:"+freePort(t), 0, 2, 2*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer three.close(false)
		allThere(t, all)
		hello(t, three.listener.Addr().String(), 1, 2) // and nothing else
		if e := three.failedBy(t, soon); e == nil || e.Rank != 1 || !errors.Is(e, comm.ErrHung) {
			t.Errorf("a silent rank: %v", e)
		}
		if e := all[0].failure(); e != nil {
			t.Errorf("ranks that aren't: %v", e)
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			t.Error("rank 0 listens though all are there")
		}
	})
	t.Run("missing", func(t *testing.T) {
		three, err := newLifeline(t.Context(), "127.0.0.1:"+freePort(t), 0, 3, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer three.close(false)
		hello(t, three.listener.Addr().String(), 1, 3)
		for len(three.connected()) < 1 {
			time.Sleep(time.Millisecond)
		}
		if e := three.named(&comm.Error{Rank: comm.Unknown, Err: comm.ErrHung}); e.Rank != 2 || !strings.Contains(e.Error(), "it never came") {
			t.Error(e)
		}
	})
	for what, c := range map[string]struct{ rank, size int }{"it is rank 1 of 3, and rank 0 is of 2": {1, 3}, "two processes are rank 0": {0, 2}, "two processes are rank 5": {5, 2}} {
		t.Run(what, func(t *testing.T) {
			l, err := newLifeline(t.Context(), "127.0.0.1:"+freePort(t), 0, 2, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			defer l.close(false)
			if conn, err := net.Dial("tcp", l.listener.Addr().String()); err == nil { // no rank at all
				conn.Write([]byte("GET / HTTP/1.1\r\n\r\nHost: none\r\n"))
			}
			hello(t, l.listener.Addr().String(), c.rank, c.size)
			if e := l.failedBy(t, soon); e == nil || !errors.Is(e, comm.ErrDiffers) || !strings.Contains(e.Error(), what) {
				t.Error(e)
			}
		})
	}
}

// TestLifelineTaken: a port that another program has is an error.
func TestLifelineTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if x, err := newLifeline(t.Context(), l.Addr().String(), 0, 2, time.Minute); err == nil || !strings.Contains(err.Error(), "can't be reached at "+l.Addr().String()) {
		t.Errorf("%v, %v", x, err)
	}
}
