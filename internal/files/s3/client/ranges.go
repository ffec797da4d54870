// This file fetches several ranges at once, near ones together.

package client

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/s3"
)

// merge returns ranges, sorted and disjoint, that cover the given ones. It merges
// ranges that are at most gap apart, as long as the result is no longer than
// most. Longer ranges aren't merged, since they are read from
// their beginnings in parallel.
func merge(ranges []s3.Range, gap, most int64) []s3.Range {
	sorted := slices.Clone(ranges)
	sort.Slice(sorted, func(i, k int) bool {
		a, b := sorted[i], sorted[k]
		return a.Offset < b.Offset || a.Offset == b.Offset && a.Length < b.Length
	})
	var out []s3.Range
	for _, r := range sorted {
		if r.Length == 0 {
			continue
		}
		if len(out) > 0 {
			last := &out[len(out)-1]
			if end := max(last.End(), r.End()); r.Offset-last.End() <= gap && end-last.Offset <= most {
				last.Length = end - last.Offset
				continue
			}
			if cut := last.End() - r.Offset; cut > 0 {
				r.Offset, r.Length = last.End(), max(r.Length-cut, 0)
			}
			if r.Length == 0 {
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// pieces cuts ranges into such of at most size bytes.
func pieces(ranges []s3.Range, size int64) []s3.Range {
	var out []s3.Range
	for _, r := range ranges {
		for r.Length > 0 {
			n := min(r.Length, size)
			out = append(out, s3.Range{Offset: r.Offset, Length: n})
			r.Offset, r.Length = r.Offset+n, r.Length-n
		}
	}
	return out
}

// within checks ranges against the object.
func (r *Reader) within(ranges []s3.Range) error {
	for _, g := range ranges {
		if g.Offset < 0 || g.Length < 0 || g.Length > r.o.Size-g.Offset {
			return &s3.Error{Op: "read", Path: r.o.Path, Err: fmt.Errorf("%d bytes from %d on aren't in its %d", g.Length, g.Offset, r.o.Size), Remedy: "read within the object"}
		}
	}
	return nil
}

// Fill reads len(p) bytes from off on directly into p,
// in pieces of PieceSize, InFlight at once. If done isn't nil, the goroutine that fetched a
// piece calls it with the piece's range of p, bytes lo to hi;
// its error ends the reading, as ctx does. After an error the contents of p are undefined.
func (r *Reader) Fill(ctx context.Context, p []byte, off int64, done func(lo, hi int) error) error {
	all := s3.Range{Offset: off, Length: int64(len(p))}
	if err := r.within([]s3.Range{all}); err != nil {
		return err
	}
	ctx, stop := both(ctx, r.ctx)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	todo := pieces([]s3.Range{all}, r.c.set.pieceSize)
	var (
		next  atomic.Int64
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
	)
	for range min(r.c.set.inFlight, len(todo)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(todo)); i = next.Add(1) - 1 {
				g := todo[i]
				lo, hi := int(g.Offset-off), int(g.End()-off)
				err := panics.Call(func() error {
					panics.Point("fetch")
					_, err := r.fetch(ctx, p[lo:hi:hi], g.Offset)
					if err == nil && done != nil {
						err = done(lo, hi)
					}
					return err
				})
				if err != nil {
					mu.Lock()
					if first == nil {
						first = err
						cancel()
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	return first
}

// ReadRanges returns the bytes of the ranges, one slice for each, by as few
// requests as MergeGap allows, InFlight at once. In addition to its result it holds
// up to InFlight times PieceSize bytes. On an error it returns nothing.
func (r *Reader) ReadRanges(ctx context.Context, ranges []s3.Range) ([][]byte, error) {
	if err := r.within(ranges); err != nil {
		return nil, err
	}
	ctx, stop := both(ctx, r.ctx)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := make([][]byte, len(ranges))
	for i, g := range ranges {
		out[i] = make([]byte, g.Length)
	}
	todo := pieces(merge(ranges, r.c.set.mergeGap, r.c.set.pieceSize), r.c.set.pieceSize)
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
	)
	for range min(r.c.set.inFlight, len(todo)) {
		wg.Go(func() {
			var buf []byte
			for {
				mu.Lock()
				if len(todo) == 0 || first != nil {
					mu.Unlock()
					return
				}
				g := todo[0]
				todo = todo[1:]
				mu.Unlock()
				if int64(cap(buf)) < g.Length {
					buf = make([]byte, g.Length)
				}
				buf = buf[:g.Length]
				err := panics.Call(func() error {
					panics.Point("fetch")
					_, err := r.fetch(ctx, buf, g.Offset)
					return err
				})
				if err != nil {
					mu.Lock()
					if first == nil {
						first = err
						cancel()
					}
					mu.Unlock()
					return
				}
				for i, want := range ranges { // a byte belongs to one piece
					from, to := max(want.Offset, g.Offset), min(want.End(), g.End())
					if from < to {
						copy(out[i][from-want.Offset:], buf[from-g.Offset:to-g.Offset])
					}
				}
			}
		})
	}
	wg.Wait()
	if first != nil {
		return nil, first
	}
	return out, nil
}
