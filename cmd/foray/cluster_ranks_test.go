//go:build linux && (amd64 || arm64) && !nocuda

// This file tests searches over processes that are started with RANK and WORLD_SIZE, without MPI.

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
)

// byRank runs foray on ranks as torchrun does. env adds to a rank's environment. The error is the first one's that failed.
func byRank(t *testing.T, n int, fault string, env func(rank int) []string, args ...string) (stdout, stderr string, took time.Duration, err error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	pids := t.TempDir()
	outs, errs, all := make([]bytes.Buffer, n), make([]bytes.Buffer, n), make([]*exec.Cmd, n)
	for r := range all {
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestClusterRank$")
		cmd.Env = append(os.Environ(), envArgs+"="+strings.Join(args, "\n"), envFault+"="+fault, envPids+"="+pids,
			"MASTER_ADDR=127.0.0.1", "MASTER_PORT="+port, fmt.Sprint("RANK=", r), fmt.Sprint("WORLD_SIZE=", n), fmt.Sprint("LOCAL_RANK=", r))
		if env != nil {
			cmd.Env = append(cmd.Env, env(r)...)
		}
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &outs[r], &errs[r], 5*time.Second
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all[r] = cmd
	}
	stopped := -1 // the rank that no other process ends
	if kind, at, _ := strings.Cut(strings.TrimPrefix(fault, "later "), "@"); kind == "stopped" {
		stopped = 2
		if at == "0" {
			stopped = 0
		}
	}
	for r, cmd := range all {
		if r == stopped {
			continue
		}
		if e := cmd.Wait(); err == nil {
			err = e
		}
	}
	if stopped >= 0 {
		all[stopped].Process.Kill()
		all[stopped].Wait()
	}
	for r := range all {
		stdout += outs[r].String()
		stderr += errs[r].String()
	}
	return stdout, stderr, gone(t, n, pids), err
}

// needGPUs skips a test where there are fewer.
func needGPUs(t *testing.T, n int) {
	have := 0
	for _, d := range device.List() {
		if d.Kind == "cuda" {
			have++
		}
	}
	if have < n {
		t.Skipf("needs %d GPUs, or emulated ones (FORAY_EMULATOR_DEVICES): there are %d", n, have)
	}
}

func TestGPUClusterByRank(t *testing.T) {
	needGPUs(t, 4)
	for _, c := range []struct {
		n    int
		args string
	}{
		{4, "gen:kron12 --source 9 --parents"},
		{2, "gen:path:300 --source 0 --target 150 --target 7 --algo bfs"},
		{3, karate + " --source 1 --directed --depth-limit 2 --threshold 0"},
	} {
		t.Run(fmt.Sprint(c.n, " ", c.args[:9]), func(t *testing.T) {
			args := append(strings.Fields("bfs --validate"), strings.Fields(c.args)...)
			own := regexp.MustCompile(` --(unique|threshold \d+)`).ReplaceAllString(" "+strings.Join(args, " "), "")
			want, _ := foray(t, 0, append(strings.Fields(own), "--device", "host")...)
			parts := filepath.Join(t.TempDir(), "parts")
			got, errs, _, err := byRank(t, c.n, "", nil, append(args, "-o", parts)...)
			if err != nil {
				t.Fatalf("%v\n%s%s", err, got, errs)
			}
			if g, w := found.FindAllString(got, -1), found.FindAllString(want, -1); !slices.Equal(g, w) {
				t.Errorf("got %q, want %q", g, w)
			}
			if _, err := os.Stat(filepath.Join(parts, "_SUCCESS")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGPUClusterByRankFaults: whatever goes wrong on one rank ends all within 10 s.
func TestGPUClusterByRankFaults(t *testing.T) {
	needGPUs(t, 4)
	const large, long = "gen:kron20 --source 1", "gen:path:1000000 --source 1"
	for _, c := range []struct{ fault, args, want string }{
		{"killed", large, "^foray: rank 2: its process is gone: it was killed, or it crashed\n$"},
		{"stopped", large, "^foray: rank 2: no progress for .*\n$"},
		{"stopped@0", large, "^foray: rank 0: no progress for .*\n$"},
		{"later stopped@0", long, "^foray: rank 0: no progress for .*\n$"},
		{"interrupted", large, "rank 2: (aborted: )?context canceled|foray: interrupted"},
		{"--memory-limit 8MB", long, `rank 2: not enough memory: it needs .* more than the 8.00 MB of its limit`},
		{"--source 3", large, "rank 2: ranks differ: it has --source"},
		{"", large + " --plot a.svg", "--plot is not for a search over processes"},
		{"", "gen:path:10 --source 11", "--source: vertex 11 is not in the graph; its ids are of type uint32, from 0 to 9"},
	} {
		t.Run(c.fault+" "+c.args[:9], func(t *testing.T) {
			out, errs, took, err := byRank(t, 4, c.fault, nil, append([]string{"bfs"}, strings.Fields(c.args)...)...)
			if err == nil {
				t.Errorf("it ended well: %s", out)
			}
			if !regexp.MustCompile(c.want).MatchString(out + errs) {
				t.Errorf("%q isn't in\n%s%s", c.want, out, errs)
			}
			if strings.HasPrefix(c.fault, "later ") {
				took -= faultLate
			}
			if most := shared(10 * time.Second); took > most {
				t.Errorf("it took %v, more than %v", took, most)
			}
		})
	}
	// GPUs that don't suffice.
	for _, c := range []struct{ local, want string }{
		{"LOCAL_RANK=7", "this is process 7 of its machine, from 0, which has 4 GPUs: each process takes a GPU; start no more processes than GPUs"},
		{"LOCAL_RANK=1", "this process took GPU 1 of 4: two processes of a machine can't share one"},
	} {
		out, errs, _, err := byRank(t, 2, "", func(int) []string { return []string{c.local} }, "bfs", "gen:kron12")
		if err == nil || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %v\n%s%s", c.local, err, out, errs)
		}
	}
}

// TestGPUClusterFaults: likewise where MPI connects processes, in the middle of a search. The error names the rank.
func TestGPUClusterFaults(t *testing.T) {
	needGPUs(t, 4)
	for _, c := range []struct{ fault, want string }{
		{"later killed", "signal 9"},
		{"later stopped", "(?m)rank 2: no progress for .*, while rank . waits for it$"},
		{"later stopped@0", "(?m)rank 0: no progress for .*, while rank . waits for it$"},
		{"later interrupted", "rank 2: context canceled: interrupted"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			out, errs, took, err := mpirun(t, "mpirun.openmpi", 4, c.fault, "bfs", "gen:path:1000000", "--source", "1", "--device", "cuda")
			if err == nil || !regexp.MustCompile(c.want).MatchString(out+errs) {
				t.Errorf("%v: %q isn't in\n%s%s", err, c.want, out, errs)
			}
			if lines := strings.Count("\n"+errs, "\nforay: "); lines > 1 {
				t.Errorf("%d ranks printed an error:\n%s", lines, errs)
			}
			if most := shared(10 * time.Second); took-faultLate > most {
				t.Errorf("it took %v, more than %v", took-faultLate, most)
			}
		})
	}
}

// TestGPUClusterByRankRoom: if one rank's GPU has too little memory for its part, --device auto makes all ranks search on hosts
// and prints that, and --device cuda is an error.
func TestGPUClusterByRankRoom(t *testing.T) {
	needGPUs(t, 3)
	if !strings.Contains(device.List()[1].Model, "Emulated") {
		t.Skip("needs the emulated GPU (scripts/gpu-test emulate): the test limits each process's memory")
	}
	little := func(rank int) []string {
		if rank == 1 { // enough for NCCL's buffers
			return []string{"FORAY_EMULATOR_MEMORY=86000000"}
		}
		return nil
	}
	args := strings.Fields("bfs gen:kron16 --source 1 --validate --parents")
	want, _ := foray(t, 0, append(args, "--device", "host")...)
	got, errs, _, err := byRank(t, 3, "", little, args...)
	if err != nil {
		t.Fatalf("%v\n%s%s", err, got, errs)
	}
	if g, w := found.FindAllString(got, -1), found.FindAllString(want, -1); !slices.Equal(g, w) {
		t.Errorf("got %q, want %q", g, w)
	}
	if !regexp.MustCompile(`(?m)^search +on hosts, 3 ranks, .* each: rank 1's part takes .* of its GPU's memory, .* more than is free$`).MatchString(got) {
		t.Error(got)
	}
	got, errs, _, err = byRank(t, 3, "", little, append(args, "--device", "cuda")...)
	if err == nil || !strings.HasPrefix(errs, "foray: not enough memory: rank 1's part takes ") || strings.Count(errs, "\n") != 1 {
		t.Errorf("%v\n%s%s", err, got, errs)
	}
}

// TestClusterNoNCCL: the error of processes without MPI and NCCL names a remedy.
func TestClusterNoNCCL(t *testing.T) {
	_, errs, _, err := byRank(t, 1, "", func(int) []string { return []string{"FORAY_NCCL=/nowhere/libnccl.so.2", "WORLD_SIZE=4", "RANK=1"} }, "bfs", "gen:kron12")
	for _, want := range []string{
		"RANK and WORLD_SIZE say that this is rank 1 of 4: without MPI, processes connect by NVIDIA's NCCL: nccl: NCCL isn't available: no library: install NCCL",
		"or install Open MPI or MPICH and start the processes by mpirun -n 4",
	} {
		if err == nil || !strings.Contains(errs, want) {
			t.Errorf("%v: %q isn't in %s", err, want, errs)
		}
	}
}
