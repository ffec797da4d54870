// Package steps runs a level of many breadth-first searches at once on a GPU, one bit lane per
// search. In a pull, each vertex collects the lanes that its in-neighbors have seen, until no lane
// is missing: threads process short rows, groups of lanes and warps process longer ones. Then, as
// after a push, the found lanes are added to the seen ones, and the vertices that each lane
// reached are counted. bench/notes/algorithms-gpu.md compares this with steps and functors.
package steps

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

const (
	// looks is how many edges of a row are looked at by a group of lanes; what is longer goes into
	// pieces of so many, each of which a warp looks at.
	looks = 256
	piece = 1024
	// sampleBlocks is how many blocks sample edges, one for each thread: kSamples of behind.cuh.
	sampleBlocks = 32
)

// MostWords is how many words a vertex has at most; it has one, four or so many.
const MostWords = 8

// Where results are, in Level.Results.
const (
	Edges = 0 // out of the vertices that were reached
	Done  = 1 // edges into vertices that have seen all lanes from now on
	Any   = 4 // a word, or several, of lanes that reached anything; then a count for each lane
)

// Results returns the length of Level.Results for so many words a vertex: lanes_sample leaves its own counts behind the
// level's (behind.cuh).
func Results(words int) int { return Any + 65*words + words + 1 + 2*64*words }

// Level is a step that ends a level. The frontier stays as it is. All arrays but Results have Words entries
// a vertex.
type Level struct {
	Words   int
	Pull    bool                   // all vertices are pulled; else Next has what a push found
	Seen    *device.Buffer[uint64] // by each lane, in all levels before; the level's are added
	New     *device.Buffer[uint64] // the level's, of all vertices after a pull, else of the frontier's
	Next    *device.Buffer[uint64] // zero afterwards, and before a pull; shards.go documents its content on several GPUs
	Pieces  *device.Buffer[uint64] // of rows: any number of entries, which are zero between levels; nil on several GPUs
	Results *device.Buffer[uint64] // as many entries as Results says, on several GPUs for each of them
	Full    [MostWords]uint64      // the lanes that still search

	// Got is a copy of the first entries of Results, up to the counts, once the step has run. It is nil on several GPUs.
	Got []uint64

	args  gpu.Args
	own   lanesArgs
	width string    // of offsets, and the names of kernels for it
	names [6]string // sample, push, parts, first, rest, settle
}

// lanesArgs are the arguments of the kernels (lanes.cuh).
type lanesArgs struct {
	in, out                                        step.CsrArgs
	all, seen, found, before, next, pieces, result uint64
	items, room                                    uint64
	full                                           [MostWords]uint64
	count, from, looks, piece, first               uint32
	least, most, _                                 uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(lanesArgs{})-216] // as lanes.cuh says

// What lanesArgs.from says about a level.
const (
	onlyPulled = iota
	onlyPushed
	both
)

// Name is what statistics call it.
func (*Level) Name() string { return "lanes" }

// Compile refuses: no program has it.
func (*Level) Compile(*step.Program) error {
	return fmt.Errorf("%w: a level of lanes", step.ErrNotCompiled)
}

// Host refuses: functors do it there.
func (*Level) Host(*step.Env) error {
	return fmt.Errorf("lanes: %w: a pull of lanes on the host", device.ErrNotSupported)
}

func (s *Level) check(x *step.Env) error {
	n := x.Placed.NumVertices() * s.Words
	if s.Words != 1 && s.Words != 4 && s.Words != MostWords || min(s.Seen.Len(), s.New.Len(), s.Next.Len()) < n || s.Pieces == nil && x.Placed.Remote().ShardPlace() == nil || s.Results.Len() < Results(s.Words) {
		return fmt.Errorf("lanes: %w: %d words a vertex, and arrays for them", graph.ErrOptions, s.Words)
	}
	return nil
}

// GPU launches the kernels.
func (s *Level) GPU(x *step.Env) error {
	gs, err := gpu.StreamOf(x.Stream)
	if err = errors.Join(err, s.check(x)); err != nil {
		return err
	}
	s.own = s.arguments(x)
	s.name(x.Placed.Remote().Width())
	if err := gs.Fill(uintptr(s.own.result), 0, 2*uint64(Results(s.Words))); err != nil {
		return err
	}
	const samples, pushes, pulls = 1, 3, 5 // kernels before the ends of the parts of a level
	switch {
	case !s.Pull:
		s.own.from = onlyPushed
		if err := s.listed(x); err != nil {
			return err
		}
		return errors.Join(s.launch(gs, s.names[pulls:]), s.get(x, gs))
	case s.Pieces == nil: // on several GPUs no lane is behind
		return s.launch(gs, s.names[pushes:])
	}
	all := s.own
	s.own.from, s.own.count = both, sampleBlocks*gpu.Block/uint32(s.Words)
	if err := s.launch(gs, s.names[:samples]); err != nil {
		return err
	}
	s.own.count = all.count
	if err := s.listed(x); err != nil {
		return err
	}
	if err := s.launch(gs, s.names[samples:pushes]); err != nil {
		return err
	}
	s.own.items, s.own.count = all.items, all.count
	return errors.Join(s.launch(gs, s.names[pushes:]), s.get(x, gs))
}

// mail is memory of the host that results are copied to.
type mail struct{ *gpu.Pinned }

// get waits for the results.
func (s *Level) get(x *step.Env, gs *gpu.Stream) error {
	if s.Pieces == nil {
		return nil
	}
	m, err := step.Tool(x, "lanes", func() (mail, error) {
		to, err := gs.Device().(*gpu.Device).Context().AllocHost(8 * uint64(Any+65*MostWords))
		return mail{to}, err
	})
	if err != nil {
		return fmt.Errorf("lanes: %w", err)
	}
	n := Any + 65*s.Words
	if err := errors.Join(gs.ToHost(m.Pinned, 0, uintptr(s.own.result), 8*uint64(n)), gs.Sync()); err != nil {
		return err
	}
	s.Got = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(m.Bytes()))), n)
	return nil
}

// listed makes the arguments those of a kernel over the frontier.
func (s *Level) listed(x *step.Env) error {
	if x.Cur.Form() == frontier.All {
		return nil
	}
	if err := x.Cur.List(x.Stream); err != nil {
		return err
	}
	count, _, err := x.Cur.Remote().Count()
	if err != nil {
		return err
	}
	s.own.items, s.own.count = x.Cur.Remote().Queue().Items, uint32(count)
	return nil
}

// launch launches kernels.
func (s *Level) launch(gs *gpu.Stream, kernels []string) error {
	s.args.Reset()
	gpu.Struct(&s.args, &s.own)
	for _, name := range kernels {
		k, err := gs.Kernel(image, name)
		if err != nil {
			return fmt.Errorf("lanes: %w", err)
		}
		if err := gs.Launch(k, (int(s.own.count)*s.Words+gpu.Block-1)/gpu.Block, &s.args); err != nil {
			return err
		}
	}
	return nil
}

// name names the kernels of a width.
func (s *Level) name(width string) {
	if s.width == width {
		return
	}
	s.width = width
	for i, name := range []string{"sample", "push", "parts", "first", "rest", "settle"} {
		s.names[i] = fmt.Sprintf("lanes_%s_%s_%d", name, width[1:], s.Words)
	}
}

// arguments describe all vertices.
func (s *Level) arguments(x *step.Env) lanesArgs {
	n := x.Placed.NumVertices()
	a := lanesArgs{
		in: step.In(x.Placed), out: step.Out(x.Placed),
		seen: uint64(s.Seen.Pointer()), found: uint64(s.New.Pointer()), next: uint64(s.Next.Pointer()), result: uint64(s.Results.Pointer()),
		full: s.Full, count: uint32(n), looks: looks, piece: piece, least: tuning.LaneBehind, most: tuning.LanesBehind,
	}
	if a.in.Offsets == 0 { // the number of remaining edges isn't used then
		a.in = a.out
	}
	a.all = a.seen
	if d := x.Placed.Remote().ShardPlace(); d != nil {
		s.part(&a, x.Placed.Remote(), d)
	} else {
		a.pieces, a.room = uint64(s.Pieces.Pointer()), uint64(s.Pieces.Len())
	}
	return a
}
