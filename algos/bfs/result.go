// This file holds Result, what a search found.

package bfs

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Result is what a search found, in the memory of the device that it ran on.
// It is the caller's, who closes it, or of the Searcher that returned it, and
// then valid until its next search. Its methods are safe for concurrent use, Close
// among them; slices that they returned must not be used once Close was called. Vertices are internal ones: Graph.IDs has their external ids.
type Result struct {
	// Sources are the vertices as they were given, in a slice of the result's.
	Sources []uint32
	// Reached is the number of vertices reached, sources included.
	Reached int
	// Levels is the number of levels that have a vertex: one more than the
	// largest depth.
	Levels int
	// Edges is the number of edges looked at; 0 without Options.Stats.
	Edges uint64
	// Algorithm and Device are what ran: "bfs" or "dobfs", "host" or "cuda:0".
	Algorithm, Device string
	// Elapsed is the time from the call to the arrays standing complete.
	Elapsed time.Duration
	// DeviceTime is the same by the clock of a GPU, from its first work for the
	// search to the arrays standing complete, to about a microsecond, where
	// Options.DeviceTime asked for it. It is 0 on the host.
	DeviceTime time.Duration
	// Stats has the levels that were expanded, in order, where Options.Stats asked for
	// them; else it is nil. The first 2,048 have an entry each. Deeper ones are summed
	// up, twice as many in an entry each time that there would be more than 4,096
	// entries: Level.Levels is the number of levels of an entry. On a GPU, a search in
	// one kernel without depths doesn't count the edges of levels beyond 2^20.
	Stats []Level
	// Culled counts the targets that culling dropped on a GPU, with Tuning.CountCulls.
	Culled Culled
	// Limited says that the search ended at the depth limit or the targets
	// with vertices still to expand.
	Limited bool
	// Tuning has the options of the algorithm's own that were not the default,
	// by name: strategy and coupling of bfs, alpha, beta and coupling of dobfs.
	// Metadata includes them. It is nil if all have their defaults.
	Tuning map[string]any

	p          *graph.Placed
	depthLimit int      // as it was asked for
	targets    []uint32 // as they were given

	// mu guards the arrays, which Close gives back. The search that makes the result
	// writes them before it returns the result.
	mu      sync.Mutex
	depths  *device.Buffer[int32]
	parents *device.Buffer[uint32]

	// the same by external id, where asked for and where that is another order
	byID        bool
	depthsByID  *device.Buffer[int32]
	parentsByID *device.Buffer[uint32]

	list []uint32 // the vertices reached, where they are few; see Visited

	shards *shardArrays // instead of these, for a search over several GPUs

	// copies of the arrays on a GPU, made at the first call
	hostDepthsByID  []int32
	hostParentsByID []uint32
	hostDepths      []int32
	hostParents     []uint32
	closed          bool
}

// Graph returns the graph that was searched, whose vertices and ids the result is
// about: after order.ByDegree or graph.Graph.Reorder that is not the one that it
// was made from. It is nil for the zero Result.
func (r *Result) Graph() *graph.Graph {
	if r.p == nil {
		return nil
	}
	return r.p.Graph()
}

// Depths returns the depth of every vertex, by internal vertex: the number of edges from the
// nearest source, -1 where not reached. The slice is the result's own memory, valid until Close or,
// where the result is a Searcher's, its next search: clone it to keep it longer. On a GPU the first
// call copies the array to the host.
//
// The error is graph.ErrOptions if Options.Outputs left depths out, device.ErrClosed after Close,
// or the device's.
func (r *Result) Depths() ([]int32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(); err != nil {
		return nil, err
	}
	all, err := r.allDepths()
	return present(r, all, err, "depths", "bfs.Depths")
}

// allDepths is Depths with r.mu held, as in all unexported methods here: nil without an error where
// depths were left out.
func (r *Result) allDepths() ([]int32, error) {
	if r.shards != nil {
		return fetchShards(r, 0, &r.hostDepths)
	}
	if r.depths == nil && r.depthsByID != nil { // a search on a GPU that wrote them by id
		return r.fromByID()
	}
	return fetch(r, r.depths, &r.hostDepths)
}

// fromByID is Depths, of depths by id.
func (r *Result) fromByID() ([]int32, error) {
	byID, err := fetch(r, r.depthsByID, &r.hostDepthsByID)
	if err == nil && len(r.hostDepths) == 0 {
		release, err := r.p.Graph().Hold()
		if err != nil {
			return nil, fmt.Errorf("bfs: depths from those by id: %w", err)
		}
		defer release()
		r.hostDepths = slices.Grow(r.hostDepths[:0], len(byID))[:len(byID)]
		for i, v := range r.p.Graph().IDs().ByID() {
			r.hostDepths[v] = byID[i]
		}
	}
	return r.hostDepths, err
}

// Parents returns the parent of every vertex, by internal vertex: the vertex that it was reached
// from, itself for a source, graph.NoVertex where not reached. The slice is valid as long as that
// of Depths, and errors are the same.
func (r *Result) Parents() ([]uint32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(); err != nil {
		return nil, err
	}
	all, err := r.allParents()
	return present(r, all, err, "parents", "bfs.Parents")
}

func (r *Result) allParents() ([]uint32, error) {
	if r.shards != nil {
		return fetchShards(r, 1, &r.hostParents)
	}
	return fetch(r, r.parents, &r.hostParents)
}

// DepthsByID returns the depths in ascending order of the external ids, one per vertex: vertex v
// has entry IDs.Rank(v), and entry i belongs to vertex IDs.AtRank(i). Where vertices are in that
// order it returns the slice of Depths, which is valid as long. It returns the errors of Depths, and
// graph.ErrOptions without Options.ByID.
func (r *Result) DepthsByID() ([]int32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.hasByID(); err != nil {
		return nil, err
	}
	var all []int32
	var err error
	switch {
	case r.shards != nil:
		all, err = r.depthsRanked()
	case r.depthsByID == nil:
		all, err = r.allDepths()
	default:
		all, err = fetch(r, r.depthsByID, &r.hostDepthsByID)
	}
	return present(r, all, err, "depths", "bfs.Depths")
}

// ParentsByID returns the parents in that order, each as its place in it too: a rank, whose vertex
// is IDs.AtRank of it, its own for a source, graph.NoVertex where not reached. All else is as with
// DepthsByID.
func (r *Result) ParentsByID() ([]uint32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.hasByID(); err != nil {
		return nil, err
	}
	var all []uint32
	var err error
	switch {
	case r.shards != nil:
		all, err = r.parentsRanked()
	case r.parentsByID == nil:
		all, err = r.allParents()
	default:
		all, err = fetch(r, r.parentsByID, &r.hostParentsByID)
	}
	return present(r, all, err, "parents", "bfs.Parents")
}

// name is what errors begin with.
func (r *Result) name() string {
	if r.Algorithm == "" { // the zero Result
		return bfsName
	}
	return r.Algorithm
}

// open reports a result that was closed.
func (r *Result) open() error {
	if r.closed {
		return fmt.Errorf("%s: %w: the result; use its arrays before Close", r.name(), device.ErrClosed)
	}
	return nil
}

// hasByID reports a result without arrays in the order of ids.
func (r *Result) hasByID() error {
	if err := r.open(); err != nil {
		return err
	}
	if !r.byID {
		return fmt.Errorf("%s: %w: the search left out arrays in the order of ids; set Options.ByID", r.name(), graph.ErrOptions)
	}
	return nil
}

// present makes an error of an array that the search left out.
func present[T device.Elem](r *Result, all []T, err error, what, output string) ([]T, error) {
	if all == nil && err == nil {
		err = fmt.Errorf("%s: %w: the search left out %s; add %s to Options.Outputs", r.name(), graph.ErrOptions, what, output)
	}
	return all, err
}

// arrays returns depths and parents. Those that the search left out are nil.
func (r *Result) arrays() (depths []int32, parents []uint32, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = r.open(); err == nil {
		depths, err = r.allDepths()
	}
	if err == nil {
		parents, err = r.allParents()
	}
	return depths, parents, err
}

// either returns depths, or parents where the search left depths out, and the vertices reached where they are few.
func (r *Result) either() (depths []int32, parents, list []uint32, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = r.open(); err == nil {
		depths, err = r.allDepths()
	}
	if err == nil && depths == nil {
		parents, err = r.allParents()
	}
	return depths, parents, r.list, err
}

// fetch returns an array's elements, copied to the host first where they are
// elsewhere.
func fetch[T device.Elem](r *Result, b *device.Buffer[T], copied *[]T) ([]T, error) {
	if b == nil || b.Host() != nil || b.Len() == 0 {
		return b.Host(), nil
	}
	if len(*copied) == 0 {
		a := slices.Grow((*copied)[:0], b.Len())[:b.Len()]
		if err := b.Read(r.p.Device(), 0, a); err != nil {
			return nil, fmt.Errorf("bfs: copying the result from %s: %w", r.Device, err)
		}
		*copied = a
	}
	return *copied, nil
}

// TraversedEdges returns the number of edges in the part of the graph that was
// reached: what rates are counted by. Undirected edges count once. It costs a
// pass over the vertices. It is 0 where the result has neither depths nor
// parents, or was closed, or can't be copied from a GPU, or its graph was closed and is given back.
func (r *Result) TraversedEdges() uint64 {
	if r.p == nil {
		return 0
	}
	g, sum := r.p.Graph(), uint64(0)
	release, err := g.Hold()
	if err != nil {
		return 0
	}
	defer release()
	depths, parents, list, err := r.either()
	if err != nil {
		return 0
	}
	switch {
	case list != nil:
		for _, v := range list {
			sum += g.Degree(v)
		}
	case depths != nil:
		for v, d := range depths {
			if d >= 0 {
				sum += g.Degree(uint32(v))
			}
		}
	default:
		for v, parent := range parents {
			if parent != graph.NoVertex {
				sum += g.Degree(uint32(v))
			}
		}
	}
	if !g.Directed() {
		sum /= 2
	}
	return sum
}

// has reports whether there are depths, and parents.
func (r *Result) has() (depths, parents bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shards != nil {
		return r.shards.arrays[0] != nil, r.shards.arrays[1] != nil
	}
	return r.depths != nil || r.depthsByID != nil, r.parents != nil
}

// Close gives the arrays back, so that the next search on the same placed graph
// uses their memory again. The arrays must not be used afterwards: Depths, Parents
// and Validate return device.ErrClosed. Counts such as Reached stay. A result that is
// never closed is the garbage collector's (on the host). Closing nil, or a second time,
// does nothing.
func (r *Result) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	keep(r.p, r.depths)
	keep(r.p, r.parents)
	keep(r.p, r.depthsByID)
	keep(r.p, r.parentsByID)
	if r.shards != nil {
		r.shards.keep(r.p)
		r.shards = nil
	}
	r.depths, r.parents, r.hostDepths, r.hostParents = nil, nil, nil, nil
	r.list = nil
	r.depthsByID, r.parentsByID, r.hostDepthsByID, r.hostParentsByID = nil, nil, nil, nil
	r.closed = true
	return nil
}
