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
