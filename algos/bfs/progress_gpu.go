// This file tells the levels of a search in one kernel while it runs: the host copies the
// notes that the kernels leave on them (traverse/engine.cuh), while the search runs.

package bfs

import (
	"fmt"
	"time"

	"github.com/foray-graph/foray/internal/gpu"
)

// wait waits for the kernel that reports to t, and meanwhile tells levels that have ended.
func (f *fusedSpace) wait(l *loop, t *gpu.Ticket) (gpu.Mail, error) {
	if !l.tellsLevels() {
		return t.Wait()
	}
	begun := 0 // notes that an earlier copy has seen begun
	return t.WaitMeanwhile(func() (err error) {
		begun, err = f.tell(l, begun)
		return err
	})
}

// tell tells the levels that have ended, and returns how many have begun. A level has ended
// if an earlier copy has seen the next one begin: its note may still have been written to
// during that copy, but not during this one.
func (f *fusedSpace) tell(l *loop, begun int) (int, error) {
	notes := make([]gpu.LevelNote, min(notesTold, int(f.args.engine.Room)-l.told))
	if len(notes) < 2 {
		return begun, nil
	}
	first := l.told
	if err := f.persist.ReadNotes(notes, first); err != nil {
		return begun, fmt.Errorf("bfs: %w", err)
	}
	for i := range min(len(notes), begun-first) - 1 {
		if notes[i].Frontier == 0 { // a heavy push: what is in its frontier is known at the end
			break
		}
		level := levelOf(&notes[i], first+i)
		level.Took = time.Duration(notes[i+1].Began - notes[i].Began)
		if err := l.tellNext(level); err != nil {
			return begun, err
		}
	}
	begun = first
	for i := 0; i < len(notes) && notes[i].Began != 0; i++ {
		begun++
	}
	return begun, nil
}

// tellNext is tellLevel for a search in one kernel. The error is the search's: of its
// context, or device.ErrClosed for a placed graph that was closed.
func (l *loop) tellNext(level Level) error {
	l.told += level.Levels
	if err := l.tellLevel(level); err != nil {
		return err
	}
	return l.s.err()
}
