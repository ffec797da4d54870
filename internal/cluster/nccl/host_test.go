//go:build linux && (amd64 || arm64) && !nocuda

// This file tests communicators in host memory over NCCL: what every such communicator must do
// (internal/cluster/comm/commtest), on GPUs of one process and of several.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/comm/commtest"
	"github.com/foray-graph/foray/internal/gpu"
)

var suite = commtest.Errors{
	Mismatch: comm.ErrMismatch, Hung: comm.ErrHung, Aborted: comm.ErrAborted, Differs: comm.ErrDiffers,
	Rank: func(err error) (int, bool) {
		var e *comm.Error
		if !errors.As(err, &e) {
			return 0, false
		}
		return e.Rank, true
	},
	Do: func(c commtest.Comm, f func() error) error { return comm.Do(c.(comm.Comm), f) },
	Among: func(ctx context.Context, c commtest.Comm, ranks []int, out [][]byte) ([][]byte, error) {
		return comm.ExchangeAmong(ctx, c.(comm.Comm), ranks, out)
	},
}

// hostScenarios are the suite's, and some for processes that no launcher looks after.
var hostScenarios = append(suite.Scenarios(),
	commtest.Scenario{Name: "stopped", Only: "processes", Cause: comm.ErrHung, Rank: 2, Silent: commtest.Rank2, Text: "no progress for ",
		Run: commtest.Only2(func(ctx context.Context, c commtest.Comm) error {
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			select {}
		})},
	commtest.Scenario{Name: "killed", Only: "processes", Cause: comm.ErrGone, Rank: 2, Silent: commtest.Rank2, Text: "its process is gone",
		Run: commtest.Only2(func(ctx context.Context, c commtest.Comm) error {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})},
)

// ownSettings are a rank's.
func ownSettings(s commtest.Scenario, rank int) (list []comm.Setting) {
	if s.Settings != nil {
		for _, x := range s.Settings(rank) {
			list = append(list, comm.Setting{Name: x[0], Value: x[1]})
		}
	}
	return list
}

// smallStage lets small lists go in pieces.
func smallStage() (restore func()) {
	s := stageBytes
	stageBytes = commtest.ReduceWords * wordBytes
	return func() { stageBytes = s }
}

// playHost runs a rank's part of a scenario, and returns what is wrong.
func playHost(c *Comm, s commtest.Scenario) string {
	defer c.Close() // whatever happens
	host, err := c.Host(context.Background())
	if err != nil {
		return err.Error()
	}
	if err := comm.Handshake(context.Background(), host, ownSettings(s, c.Rank())); err != nil && s.Cause == nil { // else another rank may have failed already
		return err.Error()
	}
	if said := suite.Part(s, host); said != "" || s.Cause != nil {
		return said
	}
	if err := host.Close(); err != nil {
		return "Close: " + err.Error()
	}
	if err := host.Barrier(context.Background()); !errors.Is(err, comm.ErrClosed) {
		return fmt.Sprint("a call after Close returned ", err)
	}
	host.Abort(nil)
	if host.Err() != nil || host.Close() != nil {
		return fmt.Sprint("it failed after Close: ", host.Err())
	}
	// The communicator of GPUs is still open, and has room for another one.
	again, err := c.Host(context.Background())
	if err == nil {
		n := []uint64{1}
		if err = errors.Join(again.Sum(context.Background(), n), again.Close()); err == nil && n[0] != uint64(c.Size()) {
			err = fmt.Errorf("the sum is %d", n)
		}
	}
	if err != nil {
		return "again: " + err.Error()
	}
	return errString(errors.Join(c.Barrier(context.Background()), c.Wait(context.Background()), c.Close()))
}

func errString(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestGPUHost(t *testing.T) {
	if n, _ := count(t, 4); n < 4 {
		t.Skip("needs four GPUs, or emulated ones (FORAY_EMULATOR_DEVICES=4)")
	}
	for _, s := range hostScenarios {
		if s.Only == "processes" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			defer smallPieces()()
			defer smallStage()()
			ranks, emulated := together(t, 4, Options{Deadline: commtest.Deadline})
			began := time.Now()
			each(ranks, func(r *rank) {
				if said := playHost(r.Comm, s); said != "" && (s.Silent == nil || !s.Silent(r.Rank())) {
					t.Errorf("rank %d: %s", r.Rank(), said)
				}
			})
			if d := time.Since(began); d > 10*time.Second && !emulated {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// TestGPUHostSizes: other numbers of ranks.
func TestGPUHostSizes(t *testing.T) {
	most, _ := count(t, 3)
	for n := 1; n <= most; n++ {
		defer smallPieces()()
		defer smallStage()()
		var s []*gpu.Stream
		for i := range n {
			d, err := gpu.Open(i)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			one, err := d.Stream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer one.Close()
			s = append(s, one)
		}
		comms, err := All(t.Context(), s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var ranks []*rank
		for _, c := range comms {
			ranks = append(ranks, &rank{Comm: c})
		}
		each(ranks, func(r *rank) {
			if said := playHost(r.Comm, commtest.Scenario{Run: commtest.Random}); said != "" {
				t.Errorf("%d ranks, rank %d: %s", n, r.Rank(), said)
			}
		})
	}
}

// ofHost is before the names of scenarios that processes run in host memory.
const ofHost = "host: "

// asHost is a rank's process. It returns what went wrong.
func asHost(c *Comm, name string) string {
	defer smallStage()()
	for _, s := range hostScenarios {
		if s.Name == name {
			return playHost(c, s)
		}
	}
	// All scenarios that succeed, one after the other.
	all := commtest.Scenario{Run: func(ctx context.Context, c commtest.Comm) error {
		for _, s := range hostScenarios {
			if s.Cause == nil {
				if err := s.Run(ctx, c); err != nil {
					return fmt.Errorf("%s: %w", s.Name, err)
				}
			}
		}
		return nil
	}}
	return playHost(c, all)
}

func TestGPUHostProcesses(t *testing.T) {
	if n, _ := count(t, 4); n < 4 {
		t.Skip("needs four GPUs, or emulated ones (FORAY_EMULATOR_DEVICES=4)")
	}
	l := launchers[0]
	for _, s := range append(slices.Clone(hostScenarios), commtest.Scenario{Name: healthy}) {
		if s.Only == "goroutines" || s.Cause == nil && s.Name != healthy ||
			testing.Short() && !slices.Contains([]string{healthy, "canceled", "abort", "hangs", "stopped"}, s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			reports, output := l.launch(t, 4, ofHost+s.Name)
			for r := range 4 {
				said, ok := reports[r]
				if silent := s.Silent != nil && s.Silent(r); !ok && !silent || said != "" && !silent {
					t.Errorf("rank %d: %v, %s", r, ok, said)
				}
			}
			if t.Failed() {
				t.Log(output)
			}
		})
	}
}

// isHost says that a scenario is one of those.
func isHost(name string) (string, bool) { return strings.CutPrefix(name, ofHost) }
