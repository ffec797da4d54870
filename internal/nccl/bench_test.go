//go:build linux && (amd64 || arm64) && !nocuda

// This file measures what calls between GPUs cost.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/text"
)

// benchMost is the largest number of bytes of a GPU. On an emulated one less is enough.
var benchMost = func() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("FORAY_TEST_NCCL_MOST"), 10, 40); err == nil {
		return n
	}
	return 64 << 20
}()

// prepare allocates before ranks connect, and reserve before they begin.
func prepare(r *rank, size int) (err error) {
	if r.bench[0], err = r.d.Alloc(benchMost); err == nil {
		r.bench[1], err = r.d.Alloc(benchMost * uint64(size))
	}
	return err
}

func (r *rank) reserve() error {
	r.gatherMost = 1 << 62
	return r.Reserve(benchMost)
}

// measure is a rank's part: the same calls on all ranks, each until it is done on this rank's
// GPU. It returns a table of medians and the least.
func (r *rank) measure(ctx context.Context) (string, error) {
	own, all := r.bench[0], r.bench[1]
	var table strings.Builder
	line := func(name string, rounds int, call func() error) error {
		times := make([]time.Duration, rounds)
		for i := range rounds + 3 { // connections are made by the first ones
			if err := errors.Join(r.Barrier(ctx), r.Wait(ctx)); err != nil {
				return err
			}
			began := time.Now()
			if err := call(); err != nil {
				return err
			}
			if err := r.Wait(ctx); err != nil {
				return err
			}
			if i >= 3 {
				times[i-3] = time.Since(began)
			}
		}
		slices.Sort(times)
		fmt.Fprintf(&table, "%-40s %10.1f %10.1f us\n", name, float64(times[rounds/2].Nanoseconds())/1e3, float64(times[0].Nanoseconds())/1e3)
		return nil
	}
	p := uint64(r.Size())
	if err := line("all-reduce of 8 bytes", 200, func() error { return r.SumUint64(ctx, own.Pointer(), 1) }); err != nil {
		return "", err
	}
	// Twenty in a row, of which one takes as long as NCCL takes without the host's waiting.
	err := line("20 all-reduces of 8 bytes in a row", 20, func() (err error) {
		for range 20 {
			err = errors.Join(err, r.SumUint64(ctx, own.Pointer(), 1))
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if err := line("counts", 100, func() error { _, err := r.Counts(ctx, make([]uint64, p)); return err }); err != nil {
		return "", err
	}
	for _, bytes := range []uint64{64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20} {
		if bytes > benchMost {
			break
		}
		rounds := 50
		if bytes > 4<<20 {
			rounds = 20
		}
		err := line("all-gather of "+text.Bytes(bytes)+" a GPU", rounds, func() error { return r.gatherAll(ctx, own.Pointer(), all.Pointer(), bytes) })
		if err != nil {
			return "", err
		}
		lists := make([]List, p)
		in := make([]List, p)
		for i := range lists {
			n := bytes / p &^ 7
			lists[i] = List{own.Pointer() + uintptr(uint64(i)*n), n}
			in[i] = List{all.Pointer() + uintptr(uint64(i)*n), n}
		}
		if err := line("exchange of "+text.Bytes(bytes)+" a GPU", rounds, func() error { return r.Exchange(ctx, lists, in) }); err != nil {
			return "", err
		}
		for _, how := range []struct {
			name string
			most uint64
		}{{"gathered", 1 << 62}, {"by owners", 0}} {
			if p <= 2 && how.most == 0 {
				continue
			}
			r.gatherMost = how.most
			err := line("uniting "+text.Bytes(bytes)+" "+how.name, rounds, func() error { return r.Unite(ctx, own.Pointer(), bytes) })
			if err != nil {
				return "", err
			}
		}
	}
	return table.String(), nil
}

// gatherAll gathers as Unite does.
func (c *Comm) gatherAll(ctx context.Context, at, all uintptr, bytes uint64) error {
	return c.do(ctx, call{kind: inTest}, func() error {
		return c.single(func(h uintptr) (function, code) { return c.allGather(h, at, all, bytes) })
	})
}

// BenchmarkGPU prints a table for 2 and 4 GPUs, of one process and of several.
func BenchmarkGPU(b *testing.B) {
	most, _ := count(b, 4)
	for n := 2; n <= most; n += 2 {
		ranks, _ := together(b, n, Options{}, prepare)
		for _, r := range ranks {
			if err := r.reserve(); err != nil {
				b.Fatal(err)
			}
		}
		each(ranks, func(r *rank) {
			table, err := r.measure(b.Context())
			if err = errors.Join(err, r.Close()); err != nil {
				b.Error(err)
			} else if r.Rank() == 0 {
				b.Logf("%d GPUs, one process, NCCL %v (median, least):\n%s", n, r.lib.version, table)
			}
		})
		for _, l := range launchers[:2] {
			b.Run(fmt.Sprint(n, l.name), func(b *testing.B) {
				reports, output := l.launch(b, n, "bench")
				if len(reports) < n {
					b.Fatal(output)
				}
				b.Logf("%d GPUs, %d processes %s (median, least):\n%s", n, n, l.name, reports[0])
			})
		}
	}
}
