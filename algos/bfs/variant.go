// This file holds Variant, by which another package adds a search with a rule and kernels of
// its own.

package bfs

import (
	"fmt"
	"math"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Variant is a breadth-first search that chooses the direction of each level, with its own
// rule and kernels. Package dobfs is one. All searches of a Variant may run at once.
type Variant struct {
	// Name is the algorithm's name in results, logs and errors.
	Name string
	// Pulls reports whether the next level is pulled: every vertex not yet visited looks for an
	// in-neighbor that was. Otherwise it is pushed: the frontier is advanced along its out-edges.
	// It is called before each level of searches on the host, and on a GPU where the search isn't
	// one kernel.
	Pulls func(*Turn) bool
	// Image is a fatbin compressed with zstd, and Kernel the name of the kernel in it, without
	// the suffix for the width of offsets, that runs a whole search on a GPU (fused.cuh).
	// Without Image searches on a GPU go level by level. Several GPUs run the kernel of dobfs.
	Image  []byte
	Kernel string
	// TiersImage and TiersKernel are the same for graphs that are placed in tiers (graph.Graph.Place). Without TiersImage
	// Kernel searches them, and reads all rows in the host's memory.
	TiersImage  []byte
	TiersKernel string
	// Alpha and Beta are the factors that the rule uses where those of Tuning are 0.
	Alpha, Beta float64
}

// Turn is what the rule of a Variant knows of a search before a level. It is valid during the call.
type Turn struct {
	// Vertices and Edges are the vertices and directed edges of the graph, MaxDegree is its largest
	// degree. Candidates is the number of vertices that a pull can find: those with in-edges.
	Vertices, Candidates int
	Edges, MaxDegree     uint64
	// Alpha and Beta come from Options.Tuning, or from the Variant where these are 0.
	Alpha, Beta float64
	// Builds says that the next pull has to build the bitmap of visited vertices, which costs a pass
	// over all vertices.
	Builds bool
	// Pulling says that the level before was pulled.
	Pulling bool
	// Frontier is the number of vertices that the level expands, Reached the number of vertices
	// visited so far, the frontier included.
	Frontier, Reached int
	// Unpushed is Edges less the edges that pushes have looked at. A rule may set it.
	Unpushed float64

	loop *loop
}

// OutEdges returns the number of edges out of the frontier, if the level before wasn't pulled. The
// host estimates it from about sample vertices of the frontier, at least one; a GPU has the exact number.
func (t *Turn) OutEdges(sample int) float64 {
	return t.loop.s.on.outEdges(t.loop.s.Cur, max(sample, 1))
}

// begins makes what the rule knows before the first level.
func (l *loop) begins(v *Variant) {
	p := l.s.Placed
	edges, prepared := p.Graph().NumDirectedEdges(), p.State().Prepare()
	l.before = Turn{
		Vertices: p.NumVertices(), Candidates: prepared.Candidates, Edges: edges, MaxDegree: prepared.MaxDegree,
		Alpha: l.o.Tuning.Alpha, Beta: l.o.Tuning.Beta, Builds: l.s.on.claimsByArray(), Unpushed: float64(edges), loop: l,
	}
	if l.before.Alpha == 0 {
		l.before.Alpha = v.Alpha
	}
	if l.before.Beta == 0 {
		l.before.Beta = v.Beta
	}
}

// remoteBytes is Options.RemoteBytes for the variant.
func (v *Variant) remoteBytes(g *graph.Graph, o Options) uint64 {
	fused := o.Tuning.Coupling == couplingFused || o.Tuning.Coupling == couplingAuto && o.fusable()
	return v.algorithm(o, fused).remoteBytes(g)
}

// check is Options.Check for the variant.
func (v *Variant) check(dev device.Device, o Options) error {
	if err := (Options{}).Check(dev); err != nil {
		return err
	}
	if err := v.checkOptions(&o); err != nil {
		return err
	}
	_, err := platformOf(dev).fusesVariant(v, &o, dev)
	return err
}

// resolve checks the options for searches of a placed graph.
func (v *Variant) resolve(p *graph.Placed, o Options) (*algorithm, error) {
	if err := p.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", v.Name, err)
	}
	if err := v.checkOptions(&o); err != nil {
		return nil, err
	}
	if !p.Graph().HasReverse() {
		return nil, fmt.Errorf("%s: %w: build the graph with its reverse, or use bfs", v.Name, graph.ErrNoReverse)
	}
	fused, err := platformOf(p.Device()).fusesVariant(v, &o, p.Device())
	if err != nil {
		return nil, err
	}
	return v.algorithm(o, fused), nil
}

// checkOptions reports a variant without its name or rule, and options that are out of their range.
func (v *Variant) checkOptions(o *Options) error {
	switch {
	case v.Name == "":
		return fmt.Errorf("%s: %w: Variant.Name is empty; name the algorithm", bfsName, graph.ErrOptions)
	case v.Pulls == nil:
		return fmt.Errorf("%s: %w: Variant.Pulls is nil; give the rule of the search", v.Name, graph.ErrOptions)
	}
	if err := o.checkShared(v.Name); err != nil {
		return err
	}
	return v.checkTuning(o)
}

// checkTuning reports factors that are out of their range, and tuning that is for bfs alone.
func (v *Variant) checkTuning(o *Options) error {
	if err := o.Tuning.checkNames(v.Name); err != nil {
		return err
	}
	others := o.Tuning
	others.Coupling, others.Alpha, others.Beta = couplingAuto, 0, 0
	if others != (Tuning{}) {
		return fmt.Errorf("%s: %w: Tuning has Strategy, Balance, Culls or CountCulls, which are for bfs; leave them zero", v.Name, graph.ErrOptions)
	}
	if !(o.Tuning.Alpha >= 0 && o.Tuning.Beta >= 0) {
		return fmt.Errorf("%s: %w: alpha %g and beta %g; want numbers greater than 0, or 0 for the default", v.Name, graph.ErrOptions, o.Tuning.Alpha, o.Tuning.Beta)
	}
	return nil
}

// algorithm returns the search with options that were checked.
func (v *Variant) algorithm(o Options, fused bool) *algorithm {
	space := o.workspace()
	space.Fused, space.FallsBack, space.Pulls = fused, o.Tuning.Coupling == couplingAuto, true
	o.tuned = v.tuned(&o)
	return &algorithm{name: v.Name, options: o, space: space, variant: v}
}

// tuned returns Result.Tuning: the options that aren't the default.
func (v *Variant) tuned(o *Options) map[string]any {
	m := map[string]any{}
	for name, x := range map[string][2]float64{"alpha": {o.Tuning.Alpha, v.Alpha}, "beta": {o.Tuning.Beta, v.Beta}} {
		if x[0] > 0 && x[0] != x[1] && !math.IsInf(x[0], 0) {
			m[name] = x[0]
		}
	}
	if o.Tuning.Coupling != couplingAuto {
		m["coupling"] = o.Tuning.Coupling
	}
	if len(m) == 0 {
		return nil
	}
	return m
}
