package host_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/host"
)

type jobFunc func(worker int)

func (f jobFunc) Run(worker int) { f(worker) }

// bounded fails the test if f hangs. The bound is far longer than f takes: it
// only turns a deadlock into a message.
func bounded(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	select {
	case p := <-done:
		if p != nil {
			t.Fatalf("%s: panic: %v", what, p)
		}
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: hangs", what)
	}
}

// meet is a job that ends when all workers are inside.
func meet(s *host.Stream) {
	var in atomic.Int32
	s.Run(jobFunc(func(int) {
		in.Add(1)
		for in.Load() < int32(s.Workers()) {
			runtime.Gosched()
		}
	}))
}

func TestAllWorkersCome(t *testing.T) {
	for workers := 1; workers <= 8; workers++ {
		s := host.New(workers).Stream(context.Background())
		if s.Workers() != workers {
			t.Fatalf("%d workers, want %d", s.Workers(), workers)
		}
		bounded(t, "a job that needs all workers", func() {
			for range 20 {
				meet(s)
			}
		})
		s.Close()
	}
}

// TestJobs checks for thousands of small jobs that each is done whole, by
// workers that come at most once, and is over when Run returns.
func TestJobs(t *testing.T) {
	jobs := 10_000
	if testing.Short() {
		jobs = 1000
	}
	for workers := 1; workers <= 8; workers++ {
		s := host.New(workers).Stream(context.Background())
		var came [8]atomic.Int32
		var inside, next, sum atomic.Int64
		var number int // written between jobs, read inside: the race detector looks on
		bounded(t, "small jobs", func() {
			for job := range jobs {
				for w := range came {
					came[w].Store(0)
				}
				number = job
				next.Store(0)
				sum.Store(0)
				items := int64(job % 40)
				s.Run(jobFunc(func(w int) {
					inside.Add(1)
					if number != job {
						t.Errorf("worker %d is in job %d, want %d", w, number, job)
					}
					came[w].Add(1)
					for i := next.Add(1); i <= items; i = next.Add(1) {
						sum.Add(i)
					}
					inside.Add(-1)
				}))
				if inside.Load() != 0 {
					t.Errorf("Run returned with workers inside")
				}
				if want := items * (items + 1) / 2; sum.Load() != want {
					t.Errorf("%d workers, job %d: sum %d, want %d", workers, job, sum.Load(), want)
				}
				for w := range came {
					if n := came[w].Load(); n > 1 || w == 0 && n != 1 || w >= workers && n != 0 {
						t.Errorf("worker %d of %d came %d times", w, workers, n)
					}
				}
			}
		})
		s.Close()
	}
}

// TestFewWorkers calls a varying number of workers from job to job. No other
// worker runs, and no worker stays excluded, even if some sleep meanwhile.
func TestFewWorkers(t *testing.T) {
	const workers = 6
	s := host.New(workers).Stream(context.Background())
	defer s.Close()
	var came [workers]atomic.Int32
	bounded(t, "jobs for some workers", func() {
		for job := range 600 {
			n := 1 + (job*7+job/10)%(workers+1) // one more than there are, too
			if job%100 == 99 {
				time.Sleep(5 * time.Millisecond)
			}
			var in atomic.Int32
			s.RunOn(n, jobFunc(func(w int) {
				if w >= n {
					t.Errorf("worker %d in a job for %d", w, n)
				}
				came[w].Add(1)
				in.Add(1)
				for job%5 == 0 && in.Load() < int32(min(n, workers)) { // all who are called
					runtime.Gosched()
				}
			}))
			if job%5 == 0 && in.Load() != int32(min(n, workers)) {
				t.Errorf("%d workers came, want %d", in.Load(), n)
			}
		}
	})
	for w := range came {
		if came[w].Load() == 0 {
			t.Errorf("worker %d never came", w)
		}
	}
	p := func() (p any) {
		defer func() { p = recover() }()
		s.RunOn(0, jobFunc(func(w int) { panic(w) })) // worker 0 is always called
		return nil
	}()
	if p != 0 {
		t.Errorf("a panic on worker 0 came out as %v", p)
	}
	meet(s)
}

func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := host.New(8).Stream(context.Background())
	defer s.Close()
	bounded(t, "8 workers on one processor", func() {
		for range 50 {
			meet(s)
		}
		for range 500 {
			s.Run(jobFunc(func(int) {}))
		}
	})
}

// TestSleepersWake leaves the stream alone for long enough that the workers
// sleep, and then needs them all.
func TestSleepersWake(t *testing.T) {
	s := host.New(4).Stream(context.Background())
	defer s.Close()
	for i := range 8 {
		time.Sleep(time.Duration(5*i) * time.Millisecond)
		bounded(t, "a job after idling", func() { meet(s) })
	}
}

func TestStreamsSideBySide(t *testing.T) {
	dev := host.New(4)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := dev.Stream(context.Background())
			defer s.Close()
			for job := range 200 {
				var next, sum atomic.Int64
				s.Run(jobFunc(func(int) {
					for i := next.Add(1); i <= 100; i = next.Add(1) {
						sum.Add(i)
					}
				}))
				if sum.Load() != 5050 {
					t.Errorf("job %d: sum %d, want 5050", job, sum.Load())
				}
			}
		}()
	}
	bounded(t, "eight streams", wg.Wait)
}

func TestRunAllocatesNothing(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		s := host.New(workers).Stream(context.Background())
		var j host.Job = jobFunc(func(int) {})
		if n := testing.AllocsPerRun(200, func() { s.Run(j) }); n != 0 {
			t.Errorf("%d workers: Run allocates %v times", workers, n)
		}
		s.Close()
	}
}
