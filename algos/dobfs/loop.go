// This file holds the loop of the search.

package dobfs

import "github.com/foray-graph/foray/algos/bfs"

// loop is the loop of BFS with a choice of direction before each level.
func loop(l *bfs.Loop) error {
	sw := newSwitch(l)
	for l.Next() {
		if sw.pull(l) {
			if _, err := l.Pull(); err != nil {
				return err
			}
			continue
		}
		edges, err := l.Push()
		if err != nil {
			return err
		}
		sw.pushed(edges)
	}
	return l.Err()
}
