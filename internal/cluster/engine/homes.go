// This file holds where vertices live: the rank that is the home of an id, and the
// id's number there.

package engine

import "math/bits"

// place is the location of a vertex: a delegate's number with isDelegate set, or a normal
// vertex's owner and its number there.
type place uint64

const isDelegate place = 1 << 63

func at(owner int, local uint32) place { return place(owner)<<32 | place(local) }
func delegate(number uint32) place     { return isDelegate | place(number) }
func (p place) delegate() bool         { return p&isDelegate != 0 }
func (p place) owner() int             { return int(p >> 32 &^ (1 << 31)) }
func (p place) local() uint32          { return uint32(p) }

// homes deals vertices out to ranks.
type homes struct {
	size  uint64
	dense bool
}

// spin is by how much the dealing of a row of dense ids is turned, so that no rank
// gets all ids of some pattern, such as all even ones.
func (h homes) spin(row uint64) uint64 {
	hi, _ := bits.Mul64(mix(row), h.size)
	return hi
}

// deal returns the home of a dense id and its number there: ids come in rows of one
// for each rank.
func (h homes) deal(id uint64) (rank int, local uint64) {
	row := id / h.size
	r := id - row*h.size + h.spin(row)
	if r >= h.size {
		r -= h.size
	}
	return int(r), row
}

// dealt is the inverse of deal.
func (h homes) dealt(rank int, local uint64) uint64 {
	r := uint64(rank) + h.size - h.spin(local)
	if r >= h.size {
		r -= h.size
	}
	return local*h.size + r
}

// of returns the home of an id that isn't dense.
func (h homes) of(id uint64) int {
	hi, _ := bits.Mul64(mix(id), h.size)
	return int(hi)
}

// count is how many of n dense ids have their home at a rank.
func (h homes) count(rank int, n uint64) uint64 {
	rows := n / h.size
	if n%h.size != 0 && h.dealt(rank, rows) < n {
		rows++
	}
	return rows
}

// dd is the rank that has the edges between two delegates, in both directions.
func (h homes) dd(a, b uint32) int {
	return h.of(uint64(min(a, b))<<32 | uint64(max(a, b)))
}
