// This file holds the loops of the search on a GPU, by how a level is divided into kernels
// (Merrill, Garland, Grimshaw, PPoPP 2012, 5).

package bfs

import (
	"cmp"

	"github.com/foray-graph/foray/internal/engine/front"
)

// gpuLoop is the loop of the coupling, level by level.
func gpuLoop(g *gpuSearch, l *loop) error {
	t := l.tuning()
	var err error
	switch c := g.tune(t); c {
	case couplingQuadratic:
		err = quadraticLoop(g, l)
	case couplingQuadraticPull:
		err = quadraticPullLoop(g, l)
	case couplingContractExpand, couplingTwoPhase, couplingHybrid:
		err = edgeLoop(g, l, c)
	default: // couplingFused too, where it can't be one kernel
		err = queueLoop(l)
	}
	if err == nil {
		g.learn(l.result)
	}
	return err
}

// quadraticLoop looks at all vertices, or edges, in each level.
func quadraticLoop(g *gpuSearch, l *loop) error {
	for {
		n, edges, err := g.Cur.Remote().Count()
		if err != nil {
			return err
		}
		if !l.next(n) {
			return g.err()
		}
		if err := g.pushQuadratic(l.level); err != nil {
			return err
		}
		l.done(directionPush, "levels", edges)
		if err := g.culled(l, g.Cur); err != nil {
			return err
		}
	}
}

// quadraticPullLoop has every vertex without a depth look for a parent.
func quadraticPullLoop(g *gpuSearch, l *loop) error {
	for n := g.Cur.Len(); l.next(n); {
		found, edges, err := g.pullQuadratic(l.level)
		if err != nil {
			return err
		}
		n = found
		l.done(directionPull, "levels", edges)
	}
	return g.errAtEnd()
}

// edgeLoop goes from edge frontier to edge frontier. The first holds the
// sources, as edges from themselves.
func edgeLoop(g *gpuSearch, l *loop, c string) error {
	in, out, err := g.edgeFrontiers(l.o.Outputs.Has(Parents))
	if err != nil {
		return err
	}
	sources := g.Cur.Vertices()
	if err := cmp.Or(g.err(), g.Cur.ReadErr()); err != nil {
		return err
	}
	if err := g.unlabel(); err != nil { // the first contraction labels them
		return err
	}
	if err := (*front.Edges)(in).Set(sources, sources); err != nil {
		return err
	}
	small := ^uint64(0) // contract-expand
	switch c {
	case couplingTwoPhase:
		small = 0
	case couplingHybrid:
		small = g.smallEdges()
	}
	for {
		count, _, err := in.Count()
		if err != nil || count == 0 {
			return err
		}
		g.visitor.Level = l.level
		size, fused := 0, count <= small
		if fused {
			if err := g.Advance.ContractExpand(in, out, &g.visitor); err != nil {
				return err
			}
			_, vertices, err := out.Count()
			if err != nil {
				return err
			}
			size = int(vertices)
			in, out = out, in
		} else {
			if err := g.Advance.Contract(in, g.Cur, &g.visitor); err != nil {
				return err
			}
			if size, _, err = g.Cur.Remote().Count(); err != nil {
				return err
			}
			if err := g.settle(l, g.Cur); err != nil {
				return err
			}
		}
		if !l.next(size) {
			return g.err()
		}
		if !fused {
			if err := g.Advance.Expand(g.Cur, in, l.tuning().Balance); err != nil {
				return err
			}
		}
		edges, _, err := in.Count()
		if err != nil {
			return err
		}
		l.done(directionPush, "edges", edges)
	}
}
