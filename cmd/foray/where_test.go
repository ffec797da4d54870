package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/tuning"
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
	if err != nil {
		t.Skip("needs a GPU, or the emulated one:", err)
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
