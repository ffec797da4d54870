// This file holds Maker, a generator whose edges a device makes.

package placed

// MakerKind is a kind of generator whose edges a device can make.
type MakerKind uint8

// The kinds.
const (
	RMAT MakerKind = iota
	Uniform
	Lattice
)

// Maker is a generator of package gen, in numbers: edge i of Edges is a function of them and i.
type Maker struct {
	Kind            MakerKind
	Edges, Vertices uint64
	Start           uint64 // of the random numbers of the first stretch
	// R-MAT: the tables of five levels and of those that are left, and the permutation.
	Scale      int
	Full, Rest []uint64
	Mul, Add   [3]uint32
	Mask       uint32
	Shift      uint8
	// A lattice: its sides, of which two dimensions have a third of 1, and the edges of all planes but the last.
	Dims  int
	Sides [3]uint64
	Plane uint64
	Torus bool
	// Weights, where the plan has them.
	Key       uint64
	Low, High float64
	Width     uint64 // how many whole ones there are; 0: any
}

// MakerOf returns what a device needs to know of a generator of package gen; nil of one whose edges no device makes.
func MakerOf(generator any) *Maker {
	if g, ok := generator.(interface{ Maker() *Maker }); ok {
		return g.Maker()
	}
	return nil
}
