// This file tests what is printed of a search over processes, and its flags in one process.

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/cluster/engine"
)

// TestClusterPulled: subgraphs without edges aren't said to be pulled.
func TestClusterPulled(t *testing.T) {
	for _, c := range []struct {
		dn   uint64
		want string
	}{{0, "nn"}, {7, "dn nn"}} {
		s := &partsSummary{part: &engine.Part{}, flags: &bfsFlags{}, res: &engine.Result{Stats: []engine.Level{{Pulled: [4]int{0, 0, 1, 1}}}}}
		s.part.Stats.NN, s.part.Stats.DN = 9, c.dn
		var w strings.Builder
		s.levels().Write(&w, "")
		lines := strings.Split(strings.TrimSpace(w.String()), "\n")
		if got := strings.Fields(lines[len(lines)-1]); strings.Join(got[3:len(got)-4], " ") != c.want {
			t.Errorf("pulled %q, want %q", got, c.want)
		}
	}
}

// TestClusterLocalAllToAll: what is said of --local-all-to-all.
func TestClusterLocalAllToAll(t *testing.T) {
	for _, c := range []struct {
		ranks, machines int
		placed          *engine.OnGPU
		want            string
	}{
		{4, 2, nil, ", local all-to-all first"},
		{3, 2, nil, ", local all-to-all first"},
		{4, 1, nil, "; --local-all-to-all changes nothing where all ranks are on one machine"},
		{4, 4, nil, "; --local-all-to-all changes nothing where each machine has one rank"},
		{4, 2, &engine.OnGPU{}, "; --local-all-to-all changes nothing on GPUs"},
	} {
		s := &partsSummary{part: &engine.Part{}, placed: c.placed}
		s.part.Stats.Ranks, s.part.Stats.Machines = c.ranks, c.machines
		if got := s.localAllToAll(); got != c.want {
			t.Errorf("%d ranks on %d machines: %q, want %q", c.ranks, c.machines, got, c.want)
		}
	}
}

// TestClusterAlone: the flags of processes in one.
func TestClusterAlone(t *testing.T) {
	for _, flag := range []string{"--threshold=3", "--unique", "--local-all-to-all"} {
		if _, errs := foray(t, 2, "bfs", karate, flag); !strings.Contains(errs, "are for a search over processes") {
			t.Error(errs)
		}
	}
}

// TestClusterWantsEqual: a value that isn't joined to its flag is no path.
func TestClusterWantsEqual(t *testing.T) {
	for _, c := range []struct {
		f    clusterFlags
		args string
		want string
	}{
		{clusterFlags{local: localAllToAll{on: true}}, karate + " 4", "4: no such file; write --local-all-to-all=4 if it is meant for that"},
		{clusterFlags{local: localAllToAll{on: true}}, karate + " auto", "auto: no such file; write --local-all-to-all=auto if"},
		{clusterFlags{local: localAllToAll{true, 2}}, karate + " 4", ""},
		{clusterFlags{local: localAllToAll{on: true}}, karate + " nowhere.parquet", ""},
		{clusterFlags{}, "4", ""},
	} {
		err := (&bfsFlags{clusterFlags: c.f}).wantsEqual(strings.Fields(c.args))
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}
