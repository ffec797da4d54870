// This file holds the search on one GPU over rows in any order, as one kernel (windows.cuh).

package sssp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/foray-graph/foray/algos/sssp/internal/functors"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/filter"
	"github.com/foray-graph/foray/traverse"
)

// windowsArgs are the arguments of the kernel (WindowsArgs of windows_args.cuh).
type windowsArgs struct {
	engine                    gpu.PersistentArgs
	out, in                   step.CsrArgs
	weights, inWeights        uint64
	dist, notes               uint64
	marks                     [2]uint64
	aside, state, ints, edges uint64
	width, most, full, cost   float32
	rounds, _                 uint32
}

// sumsArgs are the arguments of the kernel that adds up edges (SumsArgs of windows_args.cuh).
type sumsArgs struct {
	rows          step.CsrArgs
	weights, sums uint64
}

// What the kernels have (windows_args.cuh).
const (
	windowsStateBytes = 128
	windowRow         = 128 // the longest row that isn't put aside in parts
	windowPart        = 128 // edges of the shortest parts
	windowPartBytes   = 16
)

// canWindow reports whether the kernel searches a graph on one GPU: where vertices have few edges, it leaves out too few, and
// sweeps need the reverse, with the same weights, which rows by weight have.
func (w *weights) canWindow(ctx context.Context, p *graph.Placed) (bool, error) {
	if lightOf(p) != nil {
		return true, nil
	}
	if !p.Graph().HasReverse() || w.degree < tuning.ByWeightDegree || p.Graph().NumDirectedEdges() == 0 {
		return false, nil
	}
	return placed.LoadOrMakeIn(ctx, p.State(), mirroredKey{}, func() (bool, error) { return mirrored(ctx, p) })
}

// mirroredKey is whether edges have the weights of the reverse.
type mirroredKey struct{ placed.Of[bool] }

// mirrored compares sums of hashes of the edges, as byweight.Of does.
func mirrored(ctx context.Context, p *graph.Placed) (same bool, err error) {
	stream, err := p.Device().NewStream(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	s, err := gpu.StreamOf(stream)
	if err != nil {
		return false, err
	}
	room, err := s.GPU().Alloc(32)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, room.Close()) }()
	if err := s.Fill(room.Pointer(), 0, 8); err != nil {
		return false, err
	}
	k, err := s.Kernel(windowsImage, "sssp_sums"+p.Remote().Width())
	if err != nil {
		return false, err
	}
	out, err := p.State().Weights()
	if err != nil {
		return false, err
	}
	rows := []sumsArgs{{rows: step.Out(p), weights: uint64(out.Pointer()), sums: uint64(room.Pointer())}}
	turned := 1
	if p.Graph().Directed() {
		in, err := p.InWeights()
		if err != nil {
			return false, err
		}
		rows = append(rows, sumsArgs{rows: step.In(p), weights: uint64(in.Pointer()), sums: uint64(room.Pointer()) + 16})
		turned = 3
	}
	var args gpu.Args
	for i := range rows {
		args.Reset()
		gpu.Struct(&args, &rows[i])
		if err := s.Launch(k, math.MaxInt32, &args); err != nil {
			return false, err
		}
	}
	var sums [4]uint64
	if err := errors.Join(s.Sync(), discrete.Read(s.GPU(), sums[:], room)); err != nil {
		return false, err
	}
	return sums[0] == sums[turned], nil
}

// inWindows searches on one GPU until all distances are certain.
func inWindows(a *attempt[float32], o Options) {
	s := traverse.Kept(a.t, func() *windowsStep { return newWindowsStep(a) })
	if a.t.Err() != nil {
		return
	}
	if s.ints = nil; o.ints(a.w) {
		s.ints = ints(a.t)
	}
	a.t.Do(a.all, s.itself...)
	a.reached, a.farthest, a.measured = s.reached, s.farthest, true
	if least := s.least; a.t.Err() == nil && least <= a.most() {
		a.measured = false
		s.rest.from(a, least)
	}
}

// rest is what pushes the vertices on from which other distances may still depend, by piles.
type rest struct {
	between   *functors.BetweenFloat32Functor
	finishing []operators.Step
	refilling []operators.Step
}

func newRest(a *attempt[float32]) rest {
	x := rest{between: functors.NewBetweenFloat32(a.dist, 0, 0)}
	x.finishing = []operators.Step{filter.Keep(x.between)}
	return x
}

// from pushes the vertices at a distance or beyond.
func (x *rest) from(a *attempt[float32], least float32) {
	t, cur := a.t, a.cur
	a.piles()
	if x.refilling == nil {
		x.refilling = []operators.Step{a.near[0], a.refill[0]}
	}
	x.between.Bound(least, a.most())
	t.Fill(cur)
	t.Do(cur, x.finishing...)
	for t.Next(cur) {
		t.Do(cur, x.refilling...)
	}
}

// windowsStep is a whole search, as a step.
type windowsStep struct {
	step.NoWork
	a        *attempt[float32]
	itself   []operators.Step
	rest     rest
	ints     *device.Buffer[int64] // distances as the result has them; or nil
	reached  int
	farthest float64
	least    float32 // distances from there on may not be certain; +Inf: all are
}

func newWindowsStep(a *attempt[float32]) *windowsStep {
	s := &windowsStep{a: a, rest: newRest(a)}
	s.itself = []operators.Step{s}
	return s
}

// Name is what statistics and errors call the step.
func (*windowsStep) Name() string { return "windows" }

// Compile says that the step isn't part of another kernel.
func (*windowsStep) Compile(*step.Program) error { return step.ErrNotCompiled }

// GPU searches.
func (s *windowsStep) GPU(x *step.Env) error {
	w, err := step.Tool(x, "sssp in windows", func() (*windowsSpace, error) { return newWindowsSpace(x) })
	if err != nil {
		return fmt.Errorf("sssp: %w", err)
	}
	if err := w.ready(x.Placed, s); err != nil {
		return fmt.Errorf("sssp: %w", err)
	}
	rounds, err := w.run(s)
	if err == nil {
		x.Went(rounds, s.reached, 0)
	}
	return err
}

// windowsSpace is what searches work in.
type windowsSpace struct {
	s       *gpu.Stream
	kernel  *gpu.Kernel
	mem     []device.Memory
	persist gpu.Persistent
	a       windowsArgs
	args    gpu.Args
}

// windowsBytes is the memory of a search, in addition to the distances.
func windowsBytes(p *graph.Placed) (arrays, parts uint64) {
	n, m := uint64(p.NumVertices()), p.Graph().NumDirectedEdges()
	arrays = 4*n + 2*4*((n+31)/32)
	if p.State().MaxDegree() > windowRow || p.Graph().Directed() { // whose in-degrees may be larger
		// A row has one part that isn't whole at most, and is longer than windowRow.
		parts = windowPartBytes * (m/windowPart + m/windowRow + 1)
	}
	return arrays, parts
}

func newWindowsSpace(x *step.Env) (_ *windowsSpace, err error) {
	s, err := gpu.StreamOf(x.Stream)
	if err != nil {
		return nil, err
	}
	w, p, n := &windowsSpace{s: s}, x.Placed, uint64(x.Placed.NumVertices())
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	arrays, parts := windowsBytes(p)
	m, err := s.GPU().Alloc(arrays)
	if err != nil {
		return nil, err
	}
	w.mem = append(w.mem, m)
	words, a := 4*((n+31)/32), &w.a
	a.notes = uint64(m.Pointer())
	a.marks = [2]uint64{a.notes + 4*n, a.notes + 4*n + words}
	if parts > 0 {
		if m, err = s.GPU().Alloc(parts); err != nil {
			return nil, err
		}
		w.mem = append(w.mem, m)
		a.aside = uint64(m.Pointer())
	}
	if err := w.persist.Ready(s.GPU(), true, windowsStateBytes); err != nil {
		return nil, err
	}
	a.state, a.edges, a.rounds, a.cost = w.persist.Own(), p.Graph().NumDirectedEdges(), windowsRounds, windowsPullCost
	name := "sssp_windows"
	if lightOf(p) != nil {
		name += "_sorted"
	}
	w.kernel, err = s.Kernel(windowsImage, name+p.Remote().Width())
	return w, err
}

// ready readies the arguments for a search.
func (w *windowsSpace) ready(p *graph.Placed, s *windowsStep) error {
	weights, err := p.State().Weights()
	if err != nil {
		return err
	}
	in, err := p.InWeights()
	if err != nil {
		return err
	}
	a := &w.a
	a.out, a.in, a.weights, a.inWeights = step.Out(p), step.In(p), uint64(weights.Pointer()), uint64(in.Pointer())
	a.dist, a.width, a.most, a.full = uint64(s.a.dist.Pointer()), s.a.width, s.a.most(), float32(2*s.a.w.mean)
	if a.ints = 0; s.ints != nil {
		a.ints = uint64(s.ints.Pointer())
	}
	w.persist.Begin(w.s, &a.engine)
	return nil
}

// run launches the kernel and waits for it.
func (w *windowsSpace) run(s *windowsStep) (rounds int, err error) {
	if err := w.s.Err(); err != nil {
		return 0, err
	}
	mail, err := w.persist.Run(func() error {
		w.args.Reset()
		gpu.Struct(&w.args, &w.a)
		return w.s.LaunchStaying(w.kernel, 0, &w.args)
	}, nil, (*gpu.Ticket).Wait)
	if err == nil && mail.Counts[1] == gpu.EndedLate {
		err = fmt.Errorf("sssp: %w: the blocks of the kernel didn't all run at once; Options.Engine LevelByLevel needs no such kernel", device.ErrNotSupported)
	}
	if err != nil {
		return 0, errors.Join(err, w.persist.Abandon(), w.s.Wait())
	}
	s.reached, s.farthest = int(mail.Tail), float64(math.Float32frombits(uint32(mail.Counts[3])))
	s.least = math.Float32frombits(uint32(mail.Counts[2]))
	return int(mail.Counts[0]), w.s.Err()
}

// Close frees the memory.
func (w *windowsSpace) Close() (err error) {
	for _, m := range w.mem {
		err = errors.Join(err, m.Close())
	}
	w.mem = nil
	return errors.Join(err, w.persist.Close())
}
