package host

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
)

type all struct {
	in      atomic.Int64
	workers int64
}

// Run waits until all workers are inside.
func (a *all) Run(int) {
	a.in.Add(1)
	for i := 0; a.in.Load() < a.workers && i < 1<<20; i++ {
	}
}

type none struct{}

func (none) Run(int) {}

func BenchmarkRun(b *testing.B) {
	for workers := 2; workers <= max(2, runtime.GOMAXPROCS(0)); workers *= 2 {
		s := New(workers).Stream(context.Background())
		j := &all{workers: int64(workers)}
		b.Run(fmt.Sprintf("met/%d", workers), func(b *testing.B) {
			for b.Loop() {
				j.in.Store(0)
				s.Run(j)
			}
		})
		b.Run(fmt.Sprintf("empty/%d", workers), func(b *testing.B) {
			for b.Loop() {
				s.Run(none{})
			}
		})
		s.Close()
	}
}
