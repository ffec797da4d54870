// This file holds the interface of engines, which search on a rank, and the loop over levels.

package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

// Direction is the direction in which a subgraph is searched.
type Direction uint8

// The directions. Hosts always push along edges between normal vertices.
const (
	Either Direction = iota // whatever is less work, of each subgraph on its own
	Push
	Pull // if possible
)

// SearchOptions are the settings of a search. They are the same on all ranks.
type SearchOptions struct {
	Parents bool
	// DepthLimit ends the search after this number of levels below the sources: no depth is larger.
	// 0 means no limit.
	DepthLimit int
	// Targets end the search once all are reached.
	Targets []int64
	// Twice sends vertices repeatedly that a message has repeatedly. By default they are dropped before, which takes 2 ns a vertex.
	// It has no effect on GPUs.
	Twice bool
	// LocalAllToAll lets the ranks of a machine exchange among themselves first, so that all their vertices for a
	// rank of another machine go there in one message. It has no effect if all ranks are on one machine, if each is
	// on a different machine, or on GPUs.
	LocalAllToAll bool
	// Discard leaves the depths where they are on GPUs: the result has neither depths nor parents, and TraversedEdges is 0.
	Discard bool
	// Timed makes GPUs time the computation and the exchange of a level, which takes some microseconds a level.
	Timed bool
	// kernels makes GPUs time each kernel.
	kernels bool
	// Directions are the directions along nd, dd, dn and nn. Pulls need an undirected graph.
	Directions [subgraphs]Direction
}

// Level has the statistics of a level: sums over all ranks; of times the longest.
type Level struct {
	Depth    int32
	Frontier uint64
	Edges    uint64 // looked at
	Sent     uint64 // bytes to other ranks, of normal vertices
	// Across is how many of these bytes went to ranks of other machines, Messages the number of messages. Hosts count
	// them, GPUs don't.
	Across, Messages uint64
	United           bool           // bitmaps of delegates were united
	Pulled           [subgraphs]int // ranks that pulled, of nd, dd, dn and nn
	// Seconds is how long the level took, Talking how much of that ranks communicated
	// and waited for each other. GPUs measure Talking in Timed searches.
	Seconds, Talking float64
	// Moving is the least Talking of a rank: the last one to arrive waits for none.
	Moving float64
}

// Result is the result of a search. Depths and parents are of the vertices whose home
// this rank is; everything else covers all ranks.
type Result struct {
	Depths []int32 // -1 where not reached; by the rank's own numbers, which ID names
	// Parents are ids, if requested; entries of unreached vertices are
	// undefined.
	Parents []int64
	Sources []int64
	Reached uint64
	Levels  int
	Limited bool
	// TraversedEdges is the number of edges of the part that was reached, undirected
	// ones counted once.
	TraversedEdges uint64
	Stats          []Level
	UnitedBytes    uint64 // of a bitmap of delegates
	// Searched is how long it took on GPUs until depths stood in their memory; 0 on hosts. Like Elapsed.
	Searched time.Duration
	// Elapsed is how long the search took, Seconds its levels, and Talking how much of these ranks communicated
	// and waited for each other: each is the maximum over ranks.
	Elapsed          time.Duration
	Seconds, Talking float64
	// Own is this rank's own time by part. On GPUs only Timed searches have it, and Exchanging is all communication.
	Own Parts

	part    *Part
	kernels []map[string]float64 // of a GPU: seconds by level and kernel, if requested
	depthD  []int32              // of all delegates
	options SearchOptions
}

// Parts divides a rank's time in a search on hosts by activity. Communication includes waiting for other ranks.
type Parts struct {
	Computing time.Duration // everything else
	Counting  time.Duration // summing up a level's counts, where ranks wait for the one that computes longest
	Uniting   time.Duration // combining the bitmaps of delegates
	// Exchanging brings normal vertices to their owners, who visit them. With LocalAllToAll, Local is the first of its
	// two steps, among the ranks of a machine, and not part of Exchanging.
	Exchanging, Local time.Duration
}

// ErrNoVertex is the error of a source or target that the graph lacks. First and Last are the least and the largest id
// that it has.
type ErrNoVertex struct {
	What        string
	ID          int64
	First, Last int64
}

func (e *ErrNoVertex) Error() string {
	return fmt.Sprintf("%s %d: the graph has no such vertex", e.What, e.ID)
}

// LargestDegree returns the vertex with most out-neighbors, the one of least id where
// there are several.
func (p *Part) LargestDegree(ctx context.Context) (id int64, degree uint64, err error) {
	err = comm.Do(p.comm, func() error {
		degrees := make([]uint64, len(p.delegate))
		for i := range degrees {
			degrees[i] = uint64(p.dn.len(uint32(i))) + uint64(p.dd.len(uint32(i)))
		}
		if err := p.comm.Sum(ctx, degrees); err != nil {
			return err
		}
		best, found := uint64(0), false
		better := func(v, d uint64) {
			if !found || d > degree || d == degree && p.order(v) < p.order(best) {
				best, degree, found = v, d, true
			}
		}
		for i, d := range degrees {
			better(p.delegate[i], d)
		}
		for i := range uint32(p.local) {
			if d := uint64(p.nn.len(i)) + uint64(p.nd.len(i)); d > 0 || !found {
				better(p.idOf(i), d)
			}
		}
		most := []uint64{degree + 1}
		if !found {
			most[0] = 0
		}
		own := most[0]
		if err := p.comm.Max(ctx, most); err != nil {
			return err
		}
		if most[0] == 0 {
			return nil
		}
		least := []uint64{0} // the complement, of which the largest is the least
		if own == most[0] {
			least[0] = ^p.order(best)
		}
		if err := p.comm.Max(ctx, least); err != nil {
			return err
		}
		id, degree = int64(p.order(^least[0])), most[0]-1
		return nil
	})
	return id, degree, first(p.comm, err)
}

// order maps ids to numbers that are ordered as they are. It is its own inverse.
func (p *Part) order(id uint64) uint64 {
	if p.unsigned {
		return id
	}
	return id ^ 1<<63
}

// find returns the place of a vertex on its home.
func (p *Part) find(id uint64) (v place, home, ok bool) {
	if n, ok := p.numbers.find(id); ok {
		return delegate(n), true, true
	}
	if !p.homes.dense {
		if n, ok := p.byID.find(id); ok {
			return at(p.rank, n), true, true
		}
		return 0, p.homes.of(id) == p.rank, false
	}
	r, k := p.homes.deal(id)
	return at(r, uint32(k)), r == p.rank, id < p.Stats.Vertices
}

// places returns the places of ids that are delegates or belong to the rank, and an error, the
// same on all ranks, for an id that isn't in the graph.
func (p *Part) places(ctx context.Context, what string, ids []int64) ([]place, error) {
	list := make([]place, 0, len(ids))
	have := make([]uint64, len(ids))
	for i, id := range ids {
		v, home, ok := p.find(uint64(id))
		if ok && home {
			list = append(list, v)
			have[i] = 1
		}
	}
	if err := p.comm.Max(ctx, have); err != nil {
		return nil, err
	}
	if i := slices.Index(have, 0); i >= 0 {
		first, last, err := p.IDRange(ctx)
		if err != nil {
			return nil, err
		}
		return nil, &comm.Alike{Err: &ErrNoVertex{what, ids[i], first, last}}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// IDRange returns the least and the largest id of the graph. All ranks call it.
func (p *Part) IDRange(ctx context.Context) (first, last int64, err error) {
	ends := []uint64{0, 0} // of the least the complement, which is largest
	if p.local > 0 {
		ends = []uint64{^p.order(p.idOf(0)), p.order(p.idOf(uint32(p.local - 1)))} // they ascend
	}
	if err := p.comm.Max(ctx, ends); err != nil {
		return 0, 0, err
	}
	return int64(p.order(^ends[0])), int64(p.order(ends[1])), nil
}

// Search searches from one vertex, or from several at once.
func (p *Part) Search(ctx context.Context, sources []int64, o SearchOptions) (*Result, error) {
	var r *Result
	err := comm.Do(p.comm, func() (err error) {
		r, err = p.search(ctx, sources, o)
		return err
	})
	return r, first(p.comm, err)
}

func (p *Part) search(ctx context.Context, sources []int64, o SearchOptions) (*Result, error) {
	from, err := p.places(ctx, "source", sources)
	if err != nil {
		return nil, err
	}
	targets, err := p.places(ctx, "target", o.Targets)
	if err != nil {
		return nil, err
	}
	if p.directed && slices.Contains(o.Directions[:], Pull) {
		return nil, fmt.Errorf("pulls need an undirected graph")
	}
	start := time.Now()
	r := &Result{Sources: sources, part: p, options: o}
	f, err := p.engine.run(ctx, from, targets, r)
	if err != nil {
		return nil, err
	}
	r.Depths, r.depthD = f.depths, f.depthD
	if o.Parents && f.depths != nil {
		if err := r.findParents(ctx, f); err != nil {
			return nil, err
		}
	}
	r.Elapsed = time.Since(start)
	r.UnitedBytes = 8 * uint64((len(p.delegate)+63)/64)
	return r, p.traversed(ctx, r)
}

// traversed sums up the counts of each rank, once the search is over.
func (p *Part) traversed(ctx context.Context, r *Result) error {
	sums := make([]uint64, 1+3*len(r.Stats))
	if r.Depths != nil {
		var err error
		if sums[0], err = p.reachedEdges(ctx, r); err != nil {
			return err
		}
	}
	for i, l := range r.Stats {
		copy(sums[1+3*i:], []uint64{l.Sent, l.Across, l.Messages})
	}
	if err := p.comm.Sum(ctx, sums); err != nil {
		return err
	}
	r.TraversedEdges = sums[0]
	if !p.directed {
		r.TraversedEdges /= 2
	}
	const each = 3
	times := make([]uint64, each*len(r.Stats)+4)
	all := times[each*len(r.Stats):]
	for i, l := range r.Stats {
		r.Stats[i].Sent, r.Stats[i].Across, r.Stats[i].Messages = sums[1+3*i], sums[2+3*i], sums[3+3*i]
		seconds, talking := uint64(l.Seconds*1e9), uint64(l.Talking*1e9)
		copy(times[each*i:], []uint64{seconds, talking, ^talking}) // of complements the largest is the least
		all[0], all[1] = all[0]+seconds, all[1]+talking
	}
	if r.Searched > 0 && r.options.Timed {
		r.Own.Exchanging = min(time.Duration(all[1]), r.Searched)
		r.Own.Computing = r.Searched - r.Own.Exchanging
	}
	all[2], all[3] = uint64(r.Elapsed), uint64(r.Searched)
	if err := p.comm.Max(ctx, times); err != nil {
		return err
	}
	for i := range r.Stats {
		r.Stats[i].Seconds, r.Stats[i].Talking, r.Stats[i].Moving = float64(times[each*i])/1e9, float64(times[each*i+1])/1e9, float64(^times[each*i+2])/1e9
	}
	r.Seconds, r.Talking, r.Elapsed = float64(all[0])/1e9, float64(all[1])/1e9, time.Duration(all[2])
	r.Searched = time.Duration(all[3])
	return nil
}

// reachedEdges returns the rank's edges that lead out of reached vertices.
func (p *Part) reachedEdges(ctx context.Context, r *Result) (uint64, error) {
	var sum atomic.Uint64
	p.team.tiles(ctx, len(r.Depths), tileEdges, func(_, from, to int) {
		edges := uint64(0)
		for i, d := range r.Depths[from:to] {
			if v := uint32(from + i); d >= 0 {
				edges += uint64(p.nn.len(v)) + uint64(p.nd.len(v))
			}
		}
		sum.Add(edges)
	})
	// Of delegates every rank has a part of the edges.
	reached := make([]uint64, (len(p.delegate)+63)/64)
	for _, h := range p.here {
		if r.Depths[h.local] >= 0 {
			reached[h.number>>6] |= 1 << (h.number & 63)
		}
	}
	if err := p.comm.Or(ctx, reached); err != nil {
		return 0, err
	}
	p.team.tiles(ctx, len(p.delegate), tileEdges, func(_, from, to int) {
		edges := uint64(0)
		for n := uint32(from); n < uint32(to); n++ {
			if reached[n>>6]>>(n&63)&1 != 0 {
				edges += uint64(p.dn.len(n)) + uint64(p.dd.len(n))
			}
		}
		sum.Add(edges)
	})
	return sum.Load(), ctx.Err()
}

// engine runs a search: on the host's processors, or on a GPU.
type engine interface {
	// run searches from vertices until a level finds nothing or the search has what was requested, and counts in r. All
	// ranks call it.
	run(ctx context.Context, from, targets []place, r *Result) (*found, error)
}

// found is a search's result on a rank, by the rank's own numbers and by delegate.
type found struct {
	depths, depthD []int32 // the depths of the rank's delegates are in both
	// Where parents are wanted: the one on this rank by which a vertex was found.
	parentN, parentD []place
}

// expanded counts a host's work in a level.
type expanded struct {
	edges     uint64 // looked at
	delegates uint64 // found
	sends     uint64 // normal vertices found for other ranks
	pulls     [subgraphs]bool
}

// The subgraphs.
const (
	subND = iota
	subDD
	subDN
	subNN
	subgraphs
)
