// This file holds the loop of the search: a frontier is advanced, what was visited is culled,
// and the rest is the next frontier. Both are one step (loop.pushLevel): the functor that
// advance.Push calls claims a vertex in the visited bitmap, which is what filter culls by.

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
