package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/text"
)

// memoryCase is a build whose memory is measured in a separate process.
type memoryCase struct {
	name    string
	ids     string // close, scattered, apart or strings
	scale   uint   // of the graph; 0 means 16
	twoPass bool
	options Options
}

var memoryCases = []memoryCase{
	{name: "close", ids: "close"},
	{name: "dense", ids: "close", options: Options{DenseIDs: true, Order: OrderGiven}},
	{name: "scattered", ids: "scattered"},
	{name: "apart", ids: "apart", options: Options{Order: OrderGiven}},
	{name: "weights", ids: "close", options: Options{Weights: true}},
	{name: "directed", ids: "close", options: Options{Directed: true}},
	{name: "reverse", ids: "scattered", options: Options{Directed: true, Reverse: true, Weights: true, KeepDuplicates: true}},
	{name: "strings", ids: "strings"},
	{name: "edge ids", ids: "close", options: Options{Weights: true, EdgeIDs: true}},
	{name: "separate", ids: "scattered", options: Options{Bipartite: true, Directed: true, Reverse: true}},
	{name: "large", ids: "close", scale: 20},
	{name: "two passes", ids: "scattered", twoPass: true},
	{name: "two passes given", ids: "scattered", twoPass: true, options: Options{Order: OrderGiven, KeepDuplicates: true}},
	{name: "two passes strings", ids: "strings", twoPass: true, options: Options{Directed: true, Reverse: true}},
}

// memoryUse is what the process reports, in bytes.
type memoryUse struct {
	Before, Peak uint64 // the most memory resident, before building and after
	Need         Memory // by Estimate
	Told         Memory // by Builder.Estimate, just before Build
	Graph, IDs   uint64 // what the graph has indeed
}

func TestEstimateCoversPeak(t *testing.T) {
	testlong.Only(t)
	if raced {
		t.Skip("needs a build without -race, whose detector takes several times the memory")
	}
	for i, c := range memoryCases {
		if !testlong.Long() && (i%4 != 0 || c.scale > 16) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			// How high the peak gets is also the garbage collector's choice: no
			// run may go past the estimate, and the highest of some be near it.
			var use memoryUse
			for range 4 {
				run := measureChild(t, c.name)
				if run.Peak-run.Before > use.Peak-use.Before {
					use = run
				}
				need := run.Need.Peak
				if c.twoPass {
					need = run.Need.TwoPass
				}
				if need <= 2*(use.Peak-use.Before) {
					break
				}
			}
			need := use.Need.Peak
			if c.twoPass {
				need = use.Need.TwoPass
			}
			peak := use.Peak - use.Before
			t.Logf("peak %s, estimate %s (%.2f times), %s told before Build; graph %s, %s estimated; ids %s, %s estimated",
				text.Bytes(peak), text.Bytes(need), float64(need)/float64(peak), text.Bytes(use.Told.Peak),
				text.Bytes(use.Graph), text.Bytes(use.Need.Graph), text.Bytes(use.IDs), text.Bytes(use.Need.IDs))
			if need < peak || need > peak*9/4 || c.scale > 16 && need > peak*3/2 {
				t.Error("the estimate is less than the peak, or more than about twice it")
			}
			if !c.twoPass && (use.Told.Peak < peak || use.Told.Peak > peak*9/4) {
				t.Error("the Builder's estimate is less than the peak, or more than about twice it")
			}
			if use.Need.IDs != use.IDs || use.Need.Graph < use.Graph || use.Need.Graph > 2*use.Graph {
				t.Error("the graph or the id map are not what was estimated")
			}
		})
	}
}

// measureChild builds in a separate process and returns the memory that it took.
func measureChild(t *testing.T, name string) (use memoryUse) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryChild$", "-test.v")
	cmd.Env = append(os.Environ(), "FORAY_MEMORY_CASE="+name, "GOGC=100", "GOMEMLIMIT=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, line, ok := strings.Cut(string(out), "USE ")
	if !ok {
		t.Fatalf("no report: %s", out)
	}
	line, _, _ = strings.Cut(line, "\n")
	if err := json.Unmarshal([]byte(line), &use); err != nil {
		t.Fatal(err)
	}
	return use
}

// TestMemoryChild builds what TestEstimateCoversPeak asks for.
func TestMemoryChild(t *testing.T) {
	at := slices.IndexFunc(memoryCases, func(c memoryCase) bool { return c.name == os.Getenv("FORAY_MEMORY_CASE") })
	if at < 0 {
		t.Skip("only runs as the process that TestEstimateCoversPeak starts")
	}
	c := memoryCases[at]
	c.options.Workers = 2
	name := func(v uint64) int64 { return int64(v) }
	switch c.ids {
	case "scattered":
		name = func(v uint64) int64 { return int64(mix(v)) }
	case "apart":
		name = func(v uint64) int64 { return int64(v) * 100 }
	}
	weights, edgeIDs := make([]float32, 64<<10), make([]uint64, 64<<10)
	var columns [2]Strings
	read := func(_ context.Context, yield func(Batch) error) error {
		var err error
		kron(max(c.scale, 16), 0, 1, name, func(src, dst []int64) {
			e := Batch{Src: src, Dst: dst}
			if c.ids == "strings" {
				columns[0].set(src)
				columns[1].set(dst)
				e = Batch{SrcStrings: &columns[0], DstStrings: &columns[1]}
			}
			if c.options.EdgeIDs {
				e.EdgeIDs = edgeIDs[:len(src)]
			}
			if c.options.Weights {
				e.Weights = weights[:len(src)]
			}
			if err == nil {
				err = yield(e)
			}
		})
		return err
	}
	// The memory of reading isn't the Builder's.
	if err := read(context.Background(), func(Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var use memoryUse
	use.Before = statusBytes(t, "VmRSS:")
	var g *Graph
	var err error
	if c.twoPass {
		g, err = TwoPass(context.Background(), c.options, read)
	} else {
		b := NewBuilder(c.options)
		if err := read(context.Background(), b.Add); err != nil {
			t.Fatal(err)
		}
		use.Told = b.Estimate()
		g, err = b.Build(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	use.Peak = statusBytes(t, "VmHWM:")
	mean := 0.0
	ids := g.IDs()
	if c.ids == "strings" {
		mean = float64(len(ids.Data)) / float64(ids.Len)
	}
	use.Need = Estimate(c.options, g.Stats().InputEdges, uint64(g.NumVertices()), mean)
	use.IDs = uint64(8*len(ids.Ints) + 4*len(ids.Dense32) + 8*len(ids.StringOffsets) + len(ids.Data) + 4*len(ids.index.byID) + 8*len(ids.Sides))
	for _, c := range []*CSR{g.out, g.in} {
		if c != nil && (c != g.out || use.Graph == 0) {
			use.Graph += uint64(8*len(c.Offsets) + 4*cap(c.Targets) + 4*cap(c.Weights) + 8*cap(c.EdgeIDs))
		}
	}
	out, err := json.Marshal(use)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("USE %s\n", out)
}

// set makes s strings of numbers, in the memory that s has.
func (s *Strings) set(ids []int64) {
	s.Offsets, s.Data = append(s.Offsets[:0], 0), s.Data[:0]
	for _, x := range ids {
		s.Data = strconv.AppendInt(append(s.Data, "vertex "...), x, 10)
		s.Offsets = append(s.Offsets, int64(len(s.Data)))
	}
}

func statusBytes(t *testing.T, key string) uint64 {
	kib, ok := readField("/proc/self/status", key)
	if !ok {
		t.Skipf("needs a system that has %s in /proc/self/status", key)
	}
	return kib << 10
}

func TestMachineMemory(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		name  string
		files map[string]string
		want  uint64
	}{
		{"machine", map[string]string{"proc/meminfo": "MemTotal: 4096 kB\nMemAvailable:    2048 kB\n"}, 2 * mib},
		{"version 2", map[string]string{
			"proc/meminfo":                     "MemAvailable: 8192 kB\n",
			"proc/self/cgroup":                 "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max":       "5242880\n",
			"sys/fs/cgroup/a/memory.current":   "3145728\n",
			"sys/fs/cgroup/a/memory.stat":      "anon 5\ninactive_file 1048576\n",
			"sys/fs/cgroup/a/b/memory.max":     "max\n",
			"sys/fs/cgroup/a/b/memory.current": "3145728\n",
		}, 3 * mib},
		{"version 1", map[string]string{
			"proc/meminfo":     "MemAvailable: 8192 kB\n",
			"proc/self/cgroup": "3:cpu:/x\n2:memory:/not/here\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":    "4194304\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":    "3145728\n",
			"sys/fs/cgroup/memory/memory.stat":              "total_inactive_file 4096\n",
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes":  "1\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes ": "1\n",
		}, mib + 4096},
		{"nothing left", map[string]string{
			"proc/meminfo":                 "MemAvailable: 8192 kB\n",
			"proc/self/cgroup":             "0::/\n",
			"sys/fs/cgroup/memory.max":     "4096\n",
			"sys/fs/cgroup/memory.current": "8192\n",
		}, 1},
		{"nothing known", nil, 1<<64 - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range c.files {
				name = filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got, name := machineMemoryUnder(root); got != c.want {
				t.Errorf("%d (%s), want %d", got, name, c.want)
			}
		})
	}
}
