// This file tests what exported functions do with a context that is canceled while they run.

package rules

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testctx"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// uncanceled are functions that newCanceling has no call of, and why.
var uncanceled = map[string]string{
	"host.Device.NewStream":  "the context is what ends its jobs",
	"host.Device.Stream":     "the context is what ends its jobs",
	"host.Stream.Rebind":     "the context is what ends its jobs",
	"traverse.Searcher.Bind": "the context is what ends its runs",
	"bfs.Searcher.Bind":      "the context is what ends its searches",
	"cdata.ExportStream":     "it needs cgo, and hands out what arrow.Records returns",
	"edgelist.Detect":        "it reads the head of a file",
	"s3.WithTransport":       "it returns a context",
}

// unlooked are functions that never check a context: they take microseconds, send no request to a store and never
// wait. gen.Edges checks a context that is derived from its own.
var unlooked = []string{
	"arrow.Check", "budget.Reuse", "gen.Edges",
	"bfs.Pool.Shutdown", "traverse.Pool.Shutdown",
}

// TestCanceled cancels every exported function that takes a context at random looks at that, and at random moments. The
// error is the context's, or it had come to its end with the right result. It looks at its context again and again,
// and not often after that is done; it leaves no goroutine, file or mapping behind, and the next call is right.
func TestCanceled(t *testing.T) {
	testlong.Project(t)
	const piece = 15_000 // edges between two looks, of some 20 ns each
	rounds := testlong.Of(2, 40)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	named := map[string]bool{}
	for _, workers := range []int{1, 2} {
		c := newCanceling(t, "kron12:weights=1:255", workers)
		c.kept = workers > 1
		c.write()
		r := rand.New(rand.NewPCG(22, uint64(workers)))
		calls := slices.Concat(c.algorithms(), c.searchers(), c.graphs(), c.reaches(), c.files())
		for _, call := range calls {
			name, _, _ := strings.Cut(call.name, ",")
			named[name] = true
			before := leftovers(c.out, temporary)
			all := testctx.NewPolled(0)
			began := time.Now()
			want, err := call.do(all)
			took := time.Since(began)
			if err != nil {
				t.Errorf("%s: %v", call.name, err)
				continue
			}
			if least := int64(call.entries / piece); all.Polls() < least || all.Polls() == 0 && !slices.Contains(unlooked, name) {
				t.Errorf("%s, %d workers: it looks at its context %d times, want %d times at least", call.name, workers, all.Polls(), max(least, 1))
			}
			is := func(how string, ctx context.Context, found []float64, err error) {
				t.Helper()
				switch {
				case err == nil && !alike(found, want):
					t.Errorf("%s, %d workers, %s: another result", call.name, workers, how)
				case err != nil && (!errors.Is(err, context.Canceled) || ctx.Err() == nil):
					t.Errorf("%s, %d workers, %s: %v", call.name, workers, how, err)
				}
			}
			for range rounds {
				ctx := testctx.NewPolled(1 + r.Int64N(max(all.Polls(), 1)))
				found, err := call.do(ctx)
				late := ctx.Late()
				is("at a look", ctx, found, err)
				if late > int64(16*workers) {
					t.Errorf("%s, %d workers: it looks at its context %d more times once that is done", call.name, workers, late)
				}
				at, cancel := context.WithCancel(t.Context())
				timer := time.AfterFunc(time.Duration(r.Int64N(int64(took)+1)), cancel)
				found, err = call.do(at)
				timer.Stop()
				is("at a moment", at, found, err)
				cancel()
				found, err = call.do(at)
				is("before it begins", at, found, err)
			}
			if found, err := call.do(t.Context()); err != nil || !alike(found, want) {
				t.Errorf("%s, %d workers: the call after that is another: %v", call.name, workers, err)
			}
			for wait := time.Millisecond; !leftovers(c.out, temporary).within(before); wait *= 2 { // what ends soon is let end
				if wait > 10*time.Second {
					t.Errorf("%s, %d workers: left behind are %s, there were %s", call.name, workers, leftovers(c.out, temporary), before)
					break
				}
				runtime.GC()
				time.Sleep(wait)
			}
			if used := c.budget.Used(); used != 0 {
				t.Errorf("%s, %d workers: %d bytes of the budget are held", call.name, workers, used)
			}
		}
	}
	for _, name := range exportedWithContext(t) {
		if !named[name] && uncanceled[name] == "" {
			t.Errorf("%s takes a context, and isn't canceled: add a call to newCanceling's", name)
		}
	}
}

// left is what a process has at a moment.
type left struct {
	goroutines int
	others     string // open files, mapped ones, and names of files
}

// within reports whether no more is left than before. A goroutine of an earlier call may have ended meanwhile.
func (l left) within(before left) bool {
	return l.goroutines <= before.goroutines && l.others == before.others
}

func (l left) String() string { return fmt.Sprintf("%d goroutines, %s", l.goroutines, l.others) }

// leftovers counts goroutines, open files and mapped ones, and names the files in directories.
func leftovers(dirs ...string) left {
	var all []string
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
			all = append(all, path)
			return nil
		})
	}
	mapped := 0
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		mapped = strings.Count(string(maps), ".foray")
	}
	open, _ := os.ReadDir("/proc/self/fd")
	return left{runtime.NumGoroutine(), fmt.Sprintf("%d open files, %d mappings, %s", len(open), mapped, strings.Join(all, ", "))}
}

// alike compares results whose sums are in no order.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.Abs(x-y) <= 1e-9*math.Abs(y) || math.IsNaN(x) && math.IsNaN(y)
	})
}
