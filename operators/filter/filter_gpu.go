// This file holds the filters on a GPU.

package filter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// Culls is how a GPU drops vertices that were seen before, as a set of bits
// (Merrill, Garland, Grimshaw, PPoPP 2012, 4.2).
type Culls uint32

// The ways of culling. ByBitmask, ByWarp and ByHistory may miss a vertex that
// was seen; ByLabel misses one only if it is being seen at the same moment;
// Exactly misses none.
const (
	ByBitmask Culls = 1 << iota // a bitmap written without atomic operations
	ByLabel                     // the array of depths, or of parents
	ByWarp                      // a table per warp
	ByHistory                   // a cache per block of the vertices that it saw last
	Exactly                     // a bitmap written by atomic OR, tested before
)

var cullNames = [...]string{"bitmask", "label", "warp", "history", "exact"}

// ParseCulls returns the ways of culling of those names, joined by +: bitmask,
// label, warp, history, exact.
func ParseCulls(names string) (c Culls, err error) {
	for _, name := range strings.Split(names, "+") {
		i := slices.Index(cullNames[:], name)
		if i < 0 {
			return 0, fmt.Errorf("filter: %w: unknown way of culling %q (bitmask, label, warp, history, exact)", graph.ErrOptions, name)
		}
		c |= 1 << i
	}
	return c, nil
}

func (c Culls) String() string {
	if c == 0 {
		return "none"
	}
	s := ""
	for i, name := range cullNames {
		if c>>i&1 != 0 {
			s += "+" + name
		}
	}
	if s == "" {
		return fmt.Sprintf("Culls(%d)", uint32(c))
	}
	return s[1:]
}

// flagArgs and wordArgs are the arguments of the kernels (filter.cu).
type flagArgs struct {
	items, flags, tiles, seen uint64
	out                       front.RemoteQueue
	count, _                  uint32
}

type wordArgs struct {
	words, seen   uint64
	out           front.RemoteQueue
	post          gpu.Post
	count, claims uint32
}

// onGPU is the part of a Filterer that launches kernels.
type onGPU struct {
	p     *graph.Placed
	s     *gpu.Stream
	spare *frontier.Frontier // what compaction writes to
	g     *placed.Remote
	flags *device.Buffer[uint32]
	tiles *device.Buffer[uint64]
	args  gpu.Args
	flag  flagArgs
	word  wordArgs
	part  partArgs

	asked predicateKernel // while it is launched
	kept  step.Kept
}

func (r *onGPU) bind(s device.Stream) bool {
	gs, err := gpu.StreamOf(s)
	if err != nil || gs.Device() != r.p.Device() {
		return false
	}
	r.s = gs
	return true
}

func (r *onGPU) stream() device.Stream { return r.s }
func (r *onGPU) err() error            { return r.s.Err() }

// A launch passes the predicate's fields, and Sync returns its fault.
func (*onGPU) begin(link.Functor) error { return nil }
func (*onGPU) end(link.Functor) error   { return nil }

// takes asks for kernels.
func (r *onGPU) takes(p Predicate) error {
	if _, ok := link.Of(p); !ok {
		return fmt.Errorf("%w: the predicate %T has no kernels; write it in Go for foray generate; the graph is on %s", device.ErrNotSupported, p, r.p.Device().Info().Name)
	}
	return nil
}

func (r *onGPU) kernel(op string) (*gpu.Kernel, error) {
	return r.s.Kernel(image, op+r.g.Width())
}

// against drops the vertices of fr that are in seen.
func (r *onGPU) against(fr, seen *frontier.Frontier, claim bool) error {
	var err error
	if fr.Form() == frontier.Bitmap {
		err = r.words(fr, seen, claim)
	} else {
		err = r.queue(fr, seen, claim)
	}
	if err != nil || !claim {
		return err
	}
	return seen.Remote().Join(fr.Remote())
}

func (r *onGPU) words(fr, seen *frontier.Frontier, claim bool) error {
	k, err := r.kernel("words")
	if err != nil {
		return err
	}
	words := 2 * fr.Words()
	r.word = wordArgs{words: fr.Remote().Words(), seen: seen.Remote().Words(), out: fr.Remote().Queue(), count: uint32(words)}
	r.word.out.Items, r.word.out.Prefix = 0, 0
	if claim {
		r.word.claims = 1
	}
	if r.word.post, err = r.s.Post(fr.Remote().Ticket()); err != nil {
		return err
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.word)
	if err := r.s.Launch(k, (words+gpu.Block-1)/gpu.Block, &r.args); err != nil {
		return err
	}
	fr.Remote().Expect()
	return nil
}

// queue flags what stays, scans the counts of tiles, and moves what stays into
// spare, whose arrays fr then takes.
func (r *onGPU) queue(fr, seen *frontier.Frontier, claim bool) error {
	op := "cull_flag"
	if claim {
		op = "claim_flag"
	}
	k, err := r.kernel(op)
	if err != nil {
		return err
	}
	return r.compact(k, fr, seen, claim, nil) // duplicates stay in a cull
}

// compact does so with a kernel that flags what stays. distinct says that no
// vertex stays twice. p is the kernel's predicate, or nil.
func (r *onGPU) compact(flag *gpu.Kernel, fr, seen *frontier.Frontier, distinct bool, asked *predicateKernel) error {
	spare := r.spare
	count, _, err := fr.Remote().Count()
	if err != nil || count == 0 {
		return err
	}
	if err := spare.Grow(count); err != nil {
		return err
	}
	tiles := (count + tileEntries - 1) / tileEntries
	if r.flags.Len() < (count+31)/32 {
		if r.flags, err = bigger(r.s.Device(), r.flags, (count+31)/32); err != nil {
			return err
		}
	}
	if r.tiles.Len() < tiles {
		if r.tiles, err = bigger(r.s.Device(), r.tiles, tiles); err != nil {
			return err
		}
	}
	r.flag = flagArgs{
		items: fr.Remote().Queue().Items, flags: uint64(r.flags.Pointer()), tiles: uint64(r.tiles.Pointer()),
		out: spare.Remote().Queue(), count: uint32(count),
	}
	if seen != nil {
		r.flag.seen = seen.Remote().Words()
	}
	if !distinct {
		r.flag.out = spare.Remote().List()
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.flag)
	if asked != nil {
		asked.told(&r.args)
	}
	if err := r.s.Launch(flag, tiles, &r.args); err != nil {
		return err
	}
	if err := fr.Remote().Scan(r.s, r.tiles, tiles, fr.Remote().Ticket()); err != nil {
		return err
	}
	if distinct {
		fr.Remote().Expect()
	} else {
		fr.Remote().ExpectList(false)
	}
	k, err := r.kernel("move")
	if err != nil {
		return err
	}
	r.args.Reset()
	gpu.Struct(&r.args, &r.flag)
	if err := r.s.Launch(k, tiles, &r.args); err != nil {
		return err
	}
	front.SwapQueues(fr.Remote(), spare.Remote())
	return nil
}

func (r *onGPU) close() error {
	err := r.spare.Close()
	if e := r.flags.Close(); err == nil {
		err = e
	}
	if e := r.tiles.Close(); err == nil {
		err = e
	}
	r.flags, r.tiles = nil, nil
	return err
}

func bigger[T device.Elem](d device.Device, b *device.Buffer[T], n int) (*device.Buffer[T], error) {
	if err := b.Close(); err != nil {
		return nil, err
	}
	return device.NewBuffer[T](d, n+n/2)
}
