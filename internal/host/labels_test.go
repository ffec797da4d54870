// This file tests whose labels the workers of a stream have in profiles.

package host_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/host"
)

// gathered is a job that all workers join.
type gathered struct {
	joined atomic.Int32
	want   int32
	then   func()
	done   atomic.Bool
}

func (g *gathered) Run(worker int) {
	g.joined.Add(1)
	for worker == 0 && g.joined.Load() < g.want || worker > 0 && !g.done.Load() {
		time.Sleep(time.Millisecond)
	}
	if worker == 0 {
		g.then()
		g.done.Store(true)
	}
}

// TestLabels: workers have the labels of the context that they serve, whichever goroutine made the stream, and no
// labels once they are idle.
func TestLabels(t *testing.T) {
	labeled := func(tenant string) int {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
			t.Fatal(err)
		}
		n := 0
		for group := range strings.SplitSeq(b.String(), "\n\n") {
			if strings.Contains(group, `"tenant":"`+tenant+`"`) && strings.Contains(group, "gathered") {
				n++
			}
		}
		return n
	}
	const workers = 3
	dev := host.New(workers)
	defer dev.Close()
	var s *host.Stream
	for i, tenant := range []string{"first", "second", "third"} {
		// As a searcher of a pool does it: the first request made the stream.
		pprof.Do(t.Context(), pprof.Labels("tenant", tenant), func(ctx context.Context) {
			if i == 0 {
				s = dev.Stream(ctx)
			}
			s.Rebind(ctx)
			s.Run(&gathered{want: workers, then: func() {
				for _, other := range []string{"first", "second", "third"} {
					if n := labeled(other); (n > 0) != (other == tenant) {
						t.Errorf("while %s is served, %d groups of goroutines have the label %s", tenant, n, other)
					}
				}
			}})
			s.Rebind(context.Background())
		})
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
