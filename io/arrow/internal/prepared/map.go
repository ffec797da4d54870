// This file reads files into memory, where they aren't mapped.

package prepared

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
)

// readFile reads the file, on several goroutines.
func readFile(ctx context.Context, f *os.File, size, workers int) ([]byte, error) {
	data := alignedBytes(size)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var (
		next atomic.Int64
		wg   panics.Group
		errs = make([]error, workers)
	)
	work := func(w int) {
		for errs[w] = ctx.Err(); errs[w] == nil; errs[w] = ctx.Err() {
			lo := int(next.Add(1)-1) * readChunk
			if lo >= size {
				return
			}
			if _, err := f.ReadAt(data[lo:min(lo+readChunk, size)], int64(lo)); err != nil {
				if errors.Is(err, io.EOF) {
					err = columnar.Corrupt("it ends too early: it was cut while it was read")
				}
				errs[w] = err
				return
			}
		}
	}
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	wg.Go(func() { work(0) })
	if err := wg.Err(); err != nil {
		return nil, err
	}
	return data, errors.Join(errs...)
}
