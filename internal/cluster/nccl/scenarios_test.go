//go:build linux && (amd64 || arm64) && !nocuda

// This file holds what every communicator between GPUs must do: scenarios that each rank runs.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// scenario is run by all ranks. Without a cause it must go well on all.
type scenario struct {
	name string
	run  func(ctx context.Context, r *rank) error
	// cause and text are what the error of every rank must have. last: the error names the last
	// rank, which is the one that behaves differently, if that can be known.
	cause error
	text  string
	last  bool
	only  int    // where it makes sense; 0: everywhere
	env   string // of the emulator: such a fault
}

const (
	oneProcess = 1 << iota // ranks share a process
	byHost                 // processes with a communicator in host memory
	byNCCL                 // processes without
)

var errTest = errors.New("a cause of its own")

// other makes the last rank call f, while the others continue with sums.
func other(f func(ctx context.Context, r *rank) error) func(context.Context, *rank) error {
	return func(ctx context.Context, r *rank) error {
		if r.Rank() == r.Size()-1 {
			return f(ctx, r)
		}
		return r.on(ctx, func(at uintptr) error { return r.sums(ctx, at, 3) })
	}
}

// on runs f with a little memory, zeroed.
func (r *rank) on(ctx context.Context, f func(at uintptr) error) error {
	_, err := r.with(make([]byte, 64), f)
	return err
}

// sums continues until the communicator fails.
func (r *rank) sums(ctx context.Context, at uintptr, n int) error {
	for {
		err := r.summed(ctx, at, n)
		if err = errors.Join(err, r.waitIf(ctx, err)); err != nil {
			return err
		}
	}
}

// once sums once, together with the others.
func (r *rank) once(ctx context.Context, at uintptr) error {
	return errors.Join(r.summed(ctx, at, 3), r.Wait(ctx))
}

var scenarios = []scenario{
	{name: "random", run: random},
	{name: "large", run: large},
	{name: "blocks", run: blocks},
	{name: "nothing", run: nothing},
	{name: "many", run: many},
	{name: "beside", run: beside},
	{name: "late", run: late, only: oneProcess},
	{name: "reaching", run: reaching, only: byHost | byNCCL},
	{name: "lengths", cause: comm.ErrMismatch, text: "a test (call 2)", only: oneProcess,
		run: other(func(ctx context.Context, r *rank) error {
			return r.on(ctx, func(at uintptr) error { return errors.Join(r.once(ctx, at), r.sums(ctx, at, 4)) })
		})},
	{name: "kind", cause: comm.ErrMismatch, text: "Barrier (call 2)", only: oneProcess,
		run: other(func(ctx context.Context, r *rank) error {
			return r.on(ctx, func(at uintptr) error { return errors.Join(r.once(ctx, at), r.Barrier(ctx), r.Wait(ctx)) })
		})},
	// NCCL finds nothing out, and what one rank gathers the other doesn't send.
	{name: "order", cause: comm.ErrHung, text: "no progress for ", only: byNCCL | byHost,
		run: other(func(ctx context.Context, r *rank) error {
			return r.exchanged(ctx, 0, func(int, int) int { return 8 })
		})},
	{name: "lists of other lengths", cause: comm.ErrHung, text: "no progress for ", env: "none -1 0",
		run: func(ctx context.Context, r *rank) error {
			return r.on(ctx, func(at uintptr) error {
				lists, in := make([]List, r.Size()), make([]List, r.Size())
				lists[0], in[r.Size()-1] = List{at, 16}, List{}
				if r.Rank() == 0 {
					lists[0] = List{}
					for i := 1; i < r.Size(); i++ {
						in[i] = List{at, 16}
					}
					in[r.Size()-1].Bytes = 24 // not what it sends
				}
				return errors.Join(r.Exchange(ctx, lists, in), r.Barrier(ctx), r.Wait(ctx))
			})
		}},
	{name: "close", cause: comm.ErrMismatch, text: "Close (call 1)", only: oneProcess,
		run: other(func(ctx context.Context, r *rank) error { return r.finalize() })},
	{name: "lists", text: "Exchange needs two lists for each of", last: true,
		run: other(func(ctx context.Context, r *rank) error { return r.Exchange(ctx, make([]List, r.Size()+1), nil) })},
	{name: "odd block", text: "Gather needs blocks of a multiple of 8 bytes and was given one of 7", last: true,
		run: func(ctx context.Context, r *rank) error {
			if r.Rank() < r.Size()-1 {
				<-r.Done()
				return r.Err()
			}
			return r.on(ctx, func(at uintptr) error { return r.Gather(ctx, Block{at, at, 7}) })
		}},
	{name: "canceled before", cause: context.Canceled, last: true, text: "context canceled",
		run: other(func(ctx context.Context, r *rank) error {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return r.Barrier(ctx)
		})},
	{name: "canceled", cause: context.Canceled, last: true, text: "context canceled: a cause of its own",
		run: func(ctx context.Context, r *rank) error {
			if r.Rank() == 0 { // for which the others wait
				<-r.Done()
				return r.Err()
			}
			if r.Rank() == r.Size()-1 {
				var cancel context.CancelCauseFunc
				ctx, cancel = context.WithCancelCause(ctx)
				time.AfterFunc(100*time.Millisecond, func() { cancel(errTest) })
			}
			return errors.Join(r.Barrier(ctx), r.Wait(ctx))
		}},
	{name: "timeout", cause: context.DeadlineExceeded, last: true, text: "deadline exceeded",
		run: func(ctx context.Context, r *rank) error {
			if r.Rank() == r.Size()-1 {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
				defer cancel()
			}
			return r.on(ctx, func(at uintptr) error { return r.sums(ctx, at, 3) })
		}},
	{name: "abort", cause: comm.ErrAborted, last: true, text: "aborted: a cause of its own",
		run: other(func(ctx context.Context, r *rank) error { return errTest })},
	{name: "panic", cause: comm.ErrAborted, last: true, text: "panic: of a test",
		run: other(func(ctx context.Context, r *rank) error { panic("of a test") })},
	{name: "hangs", cause: comm.ErrHung, last: true, text: "no progress for ", only: oneProcess,
		run: other(func(ctx context.Context, r *rank) error {
			<-r.Done() // is of no use to one that hangs; here it ends the test
			return r.Err()
		})},
	{name: "hangs with the GPU", cause: comm.ErrHung, last: true, text: "no progress for ", only: oneProcess,
		run: func(ctx context.Context, r *rank) error {
			if r.Rank() == r.Size()-1 {
				<-r.Done()
				return r.Err()
			}
			if err := r.Barrier(ctx); err != nil {
				return err
			}
			if r.Rank() == 0 && r.Size() > 2 { // so that another rank sees it
				r.s.Sync() // which isn't this package's: it ends since what NCCL has there ends
				return r.Err()
			}
			return r.Wait(ctx)
		}},
	// Calls of NCCL that don't return, as where another rank never connects.
	{name: "stuck in a call", cause: comm.ErrHung, text: "no progress for ", env: "ncclAllReduce -2 99",
		run: func(ctx context.Context, r *rank) error {
			return r.on(ctx, func(at uintptr) error { return r.sums(ctx, at, 3) })
		}},
	{name: "canceled in a call", cause: context.Canceled, last: true, text: "context canceled: a cause of its own",
		env: "ncclAllReduce -2 99", run: func(ctx context.Context, r *rank) error {
			if r.Rank() == r.Size()-1 {
				var cancel context.CancelCauseFunc
				ctx, cancel = context.WithCancelCause(ctx)
				time.AfterFunc(100*time.Millisecond, func() { cancel(errTest) })
			}
			return errors.Join(r.Barrier(ctx), r.Wait(ctx))
		}},
	{name: "aborted in a call", cause: comm.ErrAborted, text: "aborted: a cause of its own",
		env: "ncclAllReduce -2 99", run: func(ctx context.Context, r *rank) error {
			if r.Rank() == 0 {
				time.Sleep(100 * time.Millisecond)
				return errTest
			}
			return errors.Join(r.Barrier(ctx), r.Wait(ctx))
		}},
	{name: "two calls at once", text: "was called while another call was under way", last: true,
		run: other(func(ctx context.Context, r *rank) error {
			r.busy.Store(true) // as if
			defer r.busy.Store(false)
			return r.Barrier(ctx)
		})},
	{name: "fails at once", text: "ncclAllReduce: internal error: made to fail: ncclAllReduce (ncclResult_t 3)", last: true,
		env: "ncclAllReduce -2 3", run: other(func(ctx context.Context, r *rank) error {
			return r.on(ctx, func(at uintptr) error { return r.sums(ctx, at, 3) })
		})},
	{name: "a message fails", text: "ncclSend: invalid usage", last: true,
		env: "ncclSend -2 5", run: random},
	{name: "receiving fails", text: "ncclRecv: invalid usage", last: true,
		env: "ncclRecv -2 5", run: random},
	{name: "gathering fails", text: "ncclAllGather: unhandled system error", last: true,
		env: "ncclAllGather -2 2", run: random},
	{name: "fails later", text: "NCCL: unhandled cuda error", last: true,
		env: "async -2 1", run: random},
	{name: "the other is gone", text: "was told by NCCL that another one is gone",
		env: "async -2 6", run: random},
}

// wrong describes what is wrong with a communicator's error.
func (s scenario) wrong(failure error, size int) string {
	var e *comm.Error
	switch {
	case !errors.As(failure, &e) || s.cause != nil && !errors.Is(failure, s.cause) || !strings.Contains(e.Error(), s.text):
		return fmt.Sprintf("the communicator's error is %v, not for %v with %q", failure, s.cause, s.text)
	case s.last && e.Rank != size-1:
		return fmt.Sprintf("the error names rank %d: %v", e.Rank, e)
	}
	return ""
}

// judge describes what is wrong with the error that a rank's scenario returned; "" if nothing is.
func (s scenario) judge(r *rank, err error, how int) string {
	if s.cause == nil && s.text == "" {
		if err != nil {
			r.Close()
			return err.Error()
		}
		if err := r.Close(); err != nil {
			return "Close: " + err.Error()
		}
		if err := r.Barrier(context.Background()); !errors.Is(err, comm.ErrClosed) {
			return fmt.Sprint("a call after Close returned ", err)
		}
		return ""
	}
	failure := r.Err()
	if said := s.wrong(failure, r.Size()); said != "" {
		return said
	}
	if err == nil {
		return "the scenario returned no error"
	}
	select {
	case <-r.Done():
	default:
		return "it failed, and Done isn't closed"
	}
	if again := r.Barrier(context.Background()); again != failure {
		return fmt.Sprintf("the next call returned %v", again)
	}
	if closed := r.Close(); !errors.Is(closed, failure) {
		return fmt.Sprintf("Close returned %v", closed)
	}
	if err := r.s.Wait(); err != nil {
		return fmt.Sprint("the stream: ", err)
	}
	return ""
}
