// This file holds the loops of the searches: a frontier is advanced, what was visited is culled,
// and the rest is the next frontier. Both are one step (loop.pushLevel): the functor that
// advance.Push calls claims a vertex in the visited bitmap, which is what filter culls by.
// variantLoop also pulls (loop.pullLevel): package dobfs has the rule that chooses.

package bfs

// hostLoop is the loop of the strategy.
func hostLoop(h *hostSearch, l *loop) error {
	if t := l.tuning(); t.Strategy == strategyRead || t.Strategy == strategyHybrid {
		return readLoop(h, l, t.Strategy == strategyHybrid)
	}
	return queueLoop(l)
}

// queueLoop is the textbook's loop.
func queueLoop(l *loop) error {
	for l.nextLevel() {
		if _, err := l.pushLevel(); err != nil {
			return err
		}
	}
	return l.failure()
}

// variantLoop is the loop of a search with a choice of direction before each level.
func variantLoop(v *Variant, l *loop) error {
	l.begins(v)
	t := &l.before
	for l.nextLevel() {
		t.Frontier, t.Reached = l.s.Cur.Len(), l.result.Reached
		if v.Pulls(t) {
			t.Pulling, t.Builds = true, false
			if _, err := l.pullLevel(); err != nil {
				return err
			}
			continue
		}
		t.Pulling = false
		edges, err := l.pushLevel()
		if err != nil {
			return err
		}
		t.Unpushed -= float64(edges)
	}
	return l.failure()
}

// readLoop keeps no queue while the frontier is large: the level array marks the visited vertices
// and the vertices of the frontier. With hybrid false it never keeps one.
func readLoop(h *hostSearch, l *loop, hybrid bool) error {
	h.byLevels()
	n := h.Placed.NumVertices()
	size, queued := h.Cur.Len(), true
	for l.next(size) {
		if hybrid && size < n/readFrom {
			if !queued {
				if err := h.gatherLevel(l.level - 1); err != nil {
					return err
				}
				queued = true
			}
			edges, err := h.push(l.level)
			if err != nil {
				return err
			}
			l.done(directionPush, "queue", edges)
			h.Cur, h.Next = h.Next, h.Cur
			size = h.Cur.Len()
			continue
		}
		edges, found, err := h.pushLevel(l.level)
		if err != nil {
			return err
		}
		l.done(directionPush, "levels", edges)
		size, queued = found, false
	}
	return h.errAtEnd()
}
