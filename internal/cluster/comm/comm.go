// This file defines communicators, their errors, exchanges between some ranks, and progress during long work.

package comm

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// Comm is one rank's end of a communicator. One goroutine at a time makes its
// collective calls; Progress, Abort, Done and Err may be called from any.
type Comm interface {
	// Rank is this rank's number, from 0 to Size-1.
	Rank() int
	// Size is the number of ranks.
	Size() int
	// Sum replaces each number by its sum over all ranks, modulo 2^64. All
	// ranks pass slices of one length.
	Sum(ctx context.Context, numbers []uint64) error
	// Max replaces each number by the largest of all ranks.
	Max(ctx context.Context, numbers []uint64) error
	// Or replaces each word of a bitmap by the union of all ranks' words.
	Or(ctx context.Context, bitmap []uint64) error
	// Exchange sends out[r] to each rank r, and returns what each rank sent to
	// this one, in[r] from rank r; in[Rank()] is a copy of out[Rank()]. Lists
	// may have any length, and differ in it. The result belongs to the caller.
	Exchange(ctx context.Context, out [][]byte) (in [][]byte, err error)
	// Barrier returns when all ranks have called it.
	Barrier(ctx context.Context) error
	// Progress reports that this rank works between two calls.
	Progress()
	// Abort makes the communicator fail with this rank and cause, on all ranks.
	// It does nothing if it has failed before or is closed.
	Abort(cause error)
	// Done is closed when the communicator has failed. Close doesn't close it.
	Done() <-chan struct{}
	// Err is nil, or the *Error with which the communicator failed.
	Err() error
	// Close waits until all ranks call it, and frees the communicator's
	// resources. After a failure it returns that error, without waiting. Later
	// calls return ErrClosed.
	Close() error
}

// Causes of failure, wrapped in an *Error. A context's error is one too.
var (
	// ErrMismatch: ranks made different calls, or the same with different lengths.
	ErrMismatch = errors.New("ranks make different calls")
	// ErrHung: a rank made no progress for longer than the deadline.
	ErrHung = errors.New("no progress")
	// ErrGone: a rank's process has ended without notice.
	ErrGone = errors.New("its process is gone")
	// ErrAborted: a rank called Abort.
	ErrAborted = errors.New("aborted")
)

// ErrClosed is what calls on a closed communicator return.
var ErrClosed = errors.New("comm: the communicator is closed")

// Error reports which rank made a communicator fail, and why. It is the same on
// all ranks, except that other ranks have the cause as text. errors.Is finds the
// package's causes, context.Canceled and context.DeadlineExceeded in it.
type Error struct {
	Rank int    // Unknown if the rank isn't known
	Call string // the call that the rank was in, such as "Sum of 3 numbers (call 7)"; may be empty
	Err  error
}

// Unknown is the rank of an error that can't be attributed to a rank.
const Unknown = -1

func (e *Error) Error() string {
	who := "a rank"
	if e.Rank != Unknown {
		who = fmt.Sprintf("rank %d", e.Rank)
	}
	if e.Call == "" {
		return fmt.Sprintf("comm: %s: %v", who, e.Err)
	}
	return fmt.Sprintf("comm: %s, in %s: %v", who, e.Call, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Alike is an error that all ranks detect together, in the same call. No rank needs to be notified,
// so the communicator stays usable.
type Alike struct{ Err error }

func (e *Alike) Error() string { return e.Err.Error() }
func (e *Alike) Unwrap() error { return e.Err }

// Options are the settings of a connection.
type Options struct {
	// Settings must be the same on all ranks; see Handshake.
	Settings []Setting
	// Deadline is how long a rank may make no progress while others wait for
	// it. 0 means the package's default.
	Deadline time.Duration
	// Plain connects processes that were started without MPI; nil: World refuses them.
	Plain func(ctx context.Context, rank, size int) (Comm, error)
}

// Do runs a rank's work. If f returns an error, panics or ends its goroutine,
// the communicator fails with that, so that no rank waits for this one; an Alike doesn't make it fail. A panic
// is returned as an error, with its stack.
func Do(c Comm, f func() error) (err error) {
	returned := false
	defer func() {
		if !returned {
			err = errors.New("the rank's goroutine ended")
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}
		if alike := (*Alike)(nil); err != nil && !errors.As(err, &alike) {
			c.Abort(err)
		}
	}()
	err = f()
	returned = true
	return err
}

// Ended returns a context's error, with its cause if that has more detail.
func Ended(ctx context.Context) error { return ended(ctx) }

func ended(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, err) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// aborted is the cause of a failure for which a rank called Abort.
func aborted(cause error) error {
	if cause == nil {
		return ErrAborted
	}
	return fmt.Errorf("%w: %w", ErrAborted, cause)
}

// ExchangeAmong is an Exchange in which a rank sends only to the given ranks, and receives only from these: in and out
// are empty for the others. MPI then sends them no messages. Every rank makes the call with its own list of ranks; of
// two ranks, either both name each other or neither does.
func ExchangeAmong(ctx context.Context, c Comm, ranks []int, out [][]byte) (in [][]byte, err error) {
	for r, list := range out {
		if len(list) > 0 && r != c.Rank() && !slices.Contains(ranks, r) {
			err := fmt.Errorf("an Exchange among ranks %v was given a list for rank %d", ranks, r)
			c.Abort(err)
			return nil, err
		}
	}
	if a, ok := c.(interface {
		exchangeAmong(ctx context.Context, ranks []int, out [][]byte) ([][]byte, error)
	}); ok {
		if ranks == nil {
			ranks = []int{}
		}
		return a.exchangeAmong(ctx, ranks, out)
	}
	return c.Exchange(ctx, out)
}

// First connects the first n ranks of processes with one another: each gets a communicator of n ranks, in which it has
// the same number, and the other ranks get nil. All ranks call it. The first ranks close the new communicator before
// they make the next call of the old one. Both fail together.
func First(ctx context.Context, c Comm, n int) (Comm, error) {
	x, ok := c.(interface {
		First(ctx context.Context, n int) (Comm, error)
	})
	if !ok || n < 1 || n > c.Size() {
		err := fmt.Errorf("First of %d ranks: want 1 to %d ranks of processes", n, c.Size())
		c.Abort(err)
		return nil, err
	}
	return x.First(ctx, n)
}

// Working calls progress every second until stop is called. It is for work that takes longer than the ranks' deadline
// and has its own time limits.
func Working(progress func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				progress()
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
