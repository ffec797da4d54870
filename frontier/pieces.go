// This file holds queues in pieces: the entries that the workers of an operator
// wrote, each into its own range, are compacted only on demand.

package frontier

// Piece is a run of entries of a host queue's buffer.
type Piece struct{ First, Len int }

// Pieces returns the entries of a host queue as pieces of buffer, in their order.
// Both are valid until the frontier changes, or any other method than Len reads
// it.
func (f *Frontier) Pieces() (buffer []uint32, pieces []Piece) {
	if buffer = f.buffer(); buffer == nil {
		return nil, nil
	}
	if !f.scattered {
		f.pieces = append(f.pieces[:0], Piece{Len: f.Len()})
	}
	return buffer, f.pieces
}

// SetPieces records that an operator has left the entries of a host queue as these
// pieces of its buffer (Room), ascending and disjoint. They are copied. Other
// methods first compact the entries.
func (f *Frontier) SetPieces(pieces []Piece) {
	n := 0
	for _, p := range pieces {
		n += p.Len
	}
	f.pieces = append(f.pieces[:0], pieces...)
	f.scattered = true
	f.s.Length.Store(int64(n))
}

// gather moves the pieces together.
func (f *Frontier) gather() {
	if !f.scattered {
		return
	}
	f.scattered = false
	list, at := f.s.List.Host(), 0
	for _, p := range f.pieces {
		if p.First != at {
			copy(list[at:], list[p.First:p.First+p.Len])
		}
		at += p.Len
	}
}
