// This file holds the parts of a frontier that operators read and write in place.

package frontier

// Vertices returns a copy of the entries: of a queue in its order, of a bitmap
// ascending. ReadErr returns an error if a copy from a GPU failed.
func (f *Frontier) Vertices() []uint32 {
	if f.Len() == 0 {
		return nil
	}
	if f.s.Form == All {
		vs := make([]uint32, f.s.N)
		for v := range vs {
			vs[v] = uint32(v)
		}
		return vs
	}
	return f.at().vertices()
}

// Queue returns the entries themselves if the frontier is a queue on the host,
// else nil. The slice belongs to the frontier and is valid until it changes.
func (f *Frontier) Queue() []uint32 {
	list := f.buffer()
	if list == nil {
		return nil
	}
	f.gather()
	return list[:f.Len()]
}

// buffer returns a queue's buffer if the host can address it: nil on a GPU, and if there
// is no buffer.
func (f *Frontier) buffer() []uint32 {
	if f.s.Form != Queue {
		return nil
	}
	return f.s.List.Host()
}

// Bits returns the words themselves if the frontier is a bitmap on the host, else nil. Bit
// v%64 of word v/64 stands for vertex v. Callers that write them set the length with
// SetLen.
func (f *Frontier) Bits() []uint64 {
	if f.s.Form != Bitmap || f.s.Bits == nil {
		return nil
	}
	return f.s.Bits.Host()
}

// Spare returns the part of a host queue's buffer behind its entries, Slack included.
// Reserve makes entries written there part of the queue. It is nil for a bitmap, and on a
// GPU.
func (f *Frontier) Spare() []uint32 {
	list := f.buffer()
	if list == nil {
		return nil
	}
	f.gather()
	return list[f.Len():]
}

// Room returns the whole buffer of a host queue, Slack included, for workers
// that fill what they reserved: entry i of the queue is Room()[i]. It is nil
// for a bitmap, and on a GPU.
func (f *Frontier) Room() []uint32 {
	f.gather()
	return f.buffer()
}

// Reserve lengthens the queue by k entries and returns the index of the first,
// which the caller then fills. It is safe for concurrent use. It makes no room:
// the caller must call Grow before.
func (f *Frontier) Reserve(k int) int { return int(f.s.Length.Add(int64(k))) - k }

// SetLen sets the number of entries that an operator has left in the frontier: no more than
// the queue has room for, and exactly as many as a bitmap has bits set.
func (f *Frontier) SetLen(k int) {
	if k > 0 {
		f.gather()
	}
	f.scattered = false
	f.s.Length.Store(int64(k))
}
