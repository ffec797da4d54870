// This file holds Level, what is known of a level.

package bfs

import (
	"time"

	"github.com/foray-graph/foray/internal/engine/run"
)

// The directions, as Level.Direction has them.
const (
	directionPush = "push" // along out-edges of the frontier
	directionPull = "pull" // along in-edges of vertices not yet reached
)

// Level describes a level, or several levels if there were very many. The first five fields are those
// of traverse.Level, with the same meaning.
type Level struct {
	Level     int           // the level, counted from 1; the first of several. It expands the vertices at depth Level-1
	Levels    int           // number of levels that the entry describes
	Frontier  int           // vertices at the begin; the sum over several levels
	Edges     uint64        // edges visited; the sum over several levels. 0 for a pull of a search in one kernel
	Took      time.Duration // by the device's clock for a search in one kernel; the sum over several levels
	Direction string        // "push" or "pull"; of the first of several
	Form      string        // of the frontier: queue, bitmap or levels; of the first of several
}

// plus sums up levels and those that follow.
func (l Level) plus(next Level) Level {
	l.Levels += next.Levels
	l.Frontier += next.Frontier
	l.Edges += next.Edges
	l.Took += next.Took
	return l
}

func (l Level) count() int { return l.Levels }

// addLevel appends a level to those that are kept.
func addLevel(kept []Level, l Level) []Level {
	return run.AddLevel(kept, l, Level.count, Level.plus)
}
