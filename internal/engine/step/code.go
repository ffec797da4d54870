// This file holds Code, the device side of a functor, compiled or written in Go.

package step

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// keptMost is how many kinds of launches are kept at most, as a bound on memory: a traversal has a
// dozen, one a step and functor. Not measured.
const keptMost = 64

// Kind is the purpose for which a step calls a functor.
type Kind uint8

// The kinds.
const (
	Pushes Kind = iota // at edges; what it lets through enters the frontier
	Visits             // at edges; nothing comes of it
	Sorts              // at edges; it says when targets are due
	Vertices
	Gathers
	Hits // at in-edges, of a pull
	Keys // at edges, and at vertices with the totals by key
)

// Code is the device side of a functor with what it works on.
type Code struct {
	Kind Kind
	// Compiled: the image, the name in it, the functor's number and fields.
	Image  []byte
	Name   string
	number uint32
	words  [FieldWords]uint64
	// Written in Go.
	Generated link.Functor
	Use       link.Use
	fits      bool // a launch found that its fields do
	kept      bool // Codes has it
}

// Kept is what launches of functors written in Go found, for those that come. The zero value is ready.
// A level of a deep graph takes twenty microseconds, in which the GPU waits for the host.
type Kept struct{ of map[keptKey]*kept }

type keptKey struct {
	code *link.Code
	f    link.Functor // of a Code that Codes keeps, whose numbers may change; else nil: any of the type
	kind Kind
	use  link.Use
	op   string
}

// kept is what launches of a type of functor in a kind of step found.
type kept struct {
	s     *gpu.Stream
	time  uint64 // of s
	p     *graph.Placed
	image []byte
	name  string
	block Block
	again link.Again
}

// has reports whether a launch of a functor finds the same, but for numbers, which are written into
// the block. That is safe while launches before are under way: the block is a kernel's parameter, which the
// driver copies at the launch, and nothing on the device reads this one.
func (k *kept) has(s *gpu.Stream, p *graph.Placed, c *Code) bool {
	return k != nil && k.s == s && k.p == p && k.time == s.FaultTime() && k.again.Same(c.Generated, p, c.Use.In, c.kept, k.block.words[:c.Generated.Code().Words])
}

// Codes keeps the codes of functors written in Go for the steps of an environment that come. The zero value
// is ready. A nil *Codes keeps none.
type Codes struct{ of map[codeKey]*Code }

type codeKey struct {
	f    link.Functor
	kind Kind
	use  link.Use
}

// Generated returns what the function of that name does. What it returned before for the same functor and use is used again: the step that
// had it has launched its kernels, or failed.
func (k *Codes) Generated(kind Kind, f link.Functor, u link.Use) (*Code, error) {
	if k == nil || reflect.TypeOf(f).Kind() != reflect.Pointer { // others may not be compared
		return Generated(kind, f, u)
	}
	key := codeKey{f, kind, u}
	if c := k.of[key]; c != nil {
		c.fits, c.Use = false, u
		return c, nil
	}
	c, err := Generated(kind, f, u)
	if err != nil {
		return nil, err
	}
	if k.of == nil || len(k.of) >= keptMost {
		k.of = map[codeKey]*Code{}
	}
	c.kept = true
	k.of[key] = c
	return c, nil
}

// Compiled returns the code of a functor that nvcc has compiled.
func Compiled(kind Kind, image []byte, name string, number int, words [FieldWords]uint64) *Code {
	return &Code{Kind: kind, Image: image, Name: name, number: uint32(number), words: words}
}

// Generated returns the code of one that is written in Go, if it has the method for that.
func Generated(kind Kind, f link.Functor, u link.Use) (*Code, error) {
	c := f.Code()
	if err := Fits(kind, u, c); err != nil {
		return nil, err
	}
	if ptx, name, _ := method(kind, c); ptx == "" {
		return nil, fmt.Errorf("functor %s: %w: %s calls what GPUs don't have", c.Name, device.ErrNotSupported, name)
	}
	return &Code{Kind: kind, Generated: f, Use: u}, nil
}

// method returns the PTX, the name and the result of the method that steps of a kind call.
func method(kind Kind, c *link.Code) (ptx, name, result string) {
	switch kind {
	case Vertices:
		return c.Vertex, "Vertex", c.VertexResult
	case Gathers:
		return c.Gather, "Gather", c.GatherResult
	case Hits:
		return c.Hit, "Hit", ""
	case Keys:
		return c.Key, "Key", c.KeyResult
	}
	return c.Edge, "Edge", c.EdgeResult
}

// Fits returns an error for a functor that isn't for steps of a kind, on any device. Its Go
// methods may fit, where another type that embeds it has them.
func Fits(kind Kind, u link.Use, c *link.Code) error {
	ptx, name, result := method(kind, c)
	if ptx == "" && result == "" && c.Edge+c.Hit+c.Gather+c.Vertex+c.EdgeResult+c.GatherResult+c.VertexResult != "" {
		return fmt.Errorf("functor %s: %w: it has no method %s, which this step calls", c.Name, graph.ErrOptions, name)
	}
	if u.Into != nil && ptx != "" {
		brings, name := result, name
		if kind == Gathers || kind == Keys {
			brings, name = c.ApplyResult, "Apply"
		}
		if brings == "" && (kind == Vertices || kind == Gathers || kind == Keys) {
			return fmt.Errorf("functor %s: %w: %s returns nothing, so the step's scalar would get no value; return one, or pass nil for the scalar", c.Name, graph.ErrOptions, name)
		}
	}
	need := "" // nothing
	switch {
	case kind == Pushes, kind == Vertices && u.Keep:
		need = "bool"
	case kind == Sorts, kind == Vertices && u.Due:
		need = "uint32"
	case kind == Vertices && (result == "bool" || result == "uint32"):
		need = "int64, uint64, float64 or nothing"
	case kind != Visits:
		return nil
	}
	if result != need {
		return fmt.Errorf("functor %s: %w: %s returns %s, this step needs one that returns %s", c.Name, graph.ErrOptions, name, cmp.Or(result, "nothing"), cmp.Or(need, "nothing"))
	}
	return nil
}

// Fields writes the functor's number and fields into an operation that one kernel does.
func (c *Code) Fields(op *Op) {
	if c.Generated != nil { // whose fields are elsewhere: the words are the operation's own
		op.Functor = c.class()
		return
	}
	op.Functor, op.Words = c.number, c.words
}

// Words returns the fields of a compiled functor, and its number as kernels have it.
func (c *Code) Words() ([FieldWords]uint64, uint32) {
	if c.Generated != nil {
		return c.words, c.class()
	}
	return c.words, c.number
}

func (c *Code) wide() bool {
	switch c.Generated.Code().GatherResult {
	case "int64", "uint64", "float64":
		return c.Kind == Gathers || c.Kind == Keys
	}
	return false
}

// class is the lower byte of the number of a functor written in Go (holes.cuh).
func (c *Code) class() uint32 {
	switch {
	case c.Kind == Visits, c.wide():
		return 1
	case c.Kind == Sorts:
		return 2
	}
	return 0
}

// among adds the functor to a set, and returns its number.
func (c *Code) among(s *link.Set) (uint32, error) {
	edge, vertex, gather, err := s.Add(c.Generated, c.Use)
	which := edge
	switch c.Kind {
	case Vertices:
		which = vertex
	case Gathers, Keys:
		which = gather
	}
	return uint32(which)<<8 | c.class(), err
}

// Kernel returns the image and name of the kernel that runs one operation, and the block of
// a functor written in Go, which is the kernel's last parameter. op is what the name says
// behind the functor's; of a push the strategy. known is what launches before it found, and gets what
// this one finds.
func (c *Code) Kernel(s *gpu.Stream, p *graph.Placed, op string, known *Kept) (image []byte, name string, b *Block, err error) {
	width := p.Remote().Width()
	if c.Generated == nil {
		return c.Image, c.Name + "_" + op + width, nil, nil
	}
	c.Use.Step = s.Step
	key := keptKey{code: c.Generated.Code(), kind: c.Kind, use: c.Use, op: op}
	if c.kept {
		key.f = c.Generated
	}
	if k := known.of[key]; k.has(s, p, c) {
		c.fits = true
		return k.image, k.name, &k.block, nil
	}
	at := 1 // which parameter the block is
	switch rest, push := strings.CutPrefix(op, "push_"); {
	case push:
		name, at = "foray_"+[...]string{"push_", "visit_", "sort_"}[c.Kind]+rest, 2
	case op == "pull":
		name, at = "foray_pull", 3
	case op == "keep_flag" || op == "part_words":
		name, at = "foray_"+op, 2
	case c.Kind == Keys:
		name = "foray_" + op + "32"
		if c.wide() {
			name = "foray_" + op + "64"
		}
	case op == "bits":
		name, at = "foray_bits", 2
	case op == "slabs" || op == "bins" || op == "runs":
		name = "foray_" + op + "_gather32"
		if c.wide() {
			name = "foray_" + op + "_gather64"
		}
	case op == "light":
		name = "foray_step_light"
	case c.Kind == Gathers && c.wide():
		name = "foray_step_gather64"
	case c.Kind == Gathers:
		name = "foray_step_gather32"
	case op == "pile":
		name = "foray_step_pile"
	case op == "each":
		name = "foray_step_each"
	default:
		name = "foray_step_keep"
	}
	var set link.Set
	if _, err := c.among(&set); err != nil {
		return nil, "", nil, err
	}
	if image, err = set.Module(name, width, s.Arch(), at, link.Everything); err != nil {
		return nil, "", nil, err
	}
	name += width
	if b, err = blockOf(&set, s, p, 0); err != nil {
		return nil, "", nil, err
	}
	c.fits = true
	if known.of == nil || len(known.of) >= keptMost {
		known.of = map[keptKey]*kept{}
	}
	known.of[key] = &kept{s: s, time: s.FaultTime(), p: p, image: image, name: name, block: *b}
	return image, name, b, nil
}

// Block is the fields of functors written in Go, as kernels have them (FunctorBlock of
// holes.cuh).
type Block struct{ words [link.BlockWords]uint64 }

// faulty is what a fault word is for: a functor in a step, with slices so long.
type faulty struct {
	code    *link.Code
	step    string
	lengths string
}

// Error is an error of a step.
type Error struct {
	Step string
	err  error
}

func (e *Error) Error() string { return "traverse: step " + e.Step + ": " + e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// Wrap says in which step an error is from, where that isn't said.
func Wrap(step string, err error) error {
	var e *Error
	if err == nil || step == "" || errors.As(err, &e) {
		return err
	}
	return &Error{step, err}
}

// blockOf lays out the block of a set. stop is the flag that a fault sets; 0 for none.
func blockOf(set *link.Set, s *gpu.Stream, p *graph.Placed, stop uint64) (*Block, error) {
	var b Block
	words := b.words[:0]
	err := set.Each(func(f link.Functor, u link.Use) error {
		begin := len(words)
		all, lengths, err := link.Block(f, p, u.In, words)
		if err == nil {
			words = all
			err = faultWord(words[begin:], s, f.Code(), lengths, u.Step, stop)
		}
		if stop == 0 { // the caller adds the step's name
			return err
		}
		return Wrap(u.Step, err)
	})
	return &b, err
}

// faultWord writes the addresses of a functor's fault word and of the stop flag into its block.
// Functors whose slices have other lengths have another word, as long as there are enough.
func faultWord(block []uint64, s *gpu.Stream, code *link.Code, lengths link.Lengths, step string, stop uint64) error {
	if !s.FaultRoom() {
		lengths = nil
	}
	word, flag, err := s.FaultWord(faulty{code, step, lengths.Key()}, func(word uint64) error { return Wrap(step, code.Explain(word, lengths)) })
	if stop == 0 {
		stop = flag
	}
	block[ir.FaultWord], block[ir.StopWord] = word, stop
	return err
}
