// This file tests that the emulator finds defects of kernels, each in a separate
// process, because an error of a kernel stays with the process.

package emulator_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/foray-graph/foray/internal/gpu/driver"
	"github.com/foray-graph/foray/internal/testing/emulator"
)

const (
	defectVar = "FORAY_TEST_DEFECT"
	soundVar  = "FORAY_TEST_SOUND"
)

// defects are the kernels of testdata/defects.cu: how they are launched, the words that
// they leave, and the emulator's message if they have their
// defect; without a message, the words differ.
var defects = []struct {
	name    string
	blocks  uint32
	cluster bool
	want    func(i uint32) uint32
	message string
}{
	{name: "missing_barrier", want: func(i uint32) uint32 { return (i + 1) % 256 }},
	{name: "missing_warp_barrier", want: func(i uint32) uint32 { return (i + 1) % 256 }},
	{name: "lost_update", blocks: 4, want: func(i uint32) uint32 { return map[bool]uint32{true: 4 * 256 * 50}[i == 0] }},
	{name: "unwritten", want: func(uint32) uint32 { return 0 }},
	{name: "divergent_barrier", want: ones, message: "at __syncthreads while others of its block are at __syncthreads_or|at __syncthreads_or while others of its block are at __syncthreads"},
	{name: "missing_lane", want: func(uint32) uint32 { return 1<<32 - 1 }, message: "thread 37 at __syncthreads"},
	{name: "ended_lane", want: func(i uint32) uint32 { return i&^31 | 3 }, message: "have ended|ends while another one of its warp waits for it"},
	{name: "past_the_end", want: ones, message: "thread 255,0,0 writes to 0 bytes past the end of an allocation of 1024 bytes|thread 255 writes to 0 bytes past the end of an allocation of 1024 bytes"},
	{name: "before_the_beginning", want: ones, message: "wrote 4 bytes before an allocation of 1024 bytes"},
	{name: "misaligned", want: func(i uint32) uint32 { return map[bool]uint32{true: 1}[i == 0] }, message: "CUDA_ERROR_MISALIGNED_ADDRESS"},
	{name: "shared_overflow", want: ones, message: "past the end of shared words, of 400 bytes"},
	{name: "dynamic_overflow", want: ones, message: "thread 255 writes to "},
	{name: "never", want: func(i uint32) uint32 { return map[bool]uint32{true: 1}[i == 0] }, message: "waits for a word in memory to change"},
	{name: "absent_block", blocks: 2, cluster: true, want: ones, message: "at the cluster's barrier; block 1 of its cluster has ended"},
	{name: "missing_cluster_barrier", blocks: 4, cluster: true, want: func(i uint32) uint32 { return map[bool]uint32{true: (i + 3) % 4}[i < 4] }},
	{name: "grid_of_a_plain_launch", want: ones, message: "a launch that isn't cooperative"},
	{name: "freed", want: ones, message: "an allocation of 1024 bytes that was freed"},
}

func ones(uint32) uint32 { return 1 }

func TestDefects(t *testing.T) {
	if name := os.Getenv(defectVar); name != "" {
		inside(t, name)
		return
	}
	folder := buildOf(t, "defects")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects {
		// With one worker the order of turns follows from the seed alone. What is
		// sound must be so in any order.
		for sound, workers := range map[string]string{"": "1", "1": "3"} {
			for _, seed := range []string{"1", "2"} {
				cmd := exec.Command(self, "-test.run=^TestDefects$", "-test.v")
				cmd.Env = append(os.Environ(), defectVar+"="+d.name, soundVar+"="+sound, "LD_LIBRARY_PATH="+folder,
					"FORAY_EMULATOR_SEED="+seed, "FORAY_EMULATOR_WORKERS="+workers, "FORAY_EMULATOR_LIMIT=1", "FORAY_EMULATOR_TURN=20")
				if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "no driver in this build") {
					t.Errorf("%s, sound %q, seed %s: %v\n%s", d.name, sound, seed, err, out)
				}
			}
		}
	}
}

// inside runs one kernel, and fails the test unless what happens is what the list
// says.
func inside(t *testing.T, name string) {
	c, err := driver.Open(0)
	if errors.Is(err, driver.ErrNotSupported) {
		t.Skip("needs a build with a driver, without the tags nocuda and gorgonia:", err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	if !strings.Contains(c.Device().Name, "Emulated") {
		t.Fatalf("this is %v", c.Device())
	}
	mod, err := c.Load(emulator.Image("defects"))
	must(err)
	s, err := c.NewStream()
	must(err)
	for _, d := range defects {
		if d.name != name {
			continue
		}
		f, err := mod.Function(name)
		must(err)
		m, err := c.Alloc(1024)
		must(err)
		sound := os.Getenv(soundVar) != ""
		cfg := driver.Config{Grid: driver.Dim{X: max(d.blocks, 1)}, Block: driver.Dim{X: 256}, Shared: 1024}
		if d.cluster {
			cfg.Cluster = cfg.Grid
		}
		args := driver.NewArgs().Ptr(m.Ptr()).U32(map[bool]uint32{true: 1}[sound])
		gone := name == "freed" && !sound
		if gone {
			must(m.Close())
		}
		got := make([]uint32, 256)
		right := true
		for range 40 { // a wrong result shows now and then
			if !gone {
				must(s.Memset32(m.Ptr(), 0, 256))
			}
			must(s.Launch(f, cfg, args))
			if err = s.Sync(); err != nil || gone {
				break
			}
			must(c.Download(unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 1024), m.Ptr()))
			for i, x := range got[:100] {
				right = right && x == d.want(uint32(i))
			}
			if !right || d.message != "" {
				break
			}
		}
		if err == nil && !gone {
			err = m.Close()
		}
		switch {
		case sound && (err != nil || !right):
			t.Errorf("sound: %v, %v", err, got)
		case !sound && d.message == "" && (err != nil || right):
			t.Errorf("the defect doesn't show: %v", err)
		case !sound && d.message != "":
			for m := range strings.SplitSeq(d.message, "|") {
				if err != nil && strings.Contains(err.Error(), m) {
					return
				}
			}
			t.Errorf("%v, want %q", err, d.message)
		}
	}
}
