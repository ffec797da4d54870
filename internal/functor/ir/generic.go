// This file holds functors with type parameters.

package ir

import "strings"

// Generic is a functor with type parameters. There is an instance of it, a Functor, for every
// combination of their types.
type Generic struct {
	Name   string // of the Go type
	Params []Param
	// Fields says which type parameter each field has as its type, or as that of its elements;
	// -1: none. Total is that of what Gather returns, Value of what Apply or Vertex returns.
	Fields       []int
	Total, Value int
	Instances    []*Functor
}

// Param is a type parameter, and the types that its constraint allows.
type Param struct {
	Name  string
	Terms []Term
}

// Term is a type, with Tilde also all types that are named anew and have its values.
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
