// Command ongpu runs random functors on a GPU, and compares their effects with those of their IR
// bit for bit: results, faults, and the memory that they leave.
//
//	go run ./internal/testing/functorfuzz/ongpu -functors 100000 -workers 16
//
// Half of the functors are random Go, half random IR. Most time goes into the driver, which
// compiles them: each worker is a separate process, since compilations of one process may
// wait for each other.
//
// A batch that the device ends, as by an illegal address, ends its worker. This finds the
// functor, and writes the text that the driver was given:
//
//	for s in $(seq FIRST LAST); do ongpu -kind ir -seed $s -functors 1 -batch 1 -workers 1; done
//	ongpu -kind ir -seed S -functors 1 -batch 1 -ptx s.ptx
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/foray-graph/foray/internal/testing/functorfuzz/kernels"
)

var (
	functors = flag.Uint64("functors", 1000, "how many functors")
	seed     = flag.Uint64("seed", 1, "seed of the first one")
	cases    = flag.Int("cases", 8, "how many random data each functor is run with")
	batch    = flag.Uint64("batch", 64, "how many functors share a module")
	workers  = flag.Uint64("workers", uint64(runtime.NumCPU()), "how many processes")
	limit    = flag.Duration("for", 9*time.Minute, "end after that time; batches that have begun count")
	number   = flag.Int("device", 0, "which GPU")
	kind     = flag.String("kind", "both", "go, ir, or both: batches by turns")
	text     = flag.String("ptx", "", "write the first batch's PTX to this file, for compute capability 9, and run nothing")
	worker   = flag.Int("worker", -1, "used by the command itself: run as a worker of this number")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := lead
	switch {
	case *kind != "both" && *kind != "go" && *kind != "ir":
		run = func(context.Context) error { return fmt.Errorf("-kind %s: say go, ir or both", *kind) }
	case *text != "":
		run = write
	case *worker >= 0:
		run = work
	}
	if err := run(ctx); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// told is a worker's report on a batch.
type told struct {
	Functors, Calls, Faults, Differences uint64
	Compiling                            float64 // seconds
}

const mark = "batch:"

func (t *told) add(u told) {
	t.Functors, t.Calls, t.Faults, t.Differences = t.Functors+u.Functors, t.Calls+u.Calls, t.Faults+u.Faults, t.Differences+u.Differences
	t.Compiling += u.Compiling
}

// lead starts the workers and adds up their reports.
func lead(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, *limit+time.Minute) // for a kernel that doesn't end
	defer stop()
	begin := time.Now()
	var mu sync.Mutex
	var all told
	var failed []string
	var wait sync.WaitGroup
	for i := range *workers {
		cmd := exec.CommandContext(ctx, self, append(os.Args[1:len(os.Args):len(os.Args)], fmt.Sprintf("-worker=%d", i))...)
		cmd.Env = append(os.Environ(), "CUDA_CACHE_DISABLE=1") // no functor comes twice
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		wait.Go(func() {
			last := listen(out, func(t told) {
				mu.Lock()
				defer mu.Unlock()
				all.add(t)
				if before := all.Functors - t.Functors; before/10000 != all.Functors/10000 {
					fmt.Printf("%d functors after %.0f s\n", all.Functors, time.Since(begin).Seconds())
				}
			})
			if err := cmd.Wait(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, fmt.Sprintf("worker %d: %v; %s", i, err, last))
			}
		})
	}
	wait.Wait()
	took := time.Since(begin).Seconds()
	fmt.Printf("%d functors, %d calls, %d of them faulted, %d differences; %.1f s, %.0f functors a second, %.1f ms of compilation each\n",
		all.Functors, all.Calls, all.Faults, all.Differences, took, float64(all.Functors)/took, 1e3*all.Compiling/float64(max(all.Functors, 1)))
	if len(failed) > 0 {
		return fmt.Errorf("%s", strings.Join(failed, "\n"))
	}
	return nil
}

// listen reads a worker's output. It prints lines that aren't about batches, and returns the last
// one of them.
func listen(r io.Reader, add func(told)) (last string) {
	for s := bufio.NewReader(r); ; {
		line, err := s.ReadString('\n')
		if rest, is := strings.CutPrefix(line, mark); is {
			var t told
			if _, err := fmt.Sscan(rest, &t.Functors, &t.Calls, &t.Faults, &t.Differences, &t.Compiling); err == nil {
				add(t)
			}
			_, last, _ = strings.Cut(rest, "; ")
		} else if line != "" {
			fmt.Print(line)
		}
		if err != nil {
			return "the last thing it said: " + strings.TrimSpace(last)
		}
	}
}

// work runs every so-manyth batch.
func work(ctx context.Context) error {
	begin := time.Now()
	r, err := kernels.Open(*number)
	if err != nil {
		return err
	}
	if *worker == 0 {
		d := r.Device()
		fmt.Printf("%s, driver %v\n", d.Name, d.Driver)
	}
	bad := uint64(0)
	for i := uint64(*worker); i*(*batch) < *functors; i += *workers {
		if ctx.Err() != nil || time.Since(begin) > *limit {
			break
		}
		first, n := *seed+i*(*batch), min(*batch, *functors-i*(*batch))
		fmt.Printf("%s 0 0 0 0 0; seeds from %d on\n", mark, first)
		was := r.Compiling
		t, err := one(r, first, n, inGo(i))
		if err != nil {
			return fmt.Errorf("seeds %d to %d: %w", first, first+n-1, err)
		}
		t.Compiling = (r.Compiling - was).Seconds()
		fmt.Printf("%s %d %d %d %d %g; seeds to %d are done\n", mark, t.Functors, t.Calls, t.Faults, t.Differences, t.Compiling, first+n-1)
		bad += t.Differences
	}
	if err := r.Close(); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d differences", bad)
	}
	return nil
}

// inGo reports whether the functors of a batch are random Go.
func inGo(batch uint64) bool { return *kind == "go" || *kind == "both" && batch%2 == 0 }

// write writes the PTX of the first batch.
func write(context.Context) error {
	list, err := jobs(*seed, min(*batch, *functors), inGo(0))
	if err != nil {
		return err
	}
	ptx, err := kernels.Module(list, 9)
	if err != nil {
		return err
	}
	return os.WriteFile(*text, []byte(ptx), 0o666)
}

// jobs returns the jobs of a batch: of Go, or of IR.
func jobs(first, n uint64, inGo bool) (list []kernels.Job, err error) {
	if inGo {
		return kernels.FromGo(first, n, *cases)
	}
	for s := first; s < first+n; s++ {
		list = append(list, kernels.FromIR(s, *cases))
	}
	return list, nil
}

// one runs a batch.
func one(r *kernels.Runner, first, n uint64, inGo bool) (t told, err error) {
	list, err := jobs(first, n, inGo)
	if err != nil {
		return t, err
	}
	got, err := r.Run(list)
	if err != nil {
		return t, err
	}
	for i, j := range list {
		t.Functors++
		for k, c := range j.Cases {
			want, err := c.Expect()
			if err != nil {
				return t, err
			}
			t.Calls += uint64(len(want.Calls))
			if want.Calls[len(want.Calls)-1].Site != 0 {
				t.Faults++
			}
			if how := c.Differ(want, got[i][k]); how != "" {
				t.Differences++
				fmt.Printf("functor %s, in Go %v, case %d: %s\n%s\n", j.Functor.Name, inGo, k, how, kernels.Show(j, k))
			}
		}
	}
	return t, nil
}
