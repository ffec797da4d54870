// This file compares the PTX of random functors, as the emulator runs it, with their IR.

package emulator_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/ptx"
	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/functorfuzz"
)

var (
	functors = flag.Int("functors", 3000, "how many random functors")
	first    = flag.Uint64("seed", 1, "seed of the first one")
)

// holeOf returns a method's hole, and its number as the emulator has it (src/include/emu.h).
func holeOf(f *ir.Functor, m *ir.Method) (name string, number uint32) {
	wide := false
	if g := f.Method(ir.Gather); g != nil {
		wide = g.Result.Bits() == 64
	}
	switch {
	case m.Kind == ir.Gather && wide:
		return "GATHER64", 2
	case m.Kind == ir.Gather:
		return "GATHER32", 1
	case m.Kind == ir.Apply && wide:
		return "APPLY64", 4
	case m.Kind == ir.Apply:
		return "APPLY32", 3
	case m.Kind == ir.Vertex:
		return "VERTEX", 5
	case m.Kind == ir.Hit:
		return "HIT", 14
	}
	return "EDGE", 0
}

// remote is a slice on the device, in a separate allocation.
type remote struct {
	m     *driver.Memory
	size  int
	local []byte
}

func (r *remote) put(b *bench, x []uint64) {
	for i, y := range x {
		switch r.size {
		case 1:
			r.local[i] = byte(y)
		case 4:
			*(*uint32)(unsafe.Pointer(&r.local[4*i])) = uint32(y)
		default:
			*(*uint64)(unsafe.Pointer(&r.local[8*i])) = y
		}
	}
	must(b.t, b.c.Upload(r.m.Ptr(), r.local))
}

func (r *remote) get(b *bench, x []uint64) {
	must(b.t, b.c.Download(r.local, r.m.Ptr()))
	for i := range x {
		switch r.size {
		case 1:
			x[i] = uint64(r.local[i])
		case 4:
			x[i] = uint64(*(*uint32)(unsafe.Pointer(&r.local[4*i])))
		default:
			x[i] = *(*uint64)(unsafe.Pointer(&r.local[8*i]))
		}
	}
}

// fuzzed runs the calls of a random functor. It returns the number of calls, and how many of them faulted.
func fuzzed(b *bench, c *functorfuzz.Case) (calls, faults int, err error) {
	f := c.Functor
	var texts []functorText
	for _, m := range f.Methods {
		text, err := ptx.Method(f, m)
		if err != nil {
			return 0, 0, err
		}
		name, _ := holeOf(f, m)
		texts = append(texts, functorText{hole: name, base: 64, text: text})
	}
	mod, err := b.c.Load([]byte(spliced(texts...)))
	if err != nil {
		return 0, 0, err
	}
	defer mod.Close()
	kernel, err := mod.Function("call")
	if err != nil {
		return 0, 0, err
	}
	alloc := func(size, n int) *remote {
		if n == 0 {
			return nil
		}
		m, err := b.c.Alloc(uint64(size * n))
		must(b.t, err)
		return &remote{m, size, make([]byte, size*n)}
	}
	fault, stop, io := alloc(8, 1), alloc(4, 1), alloc(8, 5)
	held := []*remote{fault, stop, io}
	defer func() {
		for _, r := range held {
			if r != nil {
				must(b.t, r.m.Close())
			}
		}
	}()
	at, _ := f.Words()
	var block [128]uint64
	words := block[8:] // its base is 64
	words[ir.FaultWord], words[ir.StopWord] = uint64(fault.m.Ptr()), uint64(stop.m.Ptr())
	slices := make([]*remote, len(at))
	for i, w := range at {
		x := f.FieldOf(i)
		switch {
		case w < 0:
		case x.Accumulator: // one thread has one stripe
			slices[i] = alloc(8, 1)
			held = append(held, slices[i])
			words[w] = uint64(slices[i].m.Ptr())
			slices[i].put(b, c.Data.Slices[i])
		case x.Slice:
			s := alloc(max(x.Type.Bits()/8, 1), len(c.Data.Slices[i]))
			slices[i], held = s, append(held, s)
			words[w+1] = uint64(len(c.Data.Slices[i]))
			if s != nil {
				words[w] = uint64(s.m.Ptr())
				s.put(b, c.Data.Slices[i])
			}
		default:
			words[w] = c.Data.Scalars[i]
		}
	}
	fault.put(b, []uint64{0})
	stop.put(b, []uint64{0})
	want := c.Data.Clone()
	for _, call := range c.Calls {
		m, in := call.Method, &call.Inputs
		out, err := functorfuzz.Run(f, m, want, in, 20000)
		if err != nil {
			return calls, faults, err
		}
		operands := []uint64{0, in[ir.Source], in[ir.Target], in[ir.Level], in[ir.Index]}
		switch m.Kind {
		case ir.Apply:
			operands = []uint64{0, in[ir.VertexID], in[ir.Total], in[ir.Level], 0}
		case ir.Vertex:
			operands = []uint64{0, in[ir.VertexID], in[ir.Level], 0, 0}
		}
		io.put(b, operands)
		_, hole := holeOf(f, m)
		args := driver.NewArgs().Ptr(io.m.Ptr()).U32(hole)
		driver.Struct(args, &block)
		must(b.t, b.s.Launch(kernel, driver.Config{Grid: driver.Dim{X: 1}, Block: driver.Dim{X: 1}}, args))
		if err := b.s.Sync(); err != nil {
			return calls, faults, err
		}
		var word, stopped [1]uint64
		io.get(b, operands)
		fault.get(b, word[:])
		stop.get(b, stopped[:])
		calls++
		result, t := operands[0], m.Result
		if t == ir.Void && m.Kind == ir.Edge {
			result = 0
		}
		if out.Site != 0 {
			faults++
			t = ir.Uint64
			if w := ir.PackFault(out.Site, out.Index); word[0] != w || stopped[0] != 1 {
				return calls, faults, fmt.Errorf("fault word %#x and stop flag %d, want %#x", word[0], stopped[0], w)
			}
		} else if word[0] != 0 || stopped[0] != 0 {
			return calls, faults, fmt.Errorf("fault word %#x and stop flag %d, want none", word[0], stopped[0])
		}
		if t == ir.Void || t == ir.Bool || m.Kind != ir.Edge && m.Kind != ir.Hit && m.Kind != ir.Gather && t.Bits() == 32 {
			t = ir.Uint64 // extended by zeros
		}
		if !functorfuzz.Same(t, result, out.Result) {
			return calls, faults, fmt.Errorf("result %#x, want %#x", result, out.Result)
		}
		for i, s := range slices {
			if s == nil {
				continue
			}
			got := make([]uint64, len(want.Slices[i]))
			s.get(b, got)
			other := false
			for j, x := range want.Slices[i] {
				if !functorfuzz.Same(f.FieldOf(i).Type, x, got[j]) {
					return calls, faults, fmt.Errorf("%s[%d] is %#x, want %#x", f.FieldOf(i).Name, j, got[j], x)
				}
				other = other || x != got[j]
			}
			if other { // NaN have other bits
				s.put(b, want.Slices[i])
			}
		}
		if out.Site != 0 {
			break
		}
	}
	return calls, faults, nil
}

// TestRandomFunctors runs random functors. Many more:
// FORAY_TEST_LONG=1 go test -run RandomFunctors -functors 300000 -timeout 1h
func TestRandomFunctors(t *testing.T) {
	library := filepath.Join(buildHoles(t), "libcuda.so.1")
	if err := driver.UseLibrary(library); errors.Is(err, driver.ErrNotSupported) {
		t.Skip("needs a build with a driver, without the tags nocuda and gorgonia:", err)
	} else if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, 1)
	calls, faults := 0, 0
	ran := 0
	for i := uint64(0); ran < *functors; i++ {
		c := functorfuzz.Generate(*first + i)
		if c.Functor.Method(ir.Key) != nil { // of keyed reduces, which have other kernels: package functorfuzz/kernels runs them
			continue
		}
		ran++
		n, f, err := fuzzed(b, c)
		calls, faults = calls+n, faults+f
		if err != nil {
			var s strings.Builder
			for _, m := range c.Functor.Methods {
				text, _ := ptx.Method(c.Functor, m)
				s.WriteString(text)
			}
			t.Fatalf("seed %d: %v\n%s\n%s", *first+i, err, c.Functor, s.String())
		}
	}
	t.Logf("%d calls, %d of them faulted", calls, faults)
	if faults == 0 || float64(faults) > math.Ceil(float64(calls)/2) {
		t.Errorf("%d of %d calls faulted: the functors don't test much", faults, calls)
	}
}
