// This file holds how the rows of the result are written.

package graph

// patcher writes a part of the rows.
type patcher struct {
	c        *crew
	base, to *CSR
	adds     bool
	checks   bool   // that the rows that change ascend
	out      uint64 // where the next entry goes
	*finder
}

// put writes entries lo to hi-1 of from.
func (x *patcher) put(from *CSR, lo, hi uint64) {
	copy(x.to.Targets[x.out:], from.Targets[lo:hi])
	if x.to.Weights != nil {
		copy(x.to.Weights[x.out:], from.Weights[lo:hi])
	}
	if x.to.EdgeIDs != nil {
		copy(x.to.EdgeIDs[x.out:], from.EdgeIDs[lo:hi])
	}
	x.out += hi - lo
}

// insert writes entry k of delta.
func (x *patcher) insert(delta *cells, k int) {
	x.to.Targets[x.out] = delta.targets[k]
	if x.to.Weights != nil {
		x.to.Weights[x.out] = delta.weights[k]
	}
	if x.to.EdgeIDs != nil {
		x.to.EdgeIDs[x.out] = delta.ids[k]
	}
	x.out++
}

// patch writes the rows of a part. Entries between two changes are copied at once, over any number of rows. If patch
// checks the order and a row of the base doesn't ascend, it stops and returns false.
func (x *patcher) patch(p *patch) (ok bool) {
	base, old := x.base, x.base.NumVertices()
	done := base.Offsets[min(p.lo, old)] // entries of the base before are written
	v, k := p.lo, 0
	// offsets writes where the rows up to that of end begin: nothing changes between them.
	offsets := func(end int) {
		shift := x.out - done
		for ; v <= min(end, old-1); v++ {
			x.to.Offsets[v] = base.Offsets[v] + shift
		}
		for ; v <= end; v++ {
			x.to.Offsets[v] = base.Offsets[old] + shift
		}
	}
	for i, r := range p.rows {
		if x.c.stopped(4 * i) {
			return true // and each says why
		}
		offsets(int(r.v))
		first := base.Offsets[min(int(r.v), old)]
		last := base.Offsets[min(int(r.v)+1, old)]
		if x.checks && !ascends(base.Targets[first:last]) {
			return false
		}
		if !r.unsorted {
			done = x.row(base, 0, done, last, p, k, r.end)
		} else {
			x.put(base, done, first)
			row := x.sort(base.row(first, last))
			s := &CSR{Targets: row.targets, Weights: row.weights, EdgeIDs: row.ids}
			end := x.row(s, first, 0, last-first, p, k, r.end)
			x.put(s, end, last-first)
			done = last
		}
		k = r.end
	}
	offsets(p.hi - 1)
	x.put(base, done, base.Offsets[min(p.hi, old)])
	return true
}

// row writes the changes of a row: entries k to end-1 of delta. from has the entries of the base, beginning with the
// base's entry origin. They are written up to done, and the row ends at last. row returns the end of the entries
// that are written.
func (x *patcher) row(from *CSR, origin, done, last uint64, p *patch, k, end int) uint64 {
	for ; k < end; k++ {
		at := p.at[k]
		if at == 0 {
			continue
		}
		place := at&patchPlace - origin
		x.put(from, done, place)
		done = place
		if at&patchInserts != 0 {
			x.insert(&p.delta, k)
		}
		if at&patchDrops != 0 {
			done++
			for !x.adds && done < last && from.Targets[done] == p.delta.targets[k] {
				done++
			}
		}
	}
	return done
}
