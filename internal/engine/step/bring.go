// This file holds what brings the entries of some vertices to other devices: a foreach of a functor that is written
// here as IR, as in fold.go.

package step

import (
	"sync"

	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/functor/ir"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/functor/ptx"
)

// Brings are the copies of an array: that of a device, and those that it brings entries to.
type Brings struct {
	From uintptr
	To   []uintptr
	Wide bool // entries have 64 bits
}

// Run enqueues the bringing of the entries of a frontier.
func (b *Brings) Run(x *Env, of *frontier.Frontier) error {
	l, err := Launches(x)
	if err != nil {
		return err
	}
	if n, _, err := of.Remote().Count(); n == 0 {
		return err
	}
	j := &brought{brings: b, n: uint64(x.Placed.Remote().Shard.Of.Numbers()), code: b.code()}
	return l.Launch(&Operation{Code: &Code{Kind: Vertices, Generated: j}, Op: Op{Code: OpEach}, From: of, Level: x.Level})
}

// brought is the functor.
type brought struct {
	brings *Brings
	n      uint64 // numbers of vertices
	code   *link.Code
	state  link.State
}

func (j *brought) Code() *link.Code           { return j.code }
func (j *brought) State(link.Key) *link.State { return &j.state }

func (j *brought) Bind(b *link.Binder) {
	for _, at := range append([]uintptr{j.brings.From}, j.brings.To...) {
		link.Number(b, uint64(at))
		link.Number(b, j.n)
	}
}

type bringKey struct {
	to   int
	wide bool
}

// brings has the codes, by bringKey: *link.Code.
var brings sync.Map

func (b *Brings) code() *link.Code {
	key := bringKey{len(b.To), b.Wide}
	known, ok := brings.Load(key)
	if !ok {
		known, _ = brings.LoadOrStore(key, b.write())
	}
	return known.(*link.Code)
}

// write writes the functor's method:
//
//	func (f *brought) Vertex(v traverse.Vertex) {
//		x := f.From[v.ID]
//		f.To0[v.ID], f.To1[v.ID] = x, x // and so on
//	}
func (b *Brings) write() *link.Code {
	w := &writer{f: &ir.Functor{Name: "brought"}, m: &ir.Method{Kind: ir.Vertex, Labels: 1}}
	vertex, i := w.value(ir.Uint32, false), w.value(ir.Uint64, false)
	w.m.Inputs = [ir.NumInputs]int{-1, -1, -1, -1, -1, -1, vertex, -1, -1}
	w.to(&w.m.Body, ir.Convert, ir.Uint32, i, ir.Var(vertex))
	t := ir.Uint32
	if b.Wide {
		t = ir.Uint64
	}
	x := w.load(&w.m.Body, t, w.slice(t, false), i)
	for range b.To {
		w.m.Body = append(w.m.Body, store(t, w.slice(t, true), i, x))
	}
	text, err := ptx.Method(w.f, w.m)
	if err != nil {
		panic(err) // the code above is wrong
	}
	_, words := w.f.Words()
	return &link.Code{Name: w.f.Name, Words: words, Vertex: text}
}
