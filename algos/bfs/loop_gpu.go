// This file holds the loops of the search on a GPU, by how a level is divided into kernels
// (Merrill, Garland, Grimshaw, PPoPP 2012, 5).

package bfs

import (
	"cmp"
)

// acrossLoop is the search over several GPUs, one kernel on each.
func acrossLoop(g *Across, l *Loop) error { return g.Search(l, false, 0, 0) }

// gpuLoop is the loop of the coupling: one kernel, or level by level.
func gpuLoop(g *GPU, l *Loop) error {
	if g.OneKernel() {
		return g.Fused(l, nil, 0, 0) // which learns
	}
	t := l.Tuning()
	var err error
	switch c := g.Tune(t); c {
	case Quadratic:
		err = quadraticLoop(g, l)
	case QuadraticPull:
		err = quadraticPullLoop(g, l)
	case ContractExpand, TwoPhase, HybridCoupling:
		err = edgeLoop(g, l, c)
	default: // Fused too, where it can't be one kernel
		err = queueLoop(g.Space, l)
	}
	if err == nil {
		g.Learn(l.Result)
	}
	return err
}

// quadraticLoop looks at all vertices, or edges, in each level.
func quadraticLoop(g *GPU, l *Loop) error {
	for {
		n, edges, err := g.Cur.Remote().Count()
		if err != nil {
			return err
		}
		if !l.Next(n) {
			return g.Err()
		}
		if err := g.PushQuadratic(l.Level); err != nil {
			return err
		}
		l.Done(Push, "levels", edges)
		if err := g.Culled(l, g.Cur); err != nil {
			return err
		}
	}
}

// quadraticPullLoop has every vertex without a depth look for a parent.
func quadraticPullLoop(g *GPU, l *Loop) error {
	for n := g.Cur.Len(); l.Next(n); {
		found, edges, err := g.PullQuadratic(l.Level)
		if err != nil {
			return err
		}
		n = found
		l.Done(Pull, "levels", edges)
	}
	return g.Ended()
}

// edgeLoop goes from edge frontier to edge frontier. The first holds the
// sources, as edges from themselves.
func edgeLoop(g *GPU, l *Loop, c Coupling) error {
	in, out, err := g.EdgeFrontiers(l.Parents())
	if err != nil {
		return err
	}
	sources := g.Cur.Vertices()
	if err := cmp.Or(g.Err(), g.Cur.ReadErr()); err != nil {
		return err
	}
	if err := g.Unlabel(); err != nil { // the first contraction labels them
		return err
	}
	if err := in.Set(sources, sources); err != nil {
		return err
	}
	small := ^uint64(0) // ContractExpand
	switch c {
	case TwoPhase:
		small = 0
	case HybridCoupling:
		small = g.SmallEdges()
	}
	for {
		count, _, err := in.Count()
		if err != nil || count == 0 {
			return err
		}
		g.Visitor.Level = l.Level
		size, fused := 0, count <= small
		if fused {
			if err := g.Advance.ContractExpand(in, out, &g.Visitor); err != nil {
				return err
			}
			_, vertices, err := out.Count()
			if err != nil {
				return err
			}
			size = int(vertices)
			in, out = out, in
		} else {
			if err := g.Advance.Contract(in, g.Cur, &g.Visitor); err != nil {
				return err
			}
			if size, _, err = g.Cur.Remote().Count(); err != nil {
				return err
			}
			if err := g.Settle(l, g.Cur); err != nil {
				return err
			}
		}
		if !l.Next(size) {
			return g.Err()
		}
		if !fused {
			if err := g.Advance.Expand(g.Cur, in, l.Tuning().Balance); err != nil {
				return err
			}
		}
		edges, _, err := in.Count()
		if err != nil {
			return err
		}
		l.Done(Push, "edges", edges)
	}
}
