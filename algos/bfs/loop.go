// This file holds the loop of the search: a frontier is advanced, what was visited is culled,
// and what is left is the next frontier. Both are one step (Space.Push): the functor that
// advance.Push calls claims a vertex in the visited bitmap, which is what filter culls by.

package bfs

import "github.com/foray-graph/foray/internal/search"

// loop is the loop that the options ask for.
func loop(s *search.Space, l *search.Loop) error {
	t := l.Tuning()
	switch {
	case s.OnGPU():
		return gpuLoop(s, l)
	case t.Strategy == ReadBased || t.Strategy == Hybrid:
		return readLoop(s, l, t.Strategy == Hybrid)
	}
	return queueLoop(s, l)
}

// queueLoop is the textbook's loop.
func queueLoop(s *search.Space, l *search.Loop) error {
	for l.Next(s.Cur.Len()) {
		edges, err := s.Push(l.Level)
		if err != nil {
			return err
		}
		l.Done(Push, "queue", edges)
		if s.OnGPU() { // best-effort culling may let duplicates through
			if err := l.Culled(s.Next); err != nil {
				return err
			}
			if err := s.Dedupe(s.Next); err != nil {
				return err
			}
		}
		s.Cur, s.Next = s.Next, s.Cur
	}
	return s.Err()
}

// readLoop keeps no queue while the frontier is large: the level array says what was
// visited, and which vertices are in the frontier. With hybrid false it never keeps one.
func readLoop(s *search.Space, l *search.Loop, hybrid bool) error {
	s.ByLevels()
	n := s.Placed.NumVertices()
	size, queued := s.Cur.Len(), true
	for l.Next(size) {
		if hybrid && size < n/readFrom {
			if !queued {
				if err := s.GatherLevel(l.Level - 1); err != nil {
					return err
				}
				queued = true
			}
			edges, err := s.Push(l.Level)
			if err != nil {
				return err
			}
			l.Done(Push, "queue", edges)
			s.Cur, s.Next = s.Next, s.Cur
			size = s.Cur.Len()
			continue
		}
		edges, found, err := s.PushLevel(l.Level)
		if err != nil {
			return err
		}
		l.Done(Push, "levels", edges)
		size, queued = found, false
	}
	return s.Err()
}
