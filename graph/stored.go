// This file holds what graphs that were stored bring along, and Close, which
// gives back memory that isn't the Go heap's.

package graph

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
)

// Stored is what Parts bring along that come from where a graph was stored, so
// that nothing is worked out again. The zero value brings nothing.
type Stored struct {
	// Checked says that whoever made the parts has seen to all that New checks
	// by going over the arrays. New then looks at their lengths alone.
	Checked bool
	// First and NoIn are those of Prepared; both or none.
	First []uint32
	NoIn  []uint64
	// Rows and Long are those of Fours; Rows is nil where there are none.
	Rows [][4]uint32
	Long []uint64
	// Release, if not nil, is called once, when the graph was closed and every
	// placed graph of it freed: nothing of the arrays is used from then on.
	Release func() error
}

// hold counts who uses a graph's arrays.
type hold struct {
	mu      sync.Mutex
	placed  int // placed graphs
	held    int // those who Hold it
	closed  bool
	release func() error // nil once it was called

	// Lookups of ids are too short for a lock.
	mapped  bool         // there was something to release
	gone    atomic.Bool  // closed and not placed: the arrays are given back once nobody holds them
	readers atomic.Int64 // lookups under way, where it is mapped
}

// Close says that the graph is no longer needed. It is for graphs whose arrays
// lie in a mapped file (arrow.OpenGraph), and for those built on a device (Options.Device) that
// nobody placed there; those of others are the garbage
// collector's, and closing them is as good as forgetting them. Graphs that are
// placed stay usable: the arrays are given back when all of them are freed
// (Placed.Free waits for their searches) and all who Hold it have let go, at once if
// there is none. Searches, lookups of ids
// (Vertex and so on) and what writes the graph or its results hold it as long as
// they run, so that Close may come at any time. A closed graph can't be placed any
// more, and what would hold one that isn't placed either fails (device.ErrClosed).
// Once its arrays are given back it is one without vertices.
//
// What can't be helped: slices of a graph in a mapped file that were taken before,
// of Out, In, IDs, Prepare and Fours, and those that Neighbors and IDs.Bytes
// returned, must not be touched once its arrays are given back: that ends the
// process. So does reading Out, In or IDs while another goroutine closes the graph,
// unless the reader holds it. Closing a second time, or nil, does nothing.
func (g *Graph) Close() error {
	if g == nil {
		return nil
	}
	g.hold.mu.Lock()
	defer g.hold.mu.Unlock()
	if g.hold.closed {
		return nil
	}
	g.hold.closed = true
	return g.letGo()
}

// letGo gives the arrays back if nobody uses them. From when nobody has placed a
// closed graph, nobody begins to: else those who take turns would keep it for good.
// g.hold.mu is held.
func (g *Graph) letGo() error {
	if !g.hold.closed || g.hold.placed > 0 {
		return nil
	}
	g.hold.gone.Store(true)
	if g.hold.held > 0 {
		return nil
	}
	for g.hold.readers.Load() > 0 { // what they do takes less than a microsecond, or the disk's time
		runtime.Gosched()
	}
	if g.away != nil {
		g.away.lose(errGraphClosed()) // once nobody is fetching
	}
	*g.out = CSR{}
	if g.in != nil {
		*g.in = CSR{}
	}
	m := g.ids
	m.Len, m.Dense32, m.Ints, m.StringOffsets, m.Data, m.Sides = 0, nil, nil, nil, nil, nil
	m.SetByID(nil)
	g.stored = Stored{}
	err := g.built.free()
	if g.hold.release == nil {
		return err
	}
	release := g.hold.release
	g.hold.release = nil
	if e := release(); err == nil {
		err = e
	}
	return err
}

// enter counts a placed graph.
func (g *Graph) enter() error {
	g.hold.mu.Lock()
	defer g.hold.mu.Unlock()
	if g.hold.closed {
		return errGraphClosed()
	}
	g.hold.placed++
	return nil
}

func errGraphClosed() error {
	return fmt.Errorf("graph: %w: the graph; open or build it again", device.ErrClosed)
}

// Hold keeps the graph's arrays where they are until release is called, also if
// Close comes meanwhile. It is for whoever reads them for a while that another
// goroutine may end. release may be called again, which does nothing. The error is
// ErrNoGraph for nil, and device.ErrClosed for a graph that was closed and isn't
// placed any more.
func (g *Graph) Hold() (release func(), err error) {
	if g == nil {
		return nil, ErrNoGraph
	}
	g.hold.mu.Lock()
	defer g.hold.mu.Unlock()
	if g.hold.gone.Load() {
		return nil, errGraphClosed()
	}
	g.hold.held++
	return sync.OnceFunc(func() {
		g.hold.mu.Lock()
		defer g.hold.mu.Unlock()
		g.hold.held--
		_ = g.letGo() // memory that was mapped can be unmapped
	}), nil
}

// look begins a lookup of ids, which ends with looked.
func (g *Graph) look() error {
	if g.hold.mapped {
		g.hold.readers.Add(1)
	}
	if g.hold.gone.Load() {
		g.looked()
		return errGraphClosed()
	}
	return nil
}

func (g *Graph) looked() {
	if g.hold.mapped {
		g.hold.readers.Add(-1)
	}
}

// leave is for a placed graph that was freed.
func (g *Graph) leave() error {
	g.hold.mu.Lock()
	defer g.hold.mu.Unlock()
	g.hold.placed--
	return g.letGo()
}

// checkStored compares the lengths of what was stored with the graph's.
func (g *Graph) checkStored() error {
	n, s := g.NumVertices(), &g.stored
	words := (n + 63) / 64
	switch {
	case (s.First != nil || s.NoIn != nil) && (g.in == nil || len(s.First) != n || len(s.NoIn) != words):
	case s.Rows != nil && len(s.Rows) != n, s.Long != nil && (s.Rows == nil || len(s.Long) != words):
	default:
		return nil
	}
	return fmt.Errorf("%w: what was stored with the graph doesn't fit its %d vertices", ErrMalformed, n)
}

// Prepare returns what pulls need: what was stored with the graph, as far as
// that goes, the rest computed again by every call. It returns nil where the
// graph has no reverse. Searches use Placed.Prepare, which keeps it.
func (g *Graph) Prepare() *Prepared {
	if g.in == nil {
		return nil
	}
	if g.stored.First == nil {
		p := prepare(g.In(), runtime.GOMAXPROCS(0), true)
		return &p
	}
	p := Prepared{First: g.stored.First, NoIn: g.stored.NoIn}
	for _, none := range p.NoIn {
		p.Candidates += 64 - bits.OnesCount64(none)
	}
	p.finish(g.in)
	return &p
}

// Fours returns the rows at fixed width that were stored with the graph, or
// works them out; nil as Placed.Fours says, which keeps them.
func (g *Graph) Fours() *Fours {
	if g.stored.Rows == nil {
		if _, pays := foursPay(g.out); !pays {
			return nil
		}
		return newFours(g.Out(), runtime.GOMAXPROCS(0))
	}
	f := &Fours{Rows: g.stored.Rows, Long: g.stored.Long}
	f.Bytes = uint64(len(f.Rows))*16 + uint64(len(f.Long))*8
	f.Loops = sync.OnceValue(func() bool { return loopsIn(g.out, f.Rows) })
	return f
}

// loopsIn reports a self-loop in rows of fixed width.
func loopsIn(c *CSR, rows [][4]uint32) bool {
	for v := range rows {
		for _, t := range rows[v][:min(c.Offsets[v+1]-c.Offsets[v], 4)] {
			if t == uint32(v) {
				return true
			}
		}
	}
	return false
}

// SetByID hands a map what ByID returns, which else the first lookup works out:
// the vertices in ascending order of external id, or nil where they are in that
// order already. It must be called before the map is used. What it is given is
// not checked; lookups find what it leads them to.
func (m *IDs) SetByID(byID []uint32) {
	m.index.once.Do(m.countSources)
	m.index.byID = byID
}
