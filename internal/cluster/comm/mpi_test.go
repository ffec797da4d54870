//go:build linux && (amd64 || arm64) && !nocuda

// This file tests communicators between processes: the test binary is run again by
// mpirun, where each process is a rank. A benchmark measures calls between processes.

package comm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm/commtest"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// stopHere stops this process. Another thread may take the signal, and until that runs this one would continue.
func stopHere() error {
	err := syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	time.Sleep(time.Second) // which is over when the process continues
	return err
}

// processScenarios are those that need processes.
var processScenarios = []commtest.Scenario{
	{Name: "killed", Only: "processes", Lost: true, Silent: commtest.Rank2,
		Run: commtest.Only2(func(ctx context.Context, c commtest.Comm) error {
			time.Sleep(50 * time.Millisecond)
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		})},
	{Name: "exits with 3", Only: "processes", Lost: true, Silent: commtest.Rank2,
		Run: commtest.Only2(func(ctx context.Context, c commtest.Comm) error { os.Exit(3); return nil })},
	{Name: exitsWith0, Only: "processes", Lost: true, Silent: commtest.Rank2,
		Run: commtest.Only2(func(ctx context.Context, c commtest.Comm) error { os.Exit(0); return nil })},
	{Name: "stopped", Only: "processes", Cause: ErrHung, Rank: 2, Silent: commtest.Rank2, Text: "no progress for ",
		Run: commtest.Only2(func(ctx context.Context, c commtest.Comm) error {
			stopHere()
			select {}
		})},
	{Name: "interrupted after the failure", Only: "processes", Cause: ErrHung, Rank: 2, Text: "no progress for ",
		Run: continued(func(ctx context.Context, c commtest.Comm) error {
			stopHere()
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return c.Sum(ctx, make([]uint64, longSum))
		})},
	{Name: "stopped in a call", Only: "processes", Cause: ErrHung, Rank: 2, Text: "no progress for ",
		Run: continued(func(ctx context.Context, c commtest.Comm) error {
			time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(os.Getpid(), syscall.SIGSTOP) })
			for { // until it fails
				if err := c.Sum(ctx, make([]uint64, longSum)); err != nil {
					return err
				}
			}
		})},
	{Name: "ignores the failure", Only: "processes", Lost: true, Silent: commtest.Rank2,
		Run: commtest.Only2(func(ctx context.Context, c commtest.Comm) error {
			c.Abort(commtest.ErrTest)
			select {}
		})},
	{Name: allIgnore, Only: "processes", Lost: true, Silent: func(int) bool { return true },
		Run: func(ctx context.Context, c commtest.Comm) error {
			c.Barrier(ctx) // all have returned from World
			if c.Rank() == 2 {
				c.Abort(commtest.ErrTest)
			}
			select {} // until MPI_Abort
		}},
	{Name: "first ranks", Only: "processes", Run: firstRanks},
	{Name: "first ranks, order", Only: "processes", Cause: ErrMismatch, Rank: 2, Text: "rank 2, in First of 3 ranks (call 2): ranks make different calls: rank 0 is in First of 2 ranks",
		Run: func(ctx context.Context, c commtest.Comm) error {
			_, err := First(ctx, c.(Comm), 2+c.Rank()/2)
			return err
		}},
	{Name: "first ranks, canceled", Only: "processes", Cause: context.Canceled, Rank: 2, Text: "context canceled",
		Run: func(ctx context.Context, c commtest.Comm) error { // rank 2 isn't among the first, and waits for them
			f, err := First(ctx, c.(Comm), 2)
			for err == nil && f != nil {
				err = f.Sum(ctx, make([]uint64, 3))
			}
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(ctx)
			if c.Rank() == 2 {
				time.AfterFunc(100*time.Millisecond, cancel)
			}
			defer cancel()
			return c.Barrier(ctx)
		}},
	{Name: "first ranks, stopped", Only: "processes", Cause: ErrHung, Rank: 1, Silent: func(rank int) bool { return rank == 1 }, Text: "no progress for ",
		Run: func(ctx context.Context, c commtest.Comm) error {
			f, err := First(ctx, c.(Comm), 2)
			if err == nil && c.Rank() == 1 {
				err = stopHere()
			}
			if err == nil && f != nil {
				return f.Barrier(ctx)
			}
			return errors.Join(err, c.Barrier(ctx))
		}},
}

// firstRanks makes calls of the first ranks, of each number of them, while the others wait for the next call of all.
func firstRanks(ctx context.Context, c commtest.Comm) error {
	for n := c.Size(); n > 0; n-- {
		f, err := First(ctx, c.(Comm), n)
		if err != nil {
			return err
		}
		if (f == nil) != (c.Rank() >= n) {
			return fmt.Errorf("First of %d ranks gave %v to rank %d", n, f, c.Rank())
		}
		if f != nil {
			if f.Size() != n || f.Rank() != c.Rank() {
				return fmt.Errorf("rank %d of %d is rank %d of %d", c.Rank(), n, f.Rank(), f.Size())
			}
			if err := errors.Join(commtest.Random(ctx, f), f.Close(), f.Close()); err != nil {
				return err
			}
			if err := f.Barrier(ctx); !errors.Is(err, ErrClosed) {
				return fmt.Errorf("a call after Close returned %v", err)
			}
		}
		if err := c.Barrier(ctx); err != nil {
			return err
		}
	}
	return nil
}

// longSum is the length of numbers that don't fit into records, so a rank spends most of a Sum in MPI_Iallreduce.
const longSum = 200_000

// continued makes rank 2 call f, which stops the process. The others find it hanging. Then rank 0 closes the
// communicator and continues rank 2, as launchers do once the first rank has ended. All must hear of rank 0.
func continued(f func(ctx context.Context, c commtest.Comm) error) func(context.Context, commtest.Comm) error {
	return func(ctx context.Context, c commtest.Comm) error {
		var err error
		if c.Rank() == 2 {
			err = f(ctx, c)
		} else {
			for err == nil {
				err = c.Sum(ctx, make([]uint64, longSum))
			}
		}
		if c.Rank() == 0 {
			c.Close()
			text, _ := os.ReadFile(filepath.Join(os.Getenv(envFolder), "pid-2"))
			if pid, _ := strconv.Atoi(string(text)); pid > 0 {
				syscall.Kill(pid, syscall.SIGCONT)
			}
			return err
		}
		for end := time.Now().Add(10 * time.Second); !c.(*mpiComm).Leaving(0); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				return nil // which fails the test
			}
		}
		return err
	}
}

// Environment of a process that is a rank: the scenario's name, and a folder for reports.
const (
	envScenario = "FORAY_TEST_COMM"
	envFolder   = "FORAY_TEST_COMM_DIR"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(envScenario); name != "" {
		os.Exit(beRank(name, os.Getenv(envFolder)))
	}
	os.Exit(m.Run())
}

// healthy are the names of the scenarios that go well, which one start runs all.
const healthy = "healthy"

const (
	exitsWith0 = "exits with 0"
	allIgnore  = "all ignore the failure"
)

// beRank is a rank's process. It reports to rank-N, and its id to pid-N.
func beRank(name, dir string) int {
	var x commtest.Scenario
	exchangePiece, reducePiece = commtest.ExchangeBytes, commtest.ReduceWords
	s, err := started(os.LookupEnv)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	report := func(text string) {
		temporary := filepath.Join(dir, fmt.Sprint("new-", s.rank))
		os.WriteFile(temporary, []byte(text), 0o644)
		os.Rename(temporary, filepath.Join(dir, fmt.Sprint("rank-", s.rank)))
	}
	os.WriteFile(filepath.Join(dir, fmt.Sprint("pid-", s.rank)), []byte(strconv.Itoa(os.Getpid())), 0o644)
	all := slices.Concat(scenarios, processScenarios)
	if i := slices.IndexFunc(all, func(x commtest.Scenario) bool { return x.Name == name }); i >= 0 {
		x = all[i]
	}
	c, err := World(context.Background(), Options{Settings: own(x, s.rank), Deadline: testDeadline})
	if err != nil {
		if x.Lost || x.Cause != nil && suite.Expects(x, err) {
			report("")
		} else {
			report(err.Error())
		}
		waitForReports(dir, x, s.size)
		return 2
	}
	os.WriteFile(filepath.Join(dir, fmt.Sprint("began-", s.rank)), nil, 0o644)
	if name == "huge" {
		report(huge(c))
		return 0
	}
	if name == "bench" {
		text, err := measure(c)
		if err = errors.Join(err, c.Close()); err != nil {
			text = err.Error()
		}
		report(text)
		return 0
	}
	for _, x := range all {
		if x.Only == "goroutines" || x.Name != name && (name != healthy || x.Cause != nil || x.Lost) {
			continue
		}
		if said := suite.Part(x, c); said != "" || name != healthy {
			report(said)
			waitForReports(dir, x, c.Size())
			return 1
		}
	}
	if err := c.Close(); err != nil {
		report("Close: " + err.Error())
		return 1
	}
	if err := c.Barrier(context.Background()); !errors.Is(err, ErrClosed) {
		report(fmt.Sprint("a call after Close returned ", err))
		return 1
	}
	report("")
	return 0
}

// waitForReports waits for the reports of the others, which mpirun kills when this process ends.
func waitForReports(dir string, s commtest.Scenario, size int) {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		missing := false
		for r := range size {
			_, err := os.Stat(filepath.Join(dir, fmt.Sprint("rank-", r)))
			missing = missing || err != nil && (s.Silent == nil || !s.Silent(r))
		}
		if !missing {
			return
		}
	}
}

// The sizes of pieces outside of tests.
var largestExchange, largestReduce = exchangePiece, reducePiece

// launcher is an mpirun.
type launcher struct {
	name string
	args []string
}

// launchers are Debian's launchers, which can be installed together.
var launchers = []launcher{
	{"mpirun.openmpi", []string{"--oversubscribe", "--allow-run-as-root"}},
	{"mpirun.mpich", nil},
}

// launch runs this binary as ranks, and returns what mpirun printed and its error,
// and what the ranks reported.
func launch(t testing.TB, l launcher, n int, scenario string, env ...string) (output string, reports map[int]string, err error) {
	t.Helper()
	output, reports, _, err = launchTimed(t, l, n, scenario, env...)
	return output, reports, err
}

// launchTimed also returns how long it was from when the last rank was connected until
// all were gone.
func launchTimed(t testing.TB, l launcher, n int, scenario string, env ...string) (output string, reports map[int]string, took time.Duration, err error) {
	t.Helper()
	path, err := exec.LookPath(l.name)
	if err != nil {
		testlong.Missing(t, "mpi", "needs ", l.name, ": install openmpi-bin or mpich")
	}
	if _, err := openLibrary(map[string][]string{"mpirun.openmpi": openMPIs, "mpirun.mpich": mpiches}[l.name]); err != nil {
		testlong.Missing(t, "mpi", "needs the library of ", l.name, ": install openmpi-bin or mpich: ", err)
	}
	dir := t.TempDir()
	limit := time.Minute
	if scenario == "huge" || scenario == healthy { // they took 50 and 63 s where several others ran on two processors
		limit = 5 * time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, slices.Concat(l.args, []string{"-n", strconv.Itoa(n), os.Args[0]})...)
	// Several mpiruns that create Open MPI's folder in /tmp at the same time may fail: each gets another one.
	cmd.Env = append(os.Environ(), append(env, envScenario+"="+scenario, envFolder+"="+dir, "OMPI_MCA_orte_tmpdir_base="+dir)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	reports = map[int]string{}
	var began time.Time
	for r := range n {
		if info, err := os.Stat(filepath.Join(dir, fmt.Sprint("began-", r))); err == nil && info.ModTime().After(began) {
			began = info.ModTime()
		}
		if text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("rank-", r))); err == nil {
			reports[r] = string(text)
		}
		text, _ := os.ReadFile(filepath.Join(dir, fmt.Sprint("pid-", r)))
		pid, _ := strconv.Atoi(string(text))
		for end := time.Now().Add(3 * time.Second); pid > 0 && syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("rank %d is still there", r)
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
	if !began.IsZero() {
		took = time.Since(began)
	}
	return out.String(), reports, took, err
}

func TestMPI(t *testing.T) {
	testlong.Project(t)
	type start struct {
		l launcher
		n int
		s commtest.Scenario
	}
	var all []start
	for _, l := range launchers {
		for _, n := range []int{2, 4} {
			all = append(all, start{l, n, commtest.Scenario{Name: healthy}})
		}
	}
	var last []start
	for _, s := range slices.Concat(scenarios, processScenarios) {
		for _, l := range launchers {
			switch {
			case testing.Short() || s.Only == "goroutines" || s.Cause == nil && !s.Lost:
			case s.Name == allIgnore: // the longest begins first
				all = append(all, start{l, 4, s})
			default:
				last = append(last, start{l, 4, s})
			}
		}
	}
	// mpirun takes seconds to end ranks, in which it waits.
	testlong.AtOnce(t, 6, append(all, last...), func(x start) string {
		return fmt.Sprint(x.l.name, "/", x.s.Name, " ", x.n)
	}, func(t *testing.T, x start) {
		if x.s.Name == healthy {
			goesWell(t, x.l, x.n)
		} else {
			fails(t, x.l, x.s)
		}
	})
}

// goesWell runs all scenarios that go well.
func goesWell(t *testing.T, l launcher, n int) {
	output, reports, err := launch(t, l, n, healthy)
	if err != nil || len(reports) != n {
		t.Errorf("%v, %d reports: %s", err, len(reports), output)
	}
	for r, said := range reports {
		if said != "" {
			t.Errorf("rank %d: %s", r, said)
		}
	}
}

// fails runs a scenario that fails.
func fails(t *testing.T, l launcher, s commtest.Scenario) {
	output, reports, took, err := launchTimed(t, l, 4, s.Name)
	// Where one rank exits with 0, MPICH kills the others without waiting for their
	// reports, and its own status is 0 in one of ten runs. No code of a rank runs then.
	killed := l.name == "mpirun.mpich" && s.Name == exitsWith0 && len(reports) == 0
	if err == nil && !killed {
		t.Errorf("mpirun ended well, with reports %q: %s", reports, output)
	}
	for r := range 4 {
		said, ok := reports[r]
		if !ok && !s.Lost && (s.Silent == nil || !s.Silent(r)) {
			t.Errorf("rank %d reported nothing", r)
		} else if ok && said != "" {
			t.Errorf("rank %d: %s", r, said)
		}
	}
	if took > 10*time.Second {
		t.Errorf("it took %v from when the ranks were connected", took)
	}
	if t.Failed() {
		t.Log(output)
	}
}

// TestMPIHuge: a list of more than 2 GiB, whose bytes 32 bits can't count.
func TestMPIHuge(t *testing.T) {
	testlong.Only(t) // it takes 5 GiB of memory
	for _, l := range launchers {
		t.Run(l.name, func(t *testing.T) {
			output, reports, err := launch(t, l, 2, "huge")
			if err != nil || len(reports) != 2 || reports[0]+reports[1] != "" {
				t.Errorf("%v, reports %q: %s", err, reports, output)
			}
		})
	}
}

// huge sends a large list from rank 0 to rank 1, and returns what is wrong with it.
func huge(c Comm) string {
	exchangePiece = largestExchange
	const n, step = 2<<30 + 12345, 1_000_003
	out := make([][]byte, 2)
	if c.Rank() == 0 {
		out[1] = make([]byte, n)
		for i := 0; i < n; i += step {
			out[1][i] = byte(i / step)
		}
		out[1][n-1] = 99
	}
	in, err := c.Exchange(context.Background(), out)
	if err != nil {
		return err.Error()
	}
	if c.Rank() == 1 {
		if len(in[0]) != n || in[0][n-1] != 99 {
			return fmt.Sprintf("%d bytes came", len(in[0]))
		}
		for i := 0; i < n; i += step {
			if in[0][i] != byte(i/step) {
				return fmt.Sprintf("byte %d is %d", i, in[0][i])
			}
		}
	}
	if err := c.Close(); err != nil {
		return err.Error()
	}
	return ""
}

// TestWrongLibrary: the library isn't that of the mpirun.
func TestWrongLibrary(t *testing.T) {
	testlong.Project(t)
	other := mpiches[1]
	if _, err := openLibrary([]string{other}); err != nil {
		testlong.Missing(t, "mpi", "needs ", other, ": install mpich: ", err)
	}
	_, reports, err := launch(t, launchers[0], 2, healthy, "FORAY_MPI="+other)
	if err == nil || !strings.Contains(reports[0]+reports[1], "isn't the launcher's library; set FORAY_MPI to that") {
		t.Errorf("%v, reports %q", err, reports)
	}
}

func TestNoLibrary(t *testing.T) {
	for name, want := range map[string]string{"libnothing.so.7": "install Open MPI 4 or 5 or MPICH", "libc.so.6": "libc.so.6 lacks MPI_Init_thread"} {
		if _, err := openLibrary([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUntold: no rank waits until a hanging rank has received the report of its failure.
func TestUntold(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		to   []int
		want bool
	}{
		{&Error{2, "", hung(time.Second)}, nil, false}, {&Error{2, "", hung(time.Second)}, []int{2}, false}, {&Error{2, "", hung(time.Second)}, []int{2, 1}, true},
		{&Error{2, "", ErrAborted}, []int{2}, true}, {&Error{2, "", ErrAborted}, nil, false},
	} {
		s := &server{c: &mpiJob{err: c.err}}
		for _, to := range c.to {
			s.sending = append(s.sending, &sending{to: to})
		}
		if got := s.untold(); got != c.want {
			t.Errorf("%v, on the way to %v: %v", c.err, c.to, got)
		}
	}
}

func TestNews(t *testing.T) {
	long := strings.Repeat("a long text ", 100)
	for _, e := range []*Error{
		{2, "Sum of 3 numbers (call 1)", fmt.Errorf("it: %w", context.Canceled)}, {0, "", hung(time.Second)}, {1, long, errors.New(long)},
	} {
		got := decode(failure(e).encode()).failure()
		if got.Rank != e.Rank || got.Error() != e.Error() && !strings.HasSuffix(got.Error(), "...") {
			t.Errorf("%v became %v", e, got)
		}
		for _, cause := range causes {
			if errors.Is(got, cause) != errors.Is(e, cause) {
				t.Errorf("%v became %v, %v isn't told", e, got, cause)
			}
		}
	}
}

// BenchmarkMPI has one line for each call, of the median and the least of its rounds.
func BenchmarkMPI(b *testing.B) {
	for _, l := range launchers {
		output, reports, err := launch(b, l, 4, "bench")
		if err != nil {
			b.Fatal(err, output, reports)
		}
		b.Logf("%s -n 4:\n%s", l.name, reports[0])
	}
}

// measure is a rank's part.
func measure(c Comm) (string, error) {
	exchangePiece, reducePiece = largestExchange, largestReduce
	var text strings.Builder
	ctx := context.Background()
	lists := func(n int) [][]byte {
		out := make([][]byte, c.Size())
		for r := range out {
			out[r] = make([]byte, n)
		}
		return out
	}
	one, bitmap, short, long := []uint64{1}, make([]uint64, 1<<17), lists(4<<10), lists(1<<20)
	for _, m := range []struct {
		name   string
		rounds int
		call   func() error
	}{
		{"Barrier", 2000, func() error { return c.Barrier(ctx) }},
		{"Sum of 8 bytes", 2000, func() error { return c.Sum(ctx, one) }},
		{"Or of 1 MiB", 100, func() error { return c.Or(ctx, bitmap) }},
		{"Exchange of 4 KiB with each rank", 1000, func() error { _, err := c.Exchange(ctx, short); return err }},
		{"Exchange of 1 MiB with each rank", 100, func() error { _, err := c.Exchange(ctx, long); return err }},
	} {
		times := make([]time.Duration, m.rounds)
		for i := range times {
			began := time.Now()
			if err := m.call(); err != nil {
				return "", err
			}
			times[i] = time.Since(began)
		}
		slices.Sort(times)
		fmt.Fprintf(&text, "%s: median %v, least %v of %d\n", m.name, times[m.rounds/2], times[0], m.rounds)
	}
	return text.String(), nil
}
