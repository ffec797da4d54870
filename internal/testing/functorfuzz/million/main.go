// Command million runs random functors written in Go in all available ways, with
// random data, and compares their output, the contents of their fields, and their
// faults, bit for bit:
//
//   - Go itself: the method, called edge by edge; a panic is a fault,
//   - the generated host loops, with one worker and with several,
//   - an interpreter of their IR,
//   - an interpreter of their PTX.
//
// A million:
//
//	go run ./internal/testing/functorfuzz/million -functors 1000000
//
// It writes packages of functors into this module, generates for them, and has Go compile
// them. A difference ends it, with the functor, its data and its seed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	functors = flag.Uint64("functors", 1000, "how many functors")
	seed     = flag.Uint64("seed", 1, "seed of the first one")
	cases    = flag.Int("cases", 4, "how many random data each functor is run with")
	batch    = flag.Uint64("batch", 500, "how many functors are compiled together")
	workers  = flag.Int("workers", runtime.NumCPU(), "how many batches at a time")
	limit    = flag.Duration("for", 24*time.Hour, "begin no batch after that time")
	plain    = flag.Uint64("plain", 4, "compile all but every so-manyth batch without optimizations, which is faster; 1: none")
	keep     = flag.Bool("keep", false, "keep the packages")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if _, err := run(ctx); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// counts are the numbers of runs.
type counts struct{ functors, calls, faults atomic.Uint64 }

func (c *counts) String() string {
	return fmt.Sprintf("%d functors, %d cases, %d of them faulted", c.functors.Load(), c.calls.Load(), c.faults.Load())
}

func run(ctx context.Context) (*counts, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Join(root, "internal", "testing", "functorfuzz"), "_million")
	if err != nil {
		return nil, err
	}
	if !*keep {
		defer os.RemoveAll(dir)
	}
	b, err := newBuilder(ctx, root, dir)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	begin := time.Now()
	var done counts
	var next, failed atomic.Uint64
	var wait sync.WaitGroup
	for range *workers {
		wait.Go(func() {
			for ctx.Err() == nil && time.Since(begin) < *limit {
				i := next.Add(1) - 1
				if i*(*batch) >= *functors {
					return
				}
				if err := b.batch(ctx, i, &done); err != nil && ctx.Err() == nil {
					fmt.Println(err)
					if failed.Add(1) == 10 {
						stop(errors.New("enough of that"))
						return
					}
				}
				fmt.Printf("%.0f s: %v\n", time.Since(begin).Seconds(), &done)
			}
		})
	}
	wait.Wait()
	took := time.Since(begin).Seconds()
	err = context.Cause(ctx)
	what := "no difference"
	if n := failed.Load(); n > 0 {
		what = fmt.Sprintf("%d batches with a difference", n)
		err = errors.Join(err, errors.New(what))
	} else if err != nil {
		what = "ended early"
	}
	fmt.Printf("seeds from %d on: %v, %s; %.1f s, %.0f functors a second\n", *seed, &done, what, took, float64(done.functors.Load())/took)
	return &done, err
}

// moduleRoot returns the folder of this module.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("%s isn't in the module %s", dir, module)
		}
		dir = up
	}
}
