// This file holds Builder, which makes a Graph of batches of edges.

package graph

import (
	"context"
	"errors"
)

// Options say what graph to build. The zero value makes an undirected simple
// graph: every edge in both directions, no self-loops, no duplicates.
type Options struct {
	// Directed keeps edges as given; otherwise every edge is also added reversed.
	Directed bool
	// Reverse builds the reverse of a directed graph too, which pulls need.
	Reverse bool
	// KeepSelfLoops keeps edges from a vertex to itself.
	KeepSelfLoops bool
	// KeepDuplicates keeps parallel edges. Where they are dropped, the smallest
	// weight stays.
	KeepDuplicates bool
	// DenseIDs says that the ids are vertex ids already, 0 to the largest one;
	// ids that don't occur are isolated vertices. No id map is stored (unless
	// Order renumbers, when one uint32 per vertex is).
	DenseIDs bool
	// Order says how vertices are numbered inside.
	Order Order
	// Weights keeps a float32 per edge; every batch must then have them.
	Weights bool
	// MemoryLimit in bytes: building refuses, with ErrMemory, to go past it.
	// 0 means what the machine (or its cgroup) has.
	MemoryLimit uint64
	// Workers is the number of goroutines that build; 0 means GOMAXPROCS.
	Workers int
	// Progress, if not nil, is called now and then with the edges added so far
	// or, while the graph is put together, the share done of the named phase.
	Progress func(phase string, done, total uint64)
}

// Integer is any integer type that ids may have.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Strings is a column of strings or binary values: value i is
// Data[Offsets[i]:Offsets[i+1]]. It is Arrow's layout, so that columns are
// passed on without a copy.
type Strings struct {
	Offsets []int64
	Data    []byte
	Binary  bool // the type is binary, not string
}

// Len returns the number of values.
func (s Strings) Len() int { return max(0, len(s.Offsets)-1) }

// Value returns value i.
func (s Strings) Value(i int) []byte { return s.Data[s.Offsets[i]:s.Offsets[i+1]] }

// Builder collects edges and makes a Graph of them. Its Add calls may come
// from several goroutines at once; the graph does not depend on their order.
type Builder struct{ o Options }

// NewBuilder returns a Builder.
func NewBuilder(o Options) *Builder { return &Builder{o: o} }

var errUnbuilt = errors.New("graph: builder is not there yet")

// AddInts adds one edge from src[i] to dst[i] for every i. The slices are
// only read, and only during the call. weights is nil or as long as src.
// All calls on one Builder must have ids of the same type T, or fail with
// ErrIDType.
func AddInts[T Integer](b *Builder, src, dst []T, weights []float32) error { return errUnbuilt }

// AddStrings adds one edge from src.Value(i) to dst.Value(i) for every i. The
// bytes are copied as far as they are needed.
func (b *Builder) AddStrings(src, dst Strings, weights []float32) error { return errUnbuilt }

// Build makes the graph. The Builder can't be used afterwards.
func (b *Builder) Build(ctx context.Context) (*Graph, error) { return nil, errUnbuilt }

// Batch is a batch of edges from a source that can be read twice. Exactly one
// of the id pairs is set: Src and Dst, or SrcStrings and DstStrings.
type Batch struct {
	Type                   IDType
	Src, Dst               []int64 // integers of any type, widened (a Uint64 bit for bit)
	SrcStrings, DstStrings *Strings
	Weights                []float32
}

// Add adds a batch; it is what AddInts and AddStrings do, for callers that
// learn the type at run time. b.Type is the external type of integer ids.
func (b *Builder) Add(e Batch) error { return errUnbuilt }

// TwoPass builds a graph without holding the edges: read is called twice, and
// must yield the same edges each time (in any order, from any number of
// goroutines). Besides the graph and the id map it holds nothing per edge.
func TwoPass(ctx context.Context, o Options, read func(ctx context.Context, yield func(Batch) error) error) (*Graph, error) {
	return nil, errUnbuilt
}

// Memory is an estimate of what building takes, in bytes.
type Memory struct {
	Graph uint64 // the finished graph: CSR, reverse, weights
	IDs   uint64 // the id map
	Peak  uint64 // the most that is held at one time, both included
}

// Estimate says what memory building a graph of so many input edges and
// vertices takes, before any is taken. meanIDBytes is the mean length of
// string ids, 0 for integers.
func Estimate(o Options, inputEdges, vertices uint64, meanIDBytes float64) Memory { return Memory{} }

// Estimate says what memory Build will take, given what was added so far.
func (b *Builder) Estimate() Memory { return Memory{} }
