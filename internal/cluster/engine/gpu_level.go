//go:build linux && (amd64 || arm64) && !nocuda

// This file holds a level on the GPU: which subgraphs are pushed and which pulled, and how found vertices get to
// other ranks.

package engine

import (
	"context"

	"github.com/foray-graph/foray/internal/cluster/nccl"
)

// derivePulls readies the arguments of pulls. Delegates are found back along dn and dd, normal vertices along nd and
// nn.
func (g *OnGPU) derivePulls() {
	a := &g.a
	normals := 4 * uint64(a.words[1]) // bytes of a bitmap before them
	for i := range g.pull {
		x := &g.pull[i]
		x.in.offsets, x.in.targets, x.cumulative = a.off[i], a.to[i], 1
		x.degrees, x.shift = 0, 0 // what pulls find has no list
		switch i {
		case subDD, subDN:
			x.in.n, x.ones = a.vertices[1], a.vertices[1]
			x.seen = a.seen
		case subND, subNN:
			x.in.n, x.ones = a.vertices[0], a.vertices[0]
			x.seen = a.seen + normals
		}
		x.words = (x.in.n + 31) / 32
		x.out = x.seen
		x.degrees, x.shift = 0, 0 // out-edges of found vertices aren't counted
	}
	g.pull[subND].ones = uint32(g.several)
	const delegate = uint64(isDelegate)
	own := uint64(at(g.p.rank, 0))
	g.marks = [subgraphs]uint64{subND: delegate, subNN: own, subDD: delegate, subDN: own}
}

// back is the subgraph along which the targets of another are found back.
var back = [subgraphs]int{subND: subDN, subDN: subND, subDD: subDD, subNN: subNN}

// kindOf is of which kind a subgraph's sources are: 0 normal vertices, 1 delegates.
var kindOf = [subgraphs]int{subND: 0, subDD: 1, subDN: 1, subNN: 0}

// directions returns which subgraphs are pulled.
func (s *gpuSearch) directions() (pulled [subgraphs]bool) {
	p := s.p
	if p.directed {
		return pulled
	}
	either := s.pulls()
	for i, d := range s.r.options.Directions {
		pulled[i] = d == Pull || d == Either && either
	}
	if s.r.options.Directions[subNN] == Either {
		pulled[subNN] = pulled[subNN] && gathersNN(uint64(p.comm.Size()), uint64(s.stride), p.Stats.NN)
	}
	return pulled
}

// gathersNN reports whether pulls along nn, which need all ranks' bitmaps of normal vertices, cost less than
// pushes, which send each edge's target at most once. It compares the bytes that a rank receives.
func gathersNN(ranks, stride, nn uint64) bool {
	gathered := float64(gathersReckoned * (ranks - 1) * stride / 8)
	return gathered <= gatherCheaper*4*float64(nn)/float64(ranks)
}

// pulls reports whether pulls are less work than pushes, judged by the previous level.
func (s *gpuSearch) pulls() bool {
	if s.level == 0 {
		return false
	}
	c := &s.all
	all := s.totals[0] + uint64(len(s.p.delegate))
	visited := s.visited + s.delegates + c.found + c.sent + c.delegates
	left := float64(all - min(visited, all))
	if s.pulled {
		return float64(c.found+c.sent+c.delegates)*s.mean()*stayPulling >= left || left < float64(all)/fewLeft
	}
	return float64(s.out()) > factorGPU*left
}

// expand searches the rank's subgraphs, and returns which of its findings go to the other ranks with the header.
func (s *gpuSearch) expand(ctx context.Context, l *Level) (x exchange, err error) {
	if int(s.level-s.first) == planes-1 {
		if err := s.turnPlanes(); err != nil {
			return x, err
		}
	}
	a := s.args(s.level)
	pulled := s.directions()
	some := false
	for i, is := range pulled {
		some = some || is
		switch {
		case (i == subND || i == subDD) && s.delegates == uint64(len(s.p.delegate)): // all delegates are visited
			pulled[i] = false
		case is:
			l.Pulled[i] = s.p.comm.Size()
		default:
			a.push |= 1 << i
		}
	}
	// A pull finds many vertices: a list of them is made only when it is needed.
	if a.push != 0 && !s.listed {
		before := s.plane(s.level - 1)
		if err := run2(s.OnGPU, "cluster_list", s.allBlocks(), &a, &before); err != nil {
			return x, err
		}
	}
	if pulled[subNN] && !s.current {
		if err := s.gather(ctx, exchange{normals: true}); err != nil {
			return x, err
		}
		s.turn()
	}
	// First the subgraphs that find delegates, whose rows are the best to search.
	pulls := pullsArgs{slot: a.next}
	for _, i := range [subgraphs]int{subDD, subND, subDN, subNN} {
		along := back[i]
		if !pulled[i] || s.pull[along].words == 0 {
			continue
		}
		pull := s.pull[along]
		if pull.frontier = a.base; along == subDN {
			pull.frontier += 4 * uint64(a.words[1])
		}
		sink := sinkArgs{parents: a.parents[kindOf[along]], mark: s.marks[along]}
		if i == subNN {
			sink.own, sink.count = a.rank*a.stride, a.stride
			pull.frontier = uint64(s.knowns[s.turned])
		}
		pulls.of[pulls.count], pulls.sinks[pulls.count] = pull, sink
		pulls.count++
	}
	if pulls.count > 0 {
		if err := run(s.OnGPU, "cluster_pull", maxBlocks, &pulls); err != nil {
			return x, err
		}
	}
	if a.push != 0 {
		if err := run(s.OnGPU, "cluster_push", maxBlocks, &a); err != nil {
			return x, err
		}
	}
	x = s.plan(pulled, some, a.push)
	a.list = 1
	if some || x.normals {
		a.list = 0
	}
	if x.news {
		a.tells |= tellNews
	}
	if !x.delegates {
		a.tells |= tellDelegates
	}
	s.listed = a.list != 0
	s.pulled, s.packs = some, a
	if s.peers != nil { // it is packed while it is sent
		return x, nil
	}
	return x, run(s.OnGPU, "cluster_pack", s.allBlocks(), &a)
}

// plan decides from the previous level which data is sent with the header, much or little. If the decision was wrong,
// another call sends the rest.
func (s *gpuSearch) plan(pulled [subgraphs]bool, some bool, push uint32) (x exchange) {
	x.level = true
	size, c := uint64(s.p.comm.Size()), &s.all
	if size == 1 {
		return x
	}
	lacking := s.delegates < uint64(len(s.p.delegate))
	switch {
	case pulled[subNN] && s.pulled && c.found+c.delegates <= fewToTell*size*uint64(s.a.room[1]): // little, and less than before
		x.news, x.brief = true, true
	case some:
		x.normals, x.delegates = pulled[subNN], lacking
	case s.level > 0 && s.muchPushed(): // pulls will follow
		x.normals, x.delegates = !s.p.directed, lacking
	}
	x.brief = x.brief || push>>subNN&1 != 0 || !x.delegates && lacking
	return x
}

// muchPushed reports whether a push is expected to find more than messages have room for.
func (s *gpuSearch) muchPushed() bool {
	return float64(s.out()) > min(float64(s.totals[0])/muchOfAll, muchOfRoom*float64(s.a.room[1]))
}

// out is about how many edges lead out of the frontier.
func (s *gpuSearch) out() uint64 {
	c := &s.all
	if !s.listed {
		return uint64(float64(c.found+c.sent+c.delegates) * s.mean())
	}
	return c.edges + c.degrees + uint64(float64(c.sent)*float64(s.p.Stats.NN)/float64(max(s.totals[0], 1)))
}

// mean is the mean of the vertices' edges.
func (s *gpuSearch) mean() float64 {
	return float64(s.p.Stats.Entries) / float64(max(s.totals[0]+uint64(len(s.p.delegate)), 1))
}

// taken is what takes what came with the header.
func (s *gpuSearch) taken(x exchange) takeArgs {
	headers := s.gathered.headers[s.now.headers]
	t := takeArgs{headers: uint64(headers), briefs: uint64(headers) + uint64(wordBytes*s.pitch), pitch: uint32(s.words(x)), late: s.late()}
	switch {
	case s.p.comm.Size() == 1:
		t.united = s.a.seen
	case x.delegates:
		t.united = s.united()
	case x.brief:
		t.take = takeDelegates
	}
	switch {
	case x.news:
		t.take |= takeNews | takeKnown
	case x.brief && x.normals:
		t.take |= takeNormals | takeKnown
	case x.brief:
		t.take |= takeNormals
	}
	return t
}

// takes returns the arguments of the kernel that takes received data.
func (s *gpuSearch) takes(x exchange) args {
	a := s.args(s.level)
	if s.listed {
		a.list = 1
	}
	if x.normals {
		a.known = uint64(s.knowns[s.turned^1])
	}
	return a
}

// turn makes the gathered bitmap of normal vertices the known one.
func (s *gpuSearch) turn() { s.turned ^= 1 }

// early makes the GPU process what came with the header before the host has seen the header, if nothing is missing. The
// first kernel reports that to the host.
func (s *gpuSearch) early(x exchange, tell tellArgs) error {
	a, t := s.takes(x), s.taken(x)
	t.early, t.tell = 1, tell
	if t.take != 0 {
		if err := run2(s.OnGPU, "cluster_take", earlyBlocks, &a, &t); err != nil {
			return err
		}
		t.tell = tellArgs{}
	}
	return run2(s.OnGPU, "cluster_unite", s.wordBlocks(1), &a, &t)
}

// bringIn brings what other ranks found, as far as it didn't come with the header, and makes the next frontier.
func (s *gpuSearch) bringIn(ctx context.Context, x exchange, l *Level) error {
	a, t, c := s.takes(x), s.taken(x), &s.all
	for _, n := range s.heads[s.p.rank*s.pitch:][slotWords:][:s.p.comm.Size()] {
		l.Sent += 4 * n
	}
	normals := c.sent == 0 || t.take&takeNormals != 0 && c.mostBrief <= uint64(a.room[1]) && c.most <= uint64(a.bin)
	delegates := c.delegates == 0 || t.united != 0 || t.take&takeDelegates != 0 && c.delegates <= uint64(a.room[0])
	news := c.news <= uint64(a.room[1])
	s.current = normals && (x.normals || x.news && news)
	before := s.turned
	if s.current && x.normals {
		s.turn()
	}
	if normals && delegates && news {
		return nil // early did it
	}
	if !news {
		t.take &^= takeNews
	}
	if !normals {
		t.take &^= takeNormals | takeKnown
		if err := s.exchangeNormals(ctx, &t, s.knowns[before]); err != nil {
			return err
		}
	}
	if !delegates {
		t.take &^= takeDelegates
		if err := s.gather(ctx, exchange{delegates: true}); err != nil {
			return err
		}
		t.united = s.united()
	}
	if t.take != 0 || t.lists != 0 {
		n := max(c.mostBrief, c.most, c.delegates, c.news)
		if err := run2(s.OnGPU, "cluster_take", int(n/256)+1, &a, &t); err != nil {
			return err
		}
	}
	if t.bitmaps != 0 {
		if err := run2(s.OnGPU, "cluster_take_words", s.wordBlocks(0), &a, &t); err != nil {
			return err
		}
	}
	return run2(s.OnGPU, "cluster_unite", s.wordBlocks(1), &a, &t)
}

// exchangeNormals sends normal vertices to their owners: as lists, or as bitmaps if a list would be longer.
func (s *gpuSearch) exchangeNormals(ctx context.Context, t *takeArgs, known uintptr) error {
	a, size, me := &s.a, s.p.comm.Size(), s.p.rank
	out, in := make([]nccl.List, size), make([]nccl.List, size)
	words := s.all.most > uint64(a.bin)
	each := uint64(a.bin) * 4 // of a bitmap, too
	for r := range size {
		if r == me {
			continue
		}
		off := uintptr(each) * uintptr(r)
		if words {
			out[r], in[r] = nccl.List{At: known + off, Bytes: each}, nccl.List{At: s.gathered.lists + off, Bytes: each}
			continue
		}
		out[r] = nccl.List{At: uintptr(a.bins) + off, Bytes: 4 * s.heads[me*s.pitch+slotWords+r]}
		in[r] = nccl.List{At: s.gathered.lists + off, Bytes: 4 * s.heads[r*s.pitch+slotWords+me]}
	}
	if words {
		t.bitmaps = uint64(s.gathered.lists)
	} else {
		t.lists = uint64(s.gathered.lists)
	}
	return s.talk(func() error { return s.c.Exchange(ctx, out, in) })
}
