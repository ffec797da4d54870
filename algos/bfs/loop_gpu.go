// This file holds the loops of the search on a GPU, by how a level is divided into kernels
// (Merrill, Garland, Grimshaw, PPoPP 2012, 5).

package bfs

import "github.com/foray-graph/foray/internal/search"

// gpuLoop is the loop of the coupling: one kernel, or level by level.
func gpuLoop(s *search.Space, l *search.Loop) error {
	if s.OneKernel() {
		return s.Fused(l, nil, 0, 0) // which learns
	}
	t := l.Tuning()
	var err error
	switch c := s.Tune(t); c {
	case Quadratic:
		err = quadraticLoop(s, l)
	case QuadraticPull:
		err = quadraticPullLoop(s, l)
	case ContractExpand, TwoPhase, HybridCoupling:
		err = edgeLoop(s, l, c)
	default: // Fused too, where it can't be one kernel
		err = queueLoop(s, l)
	}
	if err == nil {
		s.Learn(l.Result)
	}
	return err
}

// quadraticLoop looks at all vertices, or edges, in each level.
func quadraticLoop(s *search.Space, l *search.Loop) error {
	for {
		n, edges, err := s.Cur.Remote().Count()
		if err != nil {
			return err
		}
		if !l.Next(n) {
			return s.Err()
		}
		if err := s.PushQuadratic(l.Level); err != nil {
			return err
		}
		l.Done(Push, "levels", edges)
		if err := l.Culled(s.Cur); err != nil {
			return err
		}
	}
}

// quadraticPullLoop has every vertex without a depth look for a parent.
func quadraticPullLoop(s *search.Space, l *search.Loop) error {
	for n := s.Cur.Len(); l.Next(n); {
		found, edges, err := s.PullQuadratic(l.Level)
		if err != nil {
			return err
		}
		n = found
		l.Done(Pull, "levels", edges)
	}
	return s.Err()
}

// edgeLoop goes from edge frontier to edge frontier. The first holds the
// sources, as edges from themselves.
func edgeLoop(s *search.Space, l *search.Loop, c Coupling) error {
	in, out, err := s.EdgeFrontiers(l.Parents())
	if err != nil {
		return err
	}
	sources := s.Cur.Vertices()
	if err := s.Err(); err != nil {
		return err
	}
	if err := s.Unlabel(); err != nil { // the first contraction labels them
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
		small = s.SmallEdges()
	}
	for {
		count, _, err := in.Count()
		if err != nil || count == 0 {
			return err
		}
		s.Visitor.Level = l.Level
		size, fused := 0, count <= small
		if fused {
			if err := s.Advance.ContractExpand(in, out, &s.Visitor); err != nil {
				return err
			}
			_, vertices, err := out.Count()
			if err != nil {
				return err
			}
			size = int(vertices)
			in, out = out, in
		} else {
			if err := s.Advance.Contract(in, s.Cur, &s.Visitor); err != nil {
				return err
			}
			if size, _, err = s.Cur.Remote().Count(); err != nil {
				return err
			}
			if err := l.Culled(s.Cur); err != nil {
				return err
			}
			if err := s.Dedupe(s.Cur); err != nil {
				return err
			}
		}
		if !l.Next(size) {
			return s.Err()
		}
		if !fused {
			if err := s.Advance.Expand(s.Cur, in, l.Tuning().Balance); err != nil {
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
