package conformance_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestGPUWatched: a process that does nothing more on the emulated GPU ends, and prints what its streams and
// goroutines do.
func TestGPUWatched(t *testing.T) {
	const inside = "FORAY_TEST_WATCHED"
	s := onEmulated(t)
	if os.Getenv(inside) != "" {
		stream, err := s.Device.NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		time.Sleep(time.Minute)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestGPUWatched$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1", "FORAY_EMULATOR_WATCH=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("the process ended as if nothing was wrong")
	}
	for _, want := range []string{"emulator: nothing has happened for 1 s", "emulator: stream", "SIGQUIT", "TestGPUWatched"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output has no %q:\n%s", want, out)
		}
	}
}
