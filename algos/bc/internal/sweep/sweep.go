// Package sweep counts shortest paths and adds up dependencies on a GPU, once a search has found the level of every vertex.
// One cluster of blocks goes through the levels, down and up, and has the values of a level in its shared memory.
package sweep

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// Results is how many entries Sweep.Results has.
const Results = 2

// Quads returns how many entries of 16 bytes Sweep.Near has for each vertex of a graph whose longest row has so many edges; 0:
// the rows are too long.
func Quads(longest uint64) int {
	quads := int((min(longest, rowOfQuad*mostQuads+1) + rowOfQuad - 1) / rowOfQuad)
	if quads > mostQuads {
		return 0
	}
	return max(quads, 1)
}

// Sweep is a step that adds the dependencies of a source on all vertices to their scores. The graph is undirected. The
// frontier stays as it is.
type Sweep struct {
	Mark         *device.Buffer[uint32]  // of every vertex: 0, or 1<<31 and its level; 0 afterwards, unless TooLarge
	Place        *device.Buffer[uint32]  // an entry for each vertex
	Start        *device.Buffer[uint32]  // one more
	Near         *device.Buffer[uint64]  // 2*Quads entries for each vertex
	Count, Score *device.Buffer[float64] // Score is added to
	Power        *device.Buffer[int32]
	Results      *device.Buffer[uint32]

	TooLarge bool // the step added nothing: too many levels, or one with too many vertices

	args      gpu.Args
	own       sweepArgs
	quads     int
	near      string // the kernel's name
	out, home *gpu.Kernel
}

// sweepArgs are the arguments of the kernels (sweep.cuh).
type sweepArgs struct {
	mark, place, start, near, count, power, score, results uint64
	n, quads                                               uint32
}

// Name is what statistics call it.
func (*Sweep) Name() string { return "sweep" }

// Compile refuses: no program has it.
func (*Sweep) Compile(*step.Program) error {
	return fmt.Errorf("%w: sweeps over levels", step.ErrNotCompiled)
}

// Host refuses: functors do it there.
func (*Sweep) Host(*step.Env) error {
	return fmt.Errorf("bc: %w: a GPU's sweeps over levels on the host", device.ErrNotSupported)
}

func (s *Sweep) check(p *graph.Placed) error {
	n, quads := p.NumVertices(), Quads(p.State().MaxDegree())
	if quads == 0 || min(s.Mark.Len(), s.Place.Len(), s.Start.Len()-1, s.Near.Len()/2/max(quads, 1), s.Count.Len(), s.Score.Len(), s.Power.Len()) < n || s.Results.Len() < Results {
		return fmt.Errorf("bc: %w: rows of %d edges, or arrays that are too small for %d vertices", graph.ErrOptions, p.State().MaxDegree(), n)
	}
	s.quads = quads
	return nil
}

// GPU launches the kernels.
func (s *Sweep) GPU(x *step.Env) error {
	gs, err := gpu.StreamOf(x.Stream)
	if err = errors.Join(err, s.check(x.Placed)); err != nil {
		return err
	}
	n := x.Placed.NumVertices()
	if err := s.kernels(gs, x.Placed.Remote().Width()); err != nil {
		return err
	}
	s.own = sweepArgs{
		mark: uint64(s.Mark.Pointer()), place: uint64(s.Place.Pointer()), start: uint64(s.Start.Pointer()),
		near: uint64(s.Near.Pointer()), count: uint64(s.Count.Pointer()), power: uint64(s.Power.Pointer()), score: uint64(s.Score.Pointer()),
		results: uint64(s.Results.Pointer()), n: uint32(n), quads: uint32(s.quads),
	}
	if err := gs.Fill(uintptr(s.own.start), 0, uint64(n)+1); err != nil {
		return err
	}
	if err := errors.Join(s.launch(gs, "sweep_place", n, nil), s.launch(gs, "sweep_scan", 1, nil)); err != nil {
		return err
	}
	got, err := gs.Word(uintptr(s.own.results))
	if err != nil {
		return err
	}
	levels, widest := uint32(got), uint32(got>>32)
	if s.TooLarge = levels > tuning.SweepLevels || int(widest) > places*min(s.out.Resident(), s.home.Resident()); s.TooLarge {
		return nil
	}
	rows := step.Out(x.Placed)
	if err := s.launch(gs, s.near, n, &rows); err != nil {
		return err
	}
	for _, k := range [2]*gpu.Kernel{s.out, s.home} {
		s.args.Reset()
		gpu.Struct(&s.args, &s.own)
		if err := gs.LaunchCluster(k, &s.args); err != nil {
			return err
		}
	}
	return errors.Join(s.launch(gs, "sweep_add", n, nil), gs.Fill(uintptr(s.own.mark), 0, uint64(n)))
}

// kernels finds the kernels of a width of offsets, once.
func (s *Sweep) kernels(gs *gpu.Stream, width string) error {
	if s.near != "" {
		return nil
	}
	for _, k := range []struct {
		to  **gpu.Kernel
		way string
	}{{&s.out, "out"}, {&s.home, "home"}} {
		var err error
		if *k.to, err = gs.ClusterKernel(image, fmt.Sprintf("sweep_%s_%d", k.way, s.quads), threads, func(int) int { return shared }, func() int { return shared }); err != nil {
			return fmt.Errorf("bc: %w", err)
		}
	}
	s.near = "sweep_near_" + width[1:]
	return nil
}

// launch launches a kernel with a thread for each vertex.
func (s *Sweep) launch(gs *gpu.Stream, name string, vertices int, rows *step.CsrArgs) error {
	k, err := gs.KernelOf(image, name, threads)
	if err != nil {
		return fmt.Errorf("bc: %w", err)
	}
	s.args.Reset()
	gpu.Struct(&s.args, &s.own)
	if rows != nil {
		gpu.Struct(&s.args, rows)
	}
	return gs.Launch(k, (vertices+threads-1)/threads, &s.args)
}
