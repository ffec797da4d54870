// This file holds the loop of the search: a frontier is advanced, what was visited is culled,
// and what is left is the next frontier. Both are one step (Space.Push): the functor that
// advance.Push calls claims a vertex in the visited bitmap, which is what filter culls by.

package bfs

// hostLoop is the loop of the strategy.
func hostLoop(h *Host, l *Loop) error {
	if t := l.Tuning(); t.Strategy == ReadBased || t.Strategy == Hybrid {
		return readLoop(h, l, t.Strategy == Hybrid)
	}
	return queueLoop(h.Space, l)
}

// queueLoop is the textbook's loop.
func queueLoop(s *Space, l *Loop) error {
	for l.Next(s.Cur.Len()) {
		edges, err := s.Push(l.Level)
		if err != nil {
			return err
		}
		l.Done(Push, "queue", edges)
		if err := s.Settle(l, s.Next); err != nil {
			return err
		}
		s.Cur, s.Next = s.Next, s.Cur
	}
	return s.Ended()
}

// readLoop keeps no queue while the frontier is large: the level array says what was
// visited, and which vertices are in the frontier. With hybrid false it never keeps one.
func readLoop(h *Host, l *Loop, hybrid bool) error {
	h.ByLevels()
	n := h.Placed.NumVertices()
	size, queued := h.Cur.Len(), true
	for l.Next(size) {
		if hybrid && size < n/readFrom {
			if !queued {
				if err := h.GatherLevel(l.Level - 1); err != nil {
					return err
				}
				queued = true
			}
			edges, err := h.Push(l.Level)
			if err != nil {
				return err
			}
			l.Done(Push, "queue", edges)
			h.Cur, h.Next = h.Next, h.Cur
			size = h.Cur.Len()
			continue
		}
		edges, found, err := h.PushLevel(l.Level)
		if err != nil {
			return err
		}
		l.Done(Push, "levels", edges)
		size, queued = found, false
	}
	return h.Ended()
}
