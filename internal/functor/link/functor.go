// This file holds functors as the generator made them, and their faults.

package link

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ir"
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
	Edge, Hit, Gather, Apply, Vertex, Key, Score string
	// What methods return: "bool", "uint32", "", as Go names it.
	EdgeResult, GatherResult, ApplyResult, VertexResult, KeyResult, ScoreResult string
	Reduce                                                                      int  // of Gather: operators.Sum and so on
	Accumulators                                                                int  // how many fields are
	Weights, IDs, Index                                                         bool // what methods look at of edges
	ByIndex                                                                     bool // ir.Functor.ByIndex
	Corners                                                                     bool // Edge goes through rows: ir.Functor.Corners
	ByTarget                                                                    int  // word of its block: where a buffer is that Edge looks at by the target; 0: none
	ByTarget64                                                                  bool // its elements have 8 bytes, else 4
	Wide                                                                        int  // word of its block: where a buffer of float64 is that Edge reads by Edge.Index, and has no other use for that; 0: none

	// What the methods do, which the generator found in their IR.
	Accesses []ir.Access // of Edge, Gather, Apply and Vertex, with arrays
	Tells    bool        // ir.Functor.Tells
	Alone    string      // "source" or "target": ir.Method.Alone of Gather; "": neither
	Pure     bool        // ir.Method.Pure of Gather
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

// Length is how long the slice of a field is.
type Length struct {
	Field string
	Len   int
}

// Lengths are the lengths of a functor's slices in a step.
type Lengths []Length

// of returns the length of a site's slice, or -1 if the site has no slice.
func (l Lengths) of(what string) int {
	for _, x := range l {
		if field, ok := strings.CutPrefix(what, indexOf); ok && field == x.Field {
			return x.Len
		}
	}
	return -1
}

// indexOf is the beginning of Site.What; the field's name follows.
const indexOf = "index of "

// Key tells lengths from those of the same functor in other steps.
func (l Lengths) Key() string {
	var b []byte
	for _, x := range l {
		b = binary.AppendUvarint(b, uint64(x.Len))
	}
	return string(b)
}

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
	Rows    Rows
	Wide    []float64    // if not nil, Edge reads it instead of the buffer of Code.Wide
	Stop    *atomic.Bool // the step's context has ended; or nil
	In      bool         // a reduce goes over in-edges
	How     int          // a foreach or reduce brings values to a scalar: how that reduces
	// The bits of each worker's partial value of each accumulator: a word for each, Stride
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

// ByTarget returns the address of Code.ByTarget's buffer between Begin and End, or 0.
func (s *State) ByTarget(c *Code) uintptr {
	return s.at(c, c.ByTarget)
}

// WideAt returns the address of Code.Wide's buffer likewise.
func (s *State) WideAt(c *Code) uintptr { return s.at(c, c.Wide) }

func (s *State) at(c *Code, word int) uintptr {
	if word == 0 || c.Accumulators > 0 {
		return 0
	}
	return uintptr(s.words[word-ir.FirstWord])
}

// Rows are the rows of out-edges, for functors with Common.
type Rows struct {
	Offsets   []uint64
	Targets   []uint32
	Ascending bool // each triangle comes once
}

// rowsOf returns the rows on the host.
func rowsOf(p *graph.Placed) (r Rows, err error) {
	offsets, err := p.State().Offsets()
	if err != nil {
		return r, err
	}
	targets, err := p.State().Targets()
	if err != nil {
		return r, err
	}
	return Rows{offsets.Host(), targets.Host(), !p.Graph().Directed()}, nil
}

// Functor is a generated functor.
type Functor interface {
	Code() *Code
	// Bind hands its fields to the binder, in order.
	Bind(*Binder)
	State(Key) *State
}

// Only operators can make a Key, and so call State.
type Key struct{}

// Trust is what functors are asked with whether they let nothing through but targets.
type Trust struct{}

// Of returns f as a generated functor.
func Of(f any) (Functor, bool) {
	m, ok := f.(Functor)
	return m, ok
}

// Begin readies a functor for a step on the host: its methods are called next, then End, after
// a panic too. A functor that is in another step is graph.ErrOptions. in says that
// a reduce goes over in-edges, how is the reduction of the scalar into that a step brings
// values to, if it isn't nil. The methods are called by so many workers.
// stop is set when the step's context ends; or nil.
func Begin(f Functor, p *graph.Placed, workers int, stop *atomic.Bool, in bool, how int, into any) error {
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
	s.Stop, s.In, s.How, s.Weights, s.IDs, s.Wide = stop, in, how, nil, nil, nil
	if weights != nil {
		s.Weights = weights.Host()
	}
	if ids != nil {
		s.IDs = ids.Host()
	}
	if f.Code().Corners {
		if s.Rows, err = rowsOf(p); err != nil {
			s.busy.Store(false)
			return err
		}
	}
	s.begin(accs, workers)
	return nil
}

// bind binds a functor for the host. The buffers are mostly those of the step before, which were looked
// at then.
func (s *State) bind(f Functor, p *graph.Placed, in bool, into any) (*device.Buffer[float32], *device.Buffer[uint64], []Accumulator, error) {
	c := f.Code()
	if s.of == p && s.of != nil && s.ofIn == in && len(s.words) > 0 {
		s.again.b = Binder{p: p, into: into, before: s.words, renews: true, accs: s.again.b.accs[:0]}
		weights, ids := s.again.b.fields(f, c, in)
		if s.again.b.err == nil && !s.again.b.others && len(s.again.b.before) == 0 {
			return weights, ids, s.again.b.accs, nil
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
