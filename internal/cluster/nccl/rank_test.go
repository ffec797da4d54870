//go:build linux && (amd64 || arm64) && !nocuda

// This file holds what a rank is in tests: memory on its GPU, and calls whose results it checks.

package nccl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
)

// testDeadline is the deadline of communicators in tests.
const testDeadline = 3 * time.Second

// rank is a rank of a test. It allocates everything before ranks connect: later, other ranks'
// kernels may wait for this rank, and driver calls that allocate may wait for those kernels.
type rank struct {
	*Comm
	d     *gpu.Device
	s     *gpu.Stream
	side  *gpu.Stream // for work beside
	marks [2]*gpu.Mark
	bench [2]device.Memory
	arena device.Memory // nil on an emulated GPU, which watches each piece of memory
	used  uintptr
}

const arenaBytes = 64 << 20

func newRank(d *gpu.Device) (r *rank, err error) {
	r = &rank{d: d}
	for _, s := range []**gpu.Stream{&r.s, &r.side} {
		if *s, err = d.Stream(context.Background()); err != nil {
			return nil, err
		}
	}
	for i, s := range []*gpu.Stream{r.side, r.s} {
		if r.marks[i], err = s.Mark(); err != nil {
			return nil, err
		}
	}
	if !strings.Contains(d.Info().Model, "Emulated") {
		if r.arena, err = d.Alloc(arenaBytes); err != nil {
			return nil, err
		}
		b := make([]byte, arenaBytes) // transfers to and from the GPU have separate memory, too
		err = errors.Join(d.Upload(r.arena, arenaBytes, func(uint64, []byte) {}), d.Download(b, r.arena, 0))
	}
	return r, err
}

func (r *rank) free() error {
	err := errors.Join(r.marks[0].Close(), r.marks[1].Close(), r.side.Close(), r.s.Close())
	for _, m := range append(r.bench[:], r.arena) {
		if m != nil {
			err = errors.Join(err, m.Close())
		}
	}
	return err
}

// part is some of the arena.
type part struct{ at uintptr }

func (p part) Host() []byte     { return nil }
func (p part) Pointer() uintptr { return p.at }
func (p part) Close() error     { return nil }

func (r *rank) alloc(bytes uint64) (device.Memory, error) {
	if r.arena == nil {
		return r.d.Alloc(bytes)
	}
	size := (uintptr(bytes) + 255) &^ 255
	if r.used+size > arenaBytes { // what was there first is of no use any more
		r.used = 0
	}
	r.used += size
	return part{r.arena.Pointer() + r.used - size}, nil
}

var held [16]*gpu.Device

// gpus opens up to most GPUs, of which a test needs two.
func gpus(t testing.TB, most int) (all []*gpu.Device, emulated bool) {
	t.Helper()
	for i := range most {
		d, err := gpu.Open(i)
		if err != nil {
			if !errors.Is(err, device.ErrNotSupported) && !errors.Is(err, device.ErrUnknown) {
				t.Fatal(err)
			}
			if i < 2 {
				t.Skipf("needs two GPUs, or emulated ones (FORAY_EMULATOR_DEVICES=2): there are %d: %v", i, err)
			}
			break
		}
		all = append(all, d)
		if held[i] == nil { // so that one test's end isn't the context's: TestGPUAgain has that
			held[i], _ = gpu.Open(i)
		}
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := open(); err != nil {
		if os.Getenv("FORAY_NCCL") != "" {
			t.Fatal(err)
		}
		t.Skip("needs NCCL 2.23 or later: set FORAY_NCCL to libnccl.so.2:", err)
	}
	return all, strings.Contains(all[0].Info().Model, "Emulated")
}

// put makes memory with bytes in it.
func (r *rank) put(b []byte) (device.Memory, error) {
	m, err := r.alloc(uint64(max(len(b), 1)))
	if err == nil && len(b) > 0 {
		err = r.d.Upload(m, uint64(len(b)), func(at uint64, part []byte) { copy(part, b[at:]) })
	}
	return m, err
}

// get returns what is in memory.
func (r *rank) get(m device.Memory, n int) ([]byte, error) {
	b := make([]byte, n)
	return b, r.d.Download(b, m, 0)
}

// with runs f with a copy of b on the GPU, and returns its contents afterwards.
func (r *rank) with(b []byte, f func(at uintptr) error) (after []byte, err error) {
	m, err := r.put(b)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := f(m.Pointer()); err != nil {
		return nil, err
	}
	return r.get(m, len(b))
}

// wordOf is what a rank has at a place.
func wordOf(seed uint64, rank, i int) uint64 {
	x := seed + uint64(rank)*0x9e3779b97f4a7c15 + uint64(i)*0xbf58476d1ce4e5b9
	x = (x ^ x>>31) * 0x94d049bb133111eb
	return x ^ x>>29
}

func bytesOf(seed uint64, rank, words int) []byte {
	b := make([]byte, 0, 8*words)
	for i := range words {
		b = binary.NativeEndian.AppendUint64(b, wordOf(seed, rank, i))
	}
	return b
}

// summed enqueues the replacing of numbers by their sums over all ranks, as Barrier and Host's sums do.
func (c *Comm) summed(ctx context.Context, at uintptr, n int) error {
	return c.do(ctx, call{kind: inTest, n: uint64(n)}, func() error { return c.sum(at, n) })
}

// united enqueues the replacing of a bitmap by the union of all ranks', as Host's Or does.
func (c *Comm) united(ctx context.Context, at uintptr, bytes uint64) error {
	return c.do(ctx, call{kind: inTest, n: bytes, parts: 1}, func() error {
		if c.size == 1 || bytes == 0 {
			return nil
		}
		if err := c.roomFor(bytes); err != nil {
			return err
		}
		if c.gathers(bytes) {
			return c.uniteGathered(at, bytes)
		}
		return c.uniteOwned(at, bytes)
	})
}

// reduced sums or unites n words and compares the result.
func (r *rank) reduced(ctx context.Context, sum bool, seed uint64, n int) error {
	got, err := r.with(bytesOf(seed, r.Rank(), n), func(at uintptr) error {
		err := error(nil)
		if sum {
			err = r.summed(ctx, at, n)
		} else {
			err = r.united(ctx, at, uint64(8*n))
		}
		return errors.Join(err, r.waitIf(ctx, err))
	})
	if err != nil {
		return err
	}
	for i := range n {
		want := uint64(0)
		for other := range r.Size() {
			if w := wordOf(seed, other, i); sum {
				want += w
			} else {
				want |= w
			}
		}
		if x := binary.NativeEndian.Uint64(got[8*i:]); x != want {
			return fmt.Errorf("sum %v of %d words: [%d] is %x, not %x", sum, n, i, x, want)
		}
	}
	return nil
}

// waitIf waits after a call that went well.
func (r *rank) waitIf(ctx context.Context, err error) error {
	if err != nil {
		return nil
	}
	return r.Wait(ctx)
}

// exchanged exchanges lists of lengths that two ranks and the seed give.
func (r *rank) exchanged(ctx context.Context, seed uint64, length func(from, to int) int) (err error) {
	list := func(from, to int) []byte {
		return bytesOf(seed+uint64(to), from, (length(from, to)+7)/8)[:length(from, to)]
	}
	out, in := make([]List, r.Size()), make([]List, r.Size())
	var held []device.Memory
	defer func() {
		for _, m := range held {
			err = errors.Join(err, m.Close())
		}
	}()
	for to := range out {
		m, err := r.put(list(r.Rank(), to))
		if err != nil {
			return err
		}
		held = append(held, m)
		out[to] = List{m.Pointer(), uint64(length(r.Rank(), to))}
	}
	for from := range in {
		n := length(from, r.Rank())
		m, err := r.put(make([]byte, n))
		if err != nil {
			return err
		}
		held = append(held, m)
		in[from] = List{m.Pointer(), uint64(n)}
	}
	err = r.Exchange(ctx, out, in)
	if err = errors.Join(err, r.waitIf(ctx, err)); err != nil {
		return err
	}
	for from := range in {
		b, err := r.get(held[r.Size()+from], int(in[from].Bytes))
		if err != nil {
			return err
		}
		if string(b) != string(list(from, r.Rank())) {
			return fmt.Errorf("the list of %d bytes of rank %d isn't what it sent", len(b), from)
		}
	}
	return nil
}

// run runs a rank's part. If that returns an error or panics, the communicator fails.
func (r *rank) run(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			r.Abort(err)
		}
	}()
	return f()
}
