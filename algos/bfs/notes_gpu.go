// This file holds the notes that searches in one kernel leave on their levels, and the
// statistics that are made of them.

package bfs

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// fusedLevel is the kernels' note on a level.
type fusedLevel struct {
	frontier, edges, began uint64
	way, _                 uint32
}

// level is what the note of the level at that depth says, but for how long it took.
func (n *fusedLevel) level(depth int) Level {
	l := Level{Depth: int32(depth), Levels: 1, Frontier: int(n.frontier), Edges: n.edges, Direction: Push, Form: "queue"}
	if n.way == 1 {
		l.Direction, l.Form, l.Edges = Pull, "bitmap", 0
	}
	return l
}

const noteBytes = uint64(unsafe.Sizeof(fusedLevel{}))

// notes makes room for the kernels' notes.
func (f *fusedSpace) notes(g *gpuSearch, n int) error {
	a := &f.args
	room := min(uint64(n), tuning.FusedNotes)
	if f.levels == nil {
		var err error
		if f.levels, err = g.s.Device().Alloc(room * noteBytes); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
	} else if err := g.s.Fill(f.levels.Pointer(), 0, room*noteBytes/4); err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	a.engine.Levels, a.engine.Room = uint64(f.levels.Pointer()), uint32(room)
	return nil
}

// eachNote calls do with the first count notes, in order.
func (f *fusedSpace) eachNote(g *gpuSearch, count int, do func(i int, n *fusedLevel)) error {
	notes := make([]fusedLevel, min(count, notesAtOnce))
	for at := 0; at < count; at += len(notes) {
		part := notes[:min(len(notes), count-at)]
		raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), len(part)*int(noteBytes))
		if err := g.Placed.Device().(*gpu.Device).Download(raw, f.levels, uint64(at)*noteBytes); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
		for i := range part {
			do(at+i, &part[i])
		}
	}
	return nil
}

// report makes statistics of the notes of a search that has ended, and tells the levels that
// weren't told while it ran. Edges that a pull looks at aren't counted.
func (f *fusedSpace) report(g *gpuSearch, l *Loop, mail gpu.Mail) error {
	r := l.result
	expanded := r.Levels
	if r.Limited {
		expanded--
	}
	count := min(expanded, int(f.args.engine.Room))
	if count == 0 {
		return nil
	}
	unknown, known := -1, mail.Counts[3]
	err := f.eachNote(g, count, func(i int, n *fusedLevel) {
		known += n.frontier
		if n.frontier == 0 { // what a heavy push found isn't counted when it is expanded
			unknown = i
		}
	})
	if err != nil {
		return err
	}
	var last Level
	began := uint64(0)
	end := func(at uint64) { last.Seconds = float64(int64(at-began)) / 1e9 }
	keep := func() {
		if l.o.Stats {
			r.Edges += last.Edges
			r.Stats = addLevel(r.Stats, last)
		}
		if err == nil && l.tellsLevels() && int(last.Depth) >= l.told {
			err = l.tellNext(last)
		}
	}
	read := f.eachNote(g, count, func(i int, n *fusedLevel) {
		if i > 0 {
			end(n.began)
			keep()
		}
		last = n.level(i)
		if i == unknown && expanded == count {
			last.Frontier = int(mail.Tail - known)
		}
		began = n.began
	})
	if err = cmp.Or(err, read); err != nil {
		return err
	}
	if rest := expanded - count; rest > 0 { // there are no notes on these
		edges, err := g.edgesBelow(count, expanded)
		if err != nil {
			return err
		}
		last = last.plus(Level{Levels: rest, Frontier: int(mail.Tail - known), Edges: edges})
	}
	end(mail.Counts[2])
	keep()
	return err
}

// edgesBelow counts the edges out of the vertices at depths from to to-1 of a search
// that has ended; 0 without depths.
func (g *gpuSearch) edgesBelow(from, to int) (edges uint64, err error) {
	s := g.workspace
	part := make([]int32, min(s.depths.Len(), notesAtOnce))
	for at := 0; at < s.depths.Len(); at += len(part) {
		part = part[:min(len(part), s.depths.Len()-at)]
		if err := s.depths.Read(g.s.Device(), at, part); err != nil {
			return 0, fmt.Errorf("bfs: %w", err)
		}
		for i, d := range part {
			if int(d) >= from && int(d) < to {
				edges += s.Placed.Graph().Degree(uint32(at + i))
			}
		}
	}
	return edges, nil
}
