// This file tests Fill.

package client

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

func TestFill(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	data := noise(100_000)
	f.Put("bucket", "a", data)
	o := quick(f)
	o.PieceSize = 7000
	c := client(t, o)
	ctx := context.Background()
	r := must(c.Open(ctx, must(c.Stat(ctx, "s3://bucket/a"))))
	rng := rand.New(rand.NewPCG(8, 1))
	for range 20 {
		off := rng.IntN(len(data) + 1)
		p := make([]byte, rng.IntN(len(data)-off+1))
		seen := make([]atomic.Int32, len(p))
		err := r.Fill(ctx, p, int64(off), func(lo, hi int) error {
			if !bytes.Equal(p[lo:hi], data[off+lo:off+hi]) {
				t.Errorf("bytes %d to %d aren't there", lo, hi)
			}
			for i := lo; i < hi; i++ {
				seen[i].Add(1)
			}
			return nil
		})
		if err != nil || !bytes.Equal(p, data[off:off+len(p)]) {
			t.Fatalf("%d bytes from %d on: %v", len(p), off, err)
		}
		for i := range seen {
			if seen[i].Load() != 1 {
				t.Fatalf("byte %d was told %d times", i, seen[i].Load())
			}
		}
	}
	stop := errors.New("enough")
	before := len(f.Requests(tests3.Get))
	if err := r.Fill(ctx, make([]byte, len(data)), 0, func(int, int) error { return stop }); err != stop {
		t.Error(err)
	}
	if n := len(f.Requests(tests3.Get)) - before; n > 8 {
		t.Errorf("%d requests after the first should have been the last", n)
	}
	for _, g := range []s3.Range{{Offset: -1, Length: 5}, {Offset: 99_999, Length: 2}, {Offset: 200_000, Length: 0}} {
		if err := r.Fill(ctx, make([]byte, g.Length), g.Offset, nil); err == nil {
			t.Errorf("%v", g)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if err := r.Fill(done, make([]byte, 5), 0, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	f.Put("bucket", "a", data[1:])
	if err := r.Fill(ctx, make([]byte, len(data)), 0, nil); !errors.Is(err, s3.ErrChanged) {
		t.Error(err)
	}
}
