// This file holds a worker's memory: the places of vertices in a row, and sets.

package kclique

import "math/bits"

// places finds the place of a vertex in a row: a hash table with linear probing, at most half full.
type places struct {
	keys  []uint32 // plus 1; 0 is free
	place []int32
	shift int
}

func newPlaces(longest int) places {
	size := 2 << bits.Len(uint(longest))
	return places{keys: make([]uint32, size), place: make([]int32, size), shift: 32 - bits.Len(uint(size-1))}
}

// home is where the search for a vertex begins (Fibonacci hashing).
func (p *places) home(v uint32) int { return int(v * 0x9e3779b9 >> p.shift) }

func (p *places) set(row []uint32) {
	for i, v := range row {
		at := p.home(v)
		for p.keys[at] != 0 {
			at = (at + 1) & (len(p.keys) - 1)
		}
		p.keys[at], p.place[at] = v+1, int32(i)
	}
}

// of returns the place of a vertex, or -1.
func (p *places) of(v uint32) int32 {
	for at := p.home(v); ; at = (at + 1) & (len(p.keys) - 1) {
		switch p.keys[at] {
		case v + 1:
			return p.place[at]
		case 0:
			return -1
		}
	}
}

// reset removes the row.
func (p *places) reset(row []uint32) {
	for _, v := range row {
		for at := p.home(v); p.keys[at] != 0; at = (at + 1) & (len(p.keys) - 1) {
			p.keys[at] = 0
		}
	}
}

// stack is memory that is given back in the reverse order.
type stack struct {
	blocks [][]uint64
	at     mark
}

// mark is how much is taken: all of the blocks before, and so many words of that block.
type mark struct{ block, words int }

func (s *stack) mark() mark { return s.at }

func (s *stack) release(to mark) { s.at = to }

// take returns memory that is 0.
func (s *stack) take(words int) []uint64 {
	for s.at.block < len(s.blocks) && s.at.words+words > len(s.blocks[s.at.block]) {
		s.at = mark{block: s.at.block + 1}
	}
	if s.at.block == len(s.blocks) {
		s.blocks = append(s.blocks, make([]uint64, max(words, 1<<14)))
	}
	x := s.blocks[s.at.block][s.at.words:][:words:words]
	s.at.words += words
	clear(x)
	return x
}
