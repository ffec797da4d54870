package kernels_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/internal/testing/functorfuzz/kernels"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// jobs returns jobs of both forms.
func jobs(t *testing.T, n, cases int) []kernels.Job {
	t.Helper()
	var all []kernels.Job
	for seed := range uint64(n) {
		all = append(all, kernels.FromIR(seed, cases))
	}
	more, err := kernels.FromGo(0, uint64(n), cases)
	if err != nil {
		t.Fatal(err)
	}
	return append(all, more...)
}

// TestAssembles has ptxas assemble modules for all compute capabilities.
func TestAssembles(t *testing.T) {
	testlong.Project(t)
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		testlong.Missing(t, "ptxas", "needs ptxas: install nvidia-cuda-toolkit")
	}
	all := jobs(t, 30, 1)
	for _, major := range []int{7, 8, 9} {
		text, err := kernels.Module(all, major)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "module.ptx")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		arch := map[int]string{7: "sm_70", 8: "sm_80", 9: "sm_90"}[major]
		if out, err := exec.Command(ptxas, "-arch="+arch, "-o", filepath.Join(t.TempDir(), "cubin"), file).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", arch, err, out, text)
		}
	}
}
