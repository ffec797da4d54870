// This file holds what the flags of bench say is to be measured, and whether they
// go together, before a graph is loaded.

package main

import (
	"fmt"
	"slices"

	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/operators/advance"
	"github.com/foray-graph/foray/operators/filter"
)

// parseNames parses the names that a flag lists; want describes the valid names.
func parseNames[T any](flag, want string, names []string, parse func(string) (T, error)) ([]T, error) {
	if len(names) == 0 {
		return nil, usagef("--%s: want %s", flag, want)
	}
	var list []T
	for _, name := range names {
		x, err := parse(name)
		if err != nil {
			return nil, usagef("--%s: want %s, not %q", flag, want, name)
		}
		list = append(list, x)
	}
	return list, nil
}

// oneOf returns a parser of names, of which auto is the empty one in package bfs.
func oneOf(names ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		if name == "auto" {
			return "", nil
		}
		if !slices.Contains(names, name) {
			return "", fmt.Errorf("unknown name %q", name)
		}
		return name, nil
	}
}

// variants are what the flags say of bfs and dobfs beside their names.
type variants struct {
	strategies []string
	couplings  []string
	balances   []advance.Strategy
	culls      []filter.Culls // 0 means auto
}

// parse reads all of them, whatever the algorithms are.
func (v *variants) parse(f *benchFlags) (err error) {
	if v.strategies, err = parseNames("strategy", "auto, queue, read or hybrid", f.strategies, oneOf("queue", "read", "hybrid")); err != nil {
		return err
	}
	if v.couplings, err = parseNames("coupling", "auto, expand-contract, contract-expand, two-phase, hybrid, fused, quadratic or quadratic-pull", f.couplings,
		oneOf("expand-contract", "contract-expand", "two-phase", "hybrid", "fused", "quadratic", "quadratic-pull")); err != nil {
		return err
	}
	if v.balances, err = parseNames("balance", "auto, thread, warp, twc, merge, edges, hubs, buckets or scan", f.balances, advance.ParseStrategy); err != nil {
		return err
	}
	v.culls, err = parseNames("culls", "auto, or some of bitmask, label, warp, history and exact, joined by +", f.culls, func(names string) (filter.Culls, error) {
		if names == "auto" {
			return 0, nil
		}
		return filter.ParseCulls(names)
	})
	return err
}

// onlyBFS names a flag that only bfs has, or nothing.
func (v *variants) onlyBFS() string {
	switch {
	case other(v.strategies, ""):
		return "--strategy"
	case other(v.balances, advance.AutoBalance):
		return "--balance"
	case other(v.culls, 0):
		return "--culls"
	}
	for _, c := range v.couplings {
		if !ofDOBFS(c) {
			return "--coupling " + c
		}
	}
	return ""
}

// onGPU reports whether some of the flags are for GPUs.
func (v *variants) onGPU() bool {
	return other(v.couplings, "") || other(v.balances, advance.AutoBalance) || other(v.culls, 0)
}

// check reports flags that none of the algorithms takes.
func (v *variants) check(algos []string) error {
	pushes, pulls := slices.Contains(algos, "bfs"), slices.Contains(algos, "dobfs")
	if pushes {
		return nil
	}
	if other(v.strategies, "") {
		return usagef("--strategy is for --algo bfs")
	}
	if other(v.balances, advance.AutoBalance) || other(v.culls, 0) {
		return usagef("--balance and --culls are for --algo bfs")
	}
	for _, c := range v.couplings {
		switch {
		case c == "":
		case !pulls:
			return usagef("--coupling is for --algo bfs and dobfs; name one of them")
		case !ofDOBFS(c):
			return usagef("--coupling %s is for --algo bfs; dobfs takes auto, fused and expand-contract", c)
		}
	}
	return nil
}

// other reports whether a list has anything but the one value.
func other[T comparable](list []T, value T) bool {
	return slices.ContainsFunc(list, func(x T) bool { return x != value })
}

// ofDOBFS reports whether dobfs has a coupling; the others only push.
func ofDOBFS(c string) bool {
	return c == "" || c == "fused" || c == "expand-contract"
}

// bfs returns all combinations for bfs.
func (v *variants) bfs() (list []bench.Algorithm) {
	for _, s := range v.strategies {
		for _, coupling := range v.couplings {
			for _, balance := range v.balances {
				for _, culls := range v.culls {
					list = append(list, bench.Algorithm{Kind: bench.BFS, Strategy: s, Coupling: coupling, Balance: balance, Culls: culls})
				}
			}
		}
	}
	return list
}

// measured is what the flags say is to be measured.
type measured struct {
	variants
	algorithms []bench.Algorithm
	auto       bool // dobfs, which is to be bfs on a graph without its reverse
}

// measured returns what the flags name. A flag that only bfs has makes auto bfs, as
// it does for the command bfs. Errors are those that don't depend on the device.
func (f *benchFlags) measured() (m measured, err error) {
	if err := m.parse(f); err != nil {
		return m, err
	}
	algos, turned := f.algos, f.alpha != 0 || f.beta != 0
	if len(algos) == 0 {
		return m, usagef("--algo: want auto, bfs, dobfs or seq, or else %s", orList(namesOf(algorithms)))
	}
	if slices.Contains(algos, "auto") {
		if len(algos) > 1 {
			return m, usagef("--algo auto stands alone")
		}
		only := m.onlyBFS()
		if only != "" && turned {
			return m, usagef("%s is for bfs, --alpha and --beta are for dobfs", only)
		}
		if algos, m.auto = []string{"dobfs"}, true; only != "" {
			algos, m.auto = []string{"bfs"}, false
		}
	}
	for _, name := range algos {
		switch name {
		case "bfs":
			m.algorithms = append(m.algorithms, m.bfs()...)
		case "dobfs":
			if !slices.ContainsFunc(m.couplings, ofDOBFS) {
				return m, usagef("--coupling %s is for --algo bfs; dobfs takes auto, fused and expand-contract", m.couplings[0])
			}
			for _, c := range m.couplings {
				if ofDOBFS(c) {
					m.algorithms = append(m.algorithms, bench.Algorithm{Kind: bench.DOBFS, Coupling: c, Alpha: f.alpha, Beta: f.beta})
				}
			}
		case "seq":
			m.algorithms = append(m.algorithms, bench.Algorithm{Kind: bench.Sequential})
		default:
			return m, usagef("--algo: want auto, bfs, dobfs or seq, or else %s, not %q", orList(namesOf(algorithms)), name)
		}
	}
	if turned && !slices.Contains(algos, "dobfs") {
		return m, usagef("--alpha and --beta are for --algo dobfs")
	}
	return m, m.check(algos)
}

// reverse reports whether graphs are to have their reverse.
func (m *measured) reverse() bool {
	return !m.auto && slices.ContainsFunc(m.algorithms, func(a bench.Algorithm) bool {
		return a.Kind == bench.DOBFS || a.Coupling == "quadratic-pull"
	})
}

// onlySequential reports whether all measured algorithms run on the host, whatever the
// device is.
func (m *measured) onlySequential() bool {
	return !slices.ContainsFunc(m.algorithms, func(a bench.Algorithm) bool { return a.Kind != bench.Sequential })
}

// of returns the algorithms for a graph.
func (m *measured) of(g *graph.Graph) []bench.Algorithm {
	if !m.auto || bench.Auto(g).Kind == bench.DOBFS {
		return m.algorithms
	}
	var list []bench.Algorithm
	for _, a := range m.algorithms {
		list = append(list, bench.Algorithm{Kind: bench.BFS, Coupling: a.Coupling})
	}
	return list
}

// checkOn reports what the device doesn't have, or options that don't go together,
// before a graph is loaded.
func (m *measured) checkOn(dev device.Device, o bench.Options) error {
	info := dev.Info()
	switch onHost := info.Kind == device.Host; {
	case onHost && m.onGPU():
		return usagef("--coupling, --balance and --culls are for GPUs; the device is %s", info.Name)
	case !onHost && other(m.strategies, ""):
		return strategyError(info)
	}
	if err := o.Check(dev); err != nil {
		return &usageError{err: err}
	}
	return nil
}
