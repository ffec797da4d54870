// This file tests communicators between goroutines, and sets up the tests that all communicators share.

package comm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm/commtest"
)

// TestInProcess must run before tests that open MPICH's library, whose handler of signals ends a process with a nil pointer.
func TestInProcess(t *testing.T) {
	smallPieces(t)
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			comms := inProcess(4, Options{Deadline: testDeadline})
			var all sync.WaitGroup
			for _, c := range comms {
				all.Go(func() {
					if err := Handshake(t.Context(), c, own(s, c.Rank())); err != nil && s.Settings == nil {
						t.Error(err)
					}
					if said := suite.Part(s, c); said != "" {
						t.Errorf("rank %d: %s", c.Rank(), said)
					}
					if s.Cause == nil {
						if err := c.Close(); err != nil {
							t.Errorf("rank %d: Close: %v", c.Rank(), err)
						}
						if err := c.Barrier(t.Context()); !errors.Is(err, ErrClosed) {
							t.Errorf("rank %d: a call after Close returned %v", c.Rank(), err)
						}
						c.Abort(nil)
						if c.Err() != nil || c.Close() != nil {
							t.Errorf("rank %d: it failed after Close: %v", c.Rank(), c.Err())
						}
					}
				})
			}
			all.Wait()
			if d := time.Since(began); d > 10*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// smallPieces lets small lists go in pieces.
func smallPieces(t *testing.T) {
	e, r := exchangePiece, reducePiece
	exchangePiece, reducePiece = commtest.ExchangeBytes, commtest.ReduceWords
	t.Cleanup(func() { exchangePiece, reducePiece = e, r })
}

func TestInProcessSizes(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			smallPieces(t)
			var all sync.WaitGroup
			for r, c := range InProcess(n) {
				if c.Rank() != r || c.Size() != n {
					t.Errorf("rank %d of %d", c.Rank(), c.Size())
				}
				all.Go(func() {
					if err := Do(c, func() error { return commtest.Random(t.Context(), c) }); err != nil {
						t.Error(err)
					}
					if err := c.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		})
	}
}

// TestFirstInProcess: goroutines can't be divided, and learn that.
func TestFirstInProcess(t *testing.T) {
	c := InProcess(1)[0]
	if f, err := First(t.Context(), c, 1); err == nil || f != nil || !errors.Is(c.Err(), ErrAborted) {
		t.Errorf("First gave %v, %v, and the communicator has %v", f, err, c.Err())
	}
}

func TestDifference(t *testing.T) {
	one := introduction{"v1", []Setting{{"a", "1"}, {"b", "2"}}}
	for want, other := range map[string]introduction{
		"": one,
		"it runs version v2, rank 0 version v1; install the same everywhere": {"v2", one.Settings},
		"it has no b, rank 0 has 2":       {"v1", one.Settings[:1]},
		"it has c 3, rank 0 has none":     {"v1", append(one.Settings[:2:2], Setting{"c", "3"})},
		"it has b 3, rank 0 has 2":        {"v1", []Setting{{"a", "1"}, {"b", "3"}}},
		"it has x 1 where rank 0 has a 1": {"v1", []Setting{{"x", "1"}, {"b", "2"}}},
	} {
		if got := difference(one, other); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

var suite = commtest.Errors{
	Mismatch: ErrMismatch, Hung: ErrHung, Aborted: ErrAborted, Differs: ErrDiffers,
	Rank: func(err error) (int, bool) {
		var e *Error
		if !errors.As(err, &e) {
			return 0, false
		}
		return e.Rank, true
	},
	Do: func(c commtest.Comm, f func() error) error { return Do(c.(Comm), f) },
	Among: func(ctx context.Context, c commtest.Comm, ranks []int, out [][]byte) ([][]byte, error) {
		return ExchangeAmong(ctx, c.(Comm), ranks, out)
	},
}

var scenarios = suite.Scenarios()

const testDeadline = commtest.Deadline

// own are a rank's settings.
func own(s commtest.Scenario, rank int) (list []Setting) {
	if s.Settings != nil {
		for _, x := range s.Settings(rank) {
			list = append(list, Setting{x[0], x[1]})
		}
	}
	return list
}
