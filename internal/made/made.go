// Package made has what operators need of functors that are written in Go and made ready by
// foray generate. Generated code sees it as package functor.
package made

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/ir"
	"github.com/foray-graph/foray/internal/placed"
)

// Site is a place in a functor's source where it may fault.
type Site struct {
	File string
	Line int
	What string // "index of Dist", "division by zero"
}

// Code is a functor as the generator made it.
type Code struct {
	Name  string // of the Go type
	Words int    // of its block (see Binder)
	Sites []Site // site 1 is Sites[0]
	// PTX of the methods, "" where there is none, in the form that operators' kernels have
	// holes for.
	Edge, Hit, Gather, Apply, Vertex string
	// What methods return: "bool", "uint32", "", as Go names it.
	EdgeResult, GatherResult, ApplyResult, VertexResult string
	Reduce                                              int // of Gather: operators.Sum and so on
	Accumulators                                        int // how many fields are
	Weights, IDs                                        bool
}

// Fault is the error of a functor that used an index out of range or divided by zero.
type Fault struct {
	Functor string
	Site    Site
	Len     int   // of the slice; -1 of a division, and where more lengths than a stream keeps were in use
	Index   int64 // of 48 bits: what is less than -1<<47 is told as that, what is more than 1<<47-1 likewise
}

func (f *Fault) Error() string {
	if f.Site.What == byZero {
		return fmt.Sprintf("functor %s: %s:%d: %s", f.Functor, f.Site.File, f.Site.Line, byZero)
	}
	index := fmt.Sprintf("index %d", f.Index)
	switch f.Index {
	case ir.MaxIndex:
		index += " or more"
	case ir.MinIndex:
		index += " or less"
	}
	what := strings.Replace(f.Site.What, "index", index, 1)
	length := ""
	if f.Len >= 0 {
		length = fmt.Sprintf(" with length %d", f.Len)
	}
	return fmt.Sprintf("functor %s: %s:%d: %s is out of range%s", f.Functor, f.Site.File, f.Site.Line, what, length)
}

const byZero = "division by zero"

// Explain returns what a fault word that isn't 0 means, of a functor whose slices are so long.
func (c *Code) Explain(word uint64, l Lengths) error {
	site := int(word >> ir.FaultBits)
	if site < 1 || site > len(c.Sites) {
		return fmt.Errorf("functor %s: fault word %#x of no site", c.Name, word)
	}
	at := c.Sites[site-1]
	return &Fault{Functor: c.Name, Site: at, Len: l.of(at.What), Index: int64(word<<(64-ir.FaultBits)) >> (64 - ir.FaultBits)}
}

// State is what operators tell a functor on the host, and it them.
type State struct {
	Fault   atomic.Uint64
	Weights []float32 // of the edges gone through
	IDs     []uint64
	In      bool // a reduce goes over in-edges
	How     int  // a foreach or reduce brings values to a scalar: how that reduces
	// Of accumulators, the bits of what each worker's values came to: a word for each, Stride
	// words from one worker's to the next.
	Partials []uint64
	Stride   int
	accs     []Accumulator
	lengths  Lengths
	busy     atomic.Bool
	// Of the last step on the host: its graph, and what the fields were, as words.
	of    *graph.Placed
	ofIn  bool
	words []uint64
	again Again
}

// Functor is a generated functor.
type Functor interface {
	Code() *Code
	// Bind hands its fields to the binder, in order.
	Bind(*Binder)
	State(Key) *State
}

// Key lets nobody but operators call State.
type Key struct{}

// Trust is what functors are asked with whether they let nothing through but targets.
type Trust struct{}

// Of returns f as a generated functor.
func Of(f any) (Functor, bool) {
	m, ok := f.(Functor)
	return m, ok
}

// Extent says how long a field's buffer must be at least, and whether the functor writes it.
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
// for the same type of functor and the same graph. It tells no error.
func (a *Again) Same(f Functor, p *graph.Placed, in bool, block []uint64) bool {
	c := f.Code()
	if c.Accumulators > 0 || len(block) != c.Words || isNil(f) {
		return false
	}
	a.b = Binder{p: p, remote: true, before: block[ir.FirstWord:]}
	a.b.fields(f, c, in)
	return a.b.err == nil && !a.b.others && len(a.b.before) == 0
}

// Buffer binds a buffer.
func Buffer[T device.Elem](b *Binder, name string, x *device.Buffer[T], extent Extent) {
	need := 0
	if extent&PerVertex != 0 {
		need = b.p.NumVertices()
	}
	if extent&PerEdge != 0 {
		need = max(need, int(b.p.Graph().NumDirectedEdges()))
	}
	switch {
	case b.err != nil:
	case x == nil:
		b.err = fmt.Errorf("functor %s: %w: %s is nil; make it by traverse.Array", b.name, graph.ErrOptions, name)
	case x.Freed():
		b.err = fmt.Errorf("functor %s: %w: %s was freed, by Free, Result or Close of the traversal that made it", b.name, device.ErrClosed, name)
	case x.Len() > 0 && (x.Host() == nil) != b.remote:
		b.err = fmt.Errorf("functor %s: %w: %s isn't on the device of the graph; make it by traverse.Array", b.name, device.ErrNotSupported, name)
	case b.before != nil:
		if !b.was(uint64(x.Pointer())) || !b.was(uint64(x.Len())) {
			b.others = true
		}
	case x.Len() < need:
		b.err = fmt.Errorf("functor %s: %w: %s has %d elements, want %d", b.name, graph.ErrOptions, name, x.Len(), need)
	case extent&Written != 0 && x.Len() > 0 && b.shared(x.Pointer()) != "":
		b.err = fmt.Errorf("functor %s: %w: %s is the %s of the graph, which no functor may write; give it a copy", b.name, graph.ErrOptions, name, b.shared(x.Pointer()))
	default:
		b.words = append(b.words, uint64(x.Pointer()), uint64(x.Len()))
		if b.faults {
			b.lengths = append(b.lengths, Length{name, x.Len()})
		}
	}
}

// shared returns the name of the array that the graph has at an address, or "". Other
// traversals read it too, and on the host it may be a mapped file.
func (b *Binder) shared(at uintptr) string {
	for i, name := range placed.ArrayNames {
		x, err := b.p.Once(placed.Array(i), func() (any, error) { return nil, errNotMade })
		if a, is := x.(interface{ Pointer() uintptr }); err == nil && is && a.Pointer() == at {
			return name
		}
	}
	return ""
}

// errNotMade says that nobody has asked for an array.
var errNotMade = errors.New("not made")

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
	b := &Binder{p: p, remote: remote, name: c.Name, words: words, into: into, faults: len(c.Sites) > 0}
	weights, ids := b.fields(f, c, in)
	if b.err == nil && len(b.words)-len(words)+ir.FirstWord != c.Words {
		b.err = fmt.Errorf("functor %s: its block has %d words, the generator wrote %d; generate it again", c.Name, len(b.words)-len(words)+ir.FirstWord, c.Words)
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
	f.Bind(b)
	if c.Weights && b.err == nil {
		if weights, b.err = edges(in, p.Weights, p.InWeights); b.err == nil {
			Buffer(b, "the weights", weights, PerEdge)
		}
	}
	if c.IDs && b.err == nil {
		if ids, b.err = edges(in, p.EdgeIDs, p.InEdgeIDs); b.err == nil {
			Buffer(b, "the edge ids", ids, PerEdge)
		}
	}
	return weights, ids
}

func edges[T any](in bool, out, rev func() (T, error)) (T, error) {
	if in {
		return rev()
	}
	return out()
}

// Begin readies a functor for a step on the host: its methods are called next, then End, after
// a panic too. A functor that is in another step is graph.ErrOptions. in says that
// a reduce goes over in-edges, how is the reduction of the scalar into that a step brings
// values to, if it isn't nil. The methods are called by so many workers.
func Begin(f Functor, p *graph.Placed, workers int, in bool, how int, into any) error {
	if isNil(f) {
		_, _, _, err := bind(f, p, false, in, into, nil)
		return err
	}
	s := f.State(Key{})
	if !s.busy.CompareAndSwap(false, true) { // else its methods would see what is being changed here
		return fmt.Errorf("functor %s: %w: it is in a step of another traversal; make one for each by its constructor", f.Code().Name, graph.ErrOptions)
	}
	weights, ids, accs, err := s.bind(f, p, in, into)
	if err != nil {
		s.busy.Store(false)
		return err
	}
	s.Fault.Store(0)
	s.In, s.How, s.Weights, s.IDs = in, how, nil, nil
	if weights != nil {
		s.Weights = weights.Host()
	}
	if ids != nil {
		s.IDs = ids.Host()
	}
	s.begin(accs, workers)
	return nil
}

// bind binds a functor for the host. In a Repeat the fields are mostly those of the step before,
// whose buffers were looked at then.
func (s *State) bind(f Functor, p *graph.Placed, in bool, into any) (*device.Buffer[float32], *device.Buffer[uint64], []Accumulator, error) {
	c := f.Code()
	if c.Accumulators == 0 && s.of == p && s.of != nil && s.ofIn == in && len(s.words) > 0 {
		s.again.b = Binder{p: p, before: s.words}
		weights, ids := s.again.b.fields(f, c, in)
		if s.again.b.err == nil && !s.again.b.others && len(s.again.b.before) == 0 {
			return weights, ids, nil, nil
		}
	}
	weights, ids, b, err := bind(f, p, false, in, into, nil)
	if err != nil {
		s.of = nil
		return nil, nil, nil, err
	}
	s.of, s.ofIn, s.words, s.lengths = p, in, b.words, b.lengths
	return weights, ids, b.accs, nil
}

// End returns a functor's fault in the step that Begin began, and lets other steps have it.
func End(f Functor) error {
	s := f.State(Key{})
	defer s.busy.Store(false)
	if w := s.Fault.Load(); w != 0 {
		return f.Code().Explain(w, s.lengths)
	}
	return nil
}

// Block appends a functor's block to words. The addresses of its fault word and of the stop
// flag, on the GPU, are the caller's to write, at ir.FaultWord and ir.StopWord of it.
func Block(f Functor, p *graph.Placed, in bool, words []uint64) ([]uint64, Lengths, error) {
	_, _, b, err := bind(f, p, true, in, nil, append(words, 0, 0))
	if err != nil {
		return nil, nil, err
	}
	return b.words, b.lengths, nil
}
