package steps_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/foray-graph/foray/internal/testing/functorfuzz/steps"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

var (
	functors = flag.Int("functors", 40, "how many random functors")
	first    = flag.Uint64("seed", 1, "seed of the first one")
	keep     = flag.String("keep", "", "build the program to this file, to run it elsewhere")
)

// TestSteps runs random functors as steps of traversals, on the host, and on a GPU or the
// emulated one where there is one.
func TestSteps(t *testing.T) {
	testlong.Only(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("needs amd64: floating-point conversions and exp differ on", runtime.GOARCH)
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command, to compile random functors")
	}
	dir, err := os.MkdirTemp(".", "_functors")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := steps.Write(t.Context(), dir, *first, *functors); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "steps")
	if *keep != "" {
		program = *keep
	}
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "./"+dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, args := range map[string][]string{"one worker": {"-device=host", "-workers=1"}, "three workers": {"-device=host", "-workers=3"}, "GPU": {"-device=cuda"}} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(program, args...).CombinedOutput()
			if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == steps.NoGPU && name == "GPU" {
				t.Skipf("needs a GPU, or the emulated one (scripts/gpu-test emulate): %s", out)
			}
			t.Logf("%s", out)
			if err != nil {
				t.Error(err)
			}
		})
	}
}
