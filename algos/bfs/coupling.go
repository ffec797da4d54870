// This file names the strategies of the host, and the couplings of expansion and contraction on a
// GPU (Merrill, Garland, Grimshaw, PPoPP 2012, 5), as Tuning has them.

package bfs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// The strategies, which Tuning.Strategy explains.
const (
	strategyAuto   = ""
	strategyQueue  = "queue"
	strategyRead   = "read"
	strategyHybrid = "hybrid"
)

var strategies = []string{strategyAuto, strategyQueue, strategyRead, strategyHybrid}

// The couplings, which Tuning.Coupling explains.
const (
	couplingAuto           = ""
	couplingExpandContract = "expand-contract"
	couplingContractExpand = "contract-expand"
	couplingTwoPhase       = "two-phase"
	couplingHybrid         = "hybrid"
	couplingFused          = "fused"
	couplingQuadratic      = "quadratic"
	couplingQuadraticPull  = "quadratic-pull"
)

var couplings = []string{couplingAuto, couplingExpandContract, couplingContractExpand, couplingTwoPhase, couplingHybrid, couplingFused, couplingQuadratic, couplingQuadraticPull}

// quadratic reports whether all vertices, or edges, are looked at in each level.
func quadratic(coupling string) bool {
	return coupling == couplingQuadratic || coupling == couplingQuadraticPull
}

// checkNames reports a strategy and a coupling that there aren't.
func (t *Tuning) checkNames(algorithm string) error {
	for _, c := range []struct {
		what, name string
		names      []string
	}{{"Strategy", t.Strategy, strategies}, {"Coupling", t.Coupling, couplings}} {
		if !slices.Contains(c.names, c.name) {
			return fmt.Errorf("%s: %w: Tuning.%s is %q; want %s, or nothing for the fastest known", algorithm, graph.ErrOptions, c.what, c.name, strings.Join(c.names[1:], ", "))
		}
	}
	return nil
}

// named returns a coupling's name in messages.
func named(coupling string) string {
	if coupling == couplingAuto {
		return "auto"
	}
	return coupling
}
