// This file holds Level, what is known of a level, and how many of them are kept.

package search

import "slices"

// Direction says how a level was done.
type Direction uint8

// The directions.
const (
	Push Direction = iota // along out-edges of the frontier
	Pull                  // along in-edges of what wasn't reached
)

func (d Direction) String() string {
	if d == Pull {
		return "pull"
	}
	return "push"
}

// Level says what happened in one level, or in several that Result.Stats sums up.
type Level struct {
	Depth     int32     // of the frontier that was expanded; 0 is the sources'
	Levels    int       // how many this stands for: the one at Depth, and those below it
	Frontier  int       // vertices of their frontiers
	Edges     uint64    // edges looked at; 0 for a pull of Fused
	Direction Direction // push or pull, of the first of them
	Form      string    // of the first frontier: queue, bitmap or levels
	Seconds   float64   // that they took
}

// add sums up levels that follow.
func (l *Level) add(next Level) {
	l.Levels += next.Levels
	l.Frontier += next.Frontier
	l.Edges += next.Edges
	l.Seconds += next.Seconds
}

// addLevel appends a level to those that are kept: the first singleLevels as they are,
// the others summed up in entries that stand for equally many levels, except the last,
// and which are joined in pairs whenever there would be more than mostLevels entries.
func addLevel(kept []Level, l Level) []Level {
	n := len(kept)
	if n <= singleLevels {
		return append(kept, l)
	}
	if last := &kept[n-1]; last.Levels+l.Levels <= kept[singleLevels].Levels {
		last.add(l)
		return kept
	}
	if n == mostLevels {
		tail := kept[singleLevels:]
		for i := range len(tail) / 2 {
			tail[i] = tail[2*i]
			tail[i].add(tail[2*i+1])
		}
		kept = slices.Delete(kept, singleLevels+len(tail)/2, n)
	}
	return append(kept, l)
}
