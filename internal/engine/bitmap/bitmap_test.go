package bitmap_test

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/internal/engine/bitmap"
	"github.com/foray-graph/foray/internal/host"
)

// TestClaim lets several workers claim the same vertices: each has one winner,
// and a bit once seen stays.
func TestClaim(t *testing.T) {
	const n = 3000
	for _, workers := range []int{1, 2, 4, 8} {
		s := host.New(workers).Stream(context.Background())
		words := make([]uint64, (n+63)/64)
		won := make([]atomic.Int32, n)
		var inside atomic.Int32
		s.Run(jobFunc(func(w int) {
			inside.Add(1)
			for inside.Load() < int32(workers) {
				runtime.Gosched()
			}
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for _, v := range r.Perm(n) {
				if v%5 == 0 {
					continue // claimed by no one
				}
				if bitmap.Claim(words, uint32(v)) {
					won[v].Add(1)
				}
				if !has(words, uint32(v)) {
					t.Errorf("vertex %d is claimed, but not there", v)
				}
			}
		}))
		s.Close()
		for v := range won {
			want := int32(1)
			if v%5 == 0 {
				want = 0
			}
			if got := won[v].Load(); got != want || has(words, uint32(v)) != (want == 1) {
				t.Fatalf("%d workers: vertex %d was won %d times, want %d", workers, v, got, want)
			}
		}
	}
}

func TestClaimAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	alone, together := make([]uint64, 4), make([]uint64, 4)
	count := 0
	for range 1000 {
		v := uint32(r.IntN(256))
		first := !has(alone, v)
		if bitmap.ClaimAlone(alone, v) != first || bitmap.Claim(together, v) != first {
			t.Fatalf("vertex %d: it is the first claim: %v", v, first)
		}
		if first {
			count++
		}
		if !slices.Equal(alone, together) {
			t.Fatal("Claim and ClaimAlone set other bits")
		}
	}
	set := 0
	for _, w := range alone {
		set += bits.OnesCount64(w)
	}
	if set != count {
		t.Errorf("%d bits for %d claims", set, count)
	}
}

// TestClaimInlines: a call for every edge would cost more than the claim. The
// compiler's own report is asked.
func TestClaimInlines(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command, to see what the compiler inlines:", err)
	}
	out, err := exec.Command(goTool, "build", "-gcflags=-m", ".", "../../../operators/filter").CombinedOutput()
	if err != nil {
		if _, err := os.Stat("../../../go.mod"); err != nil {
			t.Skip("needs the source files: build the test without -trimpath, and run it in a clone:", err)
		}
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, name := range []string{"Claim", "ClaimAlone"} {
		if !strings.Contains(string(out), "can inline "+name+"\n") {
			t.Errorf("%s isn't inlined", name)
		}
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "words escapes") || strings.Contains(line, "leaking param: words") {
			t.Errorf("the bitmap escapes: %s", line)
		}
	}
	if !strings.Contains(string(out), "inlining call to bitmap.Claim\n") {
		t.Error("no call of Claim is inlined in package filter: is the report read right?")
	}
}

// jobFunc is a host.Job.
type jobFunc func(worker int)

func (f jobFunc) Run(worker int) { f(worker) }

func has(words []uint64, v uint32) bool { return atomic.LoadUint64(&words[v>>6])>>(v&63)&1 != 0 }
