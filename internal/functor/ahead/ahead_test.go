package ahead

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// modules returns n modules for each of two GPUs, with random code.
func modules(n int) (all []gpu.Ahead) {
	r := rand.New(rand.NewPCG(uint64(n), 2))
	for i := range n {
		for _, major := range []int{9, 8} {
			code := make([]byte, 1+r.IntN(5000))
			for j := range code {
				code[j] = byte(r.IntN(4)) + byte(major)
			}
			text := fmt.Appendf(nil, "// foray\nmodule %d of %d for %d\x00", r.Uint32(), n, major)
			all = append(all, gpu.Ahead{Kernel: fmt.Sprintf("foray_push_%d_o32", i%3), Major: major, PTX: text, Code: code})
		}
	}
	return all
}

// Modules that were saved, some of them twice and in any order, are read once and sorted.
func TestSaved(t *testing.T) {
	for _, n := range []int{0, 1, 20} {
		folder, want := t.TempDir(), modules(n)
		for _, i := range append(rand.Perm(len(want)), rand.Perm(len(want))...) {
			if err := Save(folder, want[i]); err != nil {
				t.Fatal(err)
			}
		}
		want = Distinct(want)
		for _, m := range want { // another comment makes no other module
			m.PTX = append([]byte("// foray, once more\n"), m.PTX...)
			if err := Save(folder, m); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Read(folder)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d modules, %v, want %d", len(got), err, len(want))
		}
		for i, m := range want {
			if got[i].Kernel != m.Kernel || got[i].Key() != m.Key() || !bytes.Equal(bytes.TrimPrefix(got[i].PTX, []byte("// foray, once more\n")), m.PTX) {
				t.Errorf("module %d is %s for %d, want %s for %d", i, got[i].Kernel, got[i].Major, m.Kernel, m.Major)
			}
		}
	}
	if err := Save(filepath.Join(t.TempDir(), "none"), modules(1)[0]); err == nil {
		t.Error("a module is saved in no folder")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.ptx"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(folder); err == nil || !strings.Contains(err.Error(), "no module") {
		t.Error(err)
	}
}

// A device finds the codes of a pack that was compressed here.
func TestPacked(t *testing.T) {
	all := modules(40)
	pack, err := gpu.PackAhead(all, packed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := gpu.PackAhead(all, packed)
	if err != nil || !bytes.Equal(pack, again) {
		t.Error("the same modules make another pack", err)
	}
	gpu.AddAhead(pack)
	for _, m := range all {
		if !bytes.Equal(gpu.CodeAhead(m.PTX, m.Major), m.Code) {
			t.Errorf("%s for %d: other code", m.Kernel, m.Major)
		}
	}
}

func TestCompile(t *testing.T) {
	if _, err := exec.LookPath("ptxas"); err != nil {
		testlong.Missing(t, "ptxas", "needs ptxas: install nvidia-cuda-toolkit")
	}
	if release, err := Release(t.Context()); err != nil || !strings.HasPrefix(release, "V") || !strings.Contains(release, ".") {
		t.Errorf("release %q, %v", release, err)
	}
	text := []byte(".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry none() { ret; }\n\x00")
	all := []gpu.Ahead{{Kernel: "none", Major: 8, PTX: text}, {Kernel: "none", Major: 9, PTX: text}}
	if err := Compile(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(all[0].Code, []byte("\x7fELF")) || !bytes.HasPrefix(all[1].Code, []byte("\x7fELF")) || bytes.Equal(all[0].Code, all[1].Code) {
		t.Errorf("the codes have %d and %d bytes", len(all[0].Code), len(all[1].Code))
	}
	bad := []gpu.Ahead{all[0], {Kernel: "foray_bad", Major: 9, PTX: []byte("no PTX\x00")}}
	if err := Compile(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "foray_bad for sm_90") {
		t.Error(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Release(done)
	for _, err := range []error{err, Compile(done, all), Run(done, []string{t.TempDir()}, &bytes.Buffer{})} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// What tests print begins with the first failure, and ends with a whole line.
func TestBegin(t *testing.T) {
	if got := begin([]byte("\nlog\n--- FAIL: TestA\nb\n\n")); got != "--- FAIL: TestA\nb" {
		t.Errorf("%q", got)
	}
	long := strings.Repeat("some line\n", mostSaid)
	if got := begin([]byte(long)); len(got) > mostSaid+50 || len(got) < mostSaid/2 || !strings.HasSuffix(got, "some line\n(3687 more lines)") {
		t.Errorf("%d bytes: %.20q to %q", len(got), got, got[max(0, len(got)-40):])
	}
}
