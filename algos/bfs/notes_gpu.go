// This file holds the notes that searches in one kernel leave on their levels, and the
// statistics that are made of them.

package bfs

import (
	"cmp"
	"fmt"
	"time"

	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// levelOf returns what the note of the level at a depth says, without the time that the level took.
func levelOf(n *gpu.LevelNote, depth int) Level {
	l := Level{Level: depth + 1, Levels: 1, Frontier: int(n.Frontier), Edges: n.Edges, Direction: directionPush, Form: "queue"}
	if n.Way == 1 {
		l.Direction, l.Form, l.Edges = directionPull, "bitmap", 0
	}
	return l
}

// notesRoom is for how many levels searches over so many vertices have notes.
func notesRoom(vertices int) uint64 { return min(uint64(vertices), tuning.FusedNotes) }

// eachNote calls do with the first count notes, in order.
func (f *fusedSpace) eachNote(count int, do func(i int, n *gpu.LevelNote)) error {
	notes := make([]gpu.LevelNote, min(count, notesAtOnce))
	for at := 0; at < count; at += len(notes) {
		part := notes[:min(len(notes), count-at)]
		if err := f.persist.ReadNotes(part, at); err != nil {
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
func (f *fusedSpace) report(g *gpuSearch, l *loop, mail gpu.Mail) error {
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
	err := f.eachNote(count, func(i int, n *gpu.LevelNote) {
		known += n.Frontier
		if n.Frontier == 0 { // what a heavy push found isn't counted when it is expanded
			unknown = i
		}
	})
	if err != nil {
		return err
	}
	var last Level
	began := uint64(0)
	end := func(at uint64) { last.Took = time.Duration(at - began) }
	keep := func() {
		if l.o.Stats {
			r.Edges += last.Edges
			r.Stats = addLevel(r.Stats, last)
		}
		if err == nil && l.tellsLevels() && last.Level > l.told {
			err = l.tellNext(last)
		}
	}
	read := f.eachNote(count, func(i int, n *gpu.LevelNote) {
		if i > 0 {
			end(n.Began)
			keep()
		}
		last = levelOf(n, i)
		if i == unknown && expanded == count {
			last.Frontier = int(mail.Tail - known)
		}
		began = n.Began
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
