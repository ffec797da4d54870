//go:build linux && (amd64 || arm64) && !nocuda

// This file tests searches over ranks on GPUs, or on emulated ones.

package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/page"
)

// tiny makes graphs on GPUs small, and their thresholds few.
func tiny(t *testing.T) *Cluster {
	t.Helper()
	n, err := gpusHere(t.Context())
	if err != nil || n < 2 {
		t.Skipf("needs two GPUs, or emulated ones (FORAY_EMULATOR_DEVICES=2): there are %d: %v", n, err)
	}
	scales, thresholds := gpuScales, gpuThresholds
	t.Cleanup(func() { gpuScales, gpuThresholds = scales, thresholds })
	gpuScales, gpuThresholds = map[Scale]int{Small: 9}, []int64{4, noDelegates, engine.Auto}
	return &Cluster{GPUs: n, Cores: 1}
}

// TestGPUClustered: ranks are GPUs; the report has the times, options that GPUs lack with a reason, and no figure of hosts.
func TestGPUClustered(t *testing.T) {
	n := tiny(t).GPUs
	r, saved := &Report{}, 0
	o := Options{Scale: Small, Sources: 2, Seed: 3, Trials: 2, OnGPUs: true}
	if err := clustered(t.Context(), true, o, r, &Report{}, func(string) {}, func() error { saved++; return nil }); err != nil {
		t.Fatal(err)
	}
	c := r.Cluster
	if c.Host || c.GPUs != n || saved == 0 || len(c.of(ByThreshold)) != 3 || len(c.of(ByOption)) != len(gpuOptions) || len(c.of(Strong)) < 2 || len(c.of(Weak)) < 2 {
		t.Fatalf("%+v", c)
	}
	lacks := 0
	for _, x := range c.Runs {
		if x.Lacks != "" {
			if lacks++; x.MedianMS != 0 || x.GTEPS != 0 {
				t.Errorf("an option that GPUs lack has a time: %+v", x)
			}
			continue
		}
		sum := x.ComputingMS + x.CountingMS + x.ExchangingMS
		if !x.Checked || x.NN+x.ND+x.DN+x.DD != x.DirectedEdges || x.Bytes == 0 || x.MedianMS <= 0 || x.ComputingMS <= 0 || x.GTEPS <= 0 ||
			x.Ranks > 1 && x.ExchangingMS <= 0 || sum < .99*x.MedianMS || x.ByMachine {
			t.Errorf("%+v", x)
		}
		if x.Asked == noDelegates && (x.Delegates != 0 || x.NN != x.DirectedEdges) {
			t.Errorf("without delegates: %+v", x)
		}
	}
	if lacks != 2 {
		t.Errorf("%d options that GPUs lack", lacks)
	}
	again := &Report{}
	if err := clustered(t.Context(), true, o, again, r, func(string) {}, func() error { t.Error("measured again"); return nil }); err != nil || !slices.Equal(again.Cluster.Runs, c.Runs) {
		t.Errorf("resumed: %v", err)
	}
	p := page.New("ranks")
	r.writeCluster(p)
	var html strings.Builder
	if err := p.End(&html); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"of one process, connected by NCCL", "rules of Graph500", "not measured: GPUs mark", "memory of all GPUs", "waiting", "none"} {
		if !strings.Contains(html.String(), says) {
			t.Errorf("the page lacks %q", says)
		}
	}
	for _, says := range []string{"goroutines", "on the host", "MPI", "local exchange", "count as a machine"} {
		if strings.Contains(html.String(), says) {
			t.Errorf("the page has %q", says)
		}
	}
	rows := r.clusterRows()
	for _, row := range rows[1:] {
		if len(row) != len(rows[0]) {
			t.Errorf("%d columns, not %d: %v", len(row), len(rows[0]), row)
		}
	}
}

// TestGPUClusterWrong: depths with another checksum than the checked ones are an error, which names source and option.
func TestGPUClusterWrong(t *testing.T) {
	c := tiny(t)
	var gpus gpuRanks
	defer func() {
		if err := gpus.close(); err != nil {
			t.Error(err)
		}
	}()
	g, err := c.load(t.Context(), "gen:kron8", Options{Sources: 2, Seed: 1}, gpus.run)
	if err != nil {
		t.Fatal(err)
	}
	g.sums[1]++
	err = g.measure(t.Context(), []*ClusterRun{{Ranks: 2, Asked: 4}, {Ranks: 2, Asked: 4, Option: "pushes alone"}}, 1, 0, gpus.run)
	if want := "search over 2 ranks, threshold 4, from vertex " + g.name(g.sources[1]) + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
