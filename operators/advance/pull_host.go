// This file holds Pull on the host: candidates by words of the bitmap, first
// probe from a separate array, then the row.

package advance

import (
	"math/bits"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/osmem/prefetch"
	"github.com/foray-graph/foray/operators"
)

// pullHost is one Pull. It is a host.Job.
type pullHost struct {
	a     *onHost
	csr   *graph.CSR
	prep  *placed.Prepared
	in    []uint64
	seen  []uint64
	out   []uint64
	sink  Sink
	edges edgeSink      // the sink, if it asks for edges
	picky rejectingSink // if it may reject them
	next  counter
	alone bool
}

func (j *pullHost) run(in, seen, out *frontier.Frontier, sink Sink) (uint64, error) {
	s := j.a.s
	g := j.a.p.Graph()
	if err := out.Reset(frontier.Bitmap); err != nil {
		return 0, err
	}
	j.csr, j.prep = g.In(), j.a.p.State().Prepare()
	j.in, j.seen, j.out, j.sink = in.Bits(), seen.Bits(), out.Bits(), sink
	j.edges, _ = sink.(edgeSink)
	j.picky, _ = sink.(rejectingSink)
	clear(j.out[j.prep.Words:])
	j.a.reset()
	j.next.n.Store(0)
	j.alone = s.Workers() == 1
	s.Run(j)
	edges, found := j.a.totals()
	out.SetLen(found)
	j.in, j.seen, j.out, j.sink, j.edges, j.picky = nil, nil, nil, nil, nil, nil
	return edges, s.Err()
}

// Run is the share of one worker.
func (j *pullHost) Run(worker int) {
	l := &j.a.own[worker]
	w := operators.Worker{ID: worker, Level: j.a.Level, Alone: j.alone}
	for !j.a.s.Stopped() {
		i := int(j.next.n.Add(1)) - 1
		if i >= len(j.prep.Cuts)-1 {
			break
		}
		j.words(w, l, int(j.prep.Cuts[i]), int(j.prep.Cuts[i+1]))
	}
	j.tell(w, l)
}

// words pulls for the candidates of a range of words. The rows of those whose
// first probe missed are prefetched, and looked through a word later.
func (j *pullHost) words(w operators.Worker, l *local, lo, hi int) {
	in, first := j.in, j.prep.First
	visited := uint64(0)
	var last pulled
	side := 0
	for i := lo; i < hi; i++ {
		candidates := ^(j.seen[i] | j.prep.NoIn[i])
		if candidates == 0 {
			j.out[i] = 0
			continue
		}
		visited += uint64(bits.OnesCount64(candidates))
		if l.found+2*64 > foundTile {
			if j.picky != nil { // takes bits out of words that are written
				visited += j.finish(l, last, nil)
				last = pulled{}
			}
			j.tell(w, l)
		}
		hits, k := uint64(0), 0
		base := uint32(i) << 6
		found, missed := l.found, &l.misses[side]
		for c := candidates; c != 0; c &= c - 1 {
			v := base | uint32(bits.TrailingZeros64(c))
			u := first[v]
			bit := in[u>>6] >> (u & 63) & 1
			hits |= bit << (v & 63)
			// Both are written, one of them counts: no branch to mispredict.
			l.vertices[found&(foundTile-1)] = v
			l.parents[found&(foundTile-1)] = u
			missed[k&63] = v
			found += int(bit)
			k += int(1 - bit)
		}
		l.found = found
		visited += j.finish(l, last, missed[:k])
		last = pulled{word: i, hits: hits, misses: missed[:k]}
		side = 1 - side
	}
	visited += j.finish(l, last, nil)
	l.visited += visited
}

// pulled is a word whose first probes are done.
type pulled struct {
	word   int
	hits   uint64
	misses []uint32 // nil where there is no word
}

// finish looks through the rows of a word and writes it, and prefetches those of the next
// word, a few in turn: a core has at most 10 to 16 outstanding loads from memory, and stalls
// on more. It returns the number of visited edges.
func (j *pullHost) finish(l *local, p pulled, next []uint32) (visited uint64) {
	misses := p.misses
	for len(next) > 0 || len(misses) > 0 {
		ahead, now := min(rowsAhead, len(next)), min(rowsAhead, len(misses))
		prefetch.Seconds(j.csr.Targets, j.csr.Offsets, next[:ahead])
		more, looked := j.rows(l, misses[:now])
		p.hits |= more
		visited += looked
		next, misses = next[ahead:], misses[now:]
	}
	if p.misses != nil {
		j.out[p.word] = p.hits
	}
	return visited
}

// rows looks through the rows of candidates of one word whose first probe
// missed. It returns the bits of those that found a neighbour in the frontier
// and the edges looked at.
func (j *pullHost) rows(l *local, misses []uint32) (hits, visited uint64) {
	in, offsets, targets := j.in, j.csr.Offsets, j.csr.Targets
	found := l.found
	for _, v := range misses {
		row := targets[offsets[v]+1 : offsets[v+1]]
		for e, u := range row {
			if in[u>>6]>>(u&63)&1 != 0 {
				hits |= 1 << (v & 63)
				l.vertices[found&(foundTile-1)] = v
				l.parents[found&(foundTile-1)] = u
				found++
				row = row[:e+1]
				break
			}
		}
		visited += uint64(len(row))
	}
	l.found = found
	return hits, visited
}

// tell passes on what was found.
func (j *pullHost) tell(w operators.Worker, l *local) {
	if l.found == 0 {
		return
	}
	switch {
	case j.picky != nil:
		j.lookUp(l)
		j.ask(w, l)
	case j.edges != nil:
		j.lookUp(l)
		j.edges.FoundEdges(w, l.vertices[:l.found], l.parents[:l.found], l.foundBy[:l.found])
	default:
		j.sink.Found(w, l.vertices[:l.found], l.parents[:l.found])
	}
	l.emitted += l.found
	l.found = 0
}

// ask asks a sink about edges, and for those that it rejects looks along the row for others,
// until all are accepted or none are left.
func (j *pullHost) ask(w operators.Worker, l *local) {
	if l.accepted == nil {
		l.accepted = make([]bool, foundTile)
	}
	in, offsets, targets := j.in, j.csr.Offsets, j.csr.Targets
	for n := l.found; n > 0; {
		vs, parents, edges, hits := l.vertices[:n], l.parents[:n], l.foundBy[:n], l.accepted[:n]
		clear(hits)
		j.picky.HitEdges(w, vs, parents, edges, hits)
		n = 0
		for i, hit := range hits {
			if hit {
				continue
			}
			v, e := vs[i], edges[i]+1
			row := targets[e:offsets[v+1]]
			k := 0
			for k < len(row) && in[row[k]>>6]>>(row[k]&63)&1 == 0 {
				k++
			}
			l.visited += uint64(min(k+1, len(row)))
			if k == len(row) {
				j.out[v>>6] &^= 1 << (v & 63)
				l.found--
				continue
			}
			vs[n], parents[n], edges[n] = v, row[k], e+uint64(k)
			n++
		}
	}
}

// lookUp looks the edges up. A row was looked through up to the parent, which is
// mostly near its beginning and in the cache still; were the place noted when it was
// found, sinks that don't ask would pay for it.
func (j *pullHost) lookUp(l *local) {
	if l.foundBy == nil {
		l.foundBy = make([]uint64, foundTile)
	}
	offsets, targets := j.csr.Offsets, j.csr.Targets
	for i, v := range l.vertices[:l.found] {
		e, u := offsets[v], l.parents[i]
		for targets[e] != u {
			e++
		}
		l.foundBy[i] = e
	}
}
