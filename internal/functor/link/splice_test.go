package link

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// sample is a functor without fields.
type sample struct{ code *Code }

func (s *sample) Code() *Code         { return s.code }
func (*sample) Bind(*Binder)          {}
func (*sample) State(Key) *State      { return nil }
func (s *sample) with(m Code) *sample { return &sample{&m} }
func edgeCode(result, text string) Functor {
	return &sample{&Code{Name: "E", Words: 4, Edge: text, EdgeResult: result}}
}

const edgeText = "{\n.reg .b64 f_a;\n.reg .b32 f_x;\nld.param.b64 f_a, [$p+16];\nld.global.b32 f_x, [f_a];\nadd.u32 $0, $1, $2;\nadd.u32 $0, $0, f_x;\n}"
const vertexText = "{\ncvt.u64.u32 $0, $1;\n}"

func gathers(w int, t string) Functor {
	gather := fmt.Sprintf("{\nmov.b%d $0, %s;\n}", w, map[int]string{32: "$1", 64: "$4"}[w])
	apply := map[int]string{32: "{\ncvt.u64.u32 $0, $2;\n}", 64: "{\nmov.b64 $0, $2;\n}"}[w]
	return &sample{&Code{Name: "G", Words: 3, Gather: gather, Apply: apply, GatherResult: t, ApplyResult: "float64"}}
}

// sets are functors by the kernel that takes them.
func sets(t *testing.T, several bool) map[string]*Set {
	vertex := func(result string) Functor {
		return &sample{&Code{Name: "V", Words: 2, Vertex: vertexText, VertexResult: result}}
	}
	due := &sample{&Code{Name: "S", Words: 3, Edge: edgeText, EdgeResult: "uint32", Vertex: vertexText, VertexResult: "uint32"}}
	all := map[string][]Functor{
		"foray_repeat_push":     {edgeCode("bool", edgeText), vertex("uint64")},
		"foray_repeat_short":    {edgeCode("bool", edgeText)},
		"foray_repeat_visit":    {edgeCode("", edgeText), vertex("")},
		"foray_repeat_sort":     {due, vertex("bool")},
		"foray_repeat_chain":    {due, vertex("bool")},
		"foray_repeat_gather32": {gathers(32, "float32"), vertex("float64")},
		"foray_repeat_maps32":   {gathers(32, "float32"), vertex("float64")},
		"foray_repeat_maps64":   {gathers(64, "float64"), vertex("float64")},
		"foray_repeat_gather64": {gathers(64, "float64"), vertex("int64")},
		"foray_repeat_all":      {edgeCode("bool", edgeText), edgeCode("", edgeText), due, gathers(64, "int64"), gathers(32, "uint32"), vertex("float64")},
		"foray_step_each":       {vertex("float64")},
		"foray_step_keep":       {vertex("bool")},
		"foray_step_pile":       {due},
		"foray_step_gather32":   {gathers(32, "uint32")},
		"foray_step_gather64":   {gathers(64, "int64")},
		"foray_bits":            {edgeCode("bool", edgeText)},
		"foray_cluster_push":    {edgeCode("bool", edgeText)},
	}
	for _, by := range []string{"thread", "twc", "merge"} {
		all["foray_push_"+by] = []Functor{edgeCode("bool", edgeText)}
		all["foray_visit_"+by] = []Functor{edgeCode("", edgeText)}
		all["foray_sort_"+by] = []Functor{due}
	}
	found := map[string]*Set{}
	for name, fs := range all {
		s := &Set{}
		for _, f := range fs {
			if _, _, _, err := s.Add(f, Use{How: 1}); err != nil {
				t.Fatal(err)
			}
			if several && strings.Contains(name, "repeat") {
				if _, _, _, err := s.Add((&sample{}).with(*f.Code()), Use{How: 2, In: true}); err != nil {
					t.Fatal(err)
				}
			}
		}
		found[name] = s
	}
	return found
}

// Every kernel with functors in it is taken by NVIDIA's assembler, and no hole is left.
func TestAssembles(t *testing.T) {
	testlong.Only(t)
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		testlong.Missing(t, "ptxas", "needs ptxas: install nvidia-cuda-toolkit")
	}
	dir := t.TempDir()
	kernels := 0
	for name, s := range sets(t, true) {
		for _, arch := range Arches {
			for _, width := range Widths {
				if !testlong.Long() && (arch != 90 || width != "_o32") {
					continue // half a minute for all of them
				}
				block := 1
				if !strings.Contains(name, "repeat") && !strings.Contains(name, "step") {
					block = 2
				}
				m, err := s.Module(name, width, arch, block, Everything)
				if err != nil {
					t.Fatal(err)
				}
				kernels++
				for line := range strings.Lines(string(m)) {
					if strings.HasPrefix(line, mark) {
						t.Fatalf("%s%s: %s is left", name, width, line)
					}
				}
				file := filepath.Join(dir, "ptx")
				if err := os.WriteFile(file, bytes.TrimSuffix(m, []byte{0}), 0o666); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(ptxas, fmt.Sprintf("-arch=sm_%d", arch), "-O1", "-o", filepath.Join(dir, "cubin"), file).CombinedOutput(); err != nil {
					t.Fatalf("%s%s for sm_%d: %v\n%s", name, width, arch, err, out)
				}
			}
		}
	}
	t.Log(kernels, "kernels")
}

// The same functors give the same module, others another.
func TestModuleIsKept(t *testing.T) {
	a, b := edgeCode("bool", edgeText), edgeCode("bool", edgeText)
	module := func(f Functor, how int) *byte {
		var s Set
		if _, _, _, err := s.Add(f, Use{How: how}); err != nil {
			t.Fatal(err)
		}
		m, err := s.Module("foray_push_twc", "_o32", 80, 2, Everything)
		if err != nil {
			t.Fatal(err)
		}
		return &m[0]
	}
	if first, second := module(a, 0), module(a, 0); first != second {
		t.Error("the same functor was spliced twice")
	}
	if module(a, 0) == module(b, 0) || module(a, 0) == module(a, 1) {
		t.Error("another functor's module was taken")
	}
}

// Damaged kernels are an error.
func TestDamaged(t *testing.T) {
	for _, n := range []int{0, 7, 8, 20, 1000, len(skeletons) - 1} {
		for _, width := range Widths {
			for _, arch := range Arches {
				text, err := kernelText(skeletons[:n], arch, width)
				if err == nil && n < 1000 {
					t.Errorf("%d bytes: %d of text", n, len(text))
				}
			}
		}
	}
}

// What no kernel has room for is refused.
func TestRoom(t *testing.T) {
	var s Set
	var err error
	for range BlockWords {
		if _, _, _, err = s.Add(edgeCode("bool", edgeText), Use{}); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("more words than there are were taken")
	}
	if _, _, _, err := s.Add(gathers(32, "float32"), Use{}); err == nil {
		t.Error("one more was taken")
	}
}

// Gathers of both widths are numbered together: at each number there is a text for both.
func TestWidths(t *testing.T) {
	var s Set
	for i, f := range []Functor{gathers(32, "float32"), gathers(64, "float64"), gathers(32, "int32")} {
		if _, _, n, err := s.Add(f, Use{}); err != nil || n != i {
			t.Fatalf("functor %d is number %d, %v", i, n, err)
		}
	}
	holes, err := s.holes("p")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GATHER", "APPLY", "FOLD", "ZERO"} {
		if a, b := holes[name+"32"], holes[name+"64"]; len(a.texts) != 3 || len(b.texts) != 3 || a.texts[0] == a.texts[1] || b.texts[0] == b.texts[1] || b.texts[0] != b.texts[2] {
			t.Errorf("%s: %q, %q", name, a.texts, b.texts)
		}
	}
}

// A persistent kernel learns what its program has, and other kernels don't depend on it.
func TestModuleHas(t *testing.T) {
	module := func(kernel string, block int, has uint32) string {
		var s Set
		if _, _, _, err := s.Add(edgeCode("bool", edgeText), Use{}); err != nil {
			t.Fatal(err)
		}
		m, err := s.Module(kernel, "_o32", 90, block, has)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(m), "\n"+mark) {
			t.Errorf("%s: a hole is left", kernel)
		}
		_, code, found := strings.Cut(string(m), "\n.version") // behind the comments, which the emulated GPU reads
		if !found {
			t.Fatalf("%s: no .version", kernel)
		}
		return code
	}
	const has, other = 1 | 1<<24 | ShortRows, 1 | 1<<24 | LongRows
	code := module("foray_repeat_push", 1, has)
	if n := strings.Count(code, fmt.Sprintf(", %d; }", has)); n != 1 {
		t.Errorf("%d lines have the constant, want 1", n)
	}
	if code == module("foray_repeat_push", 1, other) {
		t.Error("the kernel doesn't depend on what the program has")
	}
	if module("foray_push_twc", 2, has) != module("foray_push_twc", 2, other) {
		t.Error("a kernel of one operation depends on what a program has")
	}
}
