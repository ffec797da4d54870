package conformance_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/testing/conformance"
	"github.com/foray-graph/foray/internal/testing/testgraph"
)

// overShards is onGPU for tests of several GPUs that reach one another's memory.
func overShards(t *testing.T) conformance.Suite {
	s := onGPU(t) // which says why not
	names := []string{}
	for _, info := range device.List() {
		if info.Kind == s.Device.Info().Kind {
			names = append(names, info.Name)
		}
	}
	if len(names) < 2 {
		t.Skip("needs several GPUs, or emulated ones (scripts/gpu-test emulate, with FORAY_EMULATOR_DEVICES=3)")
	}
	dev, err := device.Open(strings.Join(names, ","))
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs GPUs that reach each other's memory (nvidia-smi topo -p2p r):", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Device = dev
	return s
}

func TestGPUShards(t *testing.T)         { overShards(t).Shards(t) }
func TestGPUShardsCanceled(t *testing.T) { overShards(t).ShardsCanceled(t) }
func TestGPUShardsTogether(t *testing.T) { overShards(t).ShardsTogether(t) }

// TestGPUShardsAny: on device "all" a small graph is placed on the first GPU alone, and a larger one on all GPUs.
func TestGPUShardsAny(t *testing.T) {
	s := overShards(t)
	all, err := device.Open("all")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	}()
	defer func(least uint64) { tuning.ShardLeast = least }(tuning.ShardLeast)
	g := testgraph.Path(20).Graph(1)
	for _, c := range []struct {
		dev   device.Device
		least uint64
		want  string
	}{
		{all, tuning.ShardLeast, "cuda:0"},
		{all, g.NumDirectedEdges() + 1, "cuda:0"},
		{all, g.NumDirectedEdges(), all.Info().Name},
		{s.Device, tuning.ShardLeast, s.Device.Info().Name},
	} {
		tuning.ShardLeast = c.least
		p, err := g.On(c.dev)
		if err != nil {
			t.Fatal(err)
		}
		res, err := dobfs.Run(t.Context(), p, 0, dobfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Device().Info().Name; got != c.want || res.Device != c.want || res.Reached != 20 {
			t.Errorf("on %s, from %d entries on: lies on %s, searched on %s, %d reached; want %s and 20", c.dev.Info().Name, c.least, got, res.Device, res.Reached, c.want)
		}
		res.Close()
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestGPUShardsRanks(t *testing.T)      { overShards(t).ShardsRanks(t) }
func TestGPUShardsComponents(t *testing.T) { overShards(t).ShardsComponents(t) }
func TestGPUShardsByWeight(t *testing.T)   { overShards(t).ShardsByWeight(t) }
func TestGPUShardsPaths(t *testing.T)      { overShards(t).ShardsPaths(t) }
func TestGPUShardsLanes(t *testing.T)      { overShards(t).ShardsLanes(t) }
func TestGPUShardsCloseness(t *testing.T)  { overShards(t).ShardsCloseness(t) }
func TestGPUShardsPushes(t *testing.T)     { overShards(t).ShardsPushes(t) }
func TestGPUShardsRefused(t *testing.T)    { overShards(t).ShardsRefused(t) }
func TestGPUShardsFull(t *testing.T)       { overShards(t).ShardsFull(t) }
func TestGPUShardsBuilds(t *testing.T)     { overShards(t).ShardsBuilds(t) }
func TestGPUShardsInMemory(t *testing.T)   { overShards(t).ShardsInMemory(t) }
func TestGPUShardsJudge(t *testing.T)      { overShards(t).ShardsJudge(t) }
func TestGPUShardsColumns(t *testing.T)    { overShards(t).ShardsColumns(t) }
