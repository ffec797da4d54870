//go:build linux && (amd64 || arm64) && !nocuda

// This file tests what processes without MPI do if one of them is killed, stopped or interrupted at any moment, or has too little memory.

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

const (
	// momentsFrom is when the process of a rank has begun to connect to rank 0 at the latest. Before, nothing is known of it.
	momentsFrom = 300 * time.Millisecond
	// allEndWithin is how long the other ranks may take to end.
	allEndWithin = 10 * time.Second
)

// envHold is how many bytes of which GPU a process holds: "1 5000000".
const envHold = "FORAY_TEST_CLUSTER_HOLD"

// job is processes without MPI.
type job struct {
	cmds  []*exec.Cmd
	errs  []bytes.Buffer
	ended []chan struct{}
}

// jobPorts are the ports of jobs, each its own. Connections don't take ports below 32768 for their ends.
var jobPorts atomic.Int64

func init() { jobPorts.Store(20_000 + int64(os.Getpid())%10_000) }

// startJob starts them. env adds to a rank's environment.
func startJob(t *testing.T, n int, env func(rank int) []string, args ...string) *job {
	t.Helper()
	port := fmt.Sprint(jobPorts.Add(1))
	j := &job{errs: make([]bytes.Buffer, n)}
	pids := t.TempDir()
	for r := range n {
		cmd := exec.Command(os.Args[0], "-test.run=^TestClusterRank$")
		cmd.Env = append(os.Environ(), envArgs+"="+strings.Join(args, "\n"), envFault+"="+faultOutside, envPids+"="+pids,
			"MASTER_ADDR=127.0.0.1", "MASTER_PORT="+port, fmt.Sprint("RANK=", r), fmt.Sprint("WORLD_SIZE=", n), fmt.Sprint("LOCAL_RANK=", r))
		if env != nil {
			cmd.Env = append(cmd.Env, env(r)...)
		}
		cmd.Stderr = &j.errs[r]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		j.cmds, j.ended = append(j.cmds, cmd), append(j.ended, ended)
		go func() { cmd.Wait(); close(ended) }()
	}
	t.Cleanup(func() {
		for r, cmd := range j.cmds {
			cmd.Process.Kill()
			<-j.ended[r]
		}
	})
	return j
}

// wait waits until all ranks but one have ended, and returns for how long. It is over after limit.
func (j *job) wait(but int, limit time.Duration) (took time.Duration, over bool) {
	began := time.Now()
	late := time.After(limit)
	for r := range j.cmds {
		if r == but {
			continue
		}
		select {
		case <-j.ended[r]:
		case <-late:
			return time.Since(began), false
		}
	}
	return time.Since(began), true
}

// says returns what all ranks printed on stderr.
func (j *job) says() string {
	var all strings.Builder
	for r := range j.errs {
		all.WriteString(j.errs[r].String())
	}
	return all.String()
}

func envOr(name, otherwise string) string {
	if s := os.Getenv(name); s != "" {
		return s
	}
	return otherwise
}

// moment is what happens to a run, and when.
type moment struct {
	signal syscall.Signal
	rank   int // -1: all
	at     time.Duration
}

func (m moment) String() string {
	who := fmt.Sprint("rank ", m.rank)
	if m.rank < 0 {
		who = "all"
	}
	return fmt.Sprintf("%v %s %v", map[syscall.Signal]string{syscall.SIGKILL: "killed", syscall.SIGSTOP: "stopped", syscall.SIGINT: "interrupted"}[m.signal], who, m.at.Round(time.Millisecond))
}

// TestGPUClusterMoments: whatever happens to a rank from the begin to the end of a run, all others end within 10 s, with an
// error that one of them prints and that names the rank and the cause. FORAY_TEST_TRIALS is how often, FORAY_TEST_SEED draws the moments,
// FORAY_TEST_GRAPH is the graph, and FORAY_TEST_AT_ONCE how many runs share the GPUs.
func TestGPUClusterMoments(t *testing.T) {
	needGPUs(t, 2)
	n := 0
	for _, d := range device.List() {
		if d.Kind == gpu.Kind {
			n++
		}
	}
	n = min(n, 4)
	number := func(name, otherwise string) int {
		x, err := strconv.Atoi(envOr(name, otherwise))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	trials := "4"
	if testlong.Long() {
		trials = "40"
	}
	seed := number("FORAY_TEST_SEED", "1")
	args := []string{"bfs", "gen:" + envOr("FORAY_TEST_GRAPH", "kron16"), "--source", "1", "--validate", "--device", "cuda"}
	atOnce := number("FORAY_TEST_AT_ONCE", "1")
	long := time.Duration(0) // a run that nothing happens to
	for range 2 {            // the first one's files aren't cached
		began := time.Now()
		j := startJob(t, n, nil, args...)
		if _, over := j.wait(-1, 2*time.Minute); !over || j.says() != "" {
			t.Fatalf("a run that nothing happens to: %s", j.says())
		}
		long = time.Since(began)
	}
	long = max(long, 2*momentsFrom)
	t.Logf("%d ranks, a run takes %v", n, long.Round(time.Millisecond))
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	var all, stops []moment
	for i := range number("FORAY_TEST_TRIALS", trials) {
		m := moment{rank: rng.IntN(n), at: momentsFrom + time.Duration(rng.Int64N(int64(long-momentsFrom)))}
		switch m.signal = syscall.SIGKILL; i % 8 {
		case 1:
			m.signal = syscall.SIGSTOP
			stops = append(stops, m)
			continue
		case 3, 5:
			m.signal = syscall.SIGINT
		case 7:
			m.signal, m.rank = syscall.SIGINT, -1
		}
		all = append(all, m)
	}
	testlong.AtOnce(t, atOnce, all, moment.String, func(t *testing.T, m moment) { m.happens(t, n, args) })
	// A process that is stopped may hold what other runs need of the driver.
	testlong.AtOnce(t, 1, stops, moment.String, func(t *testing.T, m moment) { m.happens(t, n, args) })
}

func (m moment) happens(t *testing.T, n int, args []string) {
	j := startJob(t, n, nil, args...)
	time.Sleep(m.at)
	for r, cmd := range j.cmds {
		if r != m.rank && m.rank >= 0 {
			continue
		}
		select {
		case <-j.ended[r]:
			t.Logf("the run had ended before: %q", j.says())
			return
		default:
			cmd.Process.Signal(m.signal)
		}
	}
	but := m.rank
	if m.signal == syscall.SIGINT {
		but = -1
	}
	took, over := j.wait(but, 90*time.Second)
	says := j.says()
	t.Logf("%v until all had ended: %s", took.Round(time.Millisecond), says)
	if most := shared(allEndWithin); took > most || !over {
		t.Errorf("it took more than %v", most)
	}
	if !over {
		return
	}
	good := 0
	for r, cmd := range j.cmds {
		if r != but && cmd.ProcessState.Success() {
			good++
		}
	}
	if good == n || good == n-1 && but >= 0 && says == "" { // it had bidden farewell, or the signal came too late
		t.Log("the run had ended well")
		return
	}
	if good > 0 {
		t.Errorf("%d ranks ended with status 0", good)
	}
	want := fmt.Sprintf(`^foray: rank %d(, in [^:]*)?: `, m.rank) + map[syscall.Signal]string{
		syscall.SIGKILL: "its process is gone: ", syscall.SIGSTOP: "no progress for ", syscall.SIGINT: "(aborted: )?context canceled: interrupted|^foray: interrupted\n$"}[m.signal]
	if m.rank < 0 {
		want = "^foray: (rank [0-9]+.*context canceled: )?interrupted\n$"
	}
	if !regexp.MustCompile(want).MatchString(says) || strings.Count(says, "\n") != 1 {
		t.Errorf("want one line, %s", want)
	}
}

// TestGPUClusterMemory: a rank that has too little memory, on its host or on its GPU, is named, and all ranks end.
func TestGPUClusterMemory(t *testing.T) {
	needGPUs(t, 2)
	args := []string{"bfs", "gen:kron16", "--source", "1", "--device", "cuda", "--parents"}
	emulated := strings.Contains(device.List()[1].Model, "Emulated")
	t.Run("host", func(t *testing.T) {
		j := startJob(t, 2, nil, "bfs", "gen:path:1000000", "--source", "1", "--memory-limit", "8MB")
		endsNaming(t, j, `^foray: rank 0: not enough memory: it needs .* more than the 8.00 MB of its limit`)
	})
	t.Run("GPU", func(t *testing.T) {
		env := func(int) []string { return nil }
		if emulated { // whose memory is each process's own
			env = func(rank int) []string {
				if rank == 1 {
					return []string{"FORAY_EMULATOR_MEMORY=70000000"}
				}
				return nil
			}
		} else {
			args[1] = "gen:kron24"
			hold(t, 1, 1<<30)
		}
		endsNaming(t, startJob(t, 2, env, args...), noMemory)
	})
	t.Run("GPU at the start", func(t *testing.T) {
		env := func(int) []string { return nil }
		if emulated {
			env = func(rank int) []string {
				if rank == 1 {
					return []string{"FORAY_EMULATOR_MEMORY=2000000"}
				}
				return nil
			}
		} else {
			hold(t, 1, 0)
		}
		endsNaming(t, startJob(t, 2, env, args...), noMemory)
	})
}

// noMemory matches the error of a rank whose GPU has too little memory.
const noMemory = `(?i)^foray: .*(rank 1.*memory|memory.*rank 1)`

// endsNaming waits until a run has failed with one line.
func endsNaming(t *testing.T, j *job, want string) {
	t.Helper()
	took, over := j.wait(-1, time.Minute)
	says := j.says()
	t.Logf("%v until all had ended: %s", took.Round(time.Millisecond), says)
	if !over {
		t.Fatal("ranks are still there")
	}
	for r, cmd := range j.cmds {
		if cmd.ProcessState.Success() {
			t.Errorf("rank %d ended with status 0", r)
		}
	}
	if !regexp.MustCompile(want).MatchString(says) || strings.Count(says, "\n") != 1 {
		t.Errorf("want one line, %s", want)
	}
}

// hold makes another process take the memory of a GPU, until the test ends, but for some bytes.
func hold(t *testing.T, which int, but uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestGPUClusterHold$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", envHold, which, but))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	if n, err := out.Read(make([]byte, 1)); n != 1 {
		t.Fatal("no memory is held: ", err)
	}
}

// TestGPUClusterHold is a process that takes the memory of a GPU.
func TestGPUClusterHold(t *testing.T) {
	text := os.Getenv(envHold)
	if text == "" {
		t.Skip("only runs as a process that other tests start")
	}
	var which int
	var but uint64
	if _, err := fmt.Sscan(text, &which, &but); err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Open(which)
	if err != nil {
		t.Fatal(err)
	}
	for piece := uint64(1 << 30); piece >= 1<<20; {
		if free := d.Info().MemoryFree; free < but+piece {
			piece /= 2
		} else if _, err := d.Alloc(piece); err != nil {
			piece /= 2
		}
	}
	fmt.Print("h")
	os.Stdin.Read(make([]byte, 1)) // until the test ends
	os.Exit(0)
}
