// This file tests the table of levels of a search over processes.

package main

import (
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/cluster"
)

// TestClusterPulled: subgraphs without edges aren't said to be pulled.
func TestClusterPulled(t *testing.T) {
	for _, c := range []struct {
		dn   uint64
		want string
	}{{0, "nn"}, {7, "dn nn"}} {
		s := &partsSummary{part: &cluster.Part{}, flags: &bfsFlags{}, res: &cluster.Result{Stats: []cluster.Level{{Pulled: [4]int{0, 0, 1, 1}}}}}
		s.part.Stats.NN, s.part.Stats.DN = 9, c.dn
		var w strings.Builder
		s.levels().Write(&w, "")
		lines := strings.Split(strings.TrimSpace(w.String()), "\n")
		if got := strings.Fields(lines[len(lines)-1]); strings.Join(got[3:len(got)-4], " ") != c.want {
			t.Errorf("pulled %q, want %q", got, c.want)
		}
	}
}
