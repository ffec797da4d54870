// This file holds what a step works in.

package step

import (
	"errors"
	"reflect"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
)

// Env is what a step works in.
type Env struct {
	Placed *graph.Placed
	Stream device.Stream
	Level  int32
	Edges  uint64 // that were looked at, as far as is known
	Counts bool   // the caller needs Edges: they are counted even where that takes time
	// Cur is the frontier; Spare takes its place when a step writes another one.
	Cur, Spare *frontier.Frontier
	// Rounds and Vertices count the levels that a step has run internally, and their frontiers' vertices.
	// The traversal notes them after the step and resets them.
	Rounds, Vertices int

	// Codes keeps the codes of functors that steps here launch.
	Codes Codes

	tools map[string]any
}

// Went notes levels that a step has run internally.
func (x *Env) Went(levels, vertices int, edges uint64) {
	x.Rounds, x.Vertices, x.Edges = x.Rounds+levels, x.Vertices+vertices, x.Edges+edges
}

// Swap makes Spare the frontier.
func (x *Env) Swap() { x.Cur, x.Spare = x.Spare, x.Cur }

// Tool returns what make made under the name, on the first call.
func Tool[T any](x *Env, name string, make func() (T, error)) (T, error) {
	if t, ok := x.tools[name].(T); ok {
		return t, nil
	}
	t, err := make()
	if err != nil {
		return t, err
	}
	if x.tools == nil {
		x.tools = map[string]any{}
	}
	x.tools[name] = t
	return t, nil
}

// Scratch returns memory of a type for steps on the host. It stays with the environment, so that the next
// traversal of a Searcher, whose steps are new, has it too. A step uses it until its Host returns.
func Scratch[T any](x *Env) *T {
	s, _ := Tool(x, reflect.TypeFor[T]().String(), func() (*T, error) { return new(T), nil })
	return s
}

// Launches returns the launcher of an environment on a GPU.
func Launches(x *Env) (*Launcher, error) {
	return Tool(x, "launcher", func() (*Launcher, error) { return NewLauncher(x) })
}

// Rebind has the tools go over to another stream; those that can't are made again.
func (x *Env) Rebind(s device.Stream) {
	for name, t := range x.tools {
		if b, ok := t.(interface{ Bind(device.Stream) bool }); ok && !b.Bind(s) {
			delete(x.tools, name)
		}
	}
}

// Close frees the tools.
func (x *Env) Close() error {
	var errs []error
	for _, t := range x.tools {
		if f, ok := t.(interface{ Close() error }); ok {
			errs = append(errs, f.Close())
		}
	}
	x.tools = nil
	return errors.Join(errs...)
}
