// This file holds the engine that runs steps on a GPU level by level: the host launches each.

package traverse

import (
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/keyedrows"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/internal/layout/shortrows"
)

type levels struct {
	space *space
	lease *run.GPU
	args  gpu.Args
	stay  *stay // which repeats what can be one kernel
}

func newLevels(s *space, lease *run.GPU) *levels {
	l := &levels{space: s, lease: lease}
	l.stay = &stay{levels: l}
	return l
}

func (*levels) kind() Engine                       { return LevelByLevel }
func (*levels) begin() error                       { return nil }
func (l *levels) close() error                     { return l.stay.close() }
func (*levels) takes(*step.Env, []step.Step) error { return nil }
func (l *levels) sync() error                      { return l.lease.Stream.Sync() }
func (*levels) settle() error                      { return nil }

func (*levels) notes() bool { return true }

func (l *levels) keyed() uint64 { return keyedrows.Bytes(l.space.p) }
func (*levels) piled() uint64   { return 0 }

func (l *levels) room(frontiers uint64) uint64 {
	n, width := uint64(l.space.p.NumVertices()), uint64(4)
	if l.space.p.Remote().Wide {
		width = 8
	}
	bytes := uint64(0)
	if l.space.p.State().MaxDegree() <= shortRows {
		bytes = shortrows.Bytes(l.space.p.NumVertices())
	}
	// All vertices as a frontier have no queue: another takes its turns.
	return bytes + (frontiers+1)*(4+width)*n + 3*run.BitmapBytes(n) + streamBytes
}

func (l *levels) step(x *step.Env, s step.Step) error {
	l.lease.Stream.Step = s.Name()
	defer func() { l.lease.Stream.Step = "" }()
	return s.GPU(x)
}

// forRepeat returns the persistent engine where it can run the steps.
func (l *levels) forRepeat(t *Traversal, cur *Frontier, steps []step.Step) (engine, error) {
	if t.o.Engine == LevelByLevel || t.o.Engine == AutoEngine && tuning.LevelByLevel {
		return l, nil
	}
	kept := l.stay.kept
	l.stay.kept = nil // after an error the next Repeat has a new one
	program, err := t.compile(kept, cur, steps)
	switch {
	case err == nil:
		l.stay.program = program
		return l.stay, nil
	case t.o.Engine == Persistent || !errors.Is(err, step.ErrNotCompiled):
		return nil, err
	}
	t.stats.Why = err.Error()
	return l, nil
}

func (*levels) repeat(t *Traversal, cur *Frontier, steps []step.Step) { t.rounds(cur, steps) }

func (*levels) empty(c *Frontier) error { return c.f.Clear(frontier.Queue) }

// add writes a frontier of one vertex by a kernel, which takes its turn in the stream.
func (l *levels) add(f *frontier.Frontier, vs []uint32) error {
	p := l.space.p
	if len(vs) != 1 || int64(vs[0]) >= int64(p.NumVertices()) {
		return f.Add(vs...)
	}
	q := f.Remote().Queue()
	if err := errors.Join(l.write(q.Items, 0, uint64(vs[0]), false), l.write(q.Prefix, 0, 0, p.Remote().Wide)); err != nil {
		return err
	}
	f.Remote().Set(1, p.Graph().Degree(vs[0]))
	return nil
}

func (l *levels) list(f *frontier.Frontier) (twice bool, err error) {
	if err := f.List(l.lease.Stream); err != nil {
		return false, err
	}
	return f.Remote().IsList(), nil
}

func (*levels) roomy(f *frontier.Frontier) bool { return f.Remote().HasRoom() }

func (l *levels) ends(t *Traversal) *device.Buffer[uint32] {
	return ArrayN[uint32](t, l.space.p.NumVertices()+1, 0)
}

func (l *levels) get(c cells) (uint64, error) { return l.lease.Stream.Word(c.at) }

func (l *levels) fill(c cells, x uint64) error {
	n := uint64(c.n)
	switch {
	case n == 0:
		return nil
	case !c.wide:
		return l.lease.Stream.Fill(c.at, uint32(x), n)
	case uint32(x) == uint32(x>>32):
		return l.lease.Stream.Fill(c.at, uint32(x), 2*n)
	}
	k, err := l.lease.Stream.Kernel(image, "fill_u64")
	if err != nil {
		return err
	}
	at := uint64(c.at)
	l.args.Reset()
	gpu.Struct(&l.args, &at)
	gpu.Struct(&l.args, &x)
	gpu.Struct(&l.args, &n)
	return l.lease.Stream.Launch(k, c.n/gpu.Block+1, &l.args)
}

func (l *levels) put(c cells, at uint32, x uint64) error {
	return l.write(uint64(c.at), uint64(at), x, c.wide)
}

// write enqueues the writing of one element.
func (l *levels) write(to, at, word uint64, wide bool) error {
	k, err := l.lease.Stream.Kernel(image, "put")
	if err != nil {
		return err
	}
	is := uint32(0)
	if wide {
		is = 1
	}
	l.args.Reset()
	gpu.Struct(&l.args, &to)
	gpu.Struct(&l.args, &word)
	gpu.Struct(&l.args, &at)
	gpu.Struct(&l.args, &is)
	return l.lease.Stream.Launch(k, 1, &l.args)
}

func (l *levels) numbers(b *device.Buffer[uint32]) error { return l.over("numbers", b) }

func (l *levels) degrees(b *device.Buffer[uint32]) error {
	r := l.space.p.Remote()
	return errors.Join(l.over("degrees"+r.Width(), b, r.Offsets), l.lease.Stream.Sync())
}

func (l *levels) firsts(b *device.Buffer[uint32]) error {
	r := l.space.p.Remote()
	offsets, targets := r.Offsets, r.Targets
	if t := r.Tiers; t != nil && t.Prefix > 0 && r.InTargets == r.Targets { // near rows begin with the same targets
		offsets, targets = t.Offsets, t.Targets
	}
	return errors.Join(l.over("firsts"+r.Width(), b, offsets, targets), l.lease.Stream.Sync())
}

// over launches a kernel that writes an array from others.
func (l *levels) over(kernel string, b *device.Buffer[uint32], from ...uintptr) error {
	if b.Len() == 0 {
		return nil
	}
	k, err := l.lease.Stream.Kernel(image, kernel)
	if err != nil {
		return err
	}
	l.args.Reset()
	for _, at := range append([]uintptr{b.Pointer()}, from...) {
		at := uint64(at)
		gpu.Struct(&l.args, &at)
	}
	count := uint32(b.Len())
	gpu.Struct(&l.args, &count)
	return l.lease.Stream.Launch(k, b.Len()/gpu.Block+1, &l.args)
}
