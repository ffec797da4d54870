package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// TestLoadedWhere: where a GPU might have made the rows, it is said who did.
func TestLoadedWhere(t *testing.T) {
	defer func(n uint64) { tuning.DeviceEdges = n }(tuning.DeviceEdges)
	tuning.DeviceEdges = 1
	for dev, want := range map[device.Device]string{
		nil:       "in 3.00 s",
		someGPU{}: "in 3.00 s, rows made on the host: two passes are for the host",
	} {
		g, err := graph.TwoPass(t.Context(), graph.Options{Device: dev}, func(_ context.Context, yield func(graph.Batch) error) error {
			return yield(graph.Batch{Type: graph.Int64, Src: []int64{1}, Dst: []int64{2}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := (&loaded{Graph: g, took: 3 * time.Second}).loading(); got != want {
			t.Errorf("loaded %s, want %s", got, want)
		}
	}
}

func lacks(t *testing.T, s, part string) {
	t.Helper()
	if strings.Contains(s, part) {
		t.Errorf("%q in\n%s", part, s)
	}
}

// TestLoadedOnGPU is the same by whole commands.
func TestLoadedOnGPU(t *testing.T) {
	dev, err := device.Open("cuda")
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs a GPU, or the emulated one (scripts/gpu-test emulate):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dev.Close()
	out, _ := foray(t, 0, "bfs", karate, "--device", "cuda")
	lacks(t, out, "rows made")
	defer func(n uint64) { tuning.DeviceEdges = n }(tuning.DeviceEdges)
	tuning.DeviceEdges = 78
	for _, args := range [][]string{{"bfs"}, {"cc"}, {"run", "--do", "cc,kcore"}} {
		out, _ := foray(t, 0, append(args, karate, "--device", "cuda")...)
		contains(t, masked(out), "loaded in #, rows made on cuda:0\n")
		out, _ = foray(t, 0, append(args, karate, "--device", "cuda", "--two-pass")...)
		contains(t, masked(out), "loaded in #, rows made on the host: two passes are for the host\n")
		out, _ = foray(t, 0, append(args, karate, "--device", "host")...)
		lacks(t, out, "rows made")
	}
	for _, algo := range []string{"dobfs", "cc"} {
		args := []string{"bench", karate, "--device", "cuda", "--algo", algo, "--trials", "1", "--json"}
		if algo == "dobfs" {
			args = append(args, "--sources", "1")
		}
		out, _ = foray(t, 0, args...)
		contains(t, out, `"rows_device": "cuda:0"`)
		lacks(t, out, "why_host")
		out, _ = foray(t, 0, append(args, "--two-pass")...)
		contains(t, out, `"why_host": "two passes are for the host"`)
		lacks(t, out, "rows_device")
	}
}

// TestGPUsNamed: among several GPUs the output names the one with the graph, and its multiprocessors.
func TestGPUsNamed(t *testing.T) {
	for _, name := range []string{"cuda:0", "cuda:1"} {
		dev, err := device.Open(name)
		if errors.Is(err, device.ErrNotSupported) || errors.Is(err, device.ErrUnknown) {
			t.Skip("needs two GPUs, or emulated ones (scripts/gpu-test emulate, with FORAY_EMULATOR_DEVICES=2):", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		dev.Close()
	}
	seeds := write(t, "seeds.txt", "1\n2\n")
	weighted := write(t, "w.csv", "src,dst,weight\n1,2,0.5\n2,3,1\n")
	table := filepath.Join(t.TempDir(), "out.parquet")
	for _, args := range [][]string{{"cc", karate}, {"pagerank", karate}, {"sssp", weighted}, {"kcore", karate}, {"lpa", karate},
		{"bfs", karate, "--sources-from", seeds, "-o", table}, {"sssp", weighted, "--sources-from", seeds, "-o", table}} {
		one, _ := foray(t, 0, append(args, "--device", "cuda:0")...)
		both, _ := foray(t, 0, append(args, "--device", "all")...)
		named := regexp.MustCompile("(?m)^device .*$")
		if got, want := named.FindString(both), named.FindString(one); got != want || want == "" {
			t.Errorf("%v: %q on both, %q on one", args, got, want)
		}
	}
	for _, algo := range []string{"cc", "dobfs --sources 1"} {
		out, _ := foray(t, 0, append(strings.Fields("bench --trials 1 --no-check --device all --algo "+algo), karate)...)
		lacks(t, out, "cuda:0,cuda:1")
	}
	// Several search from several sources: the same table.
	table, both := filepath.Join(t.TempDir(), "one.csv"), filepath.Join(t.TempDir(), "both.csv")
	foray(t, 0, "bfs", karate, "--sources-from", seeds, "-o", table, "--device", "cuda:0")
	out, _ := foray(t, 0, "bfs", karate, "--sources-from", seeds, "-o", both, "--device", "cuda:0,cuda:1")
	contains(t, out, "device     cuda:0,cuda:1, ")
	a, err := os.ReadFile(table)
	b, err2 := os.ReadFile(both)
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("the table of two GPUs differs from that of one: %d bytes and %d", len(b), len(a))
	}
	// Edges with columns, too.
	rides := columnFile(t, "rides.parquet", []int64{1, 2, 1, 3}, []int64{2, 3, 3, 4}, []int64{10, 20, 5, 30}, "a", "b", "b", "a")
	for _, line := range []string{"reach --departure 5 --time ts", "reach --expand a*,b", "bfs --expand (a|b)+"} {
		args := append(strings.Fields(line), rides, "-s", "1", "--directed", "--validate", "-o")
		foray(t, 0, append(args, table, "--device", "host")...)
		out, _ := foray(t, 0, append(args, both, "--device", "cuda:0,cuda:1")...)
		contains(t, out, "cuda:0,cuda:1")
		a, err := os.ReadFile(table)
		b, err2 := os.ReadFile(both)
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the table of two GPUs differs from the host's: %s and %s", line, b, a)
		}
	}
	// What several can't do is said so, and isn't the file's fault.
	for _, line := range []string{"triangles", "triangles --directed --count-only", "kcore", "kcore --directed", "lpa", "louvain", "leiden", "degree", "eigenvector", "hits", "katz", "bc", "cc --strong --directed", "bench --algo triangles --no-check"} {
		args := strings.Fields(line)
		_, errs := foray(t, 1, append(args, karate, "--device", "cuda:0,cuda:1")...)
		contains(t, errs, "device not supported here: several GPUs (cuda:0,cuda:1) are for bfs, dobfs, sssp, msbfs, closeness, pagerank, reach and weak components (cc); take one of them, such as cuda:0\n")
	}
}
