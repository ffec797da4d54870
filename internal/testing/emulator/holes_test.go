// This file tests the texts of functors in holes: what instructions compute, that each
// hole gets its operands, that damaged texts are refused, and what faults say.

package emulator_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/emulator"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

const holesVar = "FORAY_TEST_HOLES"

// functorText is the text of a functor, and where it goes.
type functorText struct {
	hole         string
	number, base int
	text         string
}

// spliced is a module for the emulator.
func spliced(texts ...functorText) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// foray spliced 1\n// skeleton %016x\n// block 2\n", emulator.Hash(emulator.Image("holes")))
	for _, t := range texts {
		fmt.Fprintf(&b, "// begin %s %d %d\n", t.hole, t.number, t.base)
		for line := range strings.Lines(t.text) {
			b.WriteString("//| " + strings.TrimSuffix(line, "\n") + "\n")
		}
		b.WriteString("// end\n")
	}
	return b.String() + "\n.version 7.0\n.target sm_70\n"
}

// faults are texts that fail when they run, and what is said then.
var faults = map[string]struct{ text, message string }{
	"past the end":  {"{ .reg .b64 f_a; ld.param.b64 f_a, [$p+8];\n  ld.global.b64 $0, [f_a+8192]; }", "kernel vertices, block 0, thread 0, functor 0 of FORAY_VERTEX, line 2 (ld.global.b64 $0, [f_a+8192]; }), reads 0 bytes past the end of an allocation of 8192 bytes"},
	"store":         {"{ .reg .b64 f_a; ld.param.b64 f_a, [$p+8]; st.global.u32 [f_a+8192], 1; mov.b64 $0, 0; }", "writes to 0 bytes past the end"},
	"atomic":        {"{ .reg .b64 f_a; ld.param.b64 f_a, [$p+8]; red.global.add.u32 [f_a+8192], 1; mov.b64 $0, 0; }", "0 bytes past the end of an allocation"},
	"misaligned":    {"{ .reg .b64 f_a; ld.param.b64 f_a, [$p+8]; ld.global.b64 $0, [f_a+4]; }", "line 1 "},
	"atom aligned":  {"{ .reg .b64 f_a; ld.param.b64 f_a, [$p+8]; atom.global.exch.b64 $0, [f_a+4], 0; }", "an atomic operation where the address isn't a multiple of the size"},
	"division":      {"{ .reg .b32 f_a; div.u32 f_a, $1, 0; cvt.u64.u32 $0, f_a; }", "functor 0 of FORAY_VERTEX, line 1 ({ .reg .b32 f_a; div.u32 f_a, $1, 0; cvt.u64.u32 $0, f_a; }), divides by zero"},
	"remainder":     {"{ rem.s64 $0, 5, 0; }", "takes the remainder of a division by zero"},
	"for ever":      {"{ f_l: bra f_l; mov.b64 $0, 1; }", "functor 0 of FORAY_VERTEX"},
	"parameter":     {"{ ld.param.b64 $0, [$p+1024]; }", "reads byte 1024 of parameter 2, past its end"},
	"nowhere":       {"{ ld.global.b64 $0, [$0]; }", ""},
	"another hole":  {"", "comes to the hole FORAY_VERTEX, where functor 0 has no text"},
	"no such place": {"{ .reg .b64 f_a; mov.b64 f_a, 16; ld.volatile.global.b64 $0, [f_a]; }", "which is no memory of the device"},
}

func TestHoles(t *testing.T) {
	if name := os.Getenv(holesVar); name != "" {
		insideHoles(t, name)
		return
	}
	folder := buildHoles(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"instructions", "memory", "all holes", "refused", "mangled"}
	for name := range faults {
		names = append(names, "fault "+name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(self, "-test.run=^TestHoles$", "-test.v")
			cmd.Env = append(os.Environ(), holesVar+"="+name, "LD_LIBRARY_PATH="+folder, "FORAY_EMULATOR_LIMIT=5", "FORAY_EMULATOR_TURN=20")
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "no driver in this build") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// buildHoles builds an emulator with the kernels of testdata/holes.cu, and returns its folder.
func buildHoles(t *testing.T) string { return buildOf(t, "holes") }

// buildOf builds an emulator with the kernels of a file of testdata, and returns its folder.
func buildOf(t *testing.T, name string) string {
	t.Helper()
	testlong.Only(t)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("needs Linux on amd64 or arm64, as the emulator")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		testlong.Missing(t, "compiler", "needs g++, to build the emulator: install g++:", err)
	}
	folder := t.TempDir()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	kernels := []emulator.Kernels{{Source: "internal/testing/emulator/testdata/" + name + ".cu", Module: name, Image: emulator.Image(name)}}
	if err := emulator.Build(root, folder, kernels); err != nil {
		t.Fatal(err)
	}
	return folder
}

// bench is a device, and memory for n threads: three words of input each, one of output.
type bench struct {
	t   *testing.T
	c   *driver.Context
	s   *driver.Stream
	in  *driver.Memory
	out *driver.Memory
	n   int
}

func newBench(t *testing.T, n int) *bench {
	c, err := driver.Open(0)
	if errors.Is(err, driver.ErrNotSupported) {
		t.Skip("needs a build with a driver, without the tags nocuda and gorgonia:", err)
	}
	must(t, err)
	b := &bench{t: t, c: c, n: n}
	b.s, err = c.NewStream()
	must(t, err)
	b.in, err = c.Alloc(uint64(24 * n))
	must(t, err)
	b.out, err = c.Alloc(uint64(96 * n))
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func bytesOf(x []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x))
}

// run runs a kernel of a module, and returns what it left: each words per thread.
func (b *bench) run(module, kernel string, each int) ([]uint64, error) {
	b.t.Helper()
	mod, err := b.c.Load([]byte(module))
	if err != nil {
		return nil, err
	}
	defer mod.Close()
	f, err := mod.Function(kernel)
	if err != nil {
		return nil, err
	}
	block := [128]uint64{1: uint64(b.in.Ptr()), 2: uint64(b.out.Ptr()), 15: 1234}
	args := driver.NewArgs().Ptr(b.out.Ptr()).U32(uint32(b.n))
	driver.Struct(args, &block)
	if err := b.s.Launch(f, driver.Config{Grid: driver.Dim{X: uint32(b.n+127) / 128}, Block: driver.Dim{X: 128}}, args); err != nil {
		return nil, err
	}
	if err := b.s.Sync(); err != nil {
		return nil, err
	}
	got := make([]uint64, each*b.n)
	return got, b.c.Download(bytesOf(got), b.out.Ptr())
}

// operands are bits that arithmetic finds hard.
func operands(n int) []uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	var special []uint64
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -0.5, -2.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, math.MaxFloat64,
		math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat64, 1 << 31, 1<<31 - 1, -1 << 31, -1<<31 - 1, 1 << 32, 1 << 63, -1 << 63, 1 << 64, 0x1p-126, 0x1p-1022, 1e10, -1e19, 3e38, 1e300} {
		special = append(special, math.Float64bits(x), uint64(math.Float32bits(float32(x))))
	}
	for i := range uint64(64) {
		special = append(special, 1<<i, 1<<i-1, -(1 << i), i)
	}
	all := make([]uint64, n)
	for i := range all {
		switch r.IntN(5) {
		case 0:
			all[i] = r.Uint64()
		case 1:
			all[i] = uint64(math.Float32bits(float32(r.NormFloat64() * math.Exp(20*r.NormFloat64()))))
		case 2:
			all[i] = math.Float64bits(r.NormFloat64() * math.Exp(20*r.NormFloat64()))
		default:
			all[i] = special[r.IntN(len(special))]
		}
	}
	return all
}

func insideHoles(t *testing.T, name string) {
	vertex := func(text string) string { return spliced(functorText{hole: "VERTEX", text: text}) }
	switch name {
	case "instructions":
		testInstructions(t, newBench(t, 5000), vertex)
	case "memory":
		testMemory(t, newBench(t, 1000), vertex)
	case "all holes":
		insideAll(t)
	case "refused":
		insideRefused(t)
	case "mangled":
		insideMangled(t)
	default:
		f := faults[strings.TrimPrefix(name, "fault ")]
		text := functorText{hole: "VERTEX", text: f.text}
		if f.text == "" {
			text = functorText{hole: "VERTEX", number: 1, text: "{ mov.b64 $0, 1; }"}
		}
		b := newBench(t, 1024/3)
		b.n = 1
		b.in, _ = b.c.Alloc(8192)
		_, err := b.run(spliced(text), "vertices", 1)
		if f.message == "" {
			f.message = "$0"
		}
		if err == nil || !strings.Contains(err.Error(), f.message) {
			t.Errorf("%v, want %q", err, f.message)
		}
	}
}

// testInstructions runs every instruction over the operands; module makes one of a text
// for the hole FORAY_VERTEX, or a kernel that does the same.
func testInstructions(t *testing.T, b *bench, module func(text string) string) {
	in := operands(3 * b.n)
	must(t, b.c.Upload(b.in.Ptr(), bytesOf(in)))
	for _, x := range instructions() {
		got, err := b.run(module(x.text()), "vertices", 1)
		if err != nil {
			t.Fatalf("%s: %v\n%s", x.name, err, x.text())
		}
		wrong := 0
		for i, y := range got {
			p := in[3*i:]
			if x.skip != nil && x.skip(p[0], p[1], p[2]) {
				continue
			}
			if want := x.want(p[0], p[1], p[2]); !x.same(y, want) && wrong < 5 {
				t.Errorf("%s of %#x, %#x, %#x: %#x, want %#x", x.name, p[0], p[1], p[2], y, want)
				wrong++
			}
		}
	}
}

func insideAll(t *testing.T) {
	b := newBench(t, 500)
	// The first functor of edges has its block at the beginning, the second one behind it.
	edge := func(number, base int, plus string) functorText {
		return functorText{"EDGE", number, base, "{ .reg .b64 f_a; .reg .b32 f_b; ld.param.b64 f_a, [$p+56];\n cvt.u32.u64 f_b, f_a; shr.u64 f_a, $4, 33;\n mad.lo.u32 $0, $1, 1000, f_b; mad.lo.u32 $0, $2, 100, $0; mad.lo.u32 $0, $3, 10, $0;\n add.u32 $0, $0, " + plus + "; }"}
	}
	four := "{ .reg .b64 f_<2>; cvt.u64.u32 f_0, $1; cvt.u64.u32 f_1, $3; add.u64 f_0, f_0, f_1; add.u64 $0, f_0, $4; }"
	// A second number of each kind of functors that isn't meant; and one kernel for all.
	texts := []functorText{
		edge(0, 0, "1"), edge(1, 64, "2"),
		{"GATHER32", 0, 0, "{ add.u32 $0, $1, $2; add.u32 $0, $0, $3; }"},
		{"GATHER64", 0, 0, four},
		{"APPLY32", 0, 0, "{ .reg .b32 f_x; add.u32 f_x, $1, $2; mul.wide.u32 $0, f_x, $3; }"},
		{"APPLY64", 0, 0, "{ add.u64 $0, $2, 1; }"},
		{"VERTEX", 0, 0, "{ mov.b64 $0, 0; }"},
		{"VERTEX", 3, 0, "{ mul.wide.u32 $0, $1, $2; }"},
		{"FOLD32", 0, 0, "{ max.u32 $0, $1, $2; }"},
		{"FOLD64", 0, 0, "{ min.s64 $0, $1, $2; }"},
		{"ZERO32", 0, 0, "{ mov.b32 $0, 0f3F800000; }"},
		{"ZERO64", 0, 0, "{ mov.b64 $0, 0dBFF0000000000000; }"},
		{"VFOLD", 3, 0, "{ add.s64 $0, $1, $2; }"},
		{"VZERO", 3, 0, "{ mov.b64 $0, -1; }"},
	}
	got, err := b.run(spliced(texts...), "all_holes", 12)
	must(t, err)
	for i := range uint64(b.n) {
		index, wide := i<<33+5, i<<40+6
		base := uint64(0)
		if i%2 == 1 {
			base = 1234
		}
		small := int64(2)
		if int64(wide) < small {
			small = int64(wide)
		}
		want := [12]uint64{uint64(uint32(i*1000 + 230 + base + 1 + i%2)), i + 5, i + 3 + index, (i + 2) * 3, wide + 1, i * 2, max(i, 2), uint64(small), 0x3f800000, 0xbff0000000000000, wide + 2, math.MaxUint64}
		if [12]uint64(got[12*i:]) != want {
			t.Fatalf("thread %d: %#x, want %#x", i, got[12*i:12*i+12], want)
		}
	}
}
