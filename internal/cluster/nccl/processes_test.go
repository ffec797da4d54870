//go:build linux && (amd64 || arm64) && !nocuda

// This file tests communicators between processes: the test binary is run again, by mpirun or
// with the variables that torchrun sets, and each process is a rank.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/comm/commtest"
	"github.com/foray-graph/foray/internal/gpu"
)

// processScenarios are those that need processes.
var processScenarios = []scenario{
	{name: "stopped", cause: comm.ErrHung, last: true, text: "no progress for ", only: byHost | byNCCL,
		run: other(func(ctx context.Context, r *rank) error {
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			select {}
		})},
	{name: "killed", cause: comm.ErrGone, last: true, text: "its process is gone: it was killed, or it crashed", only: byNCCL,
		run: other(func(ctx context.Context, r *rank) error {
			time.Sleep(50 * time.Millisecond)
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})},
	{name: "settings", cause: comm.ErrDiffers, last: true, text: "it has threshold 65, rank 0 has 64", only: byHost | byNCCL, run: random},
}

// silent says that the last rank reports nothing, as it is stopped or killed.
func (s scenario) silent() bool { return s.name == "stopped" || s.name == "killed" }

// Environment of a process that is a rank: the scenario's name, a folder for reports, and what
// it connects by.
const (
	envScenario = "FORAY_TEST_NCCL"
	envFolder   = "FORAY_TEST_NCCL_DIR"
	envHow      = "FORAY_TEST_NCCL_HOW"
	envFault    = "FORAY_TEST_NCCL_FAULT" // of the emulated NCCL, once ranks are connected
	healthy     = "healthy"               // all scenarios that go well
	again       = "again"                 // twice
)

func TestMain(m *testing.M) {
	if name := os.Getenv(envScenario); name != "" {
		os.Exit(beRank(name, os.Getenv(envFolder), os.Getenv(envHow)))
	}
	os.Exit(m.Run())
}

// beRank is a rank's process. It reports to rank-N.
func beRank(name, dir, how string) int {
	if name != "bench" {
		defer smallPieces()()
	}
	number, err := strconv.Atoi(os.Getenv("OMPI_COMM_WORLD_RANK") + os.Getenv("PMI_RANK") + os.Getenv("RANK"))
	if err != nil {
		fmt.Println(err)
		return 2
	}
	said := asRank(name, number, how)
	temporary := filepath.Join(dir, fmt.Sprint("new-", number))
	os.WriteFile(temporary, []byte(said), 0o644)
	os.Rename(temporary, filepath.Join(dir, fmt.Sprint("rank-", number)))
	if name == healthy || name == ofHost+healthy || name == again || name == "bench" {
		return 0
	}
	// mpirun ends the others when this one ends.
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if all, _ := filepath.Glob(filepath.Join(dir, "rank-*")); len(all) >= 4 {
			break
		}
	}
	return 1
}

// asRank returns what went wrong.
func asRank(name string, number int, how string) string {
	ctx := context.Background()
	o := Options{Deadline: testDeadline, Settings: []comm.Setting{{Name: "threshold", Value: "64"}}}
	if name == again {
		return twice(ctx)
	}
	inHostMemory, isHost := isHost(name)
	if isHost {
		o.Deadline = commtest.Deadline
	}
	all := slices.Concat(scenarios, processScenarios)
	size, _ := strconv.Atoi(os.Getenv("OMPI_COMM_WORLD_SIZE") + os.Getenv("PMI_SIZE") + os.Getenv("WORLD_SIZE"))
	if name == "settings" && number == size-1 {
		o.Settings[0].Value = "65"
	}
	d, err := gpu.Open(number)
	if err != nil {
		return err.Error()
	}
	r, err := newRank(d)
	if err != nil {
		return err.Error()
	}
	if name == "bench" {
		if err := prepare(r, size); err != nil {
			return err.Error()
		}
	}
	s := r.s
	var host comm.Comm
	var c *Comm
	kind := byNCCL
	if how == "mpi" {
		kind = byHost
		if host, err = comm.World(ctx, comm.Options{Deadline: testDeadline}); err != nil {
			return err.Error()
		}
		c, err = Join(ctx, s, host, o)
	} else {
		c, err = Meet(ctx, s, o)
	}
	if name == "settings" {
		var e *comm.Error
		if !errors.As(err, &e) || !errors.Is(err, comm.ErrDiffers) || e.Rank != size-1 || !strings.Contains(err.Error(), "it has threshold 65, rank 0 has 64") {
			return fmt.Sprint("ranks that differ: ", err)
		}
		return ""
	}
	if i := slices.IndexFunc(all, func(x scenario) bool { return x.name == name }); err != nil && kind == byNCCL && i >= 0 && all[i].wrong(err, size) == "" {
		return "" // the last rank failed before this one had met it
	}
	if err != nil {
		return err.Error()
	}
	r.Comm = c
	if isHost {
		return asHost(c, inHostMemory)
	}
	if name == "bench" {
		err := r.reserve()
		text := ""
		if err == nil {
			text, err = r.measure(ctx)
		}
		if err = errors.Join(err, r.Close()); err != nil {
			return err.Error()
		}
		if host != nil {
			host.Close()
		}
		return text
	}
	if name == healthy {
		err := r.run(func() error {
			for _, x := range all {
				if (x.only == 0 || x.only&kind != 0) && x.cause == nil && x.text == "" {
					if err := x.run(ctx, r); err != nil {
						return fmt.Errorf("%s: %w", x.name, err)
					}
				}
			}
			return nil
		})
		if said := (scenario{}).judge(r, err, kind); said != "" {
			return said
		}
		// Another communicator of the same processes, for a second stream.
		if host != nil {
			c, err = Join(ctx, s, host, o)
		} else {
			c, err = Meet(ctx, s, o)
		}
		if err != nil {
			return "again: " + err.Error()
		}
		r.Comm = c
		if said := (scenario{}).judge(r, r.run(func() error { return r.reduced(ctx, true, 1, 9) }), kind); said != "" {
			return "again: " + said
		}
		if err := errors.Join(r.free(), d.Close()); err != nil {
			return err.Error()
		}
		if host != nil {
			if err := host.Close(); err != nil {
				return "the host's Close: " + err.Error()
			}
		}
		return ""
	}
	x := all[slices.IndexFunc(all, func(x scenario) bool { return x.name == name })]
	if what := os.Getenv(envFault); what != "" {
		env, err := environment()
		if err == nil {
			err = env.put("FORAY_EMULATOR_NCCL_FAIL", what)
		}
		if err != nil {
			return err.Error()
		}
	}
	return x.judge(r, r.run(func() error { return x.run(ctx, r) }), kind)
}

// twice connects two GPUs of this process, lets go of all and does it again.
func twice(ctx context.Context) string {
	for range 2 {
		var ranks []*rank
		var s []*gpu.Stream
		for i := range 2 {
			d, err := gpu.Open(i)
			if err != nil {
				return err.Error()
			}
			r, err := newRank(d)
			if err != nil {
				return err.Error()
			}
			ranks, s = append(ranks, r), append(s, r.s)
		}
		comms, err := All(ctx, s, Options{Deadline: testDeadline})
		if err != nil {
			return err.Error()
		}
		errs := make([]error, 2)
		for i, r := range ranks {
			r.Comm = comms[i]
		}
		each(ranks, func(r *rank) {
			err := r.run(func() error { return r.reduced(ctx, false, 7, 1000) })
			errs[r.Rank()] = errors.Join(err, r.Close())
		})
		for _, r := range ranks {
			errs = append(errs, r.free(), r.d.Close())
		}
		if err := errors.Join(errs...); err != nil {
			return err.Error()
		}
	}
	return ""
}

// TestGPUAgain: GPUs can be closed and opened again.
func TestGPUAgain(t *testing.T) {
	count(t, 2)
	reports, output := launchers[0].launch(t, 1, again)
	if said, ok := reports[0]; !ok || said != "" {
		t.Errorf("%s\n%s", said, output)
	}
}

func TestGPUProcesses(t *testing.T) {
	most, emulated := count(t, 4)
	for _, l := range launchers {
		name, kind := l.name, byHost
		if name == "" {
			name, kind = "env", byNCCL
		}
		if name != "env" && l.path() == "" {
			t.Logf("no %s: install openmpi-bin or mpich to test with it", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			for n := 2; n <= most; n += 2 {
				if testing.Short() && n < most {
					continue
				}
				t.Run(fmt.Sprint(healthy, n), func(t *testing.T) { l.check(t, n, scenario{name: healthy}) })
			}
			for _, s := range slices.Concat(scenarios, processScenarios) {
				if s.only != 0 && s.only&kind == 0 || s.cause == nil && s.text == "" ||
					testing.Short() && kind == byHost && !slices.Contains([]string{"canceled", "fails at once", "stopped", "settings"}, s.name) {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					if s.env != "" && !emulated {
						t.Skip("needs the emulated NCCL (scripts/gpu-test emulate): the test makes it fail")
					}
					l.check(t, most, s)
				})
			}
		})
	}
}

// check runs a scenario and what its ranks reported.
func (l launcher) check(t *testing.T, n int, s scenario) {
	var env []string
	if s.env != "" {
		env = append(env, envFault+"="+strings.Replace(s.env, "-2", fmt.Sprint(n-1), 1))
	}
	reports, output := l.launch(t, n, s.name, env...)
	for r := range n {
		said, ok := reports[r]
		if !ok && (!s.silent() || r < n-1) {
			t.Errorf("rank %d reported nothing", r)
		} else if said != "" {
			t.Errorf("rank %d: %s", r, said)
		}
	}
	if t.Failed() {
		t.Log(output)
	}
}
