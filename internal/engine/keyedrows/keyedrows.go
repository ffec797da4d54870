// Package keyedrows lays out the memory in which a keyed reduce on a GPU totals rows that are too long for a table in shared
// memory (operators/reduce, keyed.cuh), and estimates it.
package keyedrows

import (
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
)

// Long is a long row (KeyedHub of keyed.cuh).
type Long struct {
	Edge, Slot           uint64
	V, Position          uint32
	Segment, Part, Chunk uint32
	Slots                uint32
}

// Batch is long rows that are totaled together.
type Batch struct {
	Rows                    []Long
	Edges, Slots            uint64
	Segments, Parts, Chunks uint32
}

func slotsOf(edges uint64) uint64 { return edges + edges/2 + 32 }

// Add adds a row. It reports whether there is room.
func (b *Batch) Add(v, position uint32, edges uint64) bool {
	if len(b.Rows) > 0 && b.Edges+edges > tuning.KeyedEdges {
		return false
	}
	slots := slotsOf(edges)
	b.Rows = append(b.Rows, Long{Edge: b.Edges, Slot: b.Slots, V: v, Position: position, Segment: b.Segments, Part: b.Parts, Chunk: b.Chunks, Slots: uint32(slots)})
	b.Edges, b.Slots = b.Edges+edges, b.Slots+slots
	segments := uint32((edges + Segment - 1) / Segment)
	b.Segments, b.Parts = b.Segments+segments, b.Parts+min(segments, MostParts)
	b.Chunks += uint32((slots + Segment - 1) / Segment)
	return true
}

// Layout is where the arrays of a batch begin, in bytes, and where the last one ends: the rows are at 0.
type Layout struct{ Totals, Picks, Keys, Slots, End uint64 }

// Layout lays out the batch.
func (b *Batch) Layout() Layout {
	return layout(uint64(len(b.Rows)), b.Edges, b.Slots, uint64(b.Chunks))
}

func layout(rows, edges, slots, chunks uint64) (l Layout) {
	l.Totals = LongBytes * rows
	l.Picks = l.Totals + 8*slots
	l.Keys = l.Picks + PickBytes*chunks
	l.Slots = l.Keys + 4*edges
	l.End = l.Slots + 4*slots
	return l
}

// Lengths are the rows of a placed graph, in one direction, that kernels put aside: how many have a table in shared memory,
// and which are longer.
type Lengths struct {
	Middles int
	Long    []uint32
	bits    []uint64 // a set of Long: 1/64 of the memory of offsets, which stays in a cache
}

// IsLong reports whether a vertex has a long row. There is no such vertex beyond the graph's.
func (l *Lengths) IsLong(v uint32) bool {
	return uint64(v) < uint64(len(l.bits))*64 && l.bits[v/64]>>(v%64)&1 != 0
}

type lengthsKey struct {
	placed.Of[*Lengths]
	in bool
}

// LengthsOf returns those of a placed graph, which keeps them.
func LengthsOf(p *graph.Placed, in bool) (*Lengths, error) {
	return placed.LoadOrMake(p.State(), lengthsKey{in: in}, func() (*Lengths, error) {
		l, offsets := &Lengths{}, Offsets(p, in)
		for v := range max(len(offsets), 1) - 1 {
			switch d := offsets[v+1] - offsets[v]; {
			case d > Longest:
				if l.bits == nil {
					l.bits = make([]uint64, (len(offsets)+62)/64)
				}
				l.bits[v/64] |= 1 << (v % 64)
				l.Long = append(l.Long, uint32(v))
			case d > Brief:
				l.Middles++
			}
		}
		return l, nil
	})
}

// Offsets returns where the rows of a direction begin, without fetching them. A graph without its reverse has no in-edges.
func Offsets(p *graph.Placed, in bool) []uint64 {
	if in {
		return p.Graph().State().InOffsets()
	}
	return p.Graph().State().Offsets()
}

// PositionBytes is what the rows that the kernel for short rows puts aside take, and, with values, the results of Apply for so
// many vertices.
func PositionBytes(middles, values uint64) uint64 { return 8 + 4*(middles+middles&1) + 8*values }

// Bytes returns the most that keyed reduces in one direction take of a GPU's memory, with a scalar.
func Bytes(p *graph.Placed) (most uint64) {
	for _, in := range []bool{false, true} {
		offsets := Offsets(p, in)
		l, err := LengthsOf(p, in)
		if err != nil {
			return most
		}
		edges, longest := uint64(0), uint64(0)
		for _, v := range l.Long {
			d := offsets[v+1] - offsets[v]
			edges, longest = edges+d, max(longest, d)
		}
		edges = min(edges, max(longest, tuning.KeyedEdges)) // of a batch, as below
		rows := min(uint64(len(l.Long)), edges/(Longest+1))
		slots := edges + edges/2 + 32*rows
		n := uint64(p.NumVertices())
		most = max(most, PositionBytes(n, n)+layout(rows, edges, slots, slots/Segment+rows).End)
	}
	return most
}
