//go:build linux && (amd64 || arm64) && !nocuda

// This file starts the processes of tests.

package nccl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// launcher starts processes.
type launcher struct {
	name string // of a command; empty: the test itself starts them
	args []string
}

var launchers = []launcher{
	{"", nil},
	{"mpirun.openmpi", []string{"--oversubscribe", "--allow-run-as-root"}},
	{"mpirun.mpich", nil},
}

// path is where the command is; empty if it isn't there.
func (l launcher) path() string {
	path, err := exec.LookPath(l.name)
	if err != nil && l.name == "mpirun.openmpi" { // as it is called outside of Debian
		path, err = exec.LookPath("mpirun")
	}
	if err != nil {
		return ""
	}
	return path
}

// launch runs this binary as ranks. It returns what they reported, and printed.
func (l launcher) launch(t testing.TB, n int, name string, env ...string) (reports map[int]string, output string) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out safeBuffer
	begin := func(path string, args []string, env ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Env = slices.Concat(os.Environ(), env, []string{envScenario + "=" + name, envFolder + "=" + dir})
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.WaitDelay = 5 * time.Second
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	var all []*exec.Cmd
	if l.name == "" {
		port := freePort(t)
		for r := range n {
			all = append(all, begin(os.Args[0], nil, append(env, envHow+"=env", "MASTER_ADDR=127.0.0.1", "MASTER_PORT="+port, fmt.Sprint("RANK=", r), fmt.Sprint("WORLD_SIZE=", n))...))
		}
	} else {
		path := l.path()
		if path == "" {
			testlong.Missing(t, "mpi", "needs ", l.name, ": install openmpi-bin or mpich")
		}
		all = append(all, begin(path, slices.Concat(l.args, []string{"-n", strconv.Itoa(n), os.Args[0]}), append(env, envHow+"=mpi")...))
	}
	reports = map[int]string{}
	silent := slices.ContainsFunc(processScenarios, func(s scenario) bool { return s.name == name && s.silent() })
	if inHostMemory, ok := isHost(name); ok {
		silent = (scenario{name: inHostMemory}).silent()
	}
	expected := n
	if silent {
		expected--
	}
	for ctx.Err() == nil && len(reports) < expected {
		time.Sleep(10 * time.Millisecond)
		for r := range n {
			if text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("rank-", r))); err == nil {
				reports[r] = string(text)
			}
		}
		if !slices.ContainsFunc(all, func(c *exec.Cmd) bool { return syscall.Kill(c.Process.Pid, 0) == nil }) {
			break
		}
	}
	for r, cmd := range all {
		if _, ok := reports[r]; silent && l.name == "" && !ok { // what is stopped doesn't end
			cmd.Process.Kill()
		}
	}
	for _, cmd := range all {
		cmd.Wait()
	}
	for r := range n {
		if text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("rank-", r))); err == nil {
			reports[r] = string(text)
		}
	}
	return reports, out.String()
}

// safeBuffer takes what several processes print.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// count returns the number of GPUs, and closes them.
func count(t testing.TB, most int) (n int, emulated bool) {
	t.Helper()
	for i := range most {
		d, err := gpu.Open(i)
		if err != nil {
			if !errors.Is(err, device.ErrNotSupported) && !errors.Is(err, device.ErrUnknown) {
				t.Fatal(err)
			}
			if i < 2 {
				t.Skipf("needs two GPUs, or emulated ones (FORAY_EMULATOR_DEVICES=2): there are %d: %v", i, err)
			}
			break
		}
		emulated = strings.Contains(d.Info().Model, "Emulated")
		d.Close()
		n++
	}
	if _, err := open(); err != nil {
		if os.Getenv("FORAY_NCCL") != "" {
			t.Fatal(err)
		}
		t.Skip("needs NCCL 2.23 or later: set FORAY_NCCL to libnccl.so.2:", err)
	}
	return n, emulated
}
