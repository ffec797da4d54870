package host

import (
	"context"
	"sync/atomic"
	"testing"
)

type both struct{ in atomic.Int64 }

// Run waits until both workers are inside.
func (b *both) Run(int) {
	b.in.Add(1)
	for i := 0; b.in.Load() < 2 && i < 1<<20; i++ {
	}
}

type none struct{}

func (none) Run(int) {}

func BenchmarkRun(b *testing.B) {
	s := New(2).Stream(context.Background())
	defer s.Close()
	j := &both{}
	b.Run("met", func(b *testing.B) {
		for b.Loop() {
			j.in.Store(0)
			s.Run(j)
		}
	})
	b.Run("empty", func(b *testing.B) {
		for b.Loop() {
			s.Run(none{})
		}
	})
}
