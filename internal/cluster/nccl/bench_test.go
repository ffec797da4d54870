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
	return r.roomFor(benchMost)
}

// table has a line for each call that was measured.
type table struct {
	strings.Builder
	r *rank
}

// line measures a call: the median of rounds and the least, each until it is done on this rank's GPU.
func (t *table) line(ctx context.Context, name string, rounds int, call func() error) error {
	times := make([]time.Duration, rounds)
	for i := range rounds + 3 {
		if err := errors.Join(t.r.Barrier(ctx), t.r.Wait(ctx)); err != nil {
			return err
		}
		began := time.Now()
		if err := call(); err != nil {
			return err
		}
		if err := t.r.Wait(ctx); err != nil {
			return err
		}
		if i >= 3 {
			times[i-3] = time.Since(began)
		}
	}
	slices.Sort(times)
	fmt.Fprintf(t, "%-52s %10.1f %10.1f us\n", name, float64(times[rounds/2].Nanoseconds())/1e3, float64(times[0].Nanoseconds())/1e3)
	return nil
}

// measure is a rank's part: the same calls on all ranks. It returns a table.
func (r *rank) measure(ctx context.Context) (string, error) {
	t := &table{r: r}
	for _, part := range []func(context.Context) error{t.small, t.level, t.sizes, t.hosts} {
		if err := part(ctx); err != nil {
			return "", err
		}
	}
	return t.String(), nil
}

func (t *table) small(ctx context.Context) error {
	r := t.r
	own := r.bench[0].Pointer()
	return errors.Join(
		t.line(ctx, "all-reduce of 8 bytes", 200, func() error { return r.summed(ctx, own, 1) }),
		// One of them takes as long as NCCL takes without the host's waiting.
		t.line(ctx, "20 all-reduces of 8 bytes in a row", 20, func() (err error) {
			for range 20 {
				err = errors.Join(err, r.summed(ctx, own, 1))
			}
			return err
		}),
		t.line(ctx, "exchange of nothing", 100, func() error {
			return r.Exchange(ctx, make([]List, r.Size()), make([]List, r.Size()))
		}),
	)
}

// level measures what a level of a search does: it gathers bits and sums, and waits.
func (t *table) level(ctx context.Context) error {
	r := t.r
	own, all := r.bench[0].Pointer(), r.bench[1].Pointer()
	block := func(bytes uint64) Block { return Block{own, all, bytes} }
	for _, bytes := range []uint64{64, 4 << 10, 64 << 10, 512 << 10, 4 << 20} {
		if bytes > benchMost {
			break
		}
		name := text.Bytes(bytes) + " a GPU"
		err := errors.Join(
			t.line(ctx, "gather of "+name, 200, func() error { return r.Gather(ctx, block(bytes)) }),
			t.line(ctx, "kernel, gather of "+name+", copy", 200, func() error { return r.likeLevel(ctx, block(bytes)) }))
		if err != nil {
			return err
		}
	}
	if benchMost >= 1<<20 {
		p := uintptr(r.Size())
		three := []Block{block(64), {own + 64, all + 64*p, 64 << 10}, {own + 64 + 64<<10, all + (64+64<<10)*p, 512 << 10}}
		err := errors.Join(
			t.line(ctx, "gather of three blocks (64 B, 64 KiB, 512 KiB)", 200, func() error { return r.Gather(ctx, three...) }),
			t.line(ctx, "kernel, gather of the three, copy", 200, func() error { return r.likeLevel(ctx, three...) }))
		if err != nil {
			return err
		}
	}
	for _, bytes := range []uint64{4 << 10, 1 << 20} {
		if bytes*uint64(r.Size()) > benchMost {
			break
		}
		out, in := make([]List, r.Size()), make([]List, r.Size())
		for i := range out {
			out[i], in[i] = List{own + uintptr(i)*uintptr(bytes), bytes}, List{all + uintptr(i)*uintptr(bytes), bytes}
		}
		if err := t.line(ctx, "exchange of lists of "+text.Bytes(bytes), 200, func() error { return r.Exchange(ctx, out, in) }); err != nil {
			return err
		}
	}
	return nil
}

// hosts measures calls in host memory.
func (t *table) hosts(ctx context.Context) error {
	h, err := t.r.Host(ctx)
	if err != nil {
		return err
	}
	words := make([]uint64, 1<<20/wordBytes)
	lists := func(bytes uint64) error {
		out := make([][]byte, h.Size())
		for r := range out {
			out[r] = make([]byte, bytes)
		}
		return t.line(ctx, "host: exchange of lists of "+text.Bytes(bytes), 20, func() error { _, err := h.Exchange(ctx, out); return err })
	}
	err = errors.Join(
		t.line(ctx, "host: sum of 1 number", 200, func() error { return h.Sum(ctx, words[:1]) }),
		t.line(ctx, "host: sum of 1,000 numbers", 100, func() error { return h.Sum(ctx, words[:1000]) }),
		t.line(ctx, "host: union of 1.05 MB", 50, func() error { return h.Or(ctx, words) }),
		lists(0), lists(64<<10))
	if err == nil && benchMost >= 16<<20 {
		err = errors.Join(lists(1<<20), lists(64<<20))
	}
	return errors.Join(err, h.Close())
}

// likeLevel enqueues a small kernel, a Gather, and a copy of some bytes to the host.
func (r *rank) likeLevel(ctx context.Context, blocks ...Block) error {
	if err := r.unite(r.word(wordsOut), r.word(wordsIn), 1, 1, 0); err != nil {
		return err
	}
	if err := r.Gather(ctx, blocks...); err != nil {
		return err
	}
	return r.s.ToHost(r.pinned, 0, blocks[0].To, 8)
}

// sizes measures calls by the bytes of a GPU.
func (t *table) sizes(ctx context.Context) error {
	r := t.r
	own, all := r.bench[0], r.bench[1]
	p := uint64(r.Size())
	for _, bytes := range []uint64{64 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20} {
		if bytes > benchMost {
			break
		}
		rounds := 50
		if bytes > 4<<20 {
			rounds = 20
		}
		lists := make([]List, p)
		in := make([]List, p)
		for i := range lists {
			n := bytes / p &^ 7
			lists[i] = List{own.Pointer() + uintptr(uint64(i)*n), n}
			in[i] = List{all.Pointer() + uintptr(uint64(i)*n), n}
		}
		if err := t.line(ctx, "exchange of "+text.Bytes(bytes)+" a GPU", rounds, func() error { return r.Exchange(ctx, lists, in) }); err != nil {
			return err
		}
		for _, how := range []struct {
			name string
			most uint64
		}{{"gathered", 1 << 62}, {"by owners", 0}} {
			if p <= 2 && how.most == 0 {
				continue
			}
			r.gatherMost = how.most
			err := t.line(ctx, "uniting "+text.Bytes(bytes)+" "+how.name, rounds, func() error { return r.united(ctx, own.Pointer(), bytes) })
			if err != nil {
				return err
			}
		}
	}
	return nil
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
