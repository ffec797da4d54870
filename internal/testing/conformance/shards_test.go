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

// onSeveral is onGPU for tests of several GPUs that reach one another's memory.
func onSeveral(t *testing.T) conformance.Suite {
	s := onGPU(t) // which says why not
	names := []string{}
	for _, info := range device.List() {
		if info.Kind == s.Device.Info().Kind {
			names = append(names, info.Name)
		}
	}
	if len(names) < 2 {
		t.Skip("needs several GPUs, or FORAY_EMULATOR_DEVICES")
	}
	dev, err := device.Open(strings.Join(names, ","))
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs GPUs that reach one another's memory:", err)
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

func TestGPUAcross(t *testing.T)          { onSeveral(t).Across(t) }
func TestGPUAcrossCancelled(t *testing.T) { onSeveral(t).AcrossCancelled(t) }
func TestGPUAcrossTogether(t *testing.T)  { onSeveral(t).AcrossTogether(t) }

// On device "all" a small graph lies on the first GPU alone, and a larger one on all.
func TestGPUAcrossAny(t *testing.T) {
	s := onSeveral(t)
	all, err := device.Open("all")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	}()
	defer func(least uint64) { tuning.AcrossLeast = least }(tuning.AcrossLeast)
	g := testgraph.Path(20).Graph(1)
	for _, c := range []struct {
		dev   device.Device
		least uint64
		want  string
	}{
		{all, tuning.AcrossLeast, "cuda:0"},
		{all, g.NumDirectedEdges() + 1, "cuda:0"},
		{all, g.NumDirectedEdges(), all.Info().Name},
		{s.Device, tuning.AcrossLeast, s.Device.Info().Name},
	} {
		tuning.AcrossLeast = c.least
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
		res.Free()
		if err := p.Free(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestGPUAcrossRanks(t *testing.T)      { onSeveral(t).AcrossRanks(t) }
func TestGPUAcrossComponents(t *testing.T) { onSeveral(t).AcrossComponents(t) }
func TestGPUAcrossPaths(t *testing.T)      { onSeveral(t).AcrossPaths(t) }
func TestGPUAcrossLanes(t *testing.T)      { onSeveral(t).AcrossLanes(t) }
func TestGPUAcrossCloseness(t *testing.T)  { onSeveral(t).AcrossCloseness(t) }
func TestGPUAcrossPushes(t *testing.T)     { onSeveral(t).AcrossPushes(t) }
func TestGPUAcrossRefused(t *testing.T)    { onSeveral(t).AcrossRefused(t) }
func TestGPUAcrossFull(t *testing.T)       { onSeveral(t).AcrossFull(t) }
func TestGPUAcrossBuilds(t *testing.T)     { onSeveral(t).AcrossBuilds(t) }
func TestGPUAcrossInMemory(t *testing.T)   { onSeveral(t).AcrossInMemory(t) }
func TestGPUAcrossJudge(t *testing.T)      { onSeveral(t).AcrossJudge(t) }
