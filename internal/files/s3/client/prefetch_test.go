// This file tests reading several ranges and reading ahead.

package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand"
	"sync"
	"testing"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// lake opens an object of n bytes, of which pieces of the given size are fetched.
func lake(t *testing.T, n int, piece, gap int64) (*tests3.Fake, *Client, s3.Reader, []byte) {
	t.Helper()
	f := tests3.NewFake(t, "bucket")
	data := noise(n)
	f.Put("bucket", "a", data)
	o := quick(f)
	o.PieceSize, o.MergeGap, o.InFlight = piece, gap, 4
	c := client(t, o)
	r := must(c.Open(context.Background(), must(c.Stat(context.Background(), "s3://bucket/a"))))
	return f, c, r, data
}

func randomRanges(rng *rand.Rand, size int64, most int64) []s3.Range {
	out := make([]s3.Range, rng.Intn(8))
	for i := range out {
		out[i].Offset = rng.Int63n(size)
		out[i].Length = rng.Int63n(min(size-out[i].Offset, most) + 1)
	}
	return out
}

func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 3000 {
		const size = 300
		gap, most := rng.Int63n(20), 1+rng.Int63n(60)
		ranges := randomRanges(rng, size, 100)
		merged := merge(ranges, gap, most)
		var want, got [size]bool
		for _, r := range ranges {
			for i := r.Offset; i < r.End(); i++ {
				want[i] = true
			}
		}
		for i, r := range merged {
			if r.Length <= 0 || i > 0 && r.Offset < merged[i-1].End() {
				t.Fatalf("%v: %v", ranges, merged)
			}
			if i > 0 && r.Offset-merged[i-1].End() <= gap && r.End()-merged[i-1].Offset <= most {
				t.Fatalf("%v: %v should be one", ranges, merged[i-1:i+1])
			}
			for j := r.Offset; j < r.End(); j++ {
				got[j] = true
			}
		}
		extra := int64(0)
		for i := range size {
			if want[i] && !got[i] {
				t.Fatalf("%v: %v lacks %d", ranges, merged, i)
			}
			if got[i] && !want[i] {
				extra++
			}
		}
		if extra > gap*int64(len(ranges)) {
			t.Fatalf("%v: %v has %d bytes too many", ranges, merged, extra)
		}
		n := int64(0)
		for _, p := range pieces(merged, most) {
			if n += p.Length; p.Length > most || p.Length <= 0 {
				t.Fatalf("a piece of %d bytes", p.Length)
			}
		}
		for _, r := range merged {
			n -= r.Length
		}
		if n != 0 {
			t.Fatal("pieces lose bytes")
		}
	}
}

func TestReadRanges(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	_, c, r, data := lake(t, 50_000, 1000, 100)
	for range 30 {
		ranges := randomRanges(rng, r.Size(), 5000)
		before := c.Stats().Fetched
		got, err := r.ReadRanges(context.Background(), ranges)
		if err != nil || len(got) != len(ranges) {
			t.Fatal(err)
		}
		for i, g := range ranges {
			if !bytes.Equal(got[i], data[g.Offset:g.End()]) {
				t.Fatalf("%v: range %d is wrong", ranges, i)
			}
		}
		want := int64(0)
		for _, g := range merge(ranges, 100, 1000) {
			want += g.Length
		}
		if n := c.Stats().Fetched - before; n != want {
			t.Errorf("%v: %d bytes came, want %d", ranges, n, want)
		}
	}
	for _, wrong := range []s3.Range{{Offset: -1, Length: 2}, {Offset: 0, Length: 50_001}, {Offset: 50_000, Length: 1}, {Offset: 5, Length: -1}, {Offset: 1 << 62, Length: 1 << 62}} {
		if _, err := r.ReadRanges(context.Background(), []s3.Range{wrong}); err == nil {
			t.Errorf("%v was read", wrong)
		}
		if _, err := r.Prefetch(context.Background(), []s3.Range{wrong}, s3.PrefetchOptions{}); err == nil {
			t.Errorf("%v was read", wrong)
		}
	}
}

func TestReadRangesFails(t *testing.T) {
	f, _, r, _ := lake(t, 50_000, 1000, -1)
	f.SetFault(func(q tests3.Request) fault {
		if q.Range == "bytes=7000-7999" {
			return fault{Status: 403, Code: "AccessDenied"}
		}
		return fault{}
	})
	if got, err := r.ReadRanges(context.Background(), []s3.Range{{Offset: 0, Length: 50_000}}); got != nil || !errors.Is(err, s3.ErrDenied) {
		t.Error(err)
	}
}

// TestPrefetchColumns: columns that are read side by side, each in order, come
// in pieces, each byte once, within the memory.
func TestPrefetchColumns(t *testing.T) {
	_, c, r, data := lake(t, 100_000, 1000, -1)
	ranges := []s3.Range{{Offset: 4, Length: 30_000}, {Offset: 30_004, Length: 25_000}, {Offset: 60_000, Length: 10_123}, {Offset: 99_000, Length: 500}}
	p := must(r.Prefetch(context.Background(), ranges, s3.PrefetchOptions{Memory: 12_000})).(*Prefetch)
	defer p.Close()
	var wg sync.WaitGroup
	for i, g := range ranges {
		wg.Go(func() {
			rng := rand.New(rand.NewSource(int64(i)))
			for at := g.Offset; at < g.End(); {
				b := make([]byte, min(1+rng.Int63n(700), g.End()-at))
				if n, err := p.ReadAt(b, at); n != len(b) || err != nil || !bytes.Equal(b, data[at:at+int64(n)]) {
					t.Errorf("%d bytes at %d: %d, %v", len(b), at, n, err)
					return
				}
				at += int64(len(b))
				p.mu.Lock()
				held := p.held
				p.mu.Unlock()
				if held > 12_000+4*1000 { // four readers may go beyond
					t.Errorf("%d bytes are held", held)
				}
			}
		})
	}
	wg.Wait()
	want, requests := int64(0), int64(1)
	for _, g := range ranges {
		want, requests = want+g.Length, requests+(g.Length+999)/1000
	}
	if s := c.Stats(); s.Fetched != want || s.Requests != requests {
		t.Errorf("%+v; want %d bytes in %d requests", s, want, requests)
	}
}

// TestPrefetchRandom: whatever is read in whatever order is right.
func TestPrefetchRandom(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for round := range 20 {
		f, _, r, data := lake(t, 20_000, 100, rng.Int63n(200)-50)
		if round%3 == 0 {
			f.SetFault(func(q tests3.Request) fault {
				if q.Op == tests3.Get && q.N%50 == 49 {
					return fault{Cut: true, Body: 20}
				}
				return fault{}
			})
		}
		p := must(r.Prefetch(context.Background(), randomRanges(rng, r.Size(), 8000), s3.PrefetchOptions{Memory: 100 + rng.Int63n(2000), InFlight: 1 + rng.Intn(5)})).(*Prefetch)
		var wg sync.WaitGroup
		for w := range 3 {
			wg.Go(func() {
				rng := rand.New(rand.NewSource(int64(round*10 + w)))
				whole := bytes.NewReader(data)
				for range 30 {
					b := make([]byte, 1+rng.Intn(600))
					want := make([]byte, len(b))
					off := rng.Int63n(int64(len(data)) + 50)
					n, err := p.ReadAt(b, off)
					wn, werr := whole.ReadAt(want, off)
					if n != wn || err != werr || !bytes.Equal(b[:n], want[:n]) {
						t.Errorf("%d bytes at %d: %d, %v; want %d, %v", len(b), off, n, err, wn, werr)
					}
				}
			})
		}
		wg.Wait()
		p.Close()
		if p.held != 0 || p.flying != 0 {
			t.Errorf("%d bytes held, %d on their way", p.held, p.flying)
		}
		if _, err := p.ReadAt(make([]byte, 1), 0); !errors.Is(err, context.Canceled) {
			t.Errorf("after Close: %v", err)
		}
	}
}

// TestPrefetchFails: an error comes to those who read there, and goes when it is over.
func TestPrefetchFails(t *testing.T) {
	f, _, r, data := lake(t, 10_000, 1000, -1)
	f.SetFault(func(q tests3.Request) fault {
		if q.Range == "bytes=3000-3999" {
			return fault{Status: 403, Code: "AccessDenied"}
		}
		return fault{}
	})
	p := must(r.Prefetch(context.Background(), []s3.Range{{Offset: 0, Length: 10_000}}, s3.PrefetchOptions{}))
	defer p.Close()
	b := make([]byte, 3000)
	if n, err := p.ReadAt(b, 0); n != 3000 || err != nil {
		t.Error(n, err)
	}
	if n, err := p.ReadAt(b, 2000); n != 1000 || !errors.Is(err, s3.ErrDenied) {
		t.Error(n, err)
	}
	f.SetFault(nil)
	b = make([]byte, 10_001)
	for { // a request that was under way may still fail
		n, err := p.ReadAt(b, 0)
		if errors.Is(err, s3.ErrDenied) {
			continue
		}
		if n != 10_000 || err != io.EOF || !bytes.Equal(b[:n], data) {
			t.Error(n, err)
		}
		return
	}
}

// TestPrefetchTail: how a footer is read in one request, whatever its length.
func TestPrefetchTail(t *testing.T) {
	_, c, r, data := lake(t, 10_000, 5000, 100)
	p := must(r.Prefetch(context.Background(), []s3.Range{{Offset: 7000, Length: 3000}}, s3.PrefetchOptions{}))
	defer p.Close()
	for _, off := range []int64{9992, 8000, 7000} {
		b := make([]byte, 8)
		if _, err := p.ReadAt(b, off); err != nil || !bytes.Equal(b, data[off:off+8]) {
			t.Error(err)
		}
	}
	if s := c.Stats(); s.Requests != 2 || s.Fetched != 3000 {
		t.Errorf("%+v", s)
	}
}
