// This file places graphs that are larger than a GPU's memory: their rows are in tiers.

package graph

import (
	"errors"
	"fmt"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/text"
)

// PlaceOptions are the options of Graph.Place. The zero value places the graph as Graph.On does.
type PlaceOptions struct {
	// Memory is how many bytes of a GPU's memory the graph and one search of it may take. If they take more, the
	// graph is placed in tiers (see Graph.Place). 0 means the memory that is free, of which a search needs its
	// part besides: then only a graph that doesn't fit itself is placed in tiers. The host ignores it.
	Memory uint64
	// Run is how many bytes of Memory near rows leave for algorithms on a graph in tiers, if the rest of the graph leaves
	// as many. 0, or less than a search of package dobfs takes, means such a search.
	Run uint64
}

// forGraph returns the memory of the graph and one search of it.
func (o PlaceOptions) forGraph(g *Graph) uint64 {
	more, least := uint64(0), g.tiersBytes(placed.Wide(g.out.NumEdges()))
	if search := g.searchBytes(); o.Run > search {
		more = o.Run - search
	}
	if o.Memory < least || g.RemoteBytes()+g.searchBytes()+more <= o.Memory {
		return o.Memory
	}
	return o.Memory - min(more, o.Memory-least)
}

// Tiers describes the rows of a placed graph that is larger than the memory it may take on a GPU. All sizes are in bytes.
type Tiers struct {
	// Near is the memory of near rows on the GPU, Targets that of all rows. Pinned is the memory of the host that
	// is pinned: whole rows, of in-edges too if they are separate.
	Near, Targets, Pinned uint64
	// Prefix is how many entries of each row are near rows, Hubs how many vertices, of the highest degrees, have
	// all of their rows there.
	Prefix, Hubs int
}

// String returns the description in words.
func (t Tiers) String() string {
	if t.Targets == 0 {
		return "no rows"
	}
	s := fmt.Sprintf("%s of %s of targets on the GPU (%.0f%%)", text.Bytes(t.Near), text.Bytes(t.Targets), 100*float64(t.Near)/float64(t.Targets))
	if t.Near > 0 {
		s += fmt.Sprintf(", the first %d of each row", t.Prefix)
	}
	if t.Hubs > 0 {
		s += fmt.Sprintf(" and all of %s", text.Plural(t.Hubs, "hub"))
	}
	return s + fmt.Sprintf("; %s pinned in the host's memory", text.Bytes(t.Pinned))
}

// Place places the graph on a device, as On does, within the memory that the options name.
//
// A graph that takes more of a GPU's memory is placed in tiers. Its targets are in the host's memory, which the system pins, so that
// kernels read it over the bus. So are weights, ids and columns of edges. The GPU has what every level of a search reads, such as offsets, and as many
// targets as the memory takes: the first entries of each row, and all entries of the rows of highest degrees. Direction-optimizing
// searches (package dobfs) read few others. All other algorithms run too. Steps over the rows of all vertices, such as rounds of
// PageRank, stream them at the rate of the bus; other steps read rows in place. On several GPUs, Memory
// is device.ErrNotSupported.
//
// The error is device.ErrMemory if the options name less memory than the rest of the graph takes, or if the system doesn't
// pin the host's memory, which the limit of locked memory may forbid (ulimit -l). Otherwise it is one of On.
func (g *Graph) Place(dev device.Device, o PlaceOptions) (_ *Placed, err error) {
	defer panics.Rethrown(&err)
	if g == nil || dev == nil || o.Memory == 0 {
		return g.On(dev)
	}
	u, ok := dev.(discrete.Device)
	if _, several := dev.(placed.Sharded); several {
		return nil, fmt.Errorf("graph: placing on several GPUs within %s: %w; name one GPU, such as cuda:0", text.Bytes(o.Memory), device.ErrNotSupported)
	}
	memory := o.forGraph(g)
	if _, loaded := dev.(*placed.Loaded); loaded || !ok || g.RemoteBytes()+g.searchBytes() <= memory {
		return g.On(dev)
	}
	if err := g.enter(); err != nil {
		return nil, err
	}
	p, err := g.placeTiers(u, memory)
	if err != nil {
		return nil, errors.Join(err, g.leave())
	}
	return p, nil
}

// Tiers describes the rows of a graph that is placed in tiers. It reports false for other graphs.
func (p *Placed) Tiers() (t Tiers, ok bool) {
	if p == nil || p.R == nil || p.R.Tiers == nil {
		return t, false
	}
	return p.g.tiersOf(p.R.Tiers), true
}

// Tiers returns how Place places the graph on a GPU with these options. It reports false for a graph that isn't placed in
// tiers. The error is ErrNoGraph for nil, device.ErrMemory if the options name less memory than the graph takes at least, or
// device.ErrClosed.
func (o PlaceOptions) Tiers(g *Graph) (t Tiers, ok bool, err error) {
	if g == nil {
		return t, false, fmt.Errorf("placing: %w", ErrNoGraph)
	}
	release, err := g.Hold()
	if err != nil {
		return t, false, err
	}
	defer release()
	memory := o.forGraph(g)
	if o.Memory == 0 || g.RemoteBytes()+g.searchBytes() <= memory {
		return t, false, nil
	}
	r, near, err := g.nearRows(memory, "a GPU", placed.Wide(g.out.NumEdges()))
	if err != nil {
		return t, false, err
	}
	r.HostBytes = 4 * g.out.NumEdges()
	if g.in != nil && g.in != g.out {
		r.HostBytes *= 2
	}
	if near != nil {
		r.NearEntries = near[g.NumVertices()]
	}
	return g.tiersOf(r), true, nil
}

// tiersOf describes rows in tiers.
func (g *Graph) tiersOf(r *placed.Tiers) Tiers {
	edges := g.out.NumEdges()
	if g.in != nil {
		edges = g.in.NumEdges()
	}
	return Tiers{Near: 4 * r.NearEntries, Targets: 4 * edges, Pinned: r.HostBytes, Prefix: int(r.Prefix), Hubs: r.Hubs}
}

// searchBytes returns the memory of a search on a GPU, which near rows don't get.
func (g *Graph) searchBytes() uint64 {
	return searchVertexBytes*uint64(g.NumVertices()) + searchFixedBytes
}

// placeTiers places the graph in tiers, within so much memory of the device.
func (g *Graph) placeTiers(u discrete.Device, memory uint64) (*Placed, error) {
	if err := g.Fetch(); err != nil {
		return nil, err
	}
	if parts, ok := g.built.take(u); ok { // the rows are on the host now
		for _, m := range parts.Arrays() {
			if err := m.Close(); err != nil {
				return nil, err
			}
		}
	}
	r, err := g.tiered(u, memory)
	if err != nil {
		return nil, err
	}
	p := newPlaced(g, u)
	p.hold(u, r)
	return p, nil
}

// tiered uploads what belongs on the device.
func (g *Graph) tiered(u discrete.Device, memory uint64) (*placed.Remote, error) {
	info, start := u.Info(), time.Now()
	r := &placed.Remote{Wide: placed.Wide(g.out.NumEdges()), Simple: g.simple}
	t, near, err := g.nearRows(memory, info.Name, r.Wide)
	if err != nil {
		return nil, err
	}
	in := placed.HostRows{}
	if g.in != nil {
		in = placed.HostRows{Offsets: g.in.Offsets, Targets: g.in.Targets}
	}
	if err := r.PlaceTiers(u, t, placed.HostRows{Offsets: g.out.Offsets, Targets: g.out.Targets}, in, near); err != nil {
		return nil, errors.Join(fmt.Errorf("graph: placing it in tiers on %s: %w", info.Name, err), r.Close())
	}
	t.Bytes = r.Bytes
	if g.in != nil {
		t.Bytes += prepBytes(g.NumVertices())
	}
	r.Elapsed = time.Since(start)
	return r, nil
}

// tiersBytes is the memory of a graph in tiers and of a search, but for near rows.
func (g *Graph) tiersBytes(wide bool) uint64 {
	n, width := uint64(g.NumVertices()), uint64(4)
	if wide {
		width = 8
	}
	bytes := width*(n+1) + g.searchBytes()
	if g.in == nil {
		return bytes
	}
	if g.in != g.out {
		bytes += width * (n + 1)
	}
	return bytes + width*(n+1) + prepBytes(int(n)) + (n+63)/64*8
}

// nearRows chooses the near rows that fit into the memory, and returns their offsets.
func (g *Graph) nearRows(memory uint64, name string, wide bool) (*placed.Tiers, []uint64, error) {
	fixed := g.tiersBytes(wide)
	if fixed > memory {
		return nil, nil, fmt.Errorf("%w: placing the graph in tiers on %s takes at least %s with a search, more than %s; allow more memory, or search on the host", errMemory, name, text.Bytes(fixed), text.Bytes(memory))
	}
	t := &placed.Tiers{}
	if g.in == nil {
		return t, nil, nil
	}
	offsets, n := g.in.Offsets, g.NumVertices()
	room := (memory - fixed) / 4
	// Rows of hubs matter to pushes of graphs whose degrees vary.
	hubs := g.Order() == OrderDegree && g.in == g.out && n > 0 && (offsets[1]-offsets[0])*uint64(n) > evenDegrees*offsets[n]
	share := room
	if hubs {
		share = uint64(tuning.PrefixShare * float64(room))
	}
	t.Prefix = prefixOf(offsets, share)
	near := make([]uint64, n+1)
	total := uint64(0)
	for v := range n {
		total += min(offsets[v+1]-offsets[v], t.Prefix)
		near[v+1] = total
	}
	if hubs {
		more := uint64(0) // entries of hubs behind their prefixes
		for t.Hubs < n {
			rest := offsets[t.Hubs+1] - offsets[t.Hubs]
			if rest <= t.Prefix || total+more+rest-t.Prefix > room {
				break
			}
			more += rest - t.Prefix
			t.Hubs++
		}
		for v := range n {
			if v < t.Hubs {
				near[v+1] = offsets[v+1]
			} else {
				near[v+1] += more
			}
		}
	}
	return t, near, nil
}

// prefixOf returns the most entries of each row that fit into the room.
func prefixOf(offsets []uint64, room uint64) uint64 {
	n := len(offsets) - 1
	if n == 0 || offsets[n] == 0 {
		return 0
	}
	rows := make([]uint64, mostPrefix+1) // by the number of entries
	for v := range n {
		rows[min(offsets[v+1]-offsets[v], mostPrefix)]++
	}
	longer := uint64(n) // rows of more than k entries
	for k, total := uint64(0), uint64(0); k < mostPrefix; k++ {
		longer -= rows[k]
		if total += longer; total > room || longer == 0 {
			return k
		}
	}
	return mostPrefix
}
