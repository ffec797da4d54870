// This file holds how the host's workers share out tiles.

package reduce

import "sort"

// runs are tiles of rows that follow one another, as many as a worker takes at a time. Runs of all vertices
// have as many edges as one another, and some for each row; of a frontier they have as many rows.
// Were single tiles taken, workers would fetch ahead what lies in one another's caches, and write to lines
// that the other one reads.
type runs struct {
	cuts []int // the tiles that they begin with, and the end
	of   struct {
		offsets       *uint64
		n, tile, team int
	}
}

// divide makes the runs. offsets has the offsets of all vertices; nil for a frontier.
func (r *runs) divide(offsets []uint64, n, tile, team int) {
	of := r.of
	of.offsets, of.n, of.tile, of.team = nil, n, tile, team
	if offsets != nil {
		of.offsets = &offsets[0]
	}
	if of == r.of {
		return
	}
	r.of = of
	tiles := (n + tile - 1) / tile
	count := min(tiles, max(team*runsEach, tiles/runTiles))
	r.cuts = append(r.cuts[:0], 0)
	for i := 1; i < count; i++ {
		cut := tiles * i / count
		if offsets != nil {
			want := (offsets[n] + rowWork*uint64(n)) / uint64(count) * uint64(i)
			cut = sort.Search(n, func(v int) bool { return offsets[v]+rowWork*uint64(v) >= want }) / tile
		}
		r.cuts = append(r.cuts, cut)
	}
	r.cuts = append(r.cuts, tiles)
}

// rows returns the rows of run i, and false where there is none.
func (r *runs) rows(i int) (lo, hi int, ok bool) {
	if i+1 >= len(r.cuts) {
		return 0, 0, false
	}
	return r.cuts[i] * r.of.tile, min(r.cuts[i+1]*r.of.tile, r.of.n), true
}
