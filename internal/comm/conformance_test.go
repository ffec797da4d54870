// This file holds what every communicator must do: scenarios that each rank runs.

package comm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"
)

// scenario is run by all ranks. Without a cause it must go well on all.
type scenario struct {
	name string
	run  func(ctx context.Context, c Comm) error
	// cause, text and rank are what the error of every rank but those in silent must
	// have. lost says that ranks may end without seeing an error.
	cause    error
	text     string
	rank     int
	silent   func(rank int) bool
	lost     bool
	settings func(rank int) []Setting
	// only says what the scenario needs: "goroutines", or "processes"; "" for either.
	only string
}

// testDeadline is the deadline of communicators in tests.
const testDeadline = 2 * time.Second

var errTest = errors.New("a cause of its own")

// only2 makes rank 2 do something else than the others, which go on with Sum.
func only2(f func(ctx context.Context, c Comm) error) func(context.Context, Comm) error {
	return func(ctx context.Context, c Comm) error {
		if c.Rank() == 2 {
			return f(ctx, c)
		}
		for { // until it fails
			if err := c.Sum(ctx, make([]uint64, 3)); err != nil {
				return err
			}
		}
	}
}

func rank2(rank int) bool { return rank == 2 }

// cancelSoon ends a context while a call is under way.
func cancelSoon(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	time.AfterFunc(30*time.Millisecond, func() { cancel(errTest) })
	return ctx
}

var scenarios = []scenario{
	{name: "random", run: random},
	{name: "large", run: large},
	{name: "late", run: late},
	{name: "many", run: many},
	{name: "lengths", cause: ErrMismatch, rank: 2, text: "rank 2, in Sum of 4 numbers (call 2): ranks make different calls: rank 0 is in Sum of 3 numbers (call 2)",
		run: only2(func(ctx context.Context, c Comm) error { return c.Sum(ctx, make([]uint64, 4)) })},
	{name: "lengths of what is long", cause: ErrMismatch, rank: 2, text: "Or of 100001 words",
		run: func(ctx context.Context, c Comm) error { return c.Or(ctx, make([]uint64, 100000+c.Rank()/2)) }},
	{name: "order", cause: ErrMismatch, rank: 2, text: "rank 2, in Exchange (call 2): ranks make different calls: rank 0 is in Sum of 3 numbers",
		run: only2(func(ctx context.Context, c Comm) error {
			_, err := c.Exchange(ctx, make([][]byte, c.Size()))
			return err
		})},
	{name: "kind", cause: ErrMismatch, rank: 2, text: "rank 2, in Max of 3 numbers",
		run: only2(func(ctx context.Context, c Comm) error { return c.Max(ctx, make([]uint64, 3)) })},
	{name: "close", cause: ErrMismatch, rank: 2, text: "rank 2, in Close",
		run: only2(func(ctx context.Context, c Comm) error { return c.Close() })},
	{name: "lists", cause: ErrAborted, rank: 2, text: "Exchange needs a list for each of 4 ranks and was given 3",
		run: only2(func(ctx context.Context, c Comm) error {
			if _, err := c.Exchange(ctx, make([][]byte, 3)); err == nil {
				return nil
			}
			return c.Err()
		})},
	{name: "cancelled before", cause: context.Canceled, rank: 2, text: "rank 2, in Sum of 3 numbers (call 2): context canceled",
		run: only2(func(ctx context.Context, c Comm) error {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return c.Sum(ctx, make([]uint64, 3))
		})},
	{name: "cancelled", cause: context.Canceled, rank: 2, text: "context canceled: a cause of its own",
		run: func(ctx context.Context, c Comm) error {
			if c.Rank() == 2 {
				return c.Barrier(cancelSoon(ctx))
			}
			if c.Rank() == 0 { // for which the others wait
				<-c.Done()
				return c.Err()
			}
			return c.Barrier(ctx)
		}},
	{name: "timeout", cause: context.DeadlineExceeded, rank: 2, text: "rank 2, in Sum of 200000 numbers",
		run: func(ctx context.Context, c Comm) error {
			if c.Rank() == 2 {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
				defer cancel()
			}
			for {
				if err := c.Sum(ctx, make([]uint64, 200000)); err != nil {
					return err
				}
			}
		}},
	{name: "abort", cause: ErrAborted, rank: 2, text: "rank 2: aborted: a cause of its own",
		run: only2(func(ctx context.Context, c Comm) error { return errTest })},
	{name: "panic", cause: ErrAborted, rank: 2, text: "panic: of a test",
		run: only2(func(ctx context.Context, c Comm) error { panic("of a test") })},
	{name: "nil pointer", cause: ErrAborted, rank: 2, text: "panic: runtime error: invalid memory address",
		run: only2(func(ctx context.Context, c Comm) error { var p *scenario; return p.cause })},
	{name: "goroutine ends", cause: ErrAborted, rank: 2, text: "the rank's goroutine ended", only: "goroutines",
		run: only2(func(ctx context.Context, c Comm) error { runtime.Goexit(); return nil }), silent: rank2},
	{name: "hangs", cause: ErrHung, rank: 2, text: "no progress for ",
		run: only2(func(ctx context.Context, c Comm) error {
			<-c.Done() // is of no use to one that hangs; here it ends the test
			return c.Err()
		})},
	{name: "two calls at once", cause: ErrAborted, rank: 2, text: "Barrier was called while another call was under way",
		run: func(ctx context.Context, c Comm) error {
			if c.Rank() == 2 {
				time.AfterFunc(200*time.Millisecond, func() { c.Barrier(ctx) })
			}
			if c.Rank() == 0 {
				<-c.Done()
			}
			return c.Barrier(ctx)
		}},
	{name: "settings", cause: ErrDiffers, rank: 2, text: "it has threshold 65, rank 0 has 64", run: random,
		settings: func(rank int) []Setting {
			return []Setting{{"graph", "kron"}, {"threshold", fmt.Sprint(64 + rank/2)}}
		}},
}

// wordOf is what a rank has at a place.
func wordOf(seed uint64, rank, i int) uint64 {
	x := seed + uint64(rank)*0x9e3779b97f4a7c15 + uint64(i)*0xbf58476d1ce4e5b9
	x = (x ^ x>>31) * 0x94d049bb133111eb
	return x ^ x>>29
}

func wordsOf(seed uint64, rank, n int) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = wordOf(seed, rank, i)
	}
	return all
}

// reduced makes a call with n numbers and compares the result.
func reduced(ctx context.Context, c Comm, o op, seed uint64, n int) error {
	got, want := wordsOf(seed, c.Rank(), n), wordsOf(seed, 0, n)
	for r := 1; r < c.Size(); r++ {
		combine(o, want, wordsOf(seed, r, n))
	}
	err := map[op]func(context.Context, []uint64) error{opSum: c.Sum, opMax: c.Max, opOr: c.Or}[o](ctx, got)
	if err != nil {
		return err
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("%v of %d: [%d] is %x, not %x", o, n, i, got[i], want[i])
		}
	}
	return nil
}

// exchanged exchanges lists of lengths that two ranks and the seed give.
func exchanged(ctx context.Context, c Comm, seed uint64, length func(from, to int) int) error {
	list := func(from, to int) []byte {
		n := length(from, to)
		return asTestBytes(wordsOf(seed+uint64(to), from, (n+7)/8))[:n]
	}
	out := make([][]byte, c.Size())
	for to := range out {
		if out[to] = list(c.Rank(), to); len(out[to]) == 0 && seed%2 == 0 {
			out[to] = nil
		}
	}
	in, err := c.Exchange(ctx, out)
	if err != nil {
		return err
	}
	if len(in) != c.Size() {
		return fmt.Errorf("%d lists", len(in))
	}
	for from := range in {
		if !bytes.Equal(in[from], list(from, c.Rank())) {
			return fmt.Errorf("the list of %d bytes of rank %d isn't what it sent", len(in[from]), from)
		}
		for i := range out[from] { // it belongs to the caller, as does what came in
			out[from][i] = 0xff
		}
	}
	return nil
}

func asTestBytes(words []uint64) []byte {
	b := make([]byte, 0, 8*len(words))
	for _, w := range words {
		for s := 0; s < 64; s += 8 {
			b = append(b, byte(w>>s))
		}
	}
	return b
}

// random makes calls of all kinds with random sizes.
func random(ctx context.Context, c Comm) error {
	rng := rand.New(rand.NewPCG(1, 2)) // the same on all ranks
	sizes := []int{0, 1, 4, 5, 6, 7, 39, 40, 41, 100, 1000, 12345, 70000}
	for i := range 150 {
		seed, n := rng.Uint64(), sizes[rng.IntN(len(sizes))]
		var err error
		switch o := op(1 + rng.IntN(5)); o {
		case opBarrier:
			err = c.Barrier(ctx)
		case opExchange:
			err = exchanged(ctx, c, seed, func(from, to int) int {
				return sizes[wordOf(seed, from, to)%uint64(len(sizes))]
			})
		default:
			err = reduced(ctx, c, o, seed, n)
		}
		if err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

// large moves more than fits into a piece.
func large(ctx context.Context, c Comm) error {
	for _, n := range []int{reducePiece - 1, reducePiece, 2*reducePiece + 7} {
		if err := reduced(ctx, c, opOr, uint64(n), n); err != nil {
			return err
		}
	}
	return exchanged(ctx, c, 9, func(from, to int) int { return (from + 2*to) * exchangePiece / 3 })
}

// late: a rank that says that it is at work may take longer than the deadline.
func late(ctx context.Context, c Comm) error {
	if c.Rank() == 1 {
		for end := time.Now().Add(2 * testDeadline); time.Now().Before(end); time.Sleep(testDeadline / 5) {
			c.Progress()
		}
	}
	return c.Barrier(ctx)
}

// many makes many short calls.
func many(ctx context.Context, c Comm) error {
	for i := range 300 {
		n := []uint64{1, uint64(i)}
		if err := c.Sum(ctx, n); err != nil {
			return err
		}
		if n[0] != uint64(c.Size()) || n[1] != uint64(i*c.Size()) {
			return fmt.Errorf("call %d: the sum is %d", i, n)
		}
	}
	return nil
}

// expects reports the error with which the scenario has to end.
func (s scenario) expects(failure error) bool {
	var e *Error
	return errors.As(failure, &e) && e.Rank == s.rank && errors.Is(failure, s.cause) && strings.Contains(e.Error(), s.text)
}

// judge says what is wrong with what a rank's scenario returned; "" if nothing.
func (s scenario) judge(c Comm, err error) string {
	if s.cause == nil {
		if err != nil && !s.lost {
			return err.Error()
		}
		return ""
	}
	failure := c.Err()
	if !s.expects(failure) {
		return fmt.Sprintf("the communicator's error is %v, not of rank %d for %v with %q", failure, s.rank, s.cause, s.text)
	}
	select {
	case <-c.Done():
	default:
		return "it failed, and Done isn't closed"
	}
	if again := c.Barrier(context.Background()); again != failure {
		return fmt.Sprintf("the next call returned %v", again)
	}
	if closed := c.Close(); closed != failure {
		return fmt.Sprintf("Close returned %v", closed)
	}
	if err == nil {
		return "the scenario returned no error"
	}
	return ""
}

// own are a rank's settings.
func (s scenario) own(rank int) []Setting {
	if s.settings == nil {
		return nil
	}
	return s.settings(rank)
}

// part runs a rank's part of a scenario and judges it.
func (s scenario) part(c Comm) string {
	return s.judge(c, Do(c, func() error { return s.run(context.Background(), c) }))
}
