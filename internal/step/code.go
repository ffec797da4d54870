// This file holds Code, the device side of a functor, compiled or written in Go.

package step

import (
	"fmt"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/made"
	"github.com/foray-graph/foray/internal/splice"
)

// Kind says what a step calls a functor for.
type Kind uint8

// The kinds.
const (
	Pushes Kind = iota // at edges; what it lets through enters the frontier
	Visits             // at edges; nothing comes of it
	Sorts              // at edges; it says when targets are due
	Vertices
	Gathers
	Hits // at in-edges, of a pull
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
	Made made.Functor
	Use  splice.Use
}

// Compiled returns the code of a functor that nvcc has compiled.
func Compiled(kind Kind, image []byte, name string, number int, words [FieldWords]uint64) *Code {
	return &Code{Kind: kind, Image: image, Name: name, number: uint32(number), words: words}
}

// Made returns the code of one that is written in Go, if it has the method for that.
func Made(kind Kind, f made.Functor, u splice.Use) (*Code, error) {
	c := f.Code()
	has, want := c.Edge, "Edge"
	switch kind {
	case Vertices:
		has, want = c.Vertex, "Vertex"
	case Gathers:
		has, want = c.Gather, "Gather"
	case Hits:
		has, want = c.Hit, "Hit"
	case Pushes, Visits, Sorts:
		if got, need := c.EdgeResult, [...]string{"bool", "", "uint32"}[kind]; has != "" && got != need {
			return nil, fmt.Errorf("functor %s: Edge returns %q, the step needs %q", c.Name, got, need)
		}
	}
	if has == "" {
		return nil, fmt.Errorf("functor %s has no method %s", c.Name, want)
	}
	return &Code{Kind: kind, Made: f, Use: u}, nil
}

// Fields writes the functor's number and fields into an operation that one kernel does.
func (c *Code) Fields(op *Op) {
	op.Functor, op.Words = c.number, c.words
	if c.Made != nil {
		op.Functor = c.class()
	}
}

// Words returns the fields of a compiled functor, and its number as kernels have it.
func (c *Code) Words() ([FieldWords]uint64, uint32) {
	if c.Made != nil {
		return c.words, c.class()
	}
	return c.words, c.number
}

func (c *Code) wide() bool {
	switch c.Made.Code().GatherResult {
	case "int64", "uint64", "float64":
		return c.Kind == Gathers
	}
	return false
}

// class is what the lower byte of a functor's number says of one written in Go (holes.cuh).
func (c *Code) class() uint32 {
	switch {
	case c.Kind == Visits, c.Kind == Gathers && c.wide():
		return 1
	case c.Kind == Sorts:
		return 2
	}
	return 0
}

// among adds the functor to a set, and returns its number.
func (c *Code) among(s *splice.Set) (uint32, error) {
	edge, vertex, gather, err := s.Add(c.Made, c.Use)
	which := edge
	switch c.Kind {
	case Vertices:
		which = vertex
	case Gathers:
		which = gather
	}
	return uint32(which)<<8 | c.class(), err
}

// Kernel returns the image and name of the kernel of an operation by itself, and the block of
// a functor written in Go, which is the kernel's last parameter. op is what the name says
// behind the functor's; of a push the strategy.
func (c *Code) Kernel(s *gpu.Stream, p *graph.Placed, op string) (image []byte, name string, b *Block, err error) {
	width := p.Remote().Width()
	if c.Made == nil {
		return c.Image, c.Name + "_" + op + width, nil, nil
	}
	at := 1 // which parameter the block is
	switch rest, push := strings.CutPrefix(op, "push_"); {
	case push:
		name, at = "foray_"+[...]string{"push_", "visit_", "sort_"}[c.Kind]+rest, 2
	case op == "pull":
		name, at = "foray_pull", 3
	case op == "bits":
		name, at = "foray_bits", 2
	case c.Kind == Gathers && c.wide():
		name = "foray_step_gather64"
	case c.Kind == Gathers:
		name = "foray_step_gather32"
	case op == "pile":
		name = "foray_step_pile"
	default:
		name = "foray_step_vertex"
	}
	var set splice.Set
	if _, err := c.among(&set); err != nil {
		return nil, "", nil, err
	}
	if image, err = set.Module(name, width, s.Arch(), at); err != nil {
		return nil, "", nil, err
	}
	b, err = blockOf(&set, s, p, 0)
	return image, name + width, b, err
}

// Block is the fields of functors written in Go, as kernels have them (FunctorBlock of
// holes.cuh).
type Block struct{ words [splice.BlockWords]uint64 }

// blockOf lays out the block of a set. stop is the flag that a fault sets; 0 for none.
func blockOf(set *splice.Set, s *gpu.Stream, p *graph.Placed, stop uint64) (*Block, error) {
	var b Block
	words := b.words[:0]
	err := set.Each(func(f made.Functor, in bool) error {
		word, flag, err := s.FaultWord(f.Code(), f.Code().Explain)
		if err != nil {
			return err
		}
		if stop != 0 {
			flag = stop
		}
		words, err = made.Block(f, p, in, word, flag, words)
		return err
	})
	return &b, err
}
