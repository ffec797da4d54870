// This file holds Level, what is known of a level.

package bfs

import "github.com/foray-graph/foray/internal/engine/run"

// The directions, as Level.Direction has them.
const (
	directionPush = "push" // along out-edges of the frontier
	directionPull = "pull" // along in-edges of vertices not yet reached
)

// Level has the statistics of one level, or the sums of several levels.
type Level struct {
	Depth     int32   // of the frontier that was expanded; 0 is the sources'
	Levels    int     // how many this stands for: the one at Depth, and those below it
	Frontier  int     // vertices of their frontiers
	Edges     uint64  // edges looked at; 0 for a pull of a search in one kernel
	Direction string  // "push" or "pull", of the first of them
	Form      string  // of the first frontier: queue, bitmap or levels
	Seconds   float64 // that they took
}

// plus sums up levels and those that follow.
func (l Level) plus(next Level) Level {
	l.Levels += next.Levels
	l.Frontier += next.Frontier
	l.Edges += next.Edges
	l.Seconds += next.Seconds
	return l
}

func (l Level) count() int { return l.Levels }

// addLevel appends a level to those that are kept.
func addLevel(kept []Level, l Level) []Level {
	return run.AddLevel(kept, l, Level.count, Level.plus)
}
