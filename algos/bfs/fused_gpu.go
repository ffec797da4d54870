// This file holds the search as one kernel on a GPU.

package bfs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// fusedArgs are the arguments of the kernel (fused_args.cuh).
type fusedArgs struct {
	engine              gpu.PersistentArgs
	out, in             step.CsrArgs
	first, none         uint64
	lost                uint64
	planes, written     uint64
	items, prefix       [2]uint64
	state               uint64
	depths, parents     uint64
	codes               uint64
	pushed              uint64
	sources             uint64
	heavy               uint64
	begin, end          uint64
	meanInDegree        float32
	enter, leave, sends uint32
	candidates          uint32
	words, stride       uint32
	source, count       uint32
	shift, ones         uint32
	limit, bound        uint32
	rowReady            uint32
	stopAtComponent     uint32
	uniformDegree       uint32
	alpha, beta         float32
	targets             uint32
	target              [fusedTargets]uint32
	pushCost            float32
}

// fusedTargets is how many targets a search in one kernel takes (kTargets of
// fused_args.cuh); one with more goes level by level.
const fusedTargets = 32

// fusedSpace is the memory of the kernel, in addition to the frontiers' queues.
type fusedSpace struct {
	planes, written device.Memory
	pushed          device.Memory
	codes           device.Memory // of depths, for results by id; nil until wanted
	persist         gpu.Persistent
	args            fusedArgs
	kernel          *gpu.Kernel // the kernel launched last
	variant         *Variant    // whose kernel it is; nil for bfs
	tiers           bool        // it reads near rows

	cluster  *gpu.Kernel    // of this search, or nil
	clusters [2]*gpu.Kernel // without targets and with; nil until it is wanted
	deep     deepArgs
}

// stateBytes is the size of FusedState (fused_args.cuh), which follows the grid's state.
const stateBytes = 128

func (f *fusedSpace) close() error {
	if f == nil {
		return nil
	}
	var first error
	for _, m := range []device.Memory{f.planes, f.written, f.pushed, f.codes} {
		if m == nil {
			continue
		}
		if err := m.Close(); first == nil {
			first = err
		}
	}
	if err := f.persist.Close(); first == nil {
		first = err
	}
	return first
}

// readyFused readies the part of a space that only this search needs.
func (g *gpuSearch) readyFused() error {
	s := g.workspace
	n := s.Placed.NumVertices()
	for _, f := range []*frontier.Frontier{s.Cur, s.Next} {
		if err := f.Grow(n); err != nil {
			return err
		}
	}
	if g.fused != nil {
		return nil
	}
	f, r := &fusedSpace{}, s.Placed.Remote()
	dev := g.s.Device()
	stride := (n + 1023) / 1024 * 32 // words; 128 bytes at a time
	var err error
	if f.planes, err = dev.Alloc(uint64(stride) * 4 * fusedPlanes); err == nil {
		if f.written, err = dev.Alloc(uint64(stride) * 4); err == nil {
			if f.pushed, err = dev.Alloc(uint64(stride) * 4); err == nil {
				err = f.persist.Ready(dev.(*gpu.Device), true, stateBytes)
			}
		}
	}
	if err != nil {
		f.close()
		return fmt.Errorf("bfs: %w", err)
	}
	f.args = fusedArgs{
		out:    step.CsrArgs{Offsets: uint64(r.Offsets), Targets: uint64(r.Targets), N: uint32(n)},
		planes: uint64(f.planes.Pointer()), written: uint64(f.written.Pointer()),
		state:  f.persist.Own(),
		stride: uint32(stride), shift: front.Shift(s.Placed), ones: math.MaxUint32,
	}
	g.fused = f
	return nil
}

// use has searches run by the kernel of a variant, or of bfs where that is nil.
func (f *fusedSpace) use(g *gpuSearch, v *Variant) (err error) {
	tiers := inTiers(g.Placed, v)
	if f.kernel != nil && f.variant == v && f.tiers == tiers {
		return nil
	}
	image, name := fusedImage, "bfs_fused"
	if v != nil {
		image, name = v.Image, v.Kernel
	}
	if tiers {
		image, name = v.TiersImage, v.TiersKernel
	}
	if f.kernel, err = g.s.KernelOf(image, name+g.Placed.Remote().Width(), fusedThreads); err == nil {
		f.variant, f.tiers = v, tiers
	}
	return err
}

// inTiers reports whether a search by a variant reads near rows. Other searches of a graph in tiers read all
// rows in the host's memory; they push, or have many small levels (deep), for which rows of the cluster's kernel
// are on the device.
func inTiers(p *graph.Placed, v *Variant) bool {
	t := p.Remote().Tiers
	return t != nil && t.Table != 0 && v != nil && len(v.TiersImage) > 0 && !figuresOf(p).deep(p)
}

// tier sets the addresses of rows that the kernel reads: near rows, and the table of all, or whole rows.
func (f *fusedSpace) tier(r *placed.Remote) {
	a := &f.args
	a.out.Targets = uint64(r.Targets)
	if f.tiers {
		a.out.Targets = uint64(r.Tiers.Table) + 1 // TieredTargets
		a.in.Offsets, a.in.Targets = uint64(r.Tiers.Offsets), uint64(r.Tiers.Targets)
	}
}

// row notes the row of the only source, which spares the kernel to have its blocks meet
// after they found it.
func (a *fusedArgs) row(p *graph.Placed) {
	g := p.Graph()
	a.rowReady = 0
	s, offsets := a.source, g.State().Offsets()
	a.begin, a.end = offsets[s], offsets[s+1]
	if n := a.end - a.begin; n == 0 || n > fusedThreads || a.limit == 1 || a.targets > 0 { // at the limit blocks don't meet
		return
	}
	if p.Remote().Simple {
		a.rowReady = 1
		return
	}
	if !g.State().Fetched() {
		return
	}
	last := int64(-1)
	for _, t := range g.Out().Targets[a.begin:a.end] {
		if int64(t) <= last || t == s {
			return
		}
		last = int64(t)
	}
	a.rowReady = 1
}

// narrow returns a factor in 32 bits: 0, which stands for none, only where it is.
func narrow(x float64) float32 {
	if x > 0 && float32(x) == 0 {
		return math.SmallestNonzeroFloat32
	}
	return float32(x)
}

// pulls lets the kernel pull.
func (f *fusedSpace) pulls(p *graph.Placed) error {
	prep, err := p.PrepareRemote()
	if err != nil || prep == nil {
		return err
	}
	r, g, a := p.Remote(), p.Graph(), &f.args
	a.in = step.CsrArgs{Offsets: uint64(r.InOffsets), Targets: uint64(r.InTargets), N: uint32(p.NumVertices())}
	a.first, a.none = uint64(prep.First), uint64(prep.None)
	a.candidates, a.words = uint32(prep.Candidates), uint32(2*prep.Words)
	a.meanInDegree = float32(float64(g.NumDirectedEdges()) / float64(max(prep.Candidates, 1)))
	a.heavy = uint64(float64(prep.Candidates) / max(figuresOf(p).growth, 1))
	if g.Order() == graph.OrderDegree && !g.Directed() {
		a.ones = uint32(sort.Search(p.NumVertices(), func(v int) bool { return g.Degree(uint32(v)) <= 1 }))
	}
	return nil
}

// searchFused runs the whole search as one kernel and fills in the result's counts. With a
// variant the search changes direction by Tuning.Alpha and Beta, where 0 is the kernel's own
// rule, and a directed graph needs its reverse. Without a variant it only pushes.
func (g *gpuSearch) searchFused(l *loop, v *Variant) error {
	s := g.workspace
	f, pulls := g.fused, v != nil
	if err := f.use(g, v); err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	a := &f.args
	a.in = step.CsrArgs{}
	if pulls {
		if err := f.pulls(s.Placed); err != nil {
			return err
		}
	}
	f.tier(s.Placed.Remote())
	cur, next := s.Cur.Remote().Queue(), s.Next.Remote().Queue()
	a.items, a.prefix = [2]uint64{cur.Items, next.Items}, [2]uint64{cur.Prefix, next.Prefix}
	a.depths, a.parents = g.start.depths, g.start.parents
	a.codes, g.coded = 0, false
	a.sources, a.source, a.count = g.start.sources, g.start.source, g.start.count
	a.uniformDegree = 0
	if figuresOf(s.Placed).uniformDegree {
		a.uniformDegree = 1
	}
	a.limit = math.MaxInt32
	if l.o.DepthLimit > 0 {
		a.limit = uint32(min(l.o.DepthLimit, math.MaxInt32))
	}
	a.alpha, a.beta = narrow(l.o.Tuning.Alpha), narrow(l.o.Tuning.Beta)
	if pulls && a.alpha == 0 && a.beta == 0 && figuresOf(s.Placed).local.Load() {
		// As the kernel does once a pull has shown it.
		a.alpha, a.beta, a.heavy = 1, math.SmallestNonzeroFloat32, math.MaxUint64
	}
	a.targets = uint32(copy(a.target[:], l.o.targetsBeside(l.result.Sources)))
	a.row(s.Placed)
	a.enter, a.leave = 0, 0
	if figuresOf(s.Placed).deep(s.Placed) {
		if err := g.readyDeep(a.targets > 0); err != nil {
			return err
		}
		a.enter, a.leave = tuning.DeepEnter, tuning.DeepLeave
		a.sends = uint32(float64(tuning.DeepSends) / max(figuresOf(s.Placed).growth, 1))
	}
	switch a.pushCost = pushCost; {
	case a.parents != 0 && 4*uint64(a.out.N) > tuning.ParentCache:
		a.pushCost = tuning.PushCostFar
	case a.parents != 0:
		a.pushCost = pushCostParent
	}
	a.pushed, a.lost, a.stopAtComponent, a.bound = 0, 0, 0, a.out.N
	if pulls {
		// Vertices without in-neighbors come last.
		a.bound = max(uint32(min(32*uint64(a.words), uint64(a.out.N))), slices.Max(l.result.Sources)+1)
		a.pushed = uint64(f.pushed.Pointer())
		if a.enter == 0 && !s.Placed.Graph().Directed() {
			if err := g.useComponent(l.result.Sources); err != nil {
				return err
			}
		}
	}
	if s.byID && a.depths != 0 && a.enter == 0 && !figuresOf(s.Placed).tooDeepForCodes.Load() {
		if err := g.useCodes(); err != nil {
			return err
		}
	}
	f.persist.Begin(g.s, &a.engine)
	if l.reports {
		if err := f.persist.Notes(notesRoom(s.Placed.NumVertices()), true); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
		if l.tellsLevels() { // notes of the last search must be gone before they are looked at
			if err := g.s.Sync(); err != nil {
				return err
			}
		}
	}
	if a.enter == 0 {
		return g.fusedAlone(l, v)
	}
	mail, err := f.persist.Run(func() error { return f.launch(g) }, func() error { return f.launchCluster(g) }, func(t *gpu.Ticket) (gpu.Mail, error) { return f.wait(l, t) })
	if err == nil {
		err = g.fillIn(l, mail, false)
	}
	if err != nil {
		return errors.Join(err, g.abandon())
	}
	return nil
}

// fusedAlone is searchFused where one launch is all of the search. The gather is enqueued before the search's
// outcome is known.
func (g *gpuSearch) fusedAlone(l *loop, v *Variant) error {
	f, s, r := g.fused, g.workspace, l.result
	tick := &g.tick
	if g.inFlight != nil {
		tick = &g.inFlight.tick
	}
	err := f.persist.Launch(tick, func() error { return f.launch(g) })
	if g.inFlight != nil {
		g.inFlight.under, g.inFlight.coded = err == nil, g.coded
	}
	if err == nil && s.byID {
		err = g.gather(r)
	}
	if g.inFlight != nil { // the host waits for it later
		if err == nil && g.coded {
			s.stowDepths()
		}
		return err
	}
	var mail gpu.Mail
	if err == nil {
		mail, err = f.wait(l, tick)
	}
	if err == nil {
		err = g.fillIn(l, mail, g.coded)
	}
	if err == nil {
		if g.coded {
			s.stowDepths()
		}
		return nil
	}
	if err != errCodes {
		err = errors.Join(err, g.abandon())
	}
	waited := g.s.Wait() // no other search may have the arrays before
	g.ungather(r)
	if err == errCodes && waited == nil {
		return g.searchFused(l, v)
	}
	return errors.Join(err, waited)
}

// stowDepths keeps unwritten depths by vertex with the placed graph.
func (s *workspace) stowDepths() {
	keep(s.Placed, s.depths)
	s.depths = nil
}

// mostCodes is how many levels there are codes for.
const mostCodes = 250

// errLate: a search as one kernel isn't possible here.
var errLate = fmt.Errorf("bfs: %w: the blocks of the search didn't all run at once; coupling expand-contract needs no such kernel", device.ErrNotSupported)

// errCodes: a search had more levels than that.
var errCodes = errors.New("too many levels for codes")

// codesBytes is what the codes of so many vertices take: kernels write whole lines.
func codesBytes(n uint64) uint64 { return (n + 127) / 128 * 128 }

// useCodes has the kernel write depths as codes of a byte each.
func (g *gpuSearch) useCodes() error {
	f, p := g.fused, g.Placed
	if p.Graph().IDs().ByID() == nil {
		return nil
	}
	n := uint64(p.NumVertices())
	if f.codes == nil {
		var err error
		if f.codes, err = g.s.Device().Alloc(codesBytes(n)); err != nil {
			return fmt.Errorf("bfs: %w", err)
		}
	}
	a := &f.args
	a.codes, g.coded = uint64(f.codes.Pointer()), true
	return nil
}

// abandon ends the searches that are under way, and clears what they leave.
func (g *gpuSearch) abandon() error {
	f := g.fused
	words := uint64(f.args.stride)
	return f.persist.Abandon(gpu.ZeroSpan{Mem: f.pushed, Words: words}, gpu.ZeroSpan{Mem: f.planes, Words: words}, gpu.ZeroSpan{Mem: f.written, Words: words})
}

// fillIn fills in the counts of a search that has ended.
func (g *gpuSearch) fillIn(l *loop, mail gpu.Mail, coded bool) error {
	if mail.Counts[1] == gpu.EndedLate {
		return errLate
	}
	if coded && mail.Counts[0] > mostCodes {
		figuresOf(g.Placed).tooDeepForCodes.Store(true)
		return errCodes
	}
	r := l.result
	r.Reached, r.Levels, r.Limited = int(mail.Tail), int(mail.Counts[0]), mail.Counts[1] == gpu.EndedLimited
	if mail.Counts[5] != 0 && mail.Counts[4] == 0 { // the last push was heavy, and found nothing
		r.Levels--
		r.Limited = false
	}
	l.level = int32(r.Levels)
	if l.reports {
		if err := g.fused.report(g, l, mail); err != nil {
			return err
		}
	}
	g.learn(r)
	// With factors a search may pull too early on any graph.
	if a := &g.fused.args; mail.Counts[7] != 0 && a.alpha == 0 && a.beta == 0 && 2*r.Reached > int(a.candidates) {
		figuresOf(g.Placed).local.Store(true)
	}
	return nil
}

// launch enqueues the grid's kernel.
func (f *fusedSpace) launch(g *gpuSearch) error {
	g.args.Reset()
	gpu.Struct(&g.args, &f.args)
	return g.s.LaunchTogether(f.kernel, &g.args)
}

// launchCluster enqueues the cluster's.
func (f *fusedSpace) launchCluster(g *gpuSearch) error {
	g.args.Reset()
	gpu.Struct(&g.args, &f.args)
	gpu.Struct(&g.args, &f.deep)
	return g.s.LaunchCluster(f.cluster, &g.args)
}
