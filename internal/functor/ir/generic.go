// This file holds functors with type parameters.

package ir

import "strings"

// Generic is a functor with type parameters. There is an instance of it, a Functor, for every
// combination of their types.
type Generic struct {
	Name   string // of the Go type
	Params []Param
	// Fields has the type parameter of each field, or of its elements;
	// -1: no type parameter. Total is Gather's result, Value the result of Apply or Vertex.
	Fields       []int
	Total, Value int
	Instances    []*Functor
}

// Param is a type parameter, and the types that its constraint allows.
type Param struct {
	Name  string
	Terms []Term
}

// Term is a type; with Tilde also every named type whose underlying type it is.
type Term struct {
	Type  Type
	Tilde bool
}

// GoType is the functor's type in Go: Relax, or Relax[float32] of an instance.
func (f *Functor) GoType() string {
	if f.Generic == nil {
		return f.Name
	}
	var args []string
	for _, t := range f.Args {
		args = append(args, t.String())
	}
	return f.Generic.Name + "[" + strings.Join(args, ", ") + "]"
}

// Title is a type's name as a part of other names: Float32.
func (t Type) Title() string {
	s := t.String()
	return strings.ToUpper(s[:1]) + s[1:]
}
