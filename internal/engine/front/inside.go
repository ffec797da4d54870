// This file holds what operators alone use of a frontier.

package front

import "github.com/foray-graph/foray/graph"

// Inside is the part of a frontier.Frontier that operators alone use. The frontier embeds it. Its
// methods check nothing that would cost a traversal time.
type Inside struct {
	S         State
	R         *Remote // on a GPU, else nil; for Remote
	Scattered bool    // the queue is in pieces

	pieces []Piece // of the list, where the queue is scattered
}

// Remote returns the frontier's part on a GPU, nil on the host.
func (f *Inside) Remote() *Remote { return f.R }

// Placed returns the graph that the frontier belongs to.
func (f *Inside) Placed() *graph.Placed { return f.S.P }

// Words returns the number of 64-bit words that a bitmap has.
func (f *Inside) Words() int { return f.S.Words() }

// Queue returns the entries themselves if the frontier is a queue on the host, else nil. The slice belongs to the
// frontier and is valid until it changes.
func (f *Inside) Queue() []uint32 {
	list := f.Buffer()
	if list == nil {
		return nil
	}
	f.Gather()
	return list[:int(f.S.Length.Load())]
}

// Bits returns the words themselves if the frontier is a bitmap on the host, else nil. Bit v%64 of word v/64 stands
// for vertex v.
func (f *Inside) Bits() []uint64 {
	if f.S.Form != Bitmap || f.S.Bits == nil {
		return nil
	}
	return f.S.Bits.Host()
}

// Piece is a run of entries of a host queue's buffer.
type Piece struct{ First, Len int }

// Pieces returns where the entries of a host queue lie: they are the pieces of
// buffer, in their order. Both last until the frontier changes, or is read by
// any other method than Len.
func (f *Inside) Pieces() (buffer []uint32, pieces []Piece) {
	if buffer = f.Buffer(); buffer == nil {
		return nil, nil
	}
	if !f.Scattered {
		f.pieces = append(f.pieces[:0], Piece{Len: int(f.S.Length.Load())})
	}
	return buffer, f.pieces
}

// SetPieces says that an operator has left the entries of a host queue as these
// pieces of its buffer (Room), ascending and apart. They are copied. Other methods
// find the entries together, as ever.
func (f *Inside) SetPieces(pieces []Piece) {
	n := 0
	for _, p := range pieces {
		n += p.Len
	}
	f.pieces = append(f.pieces[:0], pieces...)
	f.Scattered = true
	f.S.Length.Store(int64(n))
}

// Gather moves the pieces together.
func (f *Inside) Gather() {
	if !f.Scattered {
		return
	}
	f.Scattered = false
	list, at := f.S.List.Host(), 0
	for _, p := range f.pieces {
		if p.First != at {
			copy(list[at:], list[p.First:p.First+p.Len])
		}
		at += p.Len
	}
}

// Buffer returns a queue's buffer as the host can address it: nil on a GPU, and where there
// is none.
func (f *Inside) Buffer() []uint32 {
	if f.S.Form != Queue {
		return nil
	}
	return f.S.List.Host()
}

// Spare returns the part of a host queue's buffer behind its entries, Slack included.
// Reserve makes entries written there part of the queue. It is nil for a bitmap, and on a
// GPU.
func (f *Inside) Spare() []uint32 {
	list := f.Buffer()
	if list == nil {
		return nil
	}
	f.Gather()
	return list[int(f.S.Length.Load()):]
}

// Room returns the whole buffer of a host queue, Slack included, for workers
// that fill what they reserved: entry i of the queue is Room()[i]. It is nil
// for a bitmap, and on a GPU.
func (f *Inside) Room() []uint32 {
	f.Gather()
	return f.Buffer()
}

// Reserve lengthens the queue by k entries and returns the index of the first,
// which the caller then fills. It is safe for concurrent use. It makes no room:
// the caller sees to that with Grow beforehand.
func (f *Inside) Reserve(k int) int { return int(f.S.Length.Add(int64(k))) - k }

// SetLen sets the number of entries that an operator has left in the frontier: no more than
// the queue has room for, and exactly as many as a bitmap has bits set.
func (f *Inside) SetLen(k int) {
	if k > 0 {
		f.Gather()
	}
	f.Scattered = false
	f.S.Length.Store(int64(k))
}
