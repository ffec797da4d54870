// This file holds how entries are read.

package frontier

// Vertices returns a copy of the entries: of a queue in its order, of a bitmap
// ascending. ReadErr returns an error if a copy from a GPU failed.
func (f *Frontier) Vertices() []uint32 {
	if f.Len() == 0 {
		return nil
	}
	if f.Form() == All {
		vs := make([]uint32, f.S.N)
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
	list := f.Buffer()
	if list == nil {
		return nil
	}
	f.Gather()
	return list[:f.Len()]
}

// Bits returns the words themselves if the frontier is a bitmap on the host, else nil. Bit
// v%64 of word v/64 stands for vertex v.
func (f *Frontier) Bits() []uint64 {
	if f.Form() != Bitmap || f.S.Bits == nil {
		return nil
	}
	return f.S.Bits.Host()
}
