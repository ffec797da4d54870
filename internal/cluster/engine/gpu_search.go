//go:build linux && (amd64 || arm64) && !nocuda

// This file holds the loop over levels of a search on GPUs. A level that finds little makes one exchange (gpu_exchange.go):
// found vertices go with a header of counts. All ranks see all headers, and so decide alike.

package engine

import (
	"context"
	"errors"
	"time"

	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/gpu"
)

// gpuSearch is a search under way.
type gpuSearch struct {
	*OnGPU
	r      *Result
	level  int32
	pulled bool // by the level before
	listed bool // the frontier is a list
	// current: this rank knows all visited normal vertices of other ranks, because they came with the header
	// of the previous level.
	current bool
	turned  int // which one of two bitmaps has that
	all     counts
	heads   []uint64 // of all ranks

	visited   uint64 // normal vertices, up to the frontier
	delegates uint64 // delegates, up to the frontier
	targets   startArgs
	own       []uint32 // sources without edges
	packs     args     // of the level, to be packed
	first     int32    // the level of the first of the bitmaps of levels
	labeled   uint32   // the vertices in so many of them have their depths
}

// counts are the counts in a level's headers.
type counts struct {
	found     uint64 // normal vertices by their own ranks
	sent      uint64
	most      uint64 // to one rank by another
	mostBrief uint64 // by one rank
	edges     uint64 // out of found vertices, if they are listed
	delegates uint64 // found by some rank, at most
	degrees   uint64 // of these delegates
	looked    uint64
	missing   uint64
	news      uint64 // in one rank's message
	front     uint64 // the level's own frontier
	frontN    uint64
	frontD    uint64
}

// run implements engine.
func (g *OnGPU) run(ctx context.Context, from, targets []place, r *Result) (*found, error) {
	if r.options.Parents {
		if err := g.reserveParents(); err != nil {
			return nil, err
		}
	}
	g.clock.forget()
	g.clock.on = r.options.kernels
	defer func() { g.clock.on = false }()
	s := &gpuSearch{OnGPU: g, r: r, heads: make([]uint64, g.pitch*g.p.comm.Size())}
	begin, err := s.bring(from, targets)
	if err != nil {
		return nil, err
	}
	// From here on no rank allocates memory: NCCL's kernels may wait for an allocation.
	if err := g.p.comm.Barrier(ctx); err != nil {
		return nil, err
	}
	// This makes GPUs begin at the same time. Processes leave a barrier one after another, up to half a millisecond late
	// if they waited for long, since they nap then. They leave the second barrier together, and by then hosts have taken
	// the code path of a level, which takes twice as long the first time.
	for range 2 {
		if err := s.swap(ctx, exchange{brief: true}); err != nil {
			return nil, err
		}
	}
	s.all = counts{}
	s.clock.forget()
	start := time.Now()
	if err := s.start(begin); err != nil {
		return nil, err
	}
	if err := s.levels(ctx, start); err != nil {
		return nil, err
	}
	r.Searched = time.Since(start)
	if err := s.times(); err != nil {
		return nil, err
	}
	if r.options.Discard {
		return &found{}, nil
	}
	return s.result()
}

// bring brings sources and targets to the GPU.
func (s *gpuSearch) bring(from, targets []place) (begin startArgs, err error) {
	var list []uint32
	split := func(places []place) (a startArgs, normals, delegates []uint32) {
		for _, v := range places {
			switch n := v.local(); {
			case v.delegate():
				delegates = append(delegates, n)
			case s.numbers[n] == nowhere:
				a.alone++
				s.own = append(s.own, n)
			default:
				normals = append(normals, s.numbers[n])
			}
		}
		a.count = [2]uint32{uint32(len(normals)), uint32(len(delegates))}
		return a, normals, delegates
	}
	b, n0, d0 := split(from)
	sources := s.own
	s.own = nil
	t, n1, d1 := split(targets)
	// Of targets without edges those are reached that are sources.
	for _, v := range s.own {
		for _, u := range sources {
			if u == v {
				t.alone--
			}
		}
	}
	s.own = sources
	for _, l := range [][]uint32{n0, d0, n1, d1} {
		list = append(list, l...)
	}
	if s.sources == nil || len(list) > s.rooms[0] {
		if s.sources != nil {
			if err := s.sources.Close(); err != nil {
				return b, err
			}
			s.sources = nil
		}
		s.rooms[0] = max(len(list), sourcesRoom)
		if s.sources, err = s.dev.Alloc(4 * uint64(s.rooms[0])); err != nil {
			return b, err
		}
	}
	if err := discrete.Write(s.dev, s.sources, list); err != nil {
		return b, err
	}
	p := uint64(s.sources.Pointer())
	b.normals, b.delegates = p, p+4*uint64(len(n0))
	t.normals = b.delegates + 4*uint64(len(d0))
	t.delegates = t.normals + 4*uint64(len(n1))
	s.targets = t
	return b, nil
}

// args returns the arguments of a level, whose frontier has that depth.
func (s *gpuSearch) args(level int32) args {
	a := s.a
	k := int(level+2) & 1
	a.front, a.next = uint64(s.headers[k]), uint64(s.headers[k^1])
	a.frontDelegates, a.nextDelegates = uint64(s.OnGPU.lists[k]), uint64(s.OnGPU.lists[k^1])
	a.base, a.after = s.plane(level), s.plane(level+1)
	if !s.r.options.Parents {
		a.parents = [2]uint64{}
	}
	a.known = uint64(s.knowns[s.turned])
	a.brief = a.next + uint64(wordBytes*s.pitch)
	return a
}

// plane is the bitmap of vertices that were visited before a level's search.
func (s *gpuSearch) plane(level int32) uint64 {
	return uint64(int64(s.zeros) - int64(level-s.first)*int64(s.each))
}

// label has vertices of the levels up to this one get their depths, in the end all others, too.
func (s *gpuSearch) label(all bool) error {
	a := s.args(s.level)
	l := labelArgs{first: s.plane(s.first), each: s.each / 4, count: uint32(s.level-s.first) + 1, labeled: s.labeled, depth: s.first}
	if all {
		l.all = 1
	}
	return run2(s.OnGPU, "cluster_label", int(max(a.vertices[0], a.vertices[1]))/(4*gpu.Block)+1, &a, &l)
}

// turnPlanes frees the bitmaps of levels, but for the last two, which become the first ones.
func (s *gpuSearch) turnPlanes() error {
	if err := s.label(false); err != nil {
		return err
	}
	last := s.level
	from := [2]uint64{s.plane(last - 1), s.plane(last)}
	s.first, s.labeled = last-1, 2
	for i, at := range from {
		if err := s.s.Copy(uintptr(s.plane(s.first+int32(i))), uintptr(at), s.each); err != nil {
			return err
		}
	}
	return nil
}

// start has one kernel ready the memory and mark the sources.
func (s *gpuSearch) start(begin startArgs) error {
	const step = 16 // bytes that the kernel writes at a time
	begin.zeros, begin.zeroCount = uint64(s.zeros), s.zeroBytes/step
	begin.known, begin.knownCount = uint64(s.knowns[0]), uint64(s.stride)/8*uint64(s.a.ranks)/step
	begin.ticket = uint64(s.ticket)
	if s.r.options.Parents { // of delegates that this rank doesn't find
		begin.parents, begin.parentCount = s.a.parents[1], uint64(s.a.vertices[1])
	}
	x := s.args(-1)
	s.listed = true
	return run2(s.OnGPU, "cluster_start", maxBlocks, &x, &begin)
}

// wordBlocks is how many blocks go over the words of a bitmap, a thread over four.
func (s *gpuSearch) wordBlocks(kind int) int { return int(s.a.words[kind])/(4*gpu.Block) + 1 }

// allBlocks is how many go over normal vertices and delegates.
func (s *gpuSearch) allBlocks() int { return max(s.wordBlocks(0), s.wordBlocks(1)) }

func (s *gpuSearch) levels(ctx context.Context, since time.Time) error {
	o := &s.r.options
	for s.level = 0; ; s.level++ {
		s.clock.level = s.level
		last := o.DepthLimit > 0 && int(s.level) >= o.DepthLimit
		if len(o.Targets) > 0 && !last {
			x := s.args(s.level)
			if err := run2(s.OnGPU, "cluster_missing", int(s.targets.count[0]+s.targets.count[1])/256+1, &x, &s.targets); err != nil {
				return err
			}
			before := s.all
			if err := s.swap(ctx, exchange{}); err != nil {
				return err
			}
			last = s.all.missing == 0
			s.all = before
		}
		l := Level{Depth: s.level}
		var did exchange
		var err error
		if !last {
			did, err = s.expand(ctx, &l)
		}
		if err == nil {
			err = s.swap(ctx, did)
		}
		if err != nil {
			return err
		}
		size := s.all.front
		if size == 0 {
			break
		}
		s.r.Reached += size
		s.r.Levels++
		s.visited, s.delegates = s.visited+s.all.frontN, s.delegates+s.all.frontD
		if last {
			s.r.Limited = true
			break
		}
		l.Frontier, l.Edges, l.United = size, s.all.looked, s.all.delegates > 0
		more := s.all.found+s.all.sent+s.all.delegates > 0
		if more {
			if err := s.bringIn(ctx, did, &l); err != nil {
				return err
			}
		}
		now := time.Now()
		l.Seconds = now.Sub(since).Seconds()
		since = now
		s.r.Stats = append(s.r.Stats, l)
		if !more {
			break
		}
		// This level found the rest of the largest component: no vertex is below it. (Several sources may be elsewhere.)
		if s.component > 0 && s.all.sent+s.all.delegates == 0 && s.visited+s.delegates+s.all.found == s.component &&
			len(s.r.Sources) == 1 && len(o.Targets) == 0 && (o.DepthLimit == 0 || int(s.level)+1 < o.DepthLimit) {
			s.level++
			s.r.Reached += s.all.found
			s.r.Levels++
			s.r.Stats = append(s.r.Stats, Level{Depth: s.level, Frontier: s.all.found})
			break
		}
	}
	if err := s.label(true); err != nil {
		return err
	}
	return s.c.Wait(ctx)
}

// count sums up the headers.
func (s *gpuSearch) count() {
	c := counts{}
	for r := range s.p.comm.Size() {
		h := s.heads[r*s.pitch:][:s.pitch]
		c.found += h[headFoundNormals]
		c.edges += h[headTail] & (1<<queueShift - 1)
		c.delegates = max(c.delegates, h[headFoundDelegates])
		c.degrees = max(c.degrees, h[headFoundDegrees])
		c.looked += h[headVisited]
		c.missing += h[headMissing]
		c.news = max(c.news, h[headNews])
		c.frontN += h[headFrontNormals]
		c.frontD = h[headFrontDelegates]
		brief := uint64(0)
		for _, n := range h[slotWords:][:s.p.comm.Size()] {
			brief += n
			c.most = max(c.most, n)
		}
		c.sent += brief
		c.mostBrief = max(c.mostBrief, brief)
	}
	c.front = c.frontN + c.frontD
	s.all = c
}

func (s *gpuSearch) result() (*found, error) {
	p, a := s.p, &s.a
	f := &found{depths: make([]int32, p.local), depthD: make([]int32, len(p.delegate))}
	for i := range f.depths {
		f.depths[i] = -1
	}
	normals := make([]int32, len(s.order))
	err := errors.Join(discrete.Read(s.dev, normals, at64(a.depths[0])), discrete.Read(s.dev, f.depthD, at64(a.depths[1])))
	if err != nil {
		return nil, err
	}
	for i, v := range s.order {
		f.depths[v] = normals[i]
	}
	for _, v := range s.own {
		f.depths[v] = 0
	}
	for _, d := range p.here {
		f.depths[d.local] = f.depthD[d.number]
	}
	if !s.r.options.Parents {
		return f, nil
	}
	f.parentN, f.parentD = make([]place, p.local), make([]place, len(p.delegate))
	from := make([]uint64, len(s.order))
	read := func(dst []uint64, at uint64) error { return discrete.Read(s.dev, dst, at64(at)) }
	if err := errors.Join(read(from, a.parents[0]), read(numbersOf[uint64](bytesOf(f.parentD)), a.parents[1])); err != nil {
		return nil, err
	}
	for i, v := range s.order {
		f.parentN[v] = s.placeOf(from[i])
	}
	for _, v := range s.own {
		f.parentN[v] = at(p.rank, v)
	}
	for i, v := range f.parentD {
		f.parentD[i] = s.placeOf(uint64(v))
	}
	return f, nil
}

// placeOf is the place of a parent, as kernels write it.
func (s *gpuSearch) placeOf(v uint64) place {
	x := place(v)
	if x == noParent || x.delegate() || int(x.local()) >= len(s.order) { // the last: not reached, nothing was written
		return x
	}
	return at(s.p.rank, s.order[x.local()])
}
