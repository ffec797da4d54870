// Package step defines a step of a traversal as the engines see it, and the program that the
// persistent engine makes of several.
package step

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// programsMost is how many sets of functors a program keeps kernels and blocks for, as a bound on memory:
// an algorithm has a few Repeats.
const programsMost = 8

// Step is one operator of a traversal with what it works on. It has a method for each
// engine, which calls the one that is its own: no step asks where it is.
type Step interface {
	// Name is what statistics and errors call it: "push", "unique".
	Name() string
	// Host runs the step on the frontier x.Cur, on a team of goroutines.
	Host(x *Env) error
	// GPU does so by kernels that it launches.
	GPU(x *Env) error
	// Compile appends the step to a program of the persistent engine. The error
	// wraps ErrNotCompiled where it can't be part of one.
	Compile(p *Program) error
}

// Ender is a step that may end a Repeat. It does nothing else (NoWork).
type Ender interface {
	Step
	// Ends reports whether the traversal ends here, and whether it ends with
	// vertices still to expand.
	Ends(x *Env) (ends, limited bool, err error)
}

// NoWork is the part of a step that does nothing on any device.
type NoWork struct{}

// Host does nothing.
func (NoWork) Host(*Env) error { return nil }

// GPU does nothing.
func (NoWork) GPU(*Env) error { return nil }

// Culled is a step whose output can be culled as it is written.
type Culled interface {
	Step
	// Cull returns the step fused with one that lets each vertex through once: those
	// that weren't in the bitmap seen, which are added to it, or, if seen is nil,
	// those that it hasn't let through before in this round.
	Cull(seen *frontier.Frontier) Step
}

// Culler is a step that Culled can be fused with.
type Culler interface {
	Step
	Seen() *frontier.Frontier // nil: exact dedupe
}

// Whole is a step that may do all rounds of a Repeat on the host, together with the step after it.
type Whole interface {
	Step
	// Whole returns the step that does, or nil.
	Whole(next Step) Step
}

// Ranged is a step along the edges by which a distance from above to most may come. Other rounds may have others.
type Ranged interface {
	Step
	Range(above, most float32)
}

// Moves is a step that may change the frontier; others leave it.
type Moves interface {
	Step
	Moves()
}

// Sets is a step that moves, and reports whether the frontier has no vertex twice afterwards if it had none before.
type Sets interface {
	Moves
	Sets() bool
}

// Trust is what only Foray's own functors can be asked with whether they keep their
// promises, and generated ones.
type Trust = link.Trust

// ErrNotCompiled: a step that the persistent engine can't run. The traversal is run
// level by level then.
var ErrNotCompiled = errors.New("not for one kernel")

// FieldWords is how many words of 8 bytes a functor's fields have (kFieldWords of
// operators/functor.cuh).
const FieldWords = 6

// Codes of operations (traverse/repeat.cuh).
const (
	OpPush = iota
	OpEach
	OpReduce
	OpKeep
	OpBelow
	OpAtMost
	OpSegments
	OpHubs
	OpVisit
	OpRefill
	OpLeast
	OpTurn
	OpLight
	OpWindow
	OpLightest
	OpRecord
	OpBack
	OpWide
	OpReduceOn // OpReduce that joins what the scalar has; for kernels of one operation, which take every other code for OpReduce
)

// hasPushes is the first of the bits beside those of operations that say which kinds of functors a program has:
// pushes, visits, sorts, gathers of 32 and of 64 bits (traverse/program.cuh).
const hasPushes = 24

// Flags of operations.
const (
	AllVertices  = 1
	InEdges      = 2
	Dedupe       = 4
	DoubleScalar = 8
	IfAbove      = 16
	Beside       = 32
)

// Op is an operation as kernels have it (traverse/repeat.cuh).
type Op struct {
	Code, Functor, Flags, Number uint32
	Words                        [FieldWords]uint64
	Seen                         uint64
	Scalar                       ScalarArgs
	Bound                        uint64
}

// ScalarArgs is a scalar as kernels have it (operators/functor.cuh).
type ScalarArgs struct {
	Value, Partials, Through uint64
	Kind, _                  uint32
}

// ScalarAt returns a scalar whose buffer is there: the value, the count of blocks, and partial
// values.
func ScalarAt(at uint64) ScalarArgs {
	return ScalarArgs{Value: at, Through: at + 128, Partials: at + 256}
}

// ArgsOf returns a scalar, a *link.Scalar, as kernel arguments on a device; nil means no
// scalar. Errors are those of its Check.
func ArgsOf(s interface {
	Check(device.Device) error
	Pointer() uintptr
}, dev device.Device) (ScalarArgs, error) {
	if err := s.Check(dev); err != nil {
		return ScalarArgs{}, err
	}
	at := s.Pointer()
	if at == 0 {
		return ScalarArgs{}, nil
	}
	return ScalarAt(uint64(at)), nil
}

// MaxOps is how many operations a program has at most.
const MaxOps = 12

// Trail is the frontiers that a program adds to, or takes off: its own part of the launch.
type Trail interface {
	// Begin brings to the device where the frontiers end, and returns how many there are.
	Begin() (frontiers int, err error)
	// Ended gets their number afterwards.
	Ended(frontiers int)
}

// Program is what the persistent engine runs.
type Program struct {
	Placed *graph.Placed
	Step   string // the name of the one that is compiled
	All    bool   // it begins with all vertices
	Codes  *Codes // keeps those of functors
	Must   bool   // steps are to be compiled even where separate kernels are faster
	Ops    []Op
	Moves  bool                 // an operation may change the frontier
	Pushes bool                 // and one may let a vertex in
	Gather [2]bool              // an operation reduces over out-edges, over in-edges
	Light  bool                 // an operation goes through rows by weight
	Ahead  bool                 // blocks run ahead of one another in a push
	Chains bool                 // and continue with the vertices that are due in the same stage
	Flat   bool                 // all rows are short
	Short  bool                 // it is one push, over such rows
	Seen   []*frontier.Frontier // bitmaps that operations add to
	Trail  Trail                // of an operation that adds to one, or takes off it
	Back   bool                 // it takes off

	image  []byte // of compiled functors
	kernel string
	made   link.Set // those written in Go
	accs   []link.Accumulator
	kinds  [Hits + 1]bool
	widths [2]bool // of values that gathers have: 32 bits, 64
	kept   []keptProgram
	last   int // of kept, which is written over next
}

// Again returns the program, emptied for other steps, which has its memory and what it found for sets of
// functors that come again; of nil a new one. Kernels of the program have ended.
func (p *Program) Again() *Program {
	if p == nil {
		return new(Program)
	}
	clear(p.Seen)
	clear(p.accs)
	p.made.Empty()
	*p = Program{Ops: p.Ops[:0], Seen: p.Seen[:0], made: p.made, accs: p.accs[:0], kept: p.kept, last: p.last}
	return p
}

// Add appends an operation with its functor, if it has one. All are of one image, or all are
// written in Go.
func (p *Program) Add(c *Code, op Op) error {
	switch {
	case c == nil:
	case c.Generated != nil:
		if p.image != nil {
			return fmt.Errorf("%w: functors of %s and one written in Go, %s", ErrNotCompiled, p.kernel, c.Generated.Code().Name)
		}
		c.Use.Step = p.Step
		which, err := c.among(&p.made)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotCompiled, err)
		}
		p.kernel = "foray"
		p.kinds[c.Kind] = true
		if c.Kind == Gathers {
			p.widths[c.class()] = true
		}
		op.Functor = which
	default:
		if p.image == nil && p.kernel == "" {
			p.image, p.kernel = c.Image, c.Name
		}
		if p.kernel != c.Name || unsafe.SliceData(p.image) != unsafe.SliceData(c.Image) {
			return fmt.Errorf("%w: functors of two traversals, %s and %s", ErrNotCompiled, p.kernel, c.Name)
		}
		op.Functor, op.Words = c.number, c.words
	}
	var accs []link.Accumulator
	if c != nil && op.Code != OpRefill {
		var err error
		if accs, err = c.accumulators(p.Placed); err != nil {
			return err
		}
	}
	if len(p.Ops)+1+len(accs) > MaxOps {
		return fmt.Errorf("%w: more than %d steps and accumulators", ErrNotCompiled, MaxOps)
	}
	if len(accs) > 0 {
		op.Flags &^= Beside // what they came to is looked at next
	}
	p.Ops = append(p.Ops, op)
	for _, a := range accs {
		if err := p.fold(a); err != nil {
			return err
		}
	}
	return nil
}

// fold appends the operation that leaves in a scalar what an accumulator came to.
func (p *Program) fold(a link.Accumulator) error {
	p.accs = append(p.accs, a)
	op, c := foldOf(p.Placed, a)
	which, err := c.among(&p.made)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotCompiled, err)
	}
	p.kinds[c.Kind] = true
	op.Functor = which
	p.Ops = append(p.Ops, op)
	return nil
}

// Check returns what no kernel does together: steps along rows by weight with other pushes and
// reductions. An operation that the next one needn't wait for is waited for where that has no
// barrier.
func (p *Program) Check() error {
	for i, op := range p.Ops {
		if op.Flags&Beside != 0 && (i+1 == len(p.Ops) || !p.Ops[i+1].meets()) {
			p.Ops[i].Flags &^= Beside
		}
		switch op.Code {
		case OpPush, OpReduce, OpVisit, OpRefill:
			if p.Light {
				return fmt.Errorf("%w: steps along rows by weight with other pushes or reductions", ErrNotCompiled)
			}
		}
	}
	return nil
}

// meets reports that an operation always ends with a barrier.
func (o *Op) meets() bool {
	switch o.Code {
	case OpPush, OpReduce, OpKeep, OpVisit, OpLight, OpLightest:
		return true
	}
	return o.Code == OpEach && o.Flags&Beside == 0
}

// Ended gets the error of the program's kernel. After an error accumulators are made again.
func (p *Program) Ended(err error) error {
	if err != nil {
		return errors.Join(err, drop(p.accs))
	}
	return nil
}

// OnePush reports that a program pushes its frontier, to the frontier that comes next, and does nothing
// else with it.
func (p *Program) OnePush() bool {
	pushes := 0
	for _, op := range p.Ops {
		switch {
		case op.Code == OpPush && op.Flags&AllVertices == 0:
			pushes++
		case op.Code != OpAtMost:
			return false
		}
	}
	return pushes == 1 && !p.kinds[Sorts]
}

// Empty reports a program without functors.
func (p *Program) Empty() bool { return p.kernel == "" }

// Kernel returns the image and name of the kernel that repeats the program.
func (p *Program) Kernel(s *gpu.Stream) (image []byte, name string, err error) {
	if p.kernel != "foray" || p.image != nil {
		return p.image, p.kernel + "_repeat" + p.Placed.Remote().Width(), nil
	}
	// A kernel of several kinds needs more registers than one of each: there is but one of all.
	name, names := "", 0
	refills := slices.ContainsFunc(p.Ops, func(op Op) bool { return op.Code == OpRefill }) // which that of pushes alone can't
	for i, has := range []bool{p.kinds[Sorts] || refills, p.kinds[Visits], p.widths[0], p.widths[1]} {
		if has {
			name, names = [...]string{"foray_repeat_sort_", "foray_repeat_visit_", "foray_repeat_gather32_", "foray_repeat_gather64_"}[i], names+1
		}
	}
	switch {
	case p.Light:
		name = "foray_repeat_light_"
	case p.Chains && names == 1:
		name = "foray_repeat_chain_"
	case p.Short:
		name = "foray_repeat_short_"
	case names == 0:
		name = "foray_repeat_push_"
	case names == 1 && p.widths[0] && !p.kinds[Pushes]: // which compiles in half the time
		name = "foray_repeat_maps32_"
	case names == 1 && p.widths[1] && !p.kinds[Pushes]:
		name = "foray_repeat_maps64_"
	case names > 1:
		name = "foray_repeat_all_"
	}
	return p.spliced(s, name, 1, p.has())
}

// ClusterKernel returns those of the kernel in which one cluster does so.
func (p *Program) ClusterKernel(s *gpu.Stream) (image []byte, name string, err error) {
	if p.image != nil {
		return p.image, p.kernel + "_cluster" + p.Placed.Remote().Width(), nil
	}
	return p.spliced(s, "foray_cluster_push_", 2, link.Everything)
}

func (p *Program) spliced(s *gpu.Stream, name string, block int, has uint32) ([]byte, string, error) {
	width := p.Placed.Remote().Width()
	k := p.known(s)
	for i := range k.kernels {
		if m := &k.kernels[i]; m.of == name && m.has == has {
			return m.image, m.name, nil
		}
	}
	image, err := p.made.Module(strings.TrimSuffix(name, "_"), width, s.Arch(), block, has)
	if err != nil {
		return nil, "", err
	}
	k.kernels = append(k.kernels, keptKernel{name, strings.TrimSuffix(name, "_") + width, has, image})
	return image, strings.TrimSuffix(name, "_") + width, nil
}

// has returns the operations and the kinds of functors of the program, as its kernel learns them.
func (p *Program) has() uint32 {
	x := uint32(0)
	for i := range p.Ops {
		x |= 1 << p.Ops[i].Code
	}
	for i, is := range [...]bool{p.kinds[Pushes], p.kinds[Visits], p.kinds[Sorts], p.widths[0], p.widths[1]} {
		if is {
			x |= 1 << (hasPushes + i)
		}
	}
	if p.Flat {
		return x | link.ShortRows
	}
	return x | link.LongRows
}

// Block returns the functors' block, nil for those that are compiled. stop is the address of
// the flag that ends the kernel.
func (p *Program) Block(s *gpu.Stream, stop uint64) (*Block, error) {
	if p.image != nil {
		return nil, nil
	}
	k := p.known(s)
	if k.block != nil && k.stop == stop && k.time == s.FaultTime() && p.made.Same(p.Placed, k.block.words[:]) {
		return k.block, nil
	}
	k.block = nil
	b, err := blockOf(&p.made, s, p.Placed, stop)
	if err == nil {
		k.block, k.stop, k.time = b, stop, s.FaultTime()
	}
	return b, err
}

// keptProgram is what was found for a set of functors. Numbers are written into the block for the next
// launch: that is a kernel's parameter, which the driver copies at each launch, and the program's kernels have
// ended besides before it is compiled again.
type keptProgram struct {
	s       *gpu.Stream
	p       *graph.Placed
	of      link.Set
	kernels []keptKernel
	block   *Block // or nil
	stop    uint64
	time    uint64 // of s
}

type keptKernel struct {
	of, name string
	has      uint32
	image    []byte
}

// known returns what is kept for the functors of the program.
func (p *Program) known(s *gpu.Stream) *keptProgram {
	for i := range p.kept {
		if k := &p.kept[i]; k.s == s && k.p == p.Placed && k.of.Equal(&p.made) {
			return k
		}
	}
	k := keptProgram{s: s, p: p.Placed, of: p.made.Clone()}
	if len(p.kept) < programsMost {
		p.kept = append(p.kept, k)
		return &p.kept[len(p.kept)-1]
	}
	p.last = (p.last + 1) % programsMost
	p.kept[p.last] = k
	return &p.kept[p.last]
}
