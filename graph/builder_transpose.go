// This file holds how the reverse of rows is made, and the upper half of those
// of an undirected graph.

package graph

// transpose adds every entry of the sorted rows of from to the row of its
// target in to. r has the buckets of to, and ends the current ends of its rows.
// upper means that from and to are the same rows, with the entries up to the
// vertex itself: they are appended to its rows, except self-loops.
func (b *build) transpose(r *rowBuckets, from *CSR, ends []uint64, to *CSR, upper bool) error {
	t := transposing{r: r, from: from, ends: from.Offsets[1:], read: make([]uint32, from.NumVertices()), upper: upper}
	if upper {
		t.ends = ends
	} else {
		copy(ends, to.Offsets)
	}
	// Every worker reads a range of rows, and the parts of a bucket are read
	// in the order of the workers: rows fill in ascending order.
	starts := balance(from, t.ends, b.workers)
	most := uint64(len(to.Targets))
	if upper {
		most /= 2
	}
	if b.frugal {
		most /= transposeWindows
	}
	most = max(most, b.window)
	for t.first = 0; t.first < r.len(); t.first = t.end {
		t.end = window(r, to, ends, t.first, most)
		writers := make([]*scatter, b.workers)
		err := b.each("transpose", b.workers, func(_, i int) error {
			s := newScatter(b.pool, t.end-t.first)
			writers[i] = s
			for first := starts[i]; first < starts[i+1]; first += 4096 {
				if err := b.ctx.Err(); err != nil {
					return err
				}
				t.scatter(s, first, min(first+4096, starts[i+1]))
			}
			return nil
		})
		lists := gather(writers, t.end-t.first)
		if err != nil {
			return err
		}
		err = b.each("fill reverse rows", len(lists), func(_, k int) error {
			fill(to, ends, lists[k])
			b.pool.putAll(lists[k])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// window returns where the buckets end that are filled in one step, from the
// first one on: those for about so many entries.
func window(r *rowBuckets, to *CSR, ends []uint64, first int, most uint64) int {
	sum, k := uint64(0), first
	for k < r.len() {
		for v := r.starts[k]; v < r.starts[k+1]; v++ {
			sum += to.Offsets[v+1] - ends[v]
		}
		k++
		if sum >= most {
			break
		}
	}
	return k
}

// transposing is a run of transpose.
type transposing struct {
	r          *rowBuckets
	from       *CSR
	ends       []uint64 // of the rows of from
	read       []uint32 // how much of a row was read in the steps before
	upper      bool
	first, end int // the buckets of this step
}

// scatter writes the entries of the rows from first to end-1 that belong to
// this step.
func (t *transposing) scatter(s *scatter, first, end int) {
	from, of, shift := t.from, t.r.of, t.r.shift
	cur, pos := s.cur, s.pos[:len(s.cur)]
	limit := uint32(t.r.starts[t.end]) // a graph has at most 2^32-1 vertices
	starts, read, ends := from.Offsets[first:end], t.read[first:end], t.ends[first:end]
	ends, starts = ends[:len(read)], starts[:len(read)]
	for i := range read {
		v := first + i
		below := limit
		if t.upper {
			// The row ends with itself, or with what steps before have added.
			below = min(below, uint32(v))
		}
		e, last := starts[i]+uint64(read[i]), ends[i]
		for ; e < last; e++ {
			target := from.Targets[e]
			if target >= below {
				break
			}
			k := int(of[target>>shift]) - t.first
			at := pos[k]
			if at == chunkLen {
				s.turn(k)
				at = 0
			}
			cur[k][at] = pairOf(target, uint32(v))
			if from.Weights != nil {
				s.weigh(k, at, from.Weights[e])
			}
			if from.EdgeIDs != nil {
				s.mark(k, at, from.EdgeIDs[e])
			}
			pos[k] = at + 1
		}
		read[i] = uint32(e - starts[i])
	}
}

// balance cuts rows that end at ends into parts of about equally many entries
// and returns where they start.
func balance(c *CSR, ends []uint64, parts int) []int {
	total := uint64(0)
	for v, end := range ends {
		total += end - c.Offsets[v]
	}
	starts, sum := []int{0}, uint64(0)
	for v, end := range ends {
		for uint64(len(starts)) < uint64(parts) && sum >= total/uint64(parts)*uint64(len(starts)) && sum > 0 {
			starts = append(starts, v)
		}
		sum += end - c.Offsets[v]
	}
	for len(starts) <= parts {
		starts = append(starts, len(ends))
	}
	return starts
}
