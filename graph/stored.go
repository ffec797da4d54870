// This file holds the prepared data of stored graphs, and Close, which
// releases memory that isn't on the Go heap.

package graph

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
)

// Stored is prepared data that was stored with a graph, so that FromCSR need not
// compute it again. The zero value has none.
type Stored struct {
	// Checked states that the caller has verified the contents of the arrays.
	// FromCSR then checks only their lengths.
	Checked bool
	// First and NoIn are what pulls read first; set both or neither. First has the first in-neighbor of each vertex,
	// or the vertex itself if it has none. NoIn has a bit per vertex, set if it has none; bits past the last vertex
	// are set too.
	First []uint32
	NoIn  []uint64
	// Rows and Long are the rows of a graph of low degree, four targets each, and a bit per vertex, set if its row
	// is longer. Rows is nil if there are none.
	Rows [][4]uint32
	Long []uint64
	// ByID is what IDs.ByID returns, if Ranked says so: the vertices in ascending order of external
	// id, or nil where they are in that order already. It isn't checked; lookups find what it leads
	// them to.
	ByID   []uint32
	Ranked bool
	// Release, if not nil, is called once, when the graph was closed and all its
	// placed graphs were closed: the arrays aren't used any more.
	Release func() error
}

// hold counts the users of a graph's arrays.
type hold struct {
	mu      sync.Mutex
	placed  int // placed graphs
	held    int // those who Hold it
	closed  bool
	release func() error // nil once it was called
	gone    atomic.Bool  // closed and not placed: new holds are refused
	mapped  *mapped      // nil if the arrays are on the Go heap, where they stay unchanged
}

// mapped guards arrays in a mapped file against reads after their release:
// lookups are too short for a lock. A lookup enters, checks whether the arrays
// are released, reads and leaves. letGo sets released and then waits until all
// lookups have left.
type mapped struct {
	released atomic.Bool
	readers  [readerLanes]readers
	entries  uint64 // of the CSR, whose last offset is in the file
	lost     *IDs   // instead of the graph's, once released
}

// readers counts lookups under way. Goroutines are distributed over several counters, each
// on separate cache lines, so that cores don't wait for each other.
type readers struct {
	n atomic.Int64
	_ [120]byte
}

// newMapped guards the arrays of a graph.
func newMapped(entries uint64, m *IDs) *mapped {
	g := &mapped{entries: entries}
	m.mapped = g
	g.lost = &IDs{Type: m.Type, Len: m.Len, Logical: m.Logical, mapped: g}
	switch { // so that it is of the same form
	case m.Ints != nil:
		g.lost.Ints = []int64{}
	case m.Dense32 != nil:
		g.lost.Dense32 = []uint32{}
	case m.StringOffsets != nil:
		g.lost.StringOffsets = []uint64{}
	}
	return g
}

// enter begins a lookup, which ends with leave. It reports false if the arrays
// were released.
func (m *mapped) enter() (*readers, bool) {
	var here byte // on the goroutine's stack, which tells goroutines apart
	r := &m.readers[uint64(uintptr(unsafe.Pointer(&here))>>stackBits)*fibonacci>>(64-readerBits)]
	r.n.Add(1)
	if m.released.Load() {
		r.leave()
		return nil, false
	}
	return r, true
}

// mustEnter is enter for methods without an error result: it panics.
func (m *mapped) mustEnter() *readers {
	r, ok := m.enter()
	if !ok {
		panic(errGraphClosed())
	}
	return r
}

func (r *readers) leave() { r.n.Add(-1) }

// degree is CSR.Degree.
func (m *mapped) degree(c *CSR, v uint32) uint64 {
	defer m.mustEnter().leave()
	return c.Degree(v)
}

// await returns when all lookups have left.
func (m *mapped) await() {
	for i := range m.readers {
		for m.readers[i].n.Load() > 0 { // what they do takes less than a microsecond, or the disk's time
			runtime.Gosched()
		}
	}
}

// Close releases the graph. It is for graphs whose arrays are in a mapped file
// (arrow.OpenGraph), and for graphs that were built on a device (Options.Device)
// and never placed there. The garbage collector owns the arrays of all other
// graphs: Close refuses new users, and the memory is freed when the program
// drops its references.
//
// Placed graphs stay usable. The arrays are released when all placed graphs are
// closed (Placed.Close waits for their searches) and all holds (Hold) have ended,
// or immediately if there are none. Searches, lookups of ids (Vertex and the
// methods of IDs) and writers of the graph or its results hold the graph while
// they run. So Close may be called at any time: each of them returns the right
// answer or device.ErrClosed. A closed graph can't be placed again; if it isn't
// placed now, it can't be held either (device.ErrClosed). Methods that need no
// arrays, such as NumVertices and NumEdges, still work.
//
// Methods without an error result panic with an error that wraps
// device.ErrClosed if they need released arrays: Out, In, Degree, InDegree,
// DegreeHistogram, and the methods of IDs.
//
// A caller that keeps slices of a graph in a mapped file must Hold the graph
// meanwhile. This concerns the slices of Out and In, the fields of IDs, and the
// results of CSR.Neighbors, IDs.ByID and IDs.Bytes.
// Access after the release ends the process. Closing a second time, or nil,
// does nothing.
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

// letGo releases the arrays if they have no user. Once a closed graph isn't placed, it
// admits no new holds: alternating holders could keep it forever. The caller holds
// g.hold.mu.
func (g *Graph) letGo() error {
	if !g.hold.closed || g.hold.placed > 0 {
		return nil
	}
	g.hold.gone.Store(true)
	if g.hold.held > 0 {
		return nil
	}
	if m := g.hold.mapped; m != nil && !m.released.Swap(true) {
		m.await()
	}
	if g.away != nil {
		g.away.lose(errGraphClosed()) // once no fetch is under way
	}
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

// Hold keeps the graph's arrays in place until release is called, even if the
// graph is closed meanwhile. Use it to read the arrays while another goroutine
// may close the graph. Calling release again does nothing. The error is
// ErrNoGraph for nil, and device.ErrClosed for a closed graph that isn't placed.
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
	return g.letGoOnce(), nil
}

// look begins a lookup of ids, which ends with looked.
func (g *Graph) look() (*readers, error) {
	if g.hold.mapped != nil {
		if r, ok := g.hold.mapped.enter(); ok {
			if !g.hold.gone.Load() {
				return r, nil
			}
			r.leave()
		}
		return nil, errGraphClosed()
	}
	if g.hold.gone.Load() {
		return nil, errGraphClosed()
	}
	return nil, nil
}

func looked(r *readers) {
	if r != nil {
		r.leave()
	}
}

// keep is Hold for methods without an error result. It succeeds as long as the arrays
// exist; arrays on the Go heap always do.
func (g *Graph) keep() (release func()) {
	g.hold.mu.Lock()
	defer g.hold.mu.Unlock()
	if m := g.hold.mapped; m != nil && m.released.Load() {
		panic(errGraphClosed())
	}
	g.hold.held++
	return g.letGoOnce()
}

// letGoOnce returns the function that ends a hold.
func (g *Graph) letGoOnce() func() {
	return sync.OnceFunc(func() {
		g.hold.mu.Lock()
		defer g.hold.mu.Unlock()
		g.hold.held--
		_ = g.letGo() // memory that was mapped can be unmapped
	})
}

// mustHave panics if the rows aren't on the host and can't be fetched.
func (g *Graph) mustHave() {
	if m := g.hold.mapped; m != nil && m.released.Load() {
		panic(errGraphClosed())
	}
	if g.away != nil {
		g.mustFetch()
	}
}

// leave is for a placed graph that was closed.
func (g *Graph) leave() error {
	g.hold.mu.Lock()
	defer g.hold.mu.Unlock()
	g.hold.placed--
	return g.letGo()
}

// checkStored compares the lengths of stored arrays with the graph's.
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

func (i *inner) Prepare() *placed.Prepared {
	g := (*Graph)(i)
	if g.in == nil {
		return nil
	}
	defer g.keep()()
	if g.stored.First == nil {
		p := prepare(g.In(), runtime.GOMAXPROCS(0), true)
		return &p
	}
	p := placed.Prepared{First: g.stored.First, NoIn: g.stored.NoIn}
	for _, none := range p.NoIn {
		p.Candidates += 64 - bits.OnesCount64(none)
	}
	finishPrepared(&p, g.in)
	return &p
}

func (i *inner) Ell4() *placed.Ell4 {
	g := (*Graph)(i)
	defer g.keep()()
	if g.stored.Rows == nil {
		if _, pays := ell4Pay(g.out); !pays {
			return nil
		}
		return newEll4(g.Out(), runtime.GOMAXPROCS(0))
	}
	f := &placed.Ell4{Rows: g.stored.Rows, Long: g.stored.Long}
	f.Bytes = uint64(len(f.Rows))*16 + uint64(len(f.Long))*8
	f.Loops = sync.OnceValue(func() bool { return loopsIn(g.out, f.Rows) })
	return f
}

// loopsIn reports a self-loop in ELL4 rows.
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

// setByID sets the result of ByID, which the first lookup computes otherwise: the
// vertices in ascending order of external id, or nil if they are in that order
// already. It must be called before the map is used. The order isn't checked:
// with a wrong one, lookups return wrong vertices.
func (m *IDs) setByID(byID []uint32) {
	m.index.once.Do(m.countSources)
	m.index.byID = byID
}
