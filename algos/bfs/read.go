// This file holds the read-based search and the switch between it and the
// queue.

package bfs

import (
	"sync/atomic"

	"github.com/foray-graph/foray/frontier"
)

// readFrom is the share of all vertices from which a frontier is read from the
// level array: 1/readFrom. Hong et al. switch at about 3%; measured here (see
// bench/NOTES.md), reading pays later, since the queue's vertices are in cache.
const readFrom = 16

// readLoop keeps no queue while the frontier is large; with hybrid false it
// never keeps one. The level array says what was visited.
func readLoop(s *Space, l *Loop, hybrid bool) error {
	depths := s.Visitor.Depths
	f := &levelVisitor{depths: depths, parents: s.Visitor.Parents}
	m := marks{s: s}
	m.clear()
	n := s.Placed.NumVertices()
	size, queued := s.Cur.Len(), true
	for _, v := range s.Cur.Queue() {
		depths[v] = 0
	}
	for {
		if len(l.targets) > 0 {
			for _, t := range l.targets {
				if depths[t] >= 0 {
					l.seen[t>>6] |= 1 << (t & 63)
				}
			}
		}
		if !l.Next(size) {
			break
		}
		f.level = l.Level
		if hybrid && size < n/readFrom {
			if !queued {
				if err := m.gather(l.Level - 1); err != nil {
					return err
				}
				queued = true
			}
			edges, err := s.Advance.Push(s.Cur, s.Next, f)
			if err != nil {
				return err
			}
			l.Done(Push, "queue", edges)
			s.Cur, s.Next = s.Next, s.Cur
			size = s.Cur.Len()
			continue
		}
		edges, found, err := s.Advance.PushLevel(depths, l.Level-1, f)
		if err != nil {
			return err
		}
		l.Done(Push, "levels", edges)
		size, queued = found, false
	}
	m.seen()
	return s.Stream.Err()
}

// marks does what the read-based search needs passes over all vertices for. It
// is a host.Job.
type marks struct {
	s     *Space
	what  int
	level int32
	next  atomic.Int64
}

const (
	marksClear  = iota // every depth to -1
	marksGather        // the vertices of a level into Cur
	marksSeen          // the visited bitmap from the depths
)

func (m *marks) run(what int) {
	m.what = what
	m.next.Store(0)
	m.s.Stream.Run(m)
}

func (m *marks) clear() { m.run(marksClear) }
func (m *marks) seen()  { m.run(marksSeen) }

func (m *marks) gather(level int32) error {
	if err := m.s.Cur.Reset(frontier.Queue); err != nil {
		return err
	}
	m.level = level
	m.run(marksGather)
	return m.s.Stream.Err()
}

// Run is the share of one worker: words of 64 vertices.
func (m *marks) Run(int) {
	depths, seen := m.s.Visitor.Depths, m.s.Visitor.Seen
	var found [fillChunk * 64]uint32
	for {
		i := int(m.next.Add(fillChunk)) - fillChunk
		if i >= len(seen) {
			return
		}
		hi := min(i+fillChunk, len(seen))
		part := depths[i*64 : min(hi*64, len(depths))]
		switch m.what {
		case marksClear:
			fillRange(depths, i*64, i*64+len(part), -1)
		case marksGather:
			k := 0
			for v, d := range part {
				if d == m.level {
					found[k] = uint32(i*64 + v)
					k++
				}
			}
			if k > 0 {
				at := m.s.Cur.Reserve(k)
				copy(m.s.Cur.Room()[at:], found[:k])
			}
		case marksSeen:
			for w := i; w < hi; w++ {
				seen[w] = 0
			}
			for v, d := range part {
				if d >= 0 {
					seen[i+v>>6] |= 1 << (v & 63)
				}
			}
		}
	}
}
