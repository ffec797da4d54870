// This file holds levels on a graph that is sharded over several GPUs, and how searches begin there. Vertices have
// one word. Each GPU has all vertices' lanes in Seen: a push adds to it wherever it gets, and what the copies come
// to is the vertex' own GPU's to tell (traverse/engine_shards_push.go). So Next has what that GPU's own vertices had
// seen before, by which a level knows what is new. Of what Next has of the next GPU's vertices, which is nobody's,
// it lists pieces of long rows there.

package steps

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// part makes arguments those of a part, whose vertices they count from 0.
func (s *Level) part(a *lanesArgs, r *placed.Remote, d *placed.ShardPlace) {
	first, width, me := uint64(d.First), uint64(4), uint64(d.First/d.Of.Stride)
	if r.Wide {
		width = 8
	}
	at := func(b *device.Buffer[uint64]) uint64 { return uint64(d.At(b.Pointer())) }
	a.in.Offsets, a.in.N, a.out.Offsets, a.next = a.in.Offsets+first*width, d.Count, a.out.Offsets+first*width, 0
	a.all = at(s.Seen)
	a.seen, a.found, a.before = a.all+8*first, at(s.New)+8*first, at(s.Next)+8*first
	next := (me + 1) % uint64(len(d.Of.Parts))
	a.pieces, a.room = at(s.Next)+8*next*uint64(d.Of.Stride), uint64(d.Of.Stride)
	a.result = at(s.Results) + 8*me*uint64(Results(s.Words))
	a.count, a.first = d.Count, d.First
}

// Reach describes a level on several GPUs.
func (s *Level) Reach(x *step.Env) (*step.Reach, error) {
	if s.Words != 1 {
		return nil, fmt.Errorf("lanes: %w: %d words a vertex on several GPUs; search by 64 lanes", device.ErrNotSupported, s.Words)
	}
	r := &step.Reach{Written: []link.Array{word("new", s.New)}}
	if s.Pull {
		r.Far, r.Written = []uintptr{s.Seen.Pointer()}, append(r.Written, word("seen", s.Seen))
		r.Where = map[uintptr]uintptr{s.Seen.Pointer(): s.New.Pointer()}
	}
	return r, s.check(x)
}

func word(name string, b *device.Buffer[uint64]) link.Array {
	return link.Array{Name: name, At: b.Pointer(), Len: b.Len(), Width: 8}
}

// listArgs are the arguments of kernels that go through a list (LanesList in list.cuh).
type listArgs struct {
	items, words, of, count uint64
	first, own              uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(listArgs{})-40] // as list.cuh says

// List is some vertices of a graph on several GPUs.
type List struct {
	Numbers *device.Buffer[uint32]
	Count   int // of Numbers that are there
	args    gpu.Args
	own     listArgs
}

// launch launches a kernel for an array and words of the numbers.
func (l *List) launch(x *step.Env, kernel string, of, words uintptr) error {
	gs, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return err
	}
	d := x.Placed.Remote().ShardPlace()
	l.own = listArgs{items: uint64(d.At(l.Numbers.Pointer())), words: uint64(words), of: uint64(d.At(of)), count: uint64(l.Count), first: d.First, own: d.Count}
	l.args.Reset()
	gpu.Struct(&l.args, &l.own)
	k, err := gs.Kernel(image, kernel)
	if err != nil {
		return fmt.Errorf("lanes: %w", err)
	}
	return gs.Launch(k, (l.Count+gpu.Block-1)/gpu.Block, &l.args)
}

func (l *List) check(words int) error {
	if l.Count > min(l.Numbers.Len(), words) {
		return fmt.Errorf("lanes: %w: %d vertices, with words for %d", graph.ErrOptions, l.Count, min(l.Numbers.Len(), words))
	}
	return nil
}

// only is what steps are that several GPUs run alone.
type only struct{}

func (only) Host(*step.Env) error { return notHere() }
func (only) Compile(*step.Program) error {
	return fmt.Errorf("%w: a step of lanes on several GPUs", step.ErrNotCompiled)
}

func notHere() error {
	return fmt.Errorf("lanes: %w: a step for several GPUs", device.ErrNotSupported)
}

// Begin is a step that begins searches on several GPUs: a level follows that isn't pulled, over the sources.
type Begin struct {
	only
	List
	Lanes           *device.Buffer[uint64] // of each of Numbers
	Seen, New, Next *device.Buffer[uint64] // as Level has them; anything before
}

// Name is what statistics call it.
func (*Begin) Name() string { return "begin lanes" }

// Reach says that all copies are the same afterwards.
func (s *Begin) Reach(*step.Env) (*step.Reach, error) {
	return &step.Reach{Same: []uintptr{s.Seen.Pointer(), s.New.Pointer()}}, s.check(s.Lanes.Len())
}

// GPU begins them on a part.
func (s *Begin) GPU(x *step.Env) error {
	gs, err := gpu.StreamOf(x.Stream)
	d := x.Placed.Remote().ShardPlace()
	if d == nil {
		return errors.Join(err, notHere())
	}
	for _, b := range []*device.Buffer[uint64]{s.Seen, s.New, s.Next} {
		if err == nil {
			err = gs.Fill(d.At(b.Pointer()), 0, 2*uint64(b.Len()))
		}
	}
	if err != nil {
		return err
	}
	return s.launch(x, "lanes_begin", s.Seen.Pointer(), d.At(s.Lanes.Pointer()))
}

// Look is a step that fetches what New has of some vertices of a graph on several GPUs. Words has Count entries for
// each GPU, which leaves there those of its own vertices.
type Look struct {
	only
	List
	New, Words *device.Buffer[uint64]
}

// Name is what statistics call it.
func (*Look) Name() string { return "look at lanes" }

// Reach reports that it changes nothing that other GPUs see.
func (s *Look) Reach(x *step.Env) (*step.Reach, error) {
	return &step.Reach{}, s.check(s.Words.Len() / len(x.Placed.Remote().ShardPlace().Of.Parts))
}

// GPU looks at those of a part.
func (s *Look) GPU(x *step.Env) error {
	d := x.Placed.Remote().ShardPlace()
	if d == nil {
		return notHere()
	}
	return s.launch(x, "lanes_look", s.New.Pointer(), d.At(s.Words.Pointer())+uintptr(8*s.Count)*uintptr(d.First/d.Of.Stride))
}
