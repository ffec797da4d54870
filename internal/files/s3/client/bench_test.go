// This file measures reading ahead from a store that takes its time to answer.

package client

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// BenchmarkColumn reads 64 MiB in windows of 256 KiB, as package io/arrow does,
// from a store that answers after 20 ms.
func BenchmarkColumn(b *testing.B) {
	f := tests3.NewFake(b, "bucket")
	const size = 64 << 20
	f.Put("bucket", "a", noise(size))
	f.SetFault(always(tests3.Get, fault{Delay: 20 * time.Millisecond}))
	c := New(quick(f))
	defer c.Close()
	ctx := context.Background()
	r := must(c.Open(ctx, must(c.Stat(ctx, "s3://bucket/a"))))
	read := func(b *testing.B, src io.ReaderAt) {
		buf := make([]byte, 256<<10)
		for at := int64(0); at < size; at += int64(len(buf)) {
			if _, err := src.ReadAt(buf, at); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("ReadAt", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			read(b, r)
		}
	})
	b.Run("Prefetch", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			p := must(r.Prefetch(ctx, []s3.Range{{Offset: 0, Length: size}}, s3.PrefetchOptions{}))
			read(b, p)
			p.Close()
		}
	})
}
