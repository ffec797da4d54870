// This file does something for several files at once.

package input

import (
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/calls/panics"
)

// EachFile calls do for files from up to to, so many at once. It returns the error of
// the first file that has one.
func EachFile(from, to, atOnce int, do func(i int) error) error {
	errs := make([]error, to)
	var next, failed atomic.Int64
	next.Store(int64(from))
	failed.Store(int64(to))
	var wg sync.WaitGroup
	for range min(atOnce, to-from) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < failed.Load(); i = next.Add(1) - 1 {
				if errs[i] = panics.Await(func() error { return do(int(i)) }); errs[i] != nil {
					for at := failed.Load(); i < at && !failed.CompareAndSwap(at, i); at = failed.Load() {
					}
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
