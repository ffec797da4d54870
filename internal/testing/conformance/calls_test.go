package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGPUCalls runs in a separate process, whose emulator logs the calls.
func TestGPUCalls(t *testing.T) {
	const env = "FORAY_EMULATOR_CALLS"
	s, file := onEmulated(t), os.Getenv(env)
	if file != "" {
		s.Calls(t, file)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestGPUCalls$", "-test.v")
	cmd.Env = append(os.Environ(), env+"="+filepath.Join(t.TempDir(), "calls"))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
