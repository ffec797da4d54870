// Package commtest tests communicators: scenarios that each rank runs. It doesn't import
// internal/cluster/comm, whose tests use it.
package commtest

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

// Comm is comm.Comm.
type Comm interface {
	Rank() int
	Size() int
	Sum(ctx context.Context, numbers []uint64) error
	Max(ctx context.Context, numbers []uint64) error
	Or(ctx context.Context, bitmap []uint64) error
	Exchange(ctx context.Context, out [][]byte) (in [][]byte, err error)
	Barrier(ctx context.Context) error
	Progress()
	Abort(cause error)
	Done() <-chan struct{}
	Err() error
	Close() error
}

// Errors are the errors of package comm.
type Errors struct {
	Mismatch, Hung, Aborted, Differs error
	// Rank returns the rank of a *comm.Error.
	Rank func(err error) (rank int, ok bool)
	// Do is comm.Do.
	Do func(c Comm, f func() error) error
	// Among is comm.ExchangeAmong.
	Among func(ctx context.Context, c Comm, ranks []int, out [][]byte) (in [][]byte, err error)
}

// Scenario is run by all ranks. Without a cause it must go well on all.
type Scenario struct {
	Name string
	Run  func(ctx context.Context, c Comm) error
	// Cause, Text and Rank are required of the error of every rank, except those in Silent.
	// Lost: ranks may end without seeing an error.
	Cause  error
	Text   string
	Rank   int
	Silent func(rank int) bool
	Lost   bool
	// Settings returns names and values of a rank; nil for no settings.
	Settings func(rank int) [][2]string
	// Only is the kind of ranks that the scenario needs: "goroutines", or "processes"; "" for either.
	Only string
}

// Pieces that communicators are to use in tests: words of a reduction, and bytes of a list.
const (
	ReduceWords   = 50_000
	ExchangeBytes = 100_000
)

// Deadline is the deadline of communicators in tests.
const Deadline = 2 * time.Second

// ErrTest is the error of failing ranks.
var ErrTest = errors.New("a cause of its own")

// Only2 makes rank 2 call f, while the others continue with Sum.
func Only2(f func(ctx context.Context, c Comm) error) func(context.Context, Comm) error {
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

// Rank2 reports whether rank is 2.
func Rank2(rank int) bool { return rank == 2 }

// cancelSoon ends a context while a call is under way.
func cancelSoon(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	time.AfterFunc(30*time.Millisecond, func() { cancel(ErrTest) })
	return ctx
}

// Scenarios are all of them, for four ranks.
func (e Errors) Scenarios() []Scenario {
	return append(e.among(), []Scenario{
		{Name: "random", Run: Random},
		{Name: "large", Run: large},
		{Name: "late", Run: late},
		{Name: "many", Run: many},
		{Name: "lengths", Cause: e.Mismatch, Rank: 2, Text: "rank 2, in Sum of 4 numbers (call 2): ranks make different calls: rank 0 is in Sum of 3 numbers (call 2)",
			Run: Only2(func(ctx context.Context, c Comm) error { return c.Sum(ctx, make([]uint64, 4)) })},
		{Name: "lengths of what is long", Cause: e.Mismatch, Rank: 2, Text: "Or of 100001 words",
			Run: func(ctx context.Context, c Comm) error { return c.Or(ctx, make([]uint64, 100000+c.Rank()/2)) }},
		{Name: "order", Cause: e.Mismatch, Rank: 2, Text: "rank 2, in Exchange (call 2): ranks make different calls: rank 0 is in Sum of 3 numbers",
			Run: Only2(func(ctx context.Context, c Comm) error {
				_, err := c.Exchange(ctx, make([][]byte, c.Size()))
				return err
			})},
		{Name: "kind", Cause: e.Mismatch, Rank: 2, Text: "rank 2, in Max of 3 numbers",
			Run: Only2(func(ctx context.Context, c Comm) error { return c.Max(ctx, make([]uint64, 3)) })},
		{Name: "close", Cause: e.Mismatch, Rank: 2, Text: "rank 2, in Close",
			Run: Only2(func(ctx context.Context, c Comm) error { return c.Close() })},
		{Name: "lists", Cause: e.Aborted, Rank: 2, Text: "Exchange needs a list for each of 4 ranks and was given 3",
			Run: Only2(func(ctx context.Context, c Comm) error {
				if _, err := c.Exchange(ctx, make([][]byte, 3)); err == nil {
					return nil
				}
				return c.Err()
			})},
		{Name: "canceled before", Cause: context.Canceled, Rank: 2, Text: "rank 2, in Sum of 3 numbers (call 2): context canceled",
			Run: Only2(func(ctx context.Context, c Comm) error {
				ctx, cancel := context.WithCancel(ctx)
				cancel()
				return c.Sum(ctx, make([]uint64, 3))
			})},
		{Name: "canceled", Cause: context.Canceled, Rank: 2, Text: "context canceled: a cause of its own",
			Run: func(ctx context.Context, c Comm) error {
				if c.Rank() == 2 {
					return c.Barrier(cancelSoon(ctx))
				}
				if c.Rank() == 0 { // for which the others wait
					<-c.Done()
					return c.Err()
				}
				return c.Barrier(ctx)
			}},
		{Name: "timeout", Cause: context.DeadlineExceeded, Rank: 2, Text: "rank 2, in Sum of 200000 numbers",
			Run: func(ctx context.Context, c Comm) error {
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
		{Name: "abort", Cause: e.Aborted, Rank: 2, Text: "rank 2: aborted: a cause of its own",
			Run: Only2(func(ctx context.Context, c Comm) error { return ErrTest })},
		{Name: "panic", Cause: e.Aborted, Rank: 2, Text: "panic: of a test",
			Run: Only2(func(ctx context.Context, c Comm) error { panic("of a test") })},
		{Name: "nil pointer", Cause: e.Aborted, Rank: 2, Text: "panic: runtime error: invalid memory address",
			Run: Only2(func(ctx context.Context, c Comm) error { var p *Scenario; return p.Cause })},
		{Name: "goroutine ends", Cause: e.Aborted, Rank: 2, Text: "the rank's goroutine ended", Only: "goroutines",
			Run: Only2(func(ctx context.Context, c Comm) error { runtime.Goexit(); return nil }), Silent: Rank2},
		{Name: "hangs", Cause: e.Hung, Rank: 2, Text: "no progress for ",
			Run: Only2(func(ctx context.Context, c Comm) error {
				<-c.Done() // is of no use to one that hangs; here it ends the test
				return c.Err()
			})},
		{Name: "two calls at once", Cause: e.Aborted, Rank: 2, Text: "Barrier was called while another call was under way",
			Run: func(ctx context.Context, c Comm) error {
				if c.Rank() == 2 {
					time.AfterFunc(200*time.Millisecond, func() { c.Barrier(ctx) })
				}
				if c.Rank() == 0 {
					<-c.Done()
				}
				return c.Barrier(ctx)
			}},
		{Name: "settings", Cause: e.Differs, Rank: 2, Text: "it has threshold 65, rank 0 has 64", Run: Random,
			Settings: func(rank int) [][2]string {
				return [][2]string{{"graph", "kron"}, {"threshold", fmt.Sprint(64 + rank/2)}}
			}},
	}...)
}

// wordOf returns a rank's word at an index.
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
func reduced(ctx context.Context, c Comm, o string, seed uint64, n int) error {
	got, want := wordsOf(seed, c.Rank(), n), wordsOf(seed, 0, n)
	for r := 1; r < c.Size(); r++ {
		for i, w := range wordsOf(seed, r, n) {
			switch o {
			case "sum":
				want[i] += w
			case "max":
				want[i] = max(want[i], w)
			default:
				want[i] |= w
			}
		}
	}
	err := map[string]func(context.Context, []uint64) error{"sum": c.Sum, "max": c.Max, "or": c.Or}[o](ctx, got)
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

// Random makes calls of all kinds with random sizes.
func Random(ctx context.Context, c Comm) error {
	rng := rand.New(rand.NewPCG(1, 2)) // the same on all ranks
	sizes := []int{0, 1, 4, 5, 6, 7, 39, 40, 41, 100, 1000, 12345, 70000}
	for i := range 150 {
		seed, n := rng.Uint64(), sizes[rng.IntN(len(sizes))]
		var err error
		switch o := []string{"sum", "max", "or", "exchange", "barrier"}[rng.IntN(5)]; o {
		case "barrier":
			err = c.Barrier(ctx)
		case "exchange":
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
	for _, n := range []int{ReduceWords - 1, ReduceWords, 2*ReduceWords + 7} {
		if err := reduced(ctx, c, "or", uint64(n), n); err != nil {
			return err
		}
	}
	return exchanged(ctx, c, 9, func(from, to int) int { return (from + 2*to) * ExchangeBytes / 3 })
}

// late: a rank that reports progress may take longer than the deadline.
func late(ctx context.Context, c Comm) error {
	if c.Rank() == 1 {
		for end := time.Now().Add(2 * Deadline); time.Now().Before(end); time.Sleep(Deadline / 5) {
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

// Expects reports the error with which the scenario has to end.
func (e Errors) Expects(s Scenario, failure error) bool {
	rank, ok := e.Rank(failure)
	return ok && rank == s.Rank && errors.Is(failure, s.Cause) && strings.Contains(failure.Error(), s.Text)
}

// Judge describes what is wrong with the error that a rank's scenario returned; "" if nothing is.
func (e Errors) Judge(s Scenario, c Comm, err error) string {
	if s.Cause == nil {
		if err != nil && !s.Lost {
			return err.Error()
		}
		return ""
	}
	failure := c.Err()
	if !e.Expects(s, failure) {
		return fmt.Sprintf("the communicator's error is %v, not of rank %d for %v with %q", failure, s.Rank, s.Cause, s.Text)
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

// Part runs a rank's part of a scenario and judges it.
func (e Errors) Part(s Scenario, c Comm) string {
	return e.Judge(s, c, e.Do(c, func() error { return s.Run(context.Background(), c) }))
}
