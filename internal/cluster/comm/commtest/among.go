// This file holds what exchanges between some ranks must do.

package commtest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// groupings are groups of four ranks, by turns: machines of two, those of one place on them, uneven ones, a rank that has
// no other one, and all.
var groupings = [][][]int{{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}, {{0, 1, 2}, {3}}, {{1}, {0, 3}, {2}}, {{0, 1, 2, 3}}, {{}, {}}}

// exchangesAmong makes exchanges in groups, one after the other and between other calls. Ranks come late to some.
func (e Errors) exchangesAmong(ctx context.Context, c Comm) error {
	rng := rand.New(rand.NewPCG(3, 4)) // the same on all ranks
	sizes := []int{0, 1, 39, 40, 41, 1000, 70000, ExchangeBytes + 1}
	for i := range 120 {
		groups, seed := groupings[rng.IntN(len(groupings))], rng.Uint64()
		var own []int
		for _, g := range groups {
			if slices.Contains(g, c.Rank()) {
				own = slices.DeleteFunc(slices.Clone(g), func(r int) bool { return r >= c.Size() })
			}
		}
		list := func(from, to int) []byte {
			n := sizes[wordOf(seed, from, to)%uint64(len(sizes))]
			if from != to && !slices.Contains(own, from) || from != to && !slices.Contains(own, to) {
				n = 0
			}
			return asTestBytes(wordsOf(seed+uint64(to), from, (n+7)/8))[:n]
		}
		out := make([][]byte, c.Size())
		for to := range out {
			out[to] = list(c.Rank(), to)
		}
		if wordOf(seed, c.Rank(), 9)%16 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
		in, err := e.Among(ctx, c, own, out)
		if err != nil {
			return fmt.Errorf("exchange %d: %w", i, err)
		}
		for from := range c.Size() {
			if want := list(from, c.Rank()); !bytes.Equal(in[from], want) {
				return fmt.Errorf("exchange %d among %v: %d bytes of rank %d, not the %d that it sent", i, own, len(in[from]), from, len(want))
			}
		}
		if rng.IntN(3) == 0 {
			if err := reduced(ctx, c, "sum", seed, 1+rng.IntN(20)); err != nil {
				return err
			}
		}
	}
	return nil
}

// among are the scenarios of such exchanges.
func (e Errors) among() []Scenario {
	pair := func(c Comm) []int { return []int{c.Rank() &^ 1, c.Rank() | 1} }
	return []Scenario{
		{Name: "among", Run: e.exchangesAmong},
		{Name: "among, order", Cause: e.Mismatch, Rank: 2, Text: "rank 2, in Max of 3 numbers (call 3): ranks make different calls: rank ",
			Run: func(ctx context.Context, c Comm) error {
				if c.Rank() == 2 {
					if err := c.Barrier(ctx); err != nil {
						return err
					}
					return c.Max(ctx, make([]uint64, 3))
				}
				if err := c.Barrier(ctx); err != nil {
					return err
				}
				for { // until it fails
					if _, err := e.Among(ctx, c, pair(c), make([][]byte, c.Size())); err != nil {
						return err
					}
				}
			}},
		{Name: "among, canceled", Cause: context.Canceled, Rank: 2, Text: "context canceled: a cause of its own",
			Run: func(ctx context.Context, c Comm) error {
				if c.Rank() == 2 {
					ctx = cancelSoon(ctx)
				}
				for {
					if _, err := e.Among(ctx, c, pair(c), make([][]byte, c.Size())); err != nil {
						return err
					}
					time.Sleep(time.Millisecond)
				}
			}},
		{Name: "among, another's list", Cause: e.Aborted, Rank: 2, Text: "an Exchange among ranks [2 3] was given a list for rank 0",
			Run: func(ctx context.Context, c Comm) error {
				out := make([][]byte, c.Size())
				if c.Rank() == 2 {
					out[0] = []byte{1}
				}
				if _, err := e.Among(ctx, c, pair(c), out); err != nil && c.Rank() == 2 {
					return c.Err()
				}
				return c.Barrier(ctx)
			}},
		{Name: "among, hung", Cause: e.Hung, Rank: 2, Text: "no progress",
			Run: func(ctx context.Context, c Comm) error {
				if c.Rank() == 2 {
					<-c.Done()
					return c.Err()
				}
				if _, err := e.Among(ctx, c, pair(c), make([][]byte, c.Size())); err != nil {
					return err
				}
				return c.Barrier(ctx)
			}},
	}
}
