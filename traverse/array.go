// This file holds the arrays of a traversal, and results made of them.

package traverse

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/operators"
)

// Array returns an array with an entry per vertex, on the device, filled with x. It belongs to
// the traversal until Result takes it over; after that, and after Close, it counts as closed.
// After an error it is nil.
func Array[T device.Elem](t *Traversal, x T) *device.Buffer[T] {
	b := Uninitialized[T](t)
	if t.err != nil {
		return nil
	}
	t.renewed(func() error { return t.space.on.fill(cellsOf(b), bitsOf(x)) })
	return b
}

// renewed fills the last array, and records fill for later runs.
func (t *Traversal) renewed(fill func() error) {
	t.arrays[len(t.arrays)-1].renew = fill
	t.fail(fill())
}

// Uninitialized is Array with unspecified entries, which saves a pass. It is for arrays whose entries are
// written before they are read.
func Uninitialized[T device.Elem](t *Traversal) *device.Buffer[T] {
	if t.err != nil {
		return nil
	}
	b, err := run.Array[T](t.own, t.p, nil)
	if t.fail(err) {
		return nil
	}
	t.arrays = append(t.arrays, owned{array: b, keep: func() error { return run.Keep(t.own, b.Move()) }})
	return b
}

// sizedKey is what arrays of ArrayN are kept under between traversals: their length, and of arrays of edges its complement.
type sizedKey[T device.Elem] int

// Value says the type of the arrays.
func (sizedKey[T]) Value(*device.Buffer[T]) {}

// ArrayN is Array with n entries instead of one per vertex. It can't become a result.
func ArrayN[T device.Elem](t *Traversal, n int, x T) *device.Buffer[T] {
	b := sized(t, sizedKey[T](n), func() (*device.Buffer[T], error) { return device.NewBuffer[T](run.Device(t.p), n) })
	if t.err != nil {
		return nil
	}
	t.renewed(func() error { return t.space.on.fill(cellsOf(b), bitsOf(x)) })
	return b
}

// sized returns an array that was kept under a key, or a new one. It belongs to the traversal.
func sized[T device.Elem](t *Traversal, key sizedKey[T], make func() (*device.Buffer[T], error)) *device.Buffer[T] {
	if t.err != nil {
		return nil
	}
	b, ok := placed.Take(t.own, key)
	if !ok {
		var err error
		if b, err = make(); t.fail(err) {
			return nil
		}
	}
	t.arrays = append(t.arrays, owned{keep: func() error {
		if b.Closed() { // by its user
			return nil
		}
		moved := b.Move()
		if placed.Keep(t.own, key, moved) {
			return nil
		}
		return moved.Close()
	}})
	return b
}

// FromSlice returns an array with the values of a slice, such as one per vertex of a column that the caller has read. The
// steps before it finish first. It copies the slice; in later runs of a Searcher that keeps the array (see Kept) it
// copies it again. An array with an entry per vertex may become a result, like Array's. On several GPUs it is in the order of
// the GPUs' own numbers of vertices: give a table that isn't indexed by vertices another length. After an error it is nil.
func FromSlice[T device.Elem](t *Traversal, s []T) *device.Buffer[T] {
	if t.err != nil {
		return nil
	}
	var b *device.Buffer[T]
	write := func() error { return b.Write(run.Device(t.p), 0, s) }
	if len(s) == t.p.NumVertices() {
		b = Uninitialized[T](t)
		write = func() error { return run.Write(t.p, b, s) }
	} else {
		b = ArrayN[T](t, len(s), 0)
	}
	if t.err != nil {
		return nil
	}
	t.renewed(func() error {
		if err := t.space.on.sync(); err != nil { // the memory may be that of an array that steps still use
			return err
		}
		return write()
	})
	return b
}

// Set sets the entry of a vertex, in the order of the steps. A vertex that the array doesn't
// have is graph.ErrNoVertex.
func Set[T device.Elem](t *Traversal, b *device.Buffer[T], v uint32, x T) {
	if t.err != nil {
		return
	}
	if b == nil {
		t.fail(fmt.Errorf("traverse: setting an entry: %w: the array is nil; traverse.Array makes one", graph.ErrOptions))
		return
	}
	if b.Closed() {
		t.fail(fmt.Errorf("traverse: setting an entry: %w: the array, by its Close, or by Result or Close of the traversal that made it", device.ErrClosed))
		return
	}
	if int64(v) >= int64(b.Len()) {
		t.fail(fmt.Errorf("traverse: setting an entry: %w: vertex %d of %d", graph.ErrNoVertex, v, b.Len()))
		return
	}
	if name := t.p.State().ArrayAt(b.Pointer()); name != "" {
		t.fail(fmt.Errorf("traverse: setting an entry: %w: the array is the %s of the graph, which stays as it is; copy it by FromSlice", graph.ErrOptions, name))
		return
	}
	t.fail(t.space.on.put(cellsOf(b), v, bitsOf(x)))
}

// scalarKey is what scalars of a type and a reduction are kept under between traversals.
type scalarKey[T operators.Number] operators.Reduction

// Value says the type of the scalars.
func (scalarKey[T]) Value(*link.Scalar[T]) {}

// Scalar returns a number on the device, initially 0, into which steps reduce by one reduction.
// It belongs to the traversal. After an error it is nil.
func Scalar[T operators.Number](t *Traversal, how operators.Reduction) *operators.Scalar[T] {
	if t.err != nil {
		return nil
	}
	key := scalarKey[T](how)
	s, kept := placed.Take(t.own, key)
	if !kept {
		var err error
		if s, err = step.NewScalar[T](run.Device(t.p), how); t.fail(err) {
			return nil
		}
	}
	zero := func() error {
		value := cellsOf(s.Array())
		value.n, value.words = 1, value.words[:min(1, len(value.words))]
		return t.space.on.fill(value, 0)
	}
	t.arrays = append(t.arrays, owned{array: s, renew: zero, keep: func() error {
		if s.Array().Closed() { // by its user
			return nil
		}
		moved := s.Move()
		if t.err == nil && placed.Keep(t.own, key, moved) { // else what blocks have counted may be left there
			return nil
		}
		return moved.Close()
	}})
	if kept {
		t.fail(zero())
	}
	return (*operators.Scalar[T])(s)
}

// Get waits for the preceding steps and returns a scalar's value; 0 after an error. -0 becomes 0.
func Get[T operators.Number](t *Traversal, s *operators.Scalar[T]) T {
	if t.err == nil && s == nil {
		t.fail(fmt.Errorf("traverse: %w: Get of no scalar (nil)", graph.ErrOptions))
	}
	if t.err != nil {
		return 0
	}
	if err := (*link.Scalar[T])(s).Check(run.Device(t.p)); err != nil {
		t.fail(fmt.Errorf("traverse: Get: %w", err))
		return 0
	}
	bits, err := t.space.on.get(cellsOf(s.Array()))
	if t.fail(err) {
		return 0
	}
	return *(*T)(unsafe.Pointer(&bits)) + 0
}

// Values are an array of a traversal that has ended, with one entry per vertex, in the memory of
// the device. The caller owns and closes them. Their methods, including Close, are safe for
// concurrent use. Slices that they returned must not be used after Close. Values that a Searcher's
// run returned belong to the Searcher, and are valid until its next run or Close.
type Values[T device.Elem] struct {
	Stats Stats

	own placed.Store // that the array goes back to; nil: a Searcher keeps it

	mu    sync.Mutex // guards what is below
	p     *graph.Placed
	array *device.Buffer[T] // nil once it was closed
	host  []T
	byID  []T
}

// Result waits for the steps and takes an array out of the traversal; the error is the
// traversal's first one. The array must be one that Array or
// VertexIDs returned. An array that a Searcher keeps (see Kept) stays in place; its values are valid until the next run.
func Result[T device.Elem](t *Traversal, b *device.Buffer[T]) (*Values[T], error) {
	if t.err != nil || t.fail(cmp.Or(t.space.on.settle(), t.space.on.sync())) {
		return nil, t.err
	}
	i := slices.IndexFunc(t.arrays, func(o owned) bool { return o.array == any(b) })
	if b == nil || i < 0 {
		if o := t.array(b); b != nil && o != nil && o.taken != t.run {
			o.taken = t.run
			v, ok := o.values.(*Values[T])
			if !ok {
				v = &Values[T]{}
				o.values = v
			}
			v.again(t, b)
			return v, nil
		}
		t.fail(fmt.Errorf("traverse: %w: the result is no array of this traversal, or was taken before; take what Array or VertexIDs returned, once", graph.ErrOptions))
		return nil, t.err
	}
	t.arrays = slices.Delete(t.arrays, i, i+1)
	return &Values[T]{Stats: t.Stats(), p: t.p, own: t.own, array: b.Move()}, nil
}

// again assigns the values to another run of a Searcher.
func (r *Values[T]) again(t *Traversal, b *device.Buffer[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Stats, r.p, r.array, r.host, r.byID = t.Stats(), t.p, b, nil, nil
}

// Graph returns the graph that was traversed.
func (r *Values[T]) Graph() *graph.Graph {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.p.Graph()
}

// Of assigns the values to another placed graph, on the same device and with the same vertices:
// another form of the traversed graph, for example with its rows in another order. Any other
// graph is graph.ErrOptions.
func (r *Values[T]) Of(p *graph.Placed) error {
	if err := p.Err(); err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Device() != r.p.Device() || p.NumVertices() != r.p.NumVertices() || p.Graph().IDs() != r.p.Graph().IDs() {
		return fmt.Errorf("traverse: %w: values can't be those of a graph with other vertices, or on another device", graph.ErrOptions)
	}
	r.p = p
	return nil
}

// Slice returns the values by internal vertex. On the host the slice is the array itself, valid until
// Close, or until the next run of the Searcher that owns the values: clone it to retain it. On a GPU
// the first call copies the array to the host. The error is device.ErrClosed after Close, or the device's.
func (r *Values[T]) Slice() ([]T, error) {
	if r == nil {
		return nil, errResultClosed()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all()
}

// All iterates over the internal vertices in ascending order, each with its value. The values are those
// of Slice, and valid as long. Where Slice returns an error, All panics with it: call Slice first where
// the values may be on a GPU or may be closed.
func (r *Values[T]) All() iter.Seq2[uint32, T] {
	return func(yield func(uint32, T) bool) {
		all, err := r.Slice()
		if err != nil {
			panic(err)
		}
		for v, x := range all {
			if !yield(uint32(v), x) {
				return
			}
		}
	}
}

func errResultClosed() error {
	return fmt.Errorf("traverse: %w: the result; use its values before Close", device.ErrClosed)
}

// all is Slice. r.mu is held.
func (r *Values[T]) all() ([]T, error) {
	if r.array == nil || r.array.Closed() {
		return nil, errResultClosed()
	}
	if h := r.array.Host(); h != nil || r.array.Len() == 0 {
		return h, nil
	}
	if r.host == nil {
		a, err := run.Read(r.p, r.array)
		if err != nil {
			return nil, fmt.Errorf("traverse: copying the result: %w", err)
		}
		r.host = a
	}
	return r.host, nil
}

// ByID returns the values in ascending order of the external ids: entry i belongs to the
// vertex IDs.AtRank(i). Values that are vertices stay internal numbers. If vertices are in that
// order, ByID returns the slice of Slice, which is valid as long. Errors are the same as for Slice, and
// device.ErrClosed if the order of ids was released with a closed graph.
func (r *Values[T]) ByID() ([]T, error) {
	if r == nil {
		return nil, errResultClosed()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all, err := r.all()
	if err != nil || r.byID != nil {
		return r.byID, err
	}
	release, err := r.p.Graph().Hold()
	if err != nil {
		return nil, fmt.Errorf("traverse: the order of ids: %w", err)
	}
	defer release()
	order := r.p.Graph().IDs().ByID()
	if order == nil {
		return all, nil
	}
	r.byID = make([]T, len(all))
	for i, v := range order {
		r.byID[i] = all[v]
	}
	return r.byID, nil
}

// Close returns the array to the next traversal of the placed graph. The values must not be
// used afterwards. Closing nil, or a second time, does nothing.
func (r *Values[T]) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	b := r.array
	r.array, r.host, r.byID = nil, nil, nil
	r.mu.Unlock()
	if b == nil || r.own == nil {
		return nil
	}
	return run.Keep(r.own, b)
}
