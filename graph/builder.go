// This file holds Builder, which makes a Graph from batches of edges.

package graph

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
)

// Options configure the graph to build. The zero value makes an undirected simple
// graph: every edge in both directions, no self-loops, no duplicates.
type Options struct {
	// Directed keeps edges as given; otherwise every edge is also added reversed.
	Directed bool
	// Reverse builds the reverse of a directed graph too, which pulls need. An
	// undirected graph is its own reverse.
	Reverse bool
	// KeepSelfLoops keeps edges from a vertex to itself.
	KeepSelfLoops bool
	// KeepDuplicates keeps parallel edges. Otherwise they become one edge; see Combine.
	KeepDuplicates bool
	// Combine sets the weight of that edge; the default is the smallest weight, or, with EdgeColumns, the weight of the edge
	// that stays. With other values the host builds the
	// rows, whatever Device is, if Device is several GPUs or float32 doesn't hold a sum.
	Combine Combine
	// DenseIDs means that the ids are vertex numbers, 0 to the largest one; ids
	// that don't occur are isolated vertices. No id map is stored, or, if Order
	// renumbers, one uint32 per vertex.
	DenseIDs bool
	// Vertices is the number of vertices of dense ids: ids are 0 to Vertices-1,
	// and ids that don't occur are isolated vertices. An id of Vertices or more is
	// ErrIDRange. 0 means one more than the largest id. Without DenseIDs it is an
	// error, since the other ids are unknown. An input without edges becomes a
	// graph of Vertices isolated vertices.
	Vertices uint64
	// Bipartite means that sources and targets are two kinds of things, such as
	// users and items: the same id on both sides means two vertices. See
	// IDs.Side. Ids then use a hash table, as strings do; there are at most 2^31
	// vertices on a side. It can't be combined with DenseIDs.
	Bipartite bool
	// Order is the internal order of vertices.
	Order Order
	// Weights keeps a weight per edge; every batch must then have them.
	Weights bool
	// WeightType is the type of the graph's weights. WeightsAuto keeps the type of the batches;
	// WeightsFloat32 rounds weights, and saves memory if they need 64 bits. With WeightsInt64 a batch of floats
	// that aren't whole numbers is ErrWeights.
	WeightType WeightType
	// NonNegative refuses a batch with a weight below 0 or NaN: ErrWeights, with the edge. Without it, CombineSum and
	// CombineMax may hide such a weight behind those of parallel edges.
	NonNegative bool
	// EdgeIDs keeps a uint64 per edge, CSR.EdgeIDs; every Batch must then have them. The caller defines their
	// meaning and whether they are unique. Both directions of an undirected edge have the same id.
	EdgeIDs bool
	// EdgeColumns names the columns that edges have besides; every Batch must then have them. See Graph.EdgeColumns. The
	// host builds the rows, whatever Device is.
	EdgeColumns []string
	// Merge chooses which of several parallel edges stays if there are EdgeColumns; MergeBy names the column for MergeLeast
	// and MergeGreatest. The zero value refuses parallel edges. With KeepDuplicates all of them stay.
	Merge   Merge
	MergeBy string
	// Fold combines the values of parallel edges in the named columns, which are some of EdgeColumns: CombineSum, CombineMin and
	// CombineMax those of numbers, by the rules of weights but in the type of the column, which holds a sum or the error is
	// ErrWeights; CombineFirst takes the value of the edge with the least row number. Booleans, dates and times have no sum.
	// Floats are added in ascending order; a sum past their type on the way is ErrWeights too. Other columns have the value of the edge
	// that stays. If all columns are folded, Merge may be left out; the edge that stays is then the first.
	Fold map[string]Combine
	// Device, if it is one or several GPUs, builds the rows, and keeps them for the first Graph.On of that
	// device, which then uploads nothing. If the graph is never placed, Graph.Close frees them. The graph is
	// the same as without Device, except for the location of its rows: they are copied to the host when first
	// needed there (Graph.Fetch). The device must stay open until then. The host builds the rows of a graph
	// for which the device has too little free memory (Memory.Device: some 8 bytes an edge, 16 with Weights,
	// 24 with EdgeIDs, 33 with both or with ids of 2^32 or more); of a small graph; and in TwoPass. BuildStats
	// reports which device built the rows.
	Device device.Device
	// DeviceOnly makes Device build graphs of any size, or fail. The error is device.ErrMemory if
	// it has too little memory, which may be detected late, and ErrOptions in TwoPass or if Device isn't a GPU.
	DeviceOnly bool
	// MemoryLimit is the maximum memory of building, in bytes; beyond it the error is device.ErrMemory. It
	// includes the memory of reading, within 10%. It doesn't include memory that the process had before,
	// or memory of Graph.On, searches (Bytes of an algorithm's package) and results. 0 means the least free
	// memory of the machine, the cgroup, ulimit -v and -d, and GOMEMLIMIT. macOS reports only the first and
	// the last of these, other systems only the last.
	MemoryLimit uint64
	// Held is memory that the caller holds meanwhile, in bytes. It counts toward the limit.
	Held uint64
	// Workers is the number of goroutines that build; 0 means GOMAXPROCS, less
	// is an error.
	Workers int
	// Progress, if not nil, is called from time to time: in phase "read" with the edges that were added so far
	// (Total is 0), later, while the graph is built, with the parts of the named phase that are done. Calls
	// don't overlap; they should be short.
	Progress func(Progress)
}

// Progress is how far work has come that takes a while. Each Progress field of an Options type documents which
// phases it reports, and in which unit.
type Progress struct {
	// Phase names what is being done.
	Phase string
	// Done and Total count in the phase's unit. Total is 0 if it isn't known.
	Done, Total uint64
}

// Check returns ErrOptions for options that are out of range or can't be
// combined, ErrTooManyVertices for more Vertices than a graph can have, else
// nil. Building checks too, with the first batch or at the end.
func (o Options) Check() error {
	switch {
	case o.Workers < 0:
		return fmt.Errorf("%w: Options.Workers is %d; want a number of goroutines, or 0 for GOMAXPROCS", ErrOptions, o.Workers)
	case int(o.Order) >= len(orderNames):
		return fmt.Errorf("%w: Options.Order is %v; want OrderAuto, OrderDegree or OrderGiven", ErrOptions, o.Order)
	case o.Bipartite && o.DenseIDs:
		return fmt.Errorf("%w: Options.Bipartite with DenseIDs, where an id is its vertex; leave out one of them", ErrOptions)
	case o.Vertices > 0 && !o.DenseIDs:
		return fmt.Errorf("%w: Options.Vertices is %d, but without DenseIDs vertices are the ids that occur; set DenseIDs, or leave Vertices 0",
			ErrOptions, o.Vertices)
	case o.DeviceOnly && !o.onDevice() && o.sharded() == nil:
		return fmt.Errorf("%w: Options.DeviceOnly, but Options.Device is no GPU", ErrOptions)
	case o.checkColumns() != nil:
		return o.checkColumns()
	case o.checkCombine() != nil:
		return o.checkCombine()
	case o.WeightType > WeightsFloat32:
		return fmt.Errorf("%w: Options.WeightType is %v; want WeightsAuto, WeightsInt64, WeightsFloat64 or WeightsFloat32", ErrOptions, o.WeightType)
	case o.Vertices > uint64(NoVertex):
		return fmt.Errorf("%w: Options.Vertices is %d, a graph has at most %d", ErrTooManyVertices, o.Vertices, NoVertex)
	}
	return nil
}

// simple reports whether rows have no entry twice and no self-loop.
func (o Options) simple() bool { return !o.KeepDuplicates && !o.KeepSelfLoops }

// Integer is any integer type that ids may have.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Strings is a column of strings or binary values: value i is
// Data[Offsets[i]:Offsets[i+1]]. It is Arrow's layout, so columns can be passed
// without a copy.
type Strings struct {
	Offsets []int64
	Data    []byte
	Binary  bool // the type is binary, not string
}

// Len returns the number of values.
func (s Strings) Len() int { return max(0, len(s.Offsets)-1) }

// Value returns value i.
func (s Strings) Value(i int) []byte { return s.Data[s.Offsets[i]:s.Offsets[i+1]] }

// Builder collects edges and builds a Graph of them, once. Call NewBuilder, any
// number of times AddInts, AddStrings or Add, then Build. Several goroutines may
// add edges at once; the graph does not depend on the order. Edges are uploaded
// to Options.Device while others are added, if it has room for them and their
// rows. If a Builder is dropped without Build, only these uploads remain, until
// the garbage collector runs; Close frees them immediately.
//
// A Builder stores every edge as a pair of uint32, 8 bytes. Weights take 4 more,
// and edge ids, and weights that float32 can't represent, 8 more. Pairs are sorted
// in place. While rows are made of them, their memory is returned to the system
// (on Linux), so the graph and its pairs aren't both in memory. About 30 bytes per
// vertex are added, fewer if integer ids are close together. A NaN weight counts
// as larger than every number.
type Builder struct {
	intake

	asked Options // as the caller gave them; intake holds those that kept returns

	mu      sync.Mutex
	err     error // why nothing can be added any more
	busy    int   // calls of Add that are running
	lanes   []*lane
	idle    []*lane
	table   *idTable // nil as long as integer ids go by their low 32 bits
	raw     bool     // or whole, for a device to number them
	pool    chunkPool
	columns *columnTable // or nil
	early   *early       // nil once it is a build's
	// Frees the uploads of early if the Builder is dropped.
	cleanup runtime.Cleanup
	check   uint64 // when so many edges are in, look at the memory again
	// At most so many ids were never counted by a sketch.
	uncounted uint64
	counted   sketch

	progressMu sync.Mutex
	reported   uint64
}

// NewBuilder returns a Builder. If the options are invalid, adding edges and
// Build return the error; see Options.Check.
func NewBuilder(o Options) *Builder {
	b := &Builder{err: o.Check(), asked: o, columns: newColumnTable(o)}
	o = o.added()
	b.intake = newIntake(o)
	b.pool.weights, b.pool.edgeIDs = o.Weights, o.EdgeIDs
	if b.err == nil {
		b.early = newEarly(o)
	}
	if b.pool.early = b.early; b.early != nil {
		b.cleanup = runtime.AddCleanup(b, func(e *early) { _ = e.drop() }, b.early)
	}
	return b
}

// Close frees the memory of Options.Device that a Builder holds if it isn't built. Adding and Build fail
// afterwards (device.ErrClosed). After Build, a second time, or for nil it does nothing. Calls of Add must have
// returned.
func (b *Builder) Close() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = errBuilt
	}
	e := b.early
	b.early = nil
	return e.drop()
}

// AddInts adds one edge from src[i] to dst[i] for every i. The slices are
// only read, and only during the call. weights is nil or as long as src;
// without Options.Weights they are ignored.
// All calls on one Builder must have ids of the same type T, or fail with
// ErrIDType.
//
// A batch that fails a check is skipped, and the Builder stays usable: ErrIDType, ErrIDRange for a dense id
// out of range, ErrMalformed for slices of different lengths or missing weights. An empty batch is not an
// error, whatever its type. After device.ErrMemory and ErrTooManyVertices the Builder is unusable, and Build returns
// the error too; after Build or Close the error is device.ErrClosed.
func AddInts[T Integer](b *Builder, src, dst []T, weights []float32) error {
	return addInts(b, idTypeOf[T](), "", src, dst, extras{weights: weights})
}

// AddStrings adds one edge from src.Value(i) to dst.Value(i) for every i. Needed bytes are copied. Errors are
// the same as for AddInts.
func (b *Builder) AddStrings(src, dst Strings, weights []float32) error {
	return b.addStrings("", src, dst, extras{weights: weights})
}

func (b *Builder) addStrings(logical string, src, dst Strings, x extras) error {
	typ, err := b.checkStrings(src, dst, x)
	if err != nil {
		return err
	}
	x, release, err := b.weigh(x)
	defer release()
	if err != nil {
		return err
	}
	l, _, err := b.enter(intakeBatch{typ: typ, logical: logical, edges: src.Len(), wideIDs: b.hasWideIDs(x), weights: x.typ, inexact: x.inexact})
	if err != nil {
		return err
	}
	return b.leave(l, l.storeStrings(b, src, dst, b.wanted(x)))
}

// Add adds a batch, as AddInts and AddStrings do, for callers that know the type only at run time. Errors are
// the same as for AddInts, and ErrMalformed for a batch with two pairs of ids or an incomplete pair. A batch
// without ids adds nothing.
func (b *Builder) Add(e Batch) error {
	if e.Vertices {
		return b.addVertices(e)
	}
	if err := e.checkNegative(&b.asked); err != nil {
		return err
	}
	if b.columns == nil {
		return b.add(e)
	}
	edges := len(e.Src)
	if e.SrcStrings != nil {
		edges = e.SrcStrings.Len()
	}
	if b.asked.EdgeIDs && len(e.EdgeIDs) != edges {
		return fmt.Errorf("%w: %d edge ids for %d edges", ErrMalformed, len(e.EdgeIDs), edges)
	}
	if edges == 0 {
		b.columns.noteTypes(&e)
		return b.add(e)
	}
	rows, c, err := b.columns.add(&e, edges)
	if err != nil {
		return err
	}
	if b.columns.grown() {
		if err := b.checkGrown(); err != nil {
			b.columns.drop(c)
			return err
		}
	}
	e.EdgeIDs = rows
	if err := b.add(e); err != nil {
		b.columns.drop(c)
		return err
	}
	return nil
}

// checkGrown compares the memory with its limit.
func (b *Builder) checkGrown() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = b.checkMemory()
	}
	return b.err
}

func (b *Builder) add(e Batch) error {
	if e.SrcStrings != nil || e.DstStrings != nil {
		if err := e.checkForm(); err != nil {
			return err
		}
		return b.addStrings(e.Logical, *e.SrcStrings, *e.DstStrings, e.extras())
	}
	if !e.Type.Integer() {
		return fmt.Errorf("%w: a batch of type %v has integer ids", ErrIDType, e.Type)
	}
	if e.Type == Uint64 {
		return addInts(b, Uint64, e.Logical, unsigned(e.Src), unsigned(e.Dst), e.extras())
	}
	return addInts(b, e.Type, e.Logical, e.Src, e.Dst, e.extras())
}

// unsigned returns the same ids, read bit for bit as unsigned.
func unsigned(ids []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(ids))), len(ids))
}
