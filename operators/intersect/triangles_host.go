// This file holds how the host counts triangles: in rows by degree, and in a bit matrix of
// the hubs, where most triangles of a skewed graph are.

package intersect

import (
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/internal/osmem/prefetch"
)

// trianglesHost is one count. It is a host.Job. For every vertex u it looks at the pairs
// w < v of its oriented row: for a hub v it joins v's bit row with u's, else it streams v's
// row through a bitmap of u's.
type trianglesHost struct {
	s    *host.Stream
	o    *oriented
	at   []uint32 // triangles of every vertex, or
	wide []uint64 // the same in 64 bits, or neither

	// Where edges may count twice: which do, and the bit rows of those between hubs.
	twice, twiceBits []uint64

	own  []*corner
	next atomic.Int64
}

// corner is what a worker has to itself.
type corner struct {
	total  uint64
	ranks  [ranksAtOnce]uint32 // of vertices with two neighbours or more
	words  []word              // of u's row, where it has hubs
	hubs   []uint64            // what hubs count
	bits   []uint64            // of u's row
	twice  []uint64            // of u's row
	filter [filterBits / 64]uint64
}

// word is a word of a bit row that isn't 0.
type word struct {
	mask, twice uint64
	at          uint32
}

// count counts triangles for a functor, where it can.
func (j *trianglesHost) count(s *host.Stream, p *graph.Placed, o Options, f Functor) (edges, common uint64, ok bool, err error) {
	var at []uint32
	var wide, twice []uint64
	each := uint64(1) // how often a triangle counts in all
	switch f := f.(type) {
	case *count:
		if ok = o.Triangles && f.perEdge == nil; !ok {
			return 0, 0, false, nil
		}
	case *corners:
		if at, ok = f.perVertex.Host(), o.Triangles; !ok {
			return 0, 0, false, nil
		}
	case *opposite:
		// Without Triangles each of a triangle's edges has the third vertex in common.
		if wide, twice, each, ok = f.perVertex.Host(), f.twice.Host(), 3, !o.Triangles; !ok {
			return 0, 0, false, nil
		}
	default:
		return 0, 0, false, nil
	}
	or, err := orientedOf(s, p)
	if err != nil || or == nil || twice != nil && or.order != nil {
		return 0, 0, false, err
	}
	total, err := j.run(s, or, at, wide, twice)
	return or.edges, each * total, true, err
}

func (j *trianglesHost) run(s *host.Stream, o *oriented, at []uint32, wide, twice []uint64) (total uint64, err error) {
	j.s, j.o, j.at, j.wide, j.twice = s, o, at, wide, twice
	if twice != nil {
		j.twiceBits = o.matrix(s, twice)
	}
	for len(j.own) < s.Workers() {
		j.own = append(j.own, &corner{})
	}
	bitmap := (len(o.begin) + 63) / 64
	for _, l := range j.own {
		if l.total = 0; len(l.bits) < bitmap {
			l.bits = make([]uint64, bitmap)
		}
		if twice != nil && len(l.twice) < bitmap {
			l.twice = make([]uint64, bitmap)
		}
		if len(l.hubs) < int(o.hubs) {
			l.hubs = make([]uint64, o.hubs)
		}
	}
	j.next.Store(0)
	s.Run(j)
	for _, l := range j.own {
		total += l.total
		for v, k := range l.hubs {
			if k > 0 {
				l.hubs[v] = 0
				j.add(uint32(v), k)
			}
		}
	}
	j.s, j.o, j.at, j.wide, j.twice, j.twiceBits = nil, nil, nil, nil, nil, nil
	return total, s.Err()
}

// add adds to the count of the vertex of a rank.
func (j *trianglesHost) add(r uint32, k uint64) {
	v := r
	if j.o.order != nil {
		v = j.o.order[r]
	}
	if j.wide != nil {
		atomic.AddUint64(&j.wide[v], k)
	} else {
		atomic.AddUint32(&j.at[v], uint32(k))
	}
}

// addFrom is add by a worker.
func (j *trianglesHost) addFrom(l *corner, r uint32, k uint64) {
	if r < j.o.hubs {
		l.hubs[r] += k
	} else {
		j.add(r, k)
	}
}

// Run is the share of one worker: ranks in groups.
func (j *trianglesHost) Run(worker int) {
	l, o := j.own[worker], j.o
	n := len(o.begin)
	for !j.s.Stopped() {
		lo := int(j.next.Add(ranksAtOnce)) - ranksAtOnce
		if lo >= n {
			return
		}
		// Of a mesh half of the rows are too short for a triangle, as good as at random: a branch there
		// would be predicted badly.
		k := 0
		for r := lo; r < min(lo+ranksAtOnce, n); r++ {
			l.ranks[k] = uint32(r)
			if o.end[r]-o.begin[r] > 1 {
				k++
			}
		}
		ranks := l.ranks[:k]
		for i, r := range ranks {
			// The rows of neighbours are anywhere in memory: where the next vertices have theirs is
			// fetched ahead. That of the first neighbour isn't looked at.
			if i+2 < len(ranks) {
				prefetch.Offsets(o.begin, o.row(ranks[i+2])[1:])
			}
			if i+1 < len(ranks) {
				prefetch.Seconds(o.targets, o.begin, o.row(ranks[i+1])[1:])
			}
			j.vertex(l, r, o.row(r))
		}
	}
}

// vertex counts the triangles of which u has the largest rank.
func (j *trianglesHost) vertex(l *corner, u uint32, row []uint32) {
	hubs := below(row, j.o.hubs)
	found, weight := uint64(0), uint64(0)
	if hubs > 1 {
		l.split(row[:hubs])
		switch {
		case j.twice != nil:
			j.markTwice(l, u, row[:hubs])
			found, weight = j.hubsTwice(l, u, row[:hubs])
		case j.at != nil || j.wide != nil:
			found = j.hubsAt(l, row[:hubs])
			weight = found
		default:
			found = j.hubs(l, row[:hubs])
		}
	}
	if hubs < len(row) {
		for _, w := range row {
			l.bits[w>>6] |= 1 << (w & 63)
			w %= filterBits
			l.filter[w>>6] |= 1 << (w & 63)
		}
		var f, k uint64
		if j.twice != nil {
			f, k = j.streamTwice(l, u, row, max(hubs, 1))
		} else {
			f = j.stream(l, row[max(hubs, 1):])
			k = f
		}
		found, weight = found+f, weight+k
		for _, w := range row {
			l.bits[w>>6] = 0
			l.filter[w%filterBits>>6] = 0
		}
	}
	l.total += found
	if found > 0 && (j.at != nil || j.wide != nil) {
		j.addFrom(l, u, weight)
	}
}

// split makes words of a row.
func (l *corner) split(row []uint32) {
	l.words = l.words[:0]
	for _, w := range row {
		at, mask := w>>6, uint64(1)<<(w&63)
		if k := len(l.words); k > 0 && l.words[k-1].at == at {
			l.words[k-1].mask |= mask
		} else {
			l.words = append(l.words, word{mask: mask, at: at})
		}
	}
}

// upTo returns the words that the bit row of v can have, too, of which the row of the vertex
// before v can have k.
func (l *corner) upTo(v uint32, k int) int {
	for k < len(l.words) && l.words[k].at <= v>>6 {
		k++
	}
	return k
}

// hubs counts the edges between the hubs of a row.
func (j *trianglesHost) hubs(l *corner, row []uint32) (found uint64) {
	k := 0
	for _, v := range row[1:] {
		k = l.upTo(v, k)
		other := j.o.bits[words(v):words(v+1)]
		for _, w := range l.words[:k] {
			found += uint64(bits.OnesCount64(w.mask & other[w.at]))
		}
	}
	return found
}

// hubsAt is hubs, and adds to the counts of both ends.
func (j *trianglesHost) hubsAt(l *corner, row []uint32) (total uint64) {
	k := 0
	for _, v := range row[1:] {
		k = l.upTo(v, k)
		other := j.o.bits[words(v):words(v+1)]
		found := uint64(0)
		for _, w := range l.words[:k] {
			x := w.mask & other[w.at]
			found += uint64(bits.OnesCount64(x))
			for ; x != 0; x &= x - 1 {
				l.hubs[w.at<<6+uint32(bits.TrailingZeros64(x))]++
			}
		}
		l.hubs[v] += found
		total += found
	}
	return total
}

// stream counts the common neighbours of u and of each of its neighbours.
func (j *trianglesHost) stream(l *corner, neighbours []uint32) (total uint64) {
	o := j.o
	for _, v := range neighbours {
		found := uint64(0)
		for _, w := range o.targets[o.begin[v]:o.end[v]] {
			if !l.has(w) {
				continue
			}
			found++
			if j.at != nil || j.wide != nil {
				j.addFrom(l, w, 1)
			}
		}
		if total += found; found > 0 && (j.at != nil || j.wide != nil) {
			j.addFrom(l, v, found)
		}
	}
	return total
}

// has reports whether u's row has w.
func (l *corner) has(w uint32) bool {
	f := w % filterBits
	return l.filter[f>>6]>>(f&63)&1 != 0 && l.bits[w>>6]>>(w&63)&1 != 0
}
