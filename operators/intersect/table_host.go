// This file holds the intersection by a table: a bitmap of one row, which serves
// all edges out of its vertex.

package intersect

// table is a bitmap of one row.
type table struct {
	bits  []uint64
	row   []uint32 // in it
	owner uint32   // whose row it is, where row isn't nil
}

// hold makes the table that of vertex u's row, in a graph of n vertices. One call
// after the other for the same vertex costs nothing.
func (t *table) hold(u uint32, row []uint32, n int) {
	if t.row != nil && t.owner == u {
		return
	}
	t.forget()
	if len(t.bits) < (n+63)/64 {
		t.bits = make([]uint64, (n+63)/64)
	}
	for _, v := range row {
		t.bits[v>>6] |= 1 << (v & 63)
	}
	t.row, t.owner = row, u
}

// forget empties the table.
func (t *table) forget() {
	for _, v := range t.row {
		t.bits[v>>6] = 0
	}
	t.row = nil
}

// find writes the entries of b that are in the table to out, which is as long,
// each once. last is the entry before the first. It returns how many it wrote,
// and the last entry of b.
func (t *table) find(b, out []uint32, last uint32) (k int, was uint32) {
	for _, x := range b {
		out[k] = x
		fresh := 0
		if x != last {
			fresh = 1
		}
		k += int(t.bits[x>>6]>>(x&63)) & fresh
		last = x
	}
	return k, last
}
