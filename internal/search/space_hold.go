// This file holds how a search keeps its placed graph from being freed.

package search

import "fmt"

// resume holds the placed graph, as a search does while it runs, and which may have
// been freed since pause. What fails stays: Err returns it.
func (s *Space) resume() error {
	release, err := s.Placed.Hold()
	if err != nil {
		s.lost = fmt.Errorf("bfs: %w", err)
		return s.lost
	}
	s.holds(release)
	return nil
}

// pause lets go of it, before somebody is called who may free it. Nothing of the
// graph is touched until resume.
func (s *Space) pause() {
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// holds takes over a hold of the placed graph.
func (s *Space) holds(release func()) { s.release, s.lost = release, nil }
