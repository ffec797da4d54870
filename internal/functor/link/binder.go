// This file holds the binding of a functor's fields: what is checked before a step, and the block of words that a
// kernel gets.

package link

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ir"
)

// Extent is the minimum length of a field's buffer, and whether the functor writes it.
type Extent uint8

// The extents: PerVertex and PerEdge together mean the longer of the two.
const (
	PerVertex Extent = 1 << iota
	PerEdge
	Written
	AnyLength Extent = 0
)

// Binder checks a functor's fields before a step and, for a GPU, lays out its block: 64-bit
// words, the address of its fault word, that of the stop flag, then the fields in order, a
// buffer as address and length in elements, a number as a word, an accumulator as the address
// of its stripes, and the same as buffers for the weights and ids of the edges, where it uses
// them.
type Binder struct {
	p      *graph.Placed
	remote bool // for a GPU
	name   string
	words  []uint64
	accs   []Accumulator
	into   any // the step's own scalar
	// What an index that is out of range is told with, of functors that may use one.
	faults  bool
	lengths Lengths
	err     error
	// before are the words of an earlier launch, whose buffers were looked at then; others is set where
	// one isn't what it was.
	before []uint64
	others bool
	renews bool // numbers may be others: theirs take the place of those before
	// note is called for each buffer, with the word of the block that has its address; or nil.
	note   func(word int, a Array)
	slices []bound // so far, of a functor whose fields weren't looked at before
	base   int     // of the words, where the block begins
	in     bool    // edges are in-edges, of Graph.In
	index  bool    // methods read Edge.Index, which numbers edges in one direction
	hidden bool    // the fields are bound, and weights and ids follow
}

// bound is a buffer of a functor.
type bound struct {
	name     string
	from, to uintptr
	written  bool
}

// alike returns the field that was bound to memory of this one before, where the functor writes one of the two; or "".
// Generated loops take elements of different fields to be different.
func (b *Binder) alike(x bound) string {
	for _, y := range b.slices {
		if (x.written || y.written) && x.from < y.to && y.from < x.to {
			return y.name
		}
	}
	return ""
}

// was reports whether a word comes next that an earlier launch had there, too.
func (b *Binder) was(word uint64) bool {
	if len(b.before) == 0 || b.before[0] != word {
		return false
	}
	b.before = b.before[1:]
	return true
}

// Again looks at functors launch after launch.
type Again struct{ b Binder }

// Same reports whether the fields of a functor, on a GPU, are those in a block that Block returned
// for the same type of functor and the same graph. Numbers are written into the block, whatever they
// were, if renews says so; after false the block is of no use then. It returns no error.
func (a *Again) Same(f Functor, p *graph.Placed, in, renews bool, block []uint64) bool {
	c := f.Code()
	if c.Accumulators > 0 || len(block) != c.Words || isNil(f) {
		return false
	}
	a.b = Binder{p: p, remote: true, before: block[ir.FirstWord:], renews: renews}
	a.b.fields(f, c, in)
	return a.b.err == nil && !a.b.others && len(a.b.before) == 0
}

// CheckBuffer returns why no operator can use an array over a graph that is on a GPU, or on the host:
// device.ErrClosed for a closed one, and device.ErrNotSupported for one in the memory of another device,
// which a kernel can't address, nor the host. It is nil for no array. The error has the name.
func CheckBuffer[T device.Elem](name string, x *device.Buffer[T], remote bool) error {
	switch {
	case x.Closed():
		return fmt.Errorf("%w: %s, by its Close, or by Result or Close of the traversal that made it", device.ErrClosed, name)
	case x.Len() > 0 && (x.Host() == nil) != remote:
		return fmt.Errorf("%w: %s isn't on the device of the graph; make it by traverse.Array", device.ErrNotSupported, name)
	}
	return nil
}

// Buffer binds a buffer.
func Buffer[T device.Elem](b *Binder, name string, x *device.Buffer[T], extent Extent) {
	need := 0
	if extent&PerVertex != 0 {
		need = b.p.NumVertices()
	}
	if extent&PerEdge != 0 {
		need = max(need, b.edges())
	}
	if b.err != nil {
		return
	}
	if x == nil {
		b.err = fmt.Errorf("functor %s: %w: %s is nil; make it by traverse.Array", b.name, graph.ErrOptions, name)
		return
	}
	if err := CheckBuffer(name, x, b.remote); err != nil {
		b.err = fmt.Errorf("functor %s: %w", b.name, err)
		return
	}
	own := bound{name, x.Pointer(), x.Pointer() + uintptr(x.Len())*unsafe.Sizeof(*new(T)), extent&Written != 0}
	switch {
	case b.before != nil:
		if !b.was(b.at(x.Pointer())) || !b.was(uint64(x.Len())) {
			b.others = true
		}
	case x.Len() < need && !b.parts(x.Pointer()):
		b.err = fmt.Errorf("functor %s: %w: %s has %d elements, want %d", b.name, graph.ErrOptions, name, x.Len(), need)
	case extent&Written != 0 && x.Len() > 0 && b.shared(x.Pointer()) != "":
		b.err = fmt.Errorf("functor %s: %w: %s is the %s of the graph, which no functor may write; give it a copy", b.name, graph.ErrOptions, name, b.shared(x.Pointer()))
	case extent&PerVertex != 0 && x.Len() > 0 && b.ofEdges(x.Pointer()):
		b.err = fmt.Errorf("functor %s: %w: %s is %s, with an element per edge, but the functor indexes it by a vertex; index it by Edge.Index", b.name, graph.ErrOptions, name, b.edgesName(x.Pointer()))
	case b.index && x.Len() > 0 && b.otherWay(x.Pointer()): // empty arrays share an address
		b.err = fmt.Errorf("functor %s: %w: %s is %s in the order of %s, but this step goes over %s; %s", b.name, graph.ErrOptions, name, b.edgesName(x.Pointer()), ways[!b.in], ways[b.in], remedies[b.in])
	case b.alike(own) != "":
		b.err = fmt.Errorf("functor %s: %w: %s and %s are the same buffer, and the functor writes one of them; give it two", b.name, graph.ErrOptions, b.alike(own), name)
	default:
		b.slices = append(b.slices, own)
		if b.note != nil {
			b.note(len(b.words)-b.base+ir.FirstWord, Array{Name: name, At: x.Pointer(), Len: x.Len(), Width: int(unsafe.Sizeof(*new(T))), Hidden: b.hidden})
		}
		b.words = append(b.words, b.at(x.Pointer()), uint64(x.Len()))
		if b.faults {
			b.lengths = append(b.lengths, Length{name, x.Len()})
		}
	}
}

// ofEdges reports whether an array of the graph has an element per edge.
func (b *Binder) ofEdges(at uintptr) bool {
	_, ok := b.p.State().EdgesOf(at)
	return ok
}

// edgesName is what errors call an array with an element per edge.
func (b *Binder) edgesName(at uintptr) string {
	if name := b.shared(at); name != "" {
		return "the " + name + " of the graph"
	}
	return "an array of edges of the traversal"
}

// otherWay reports whether an array has the edges in the other direction in a directed graph.
func (b *Binder) otherWay(at uintptr) bool {
	g := b.p.Graph()
	if !g.Directed() {
		return false
	}
	in, ok := b.p.State().EdgesOf(at)
	return ok && in != b.in
}

var (
	ways     = map[bool]string{false: "out-edges", true: "in-edges"}
	remedies = map[bool]string{false: "use traverse.EdgeColumn or Weights", true: "use traverse.InEdgeColumn, Placed.InWeights, or, for values of the traversal's own, traverse.ArrayN"}
)

// edges is how many a device has the weights of, say: those of its rows.
func (b *Binder) edges() int {
	if d := b.p.Remote().ShardPlace(); d != nil {
		if b.in {
			return int(d.Edges[1])
		}
		return int(d.Edges[0])
	}
	return int(b.p.Graph().NumDirectedEdges())
}

// parts reports an array that is divided with the rows of edges. step.Code.Reach checks that the step goes over these rows.
func (b *Binder) parts(at uintptr) bool {
	d := b.p.Remote().ShardPlace()
	if d == nil {
		return false
	}
	_, parts := d.EdgesAt(at, b.in)
	return parts
}

// at translates an address of a buffer to the graph's device.
func (b *Binder) at(of uintptr) uint64 { return uint64(b.p.Remote().Moved(of)) }

// shared returns the name of the array that the graph has at an address, or "". Other
// traversals read it too, and on the host it may be a mapped file.
func (b *Binder) shared(at uintptr) string { return b.p.State().ArrayAt(at) }

// Number binds a scalar field.
func Number[T int32 | uint32 | int64 | uint64 | float32 | float64 | bool](b *Binder, x T) {
	var w uint64
	switch x := any(x).(type) {
	case int32:
		w = uint64(uint32(x))
	case uint32:
		w = uint64(x)
	case int64:
		w = uint64(x)
	case uint64:
		w = x
	case float32:
		w = uint64(math.Float32bits(x))
	case float64:
		w = math.Float64bits(x)
	case bool:
		if x {
			w = 1
		}
	}
	if b.before != nil {
		if b.renews && len(b.before) > 0 {
			b.before[0] = w
		}
		b.others = !b.was(w) || b.others
		return
	}
	b.words = append(b.words, w)
}

// bind checks a functor's fields and lays them out behind words.
func bind(f Functor, p *graph.Placed, remote, in bool, into any, words []uint64) (*device.Buffer[float32], *device.Buffer[uint64], *Binder, error) {
	c := f.Code()
	if isNil(f) {
		return nil, nil, nil, fmt.Errorf("functor %s: %w: it is a nil %T; its constructor makes one", c.Name, graph.ErrOptions, f)
	}
	b := &Binder{p: p, remote: remote, name: c.Name, words: words, base: len(words), into: into, faults: len(c.Sites) > 0}
	return b.bind(f, c, in)
}

func (b *Binder) bind(f Functor, c *Code, in bool) (*device.Buffer[float32], *device.Buffer[uint64], *Binder, error) {
	weights, ids := b.fields(f, c, in)
	if b.err == nil && len(b.words)-b.base+ir.FirstWord != c.Words {
		b.err = fmt.Errorf("functor %s: its block has %d words, the generator wrote %d; generate it again", c.Name, len(b.words)-b.base+ir.FirstWord, c.Words)
	}
	return weights, ids, b, b.err
}

func isNil(f Functor) bool {
	v := reflect.ValueOf(f)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// fields binds a functor's fields, and the weights and ids of edges where it has use for them.
func (b *Binder) fields(f Functor, c *Code, in bool) (weights *device.Buffer[float32], ids *device.Buffer[uint64]) {
	p := b.p
	if p.Remote().ShardPlace() != nil && c.Index && !c.ByIndex { // each device counts its own
		b.err = fmt.Errorf("functor %s: %w: on several GPUs edges have no numbers; index arrays by Edge.Index, and use it for nothing else, or take one GPU", c.Name, device.ErrNotSupported)
		return nil, nil
	}
	b.in, b.index = in, c.Index
	f.Bind(b)
	b.hidden = true
	if c.Corners && b.err == nil {
		b.rows()
	}
	if c.Weights && b.err == nil {
		if weights, b.err = edges(in, p.State().Weights, p.InWeights); b.err == nil {
			Buffer(b, "the weights", weights, PerEdge)
		}
	}
	if c.IDs && b.err == nil {
		if ids, b.err = edges(in, p.State().EdgeIDs, p.State().InEdgeIDs); b.err == nil {
			Buffer(b, "the edge ids", ids, PerEdge)
		}
	}
	return weights, ids
}

// rows binds the hidden fields of a functor with Common.
func (b *Binder) rows() {
	offsets, err := b.p.State().Offsets()
	if err != nil {
		b.err = err
		return
	}
	targets, err := b.p.State().Targets()
	if err != nil {
		b.err = err
		return
	}
	Buffer(b, "the offsets of the rows", offsets, AnyLength)
	Buffer(b, "the targets of the edges", targets, PerEdge)
	Number(b, !b.p.Graph().Directed())
}

func edges[T any](in bool, out, rev func() (T, error)) (T, error) {
	if in {
		return rev()
	}
	return out()
}
