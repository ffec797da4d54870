//go:build linux && (amd64 || arm64) && !nocuda

// This file measures what calls between processes cost.

package comm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkMPI has one line for each call, of the median and the least of its rounds.
func BenchmarkMPI(b *testing.B) {
	for _, l := range launchers {
		output, reports, err := launch(b, l, 4, "bench")
		if err != nil {
			b.Fatal(err, output, reports)
		}
		b.Logf("%s -n 4:\n%s", l.name, reports[0])
	}
}

// measure is a rank's part.
func measure(c Comm) (string, error) {
	exchangePiece, reducePiece = largestExchange, largestReduce
	var text strings.Builder
	ctx := context.Background()
	lists := func(n int) [][]byte {
		out := make([][]byte, c.Size())
		for r := range out {
			out[r] = make([]byte, n)
		}
		return out
	}
	one, bitmap, short, long := []uint64{1}, make([]uint64, 1<<17), lists(4<<10), lists(1<<20)
	for _, m := range []struct {
		name   string
		rounds int
		call   func() error
	}{
		{"Barrier", 2000, func() error { return c.Barrier(ctx) }},
		{"Sum of 8 bytes", 2000, func() error { return c.Sum(ctx, one) }},
		{"Or of 1 MiB", 100, func() error { return c.Or(ctx, bitmap) }},
		{"Exchange of 4 KiB with each rank", 1000, func() error { _, err := c.Exchange(ctx, short); return err }},
		{"Exchange of 1 MiB with each rank", 100, func() error { _, err := c.Exchange(ctx, long); return err }},
	} {
		times := make([]time.Duration, m.rounds)
		for i := range times {
			began := time.Now()
			if err := m.call(); err != nil {
				return "", err
			}
			times[i] = time.Since(began)
		}
		slices.Sort(times)
		fmt.Fprintf(&text, "%s: median %v, least %v of %d\n", m.name, times[m.rounds/2], times[0], m.rounds)
	}
	return text.String(), nil
}
