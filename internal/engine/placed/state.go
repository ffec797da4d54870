// This file holds what operators and algorithms keep with a placed graph: values that are made once, and
// workspaces that one traversal leaves to the next. The type of a key says the type of its value.

package placed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/calls/callctx"
)

// Of is embedded in the type of a key, and says that its values are T:
//
//	type hubsKey struct {
//		placed.Of[*hubs]
//		in bool
//	}
type Of[T any] struct{}

// Value says the type of the values.
func (Of[T]) Value(T) {}

// Key is a key with values of type T: a comparable type that embeds Of[T] or has its method. Go keeps a number below 256 in
// an interface without allocating, but no struct around it.
type Key[T any] interface {
	comparable
	Value(T)
}

// State is what operators and algorithms use of a placed graph, and keep with it.
type State struct {
	Shelf
	Arrays
	uses

	mu     sync.Mutex
	values map[any]*value
	whole  *State           // of the graph of which this one is a shard; or nil
	edges  map[uintptr]bool // where traversals have arrays of out-edges (NoteEdges)
}

// value is what LoadOrMake made for a key.
type value struct {
	turn chan struct{} // holds one while a call makes it
	done atomic.Bool   // x is there, and stays as it is
	x    any
}

// NewState returns the state of a placed graph, which keeps so many workspaces of a key.
func NewState(a Arrays, workspaces int) *State {
	s := &State{Shelf: Shelf{most: workspaces}, Arrays: a}
	s.begin()
	return s
}

// Behind calls f in a goroutine, which the placed graph waits for before it is freed. The context is done as soon as Close
// was called. It reports false, without a call, once the placed graph was closed.
func (s *State) Behind(f func(ctx context.Context)) bool {
	if s.Enter() != nil {
		return false
	}
	go func() {
		defer s.Leave()
		f(s.ending())
	}()
	return true
}

// PartOf makes the state a shard's. The arrays of the whole graph are the shard's too.
func (s *State) PartOf(whole *State) { s.whole = whole }

// NoState returns the state of no graph, whose uses fail with err.
func NoState(a Arrays, err error) *State {
	s := NewState(a, 0)
	s.none = err
	s.End()
	return s
}

func (s *State) value(key any) *value {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.values[key]
	if v == nil {
		if s.values == nil {
			s.values = map[any]*value{}
		}
		v = &value{turn: make(chan struct{}, 1)}
		s.values[key] = v
	}
	return v
}

// Put sets the value of a key, before other goroutines use the placed graph.
func Put[T any, K Key[T]](s *State, key K, x T) {
	v := s.value(key)
	v.x = x
	v.done.Store(true)
}

// Lookup returns the value of a key, if it was made and the placed graph wasn't closed.
func Lookup[T any, K Key[T]](s *State, key K) (x T, ok bool) {
	if s.Enter() != nil {
		return x, false
	}
	defer s.Leave()
	s.mu.Lock()
	v := s.values[key]
	s.mu.Unlock()
	if v == nil || !v.done.Load() {
		return x, false
	}
	x, ok = v.x.(T)
	return x, ok
}

// Await is Lookup that waits for a LoadOrMake of the key that runs, until the context is done.
func Await[T any, K Key[T]](ctx context.Context, s *State, key K) (x T, ok bool) {
	x, err := LoadOrMakeIn(ctx, s, key, func() (none T, err error) { return none, errNotMade })
	return x, err == nil
}

var errNotMade = errors.New("not made")

// LoadOrMake returns the value of a key. The first call makes it; a failure isn't kept. A value with a method
// Close() error is freed with the placed graph. At most one call for a key runs make at a time. The error is
// make's, or device.ErrClosed once the placed graph was closed.
func LoadOrMake[T any, K Key[T]](s *State, key K, make func() (T, error)) (T, error) {
	return LoadOrMakeIn(context.Background(), s, key, make)
}

// LoadOrMakeIn is LoadOrMake with a context that ends the wait for another caller's make: the error is then
// the context's. make itself has to observe the context.
func LoadOrMakeIn[T any, K Key[T]](ctx context.Context, s *State, key K, make func() (T, error)) (none T, err error) {
	if err := callctx.Check(ctx, "graph"); err != nil {
		return none, err
	}
	if err := s.Enter(); err != nil {
		return none, err
	}
	defer s.Leave()
	v := s.value(key)
	if !v.done.Load() {
		select {
		case v.turn <- struct{}{}:
		case <-ctx.Done():
			return none, ctx.Err()
		}
		defer func() { <-v.turn }()
		if !v.done.Load() {
			x, err := make()
			if err != nil {
				return none, err
			}
			v.x = x
			v.done.Store(true)
		}
	}
	x, _ := v.x.(T) // the zero value of an interface type is nil
	return x, nil
}

// Close frees all values, then all workspaces. Nothing is kept afterwards. The error is the first.
func (s *State) Close() (first error) {
	s.mu.Lock()
	values := s.values
	s.values = nil
	s.mu.Unlock()
	for _, v := range values {
		first = cmp.Or(first, free(v.x))
	}
	return cmp.Or(first, s.Shelf.Close())
}

// Array is the key of an array of the graph, which traversals share.
type Array[T device.Elem] uint8

// Value says the type of the arrays.
func (Array[T]) Value(*device.Buffer[T]) {}

// The arrays.
const (
	Weights      = Array[float32](0)
	InWeights    = Array[float32](1)
	EdgeIDs      = Array[uint64](2)
	InEdgeIDs    = Array[uint64](3)
	Degrees      = Array[uint32](4)
	Offsets      = Array[uint64](5)
	Targets      = Array[uint32](6)
	Ranks        = Array[uint32](7)
	ByRank       = Array[uint32](8)
	First        = Array[uint32](9)
	FloatWeights = Array[float64](10)
	WeightSums   = Array[float64](11)
)

var arrayNames = [...]string{"weights of edges", "weights of in-edges", "ids of edges", "ids of in-edges", "degrees", "offsets of rows", "targets of edges", "ranks of ids", "vertices by rank", "first targets", "weights of edges in float64", "sums of weights"}

// ColumnKey is the key of a column of the vertices, or of the edges of Graph.Out or Graph.In. Its value is a *device.Buffer.
type ColumnKey struct {
	Of[any]
	Name     string
	In       bool
	Vertices bool
}

// columnAt returns the key of the column at an address.
func (s *State) columnAt(at uintptr) (key ColumnKey, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.values {
		if c, is := k.(ColumnKey); is && v.done.Load() {
			if b, is := v.x.(interface{ Pointer() uintptr }); is && b.Pointer() == at {
				return c, true
			}
		}
	}
	return key, false
}

// EdgesOf reports whether the array at an address has an entry for each edge in one direction, and whether that is
// in-edges.
func (s *State) EdgesOf(at uintptr) (in, ok bool) {
	if s.whole != nil {
		if in, ok := s.whole.EdgesOf(at); ok {
			return in, ok
		}
	}
	s.mu.Lock()
	noted := s.edges[at]
	s.mu.Unlock()
	switch {
	case noted, isAt(s, Weights, at), isAt(s, EdgeIDs, at), isAt(s, FloatWeights, at), isAt(s, WeightSums, at):
		return false, true
	case isAt(s, InWeights, at), isAt(s, InEdgeIDs, at):
		return true, true
	}
	c, ok := s.columnAt(at)
	return c.In, ok && !c.Vertices
}

// NoteEdges notes that a traversal has an array at an address with an entry for each edge of Graph.Out, until forget is called.
func (s *State) NoteEdges(at uintptr) (forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.edges == nil {
		s.edges = map[uintptr]bool{}
	}
	s.edges[at] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.edges, at)
	}
}

// ArrayAt returns the name of the graph's array at an address, or "".
func (s *State) ArrayAt(at uintptr) string {
	if s.whole != nil {
		if name := s.whole.ArrayAt(at); name != "" {
			return name
		}
	}
	if c, ok := s.columnAt(at); ok {
		return fmt.Sprintf("column %.100q", c.Name)
	}
	for i, is := range [...]bool{
		isAt(s, Weights, at), isAt(s, InWeights, at), isAt(s, EdgeIDs, at), isAt(s, InEdgeIDs, at), isAt(s, Degrees, at), isAt(s, Offsets, at),
		isAt(s, Targets, at), isAt(s, Ranks, at), isAt(s, ByRank, at), isAt(s, First, at), isAt(s, FloatWeights, at), isAt(s, WeightSums, at),
	} {
		if is {
			return arrayNames[i]
		}
	}
	return ""
}

func isAt[T device.Elem](s *State, key Array[T], at uintptr) bool {
	b, ok := Lookup(s, key)
	return ok && b.Pointer() == at
}

// Ascending is the key of the order of rows by weight, of out-edges (0) and of in-edges (1).
// Its value, true, says that rows ascend.
type Ascending uint8

// Value says the type of the values.
func (Ascending) Value(bool) {}

// Store keeps workspaces that one traversal leaves to the next: the State of a placed graph, for all
// traversals of it, or a Shelf, for those of one searcher.
type Store interface {
	take(key any) any
	keep(key, x any) bool
}

// Take returns the workspace that was kept last under the key. It is the caller's alone until it is kept again.
func Take[T any, K Key[T]](s Store, key K) (x T, ok bool) {
	x, ok = s.take(key).(T)
	return x, ok
}

// Keep keeps a workspace for the next Take with the key. It reports whether the workspace was kept: otherwise the
// store was closed, or has enough workspaces of the key, and the caller frees it.
func Keep[T any, K Key[T]](s Store, key K, x T) bool { return s.keep(key, x) }

// Shelf is a Store. The zero value is ready, and keeps any number of workspaces.
type Shelf struct {
	mu     sync.Mutex
	kept   map[any][]any
	most   int // of a key; 0: any number
	closed bool
}

func (s *Shelf) take(key any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.kept[key]
	if len(kept) == 0 {
		return nil
	}
	x := kept[len(kept)-1]
	kept[len(kept)-1] = nil
	s.kept[key] = kept[:len(kept)-1]
	return x
}

func (s *Shelf) keep(key, x any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.most > 0 && len(s.kept[key]) >= s.most {
		return false
	}
	if s.kept == nil {
		s.kept = map[any][]any{}
	}
	s.kept[key] = append(s.kept[key], x)
	return true
}

// Close frees all workspaces. Nothing is kept afterwards. The error is the first.
func (s *Shelf) Close() (first error) {
	s.mu.Lock()
	kept := s.kept
	s.kept, s.closed = nil, true
	s.mu.Unlock()
	for _, all := range kept {
		for _, x := range all {
			first = cmp.Or(first, free(x))
		}
	}
	return first
}

// free frees a value that has a method for it.
func free(x any) error {
	if f, ok := x.(interface{ Close() error }); ok {
		return f.Close()
	}
	return nil
}
