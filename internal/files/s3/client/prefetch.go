// This file reads ahead in ranges that will be read.

package client

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/s3"
)

// Prefetch is an io.ReaderAt of an object whose ranges to be read are known
// in advance. It works best for ranges that are read at about the same time, such as the columns of
// a row group. It fetches the beginnings of ranges, and the following bytes when a range
// is read. It fetches each byte once as long as every range is read in order. A read of
// other bytes is a separate request. It is safe for concurrent use.
type Prefetch struct {
	r        *Reader
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	memory   int64
	inFlight int
	depth    int // how many pieces are fetched ahead of one that is read

	mu     sync.Mutex
	pieces []*piece // sorted, disjoint
	loaded []*piece // those with a flight
	first  []*piece // of the ranges, those that haven't been asked for yet
	spare  [][]byte // of pieces that were dropped, for the next ones; a few
	held   int64    // bytes
	flying int
	clock  int64
}

// piece is the data of one request. The Prefetch's lock guards it.
type piece struct {
	s3.Range
	starts bool    // a range's first
	seen   bool    // was asked for, by whomever, and not dropped before it was read
	flight *flight // nil unless it is fetched or being fetched
	users  int     // goroutines that wait for it or copy from it
	read   bool    // up to its end: it isn't likely to be wanted again
	used   int64   // when last, by the clock; 0 for not yet
}

// flight is a request and its answer, which isn't written to any more once done
// is closed.
type flight struct {
	done chan struct{}
	buf  []byte
	err  error
}

// Prefetch begins to fetch the ranges. ctx ends it and all reading. Close has to
// be called.
func (r *Reader) Prefetch(ctx context.Context, ranges []s3.Range, o s3.PrefetchOptions) (s3.Prefetch, error) {
	if err := r.within(ranges); err != nil {
		return nil, err
	}
	p := &Prefetch{r: r, memory: o.Memory, inFlight: o.InFlight}
	if p.inFlight <= 0 {
		p.inFlight = r.c.set.inFlight
	}
	if p.memory <= 0 {
		p.memory = 2 * int64(p.inFlight) * r.c.set.pieceSize
	}
	outer, stop := both(ctx, r.ctx)
	inner, cancel := context.WithCancel(outer)
	p.ctx, p.cancel = inner, func() { cancel(); stop() }
	runs := merge(ranges, r.c.set.mergeGap, r.c.set.pieceSize)
	for _, run := range runs {
		for i, g := range pieces([]s3.Range{run}, r.c.set.pieceSize) {
			p.pieces = append(p.pieces, &piece{Range: g, starts: i == 0})
			if i == 0 {
				p.first = append(p.first, p.pieces[len(p.pieces)-1])
			}
		}
	}
	p.depth = max(2, int(p.memory/r.c.set.pieceSize)/max(1, len(runs)))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prefetchFrom(len(p.pieces))
	return p, nil
}

// Size returns the object's size in bytes.
func (p *Prefetch) Size() int64 { return p.r.o.Size }

// Close ends all requests and waits for that. Reading fails from then on.
func (p *Prefetch) Close() {
	p.mu.Lock()
	p.cancel() // under the lock: a goroutine that sees a live context may start a request
	p.mu.Unlock()
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pieces, p.loaded, p.first, p.spare, p.held = nil, nil, nil, nil, 0
}

// ReadAt is io.ReaderAt's.
func (p *Prefetch) ReadAt(b []byte, off int64) (int, error) {
	n, end, err := p.r.clip(len(b), off)
	if err != nil {
		return 0, err
	}
	for done := 0; done < n; {
		got, err := p.some(b[done:n], off+int64(done))
		done += got
		if err != nil {
			return done, err
		}
	}
	return n, end
}

// some reads at least a byte of b, or returns why not.
func (p *Prefetch) some(b []byte, off int64) (int, error) {
	p.mu.Lock()
	if err := ended(p.ctx); err != nil {
		p.mu.Unlock()
		return 0, err
	}
	i := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].End() > off })
	if i == len(p.pieces) || p.pieces[i].Offset > off {
		if i < len(p.pieces) {
			b = b[:min(int64(len(b)), p.pieces[i].Offset-off)]
		}
		p.mu.Unlock()
		return p.r.fetch(p.ctx, b, off)
	}
	g := p.pieces[i]
	if g.flight == nil {
		p.room(g.Length, true)
		p.start(g)
	}
	f := g.flight
	g.users++
	p.clock++
	g.used = p.clock
	p.prefetchFrom(i + 1)
	p.mu.Unlock()

	n, err := 0, error(nil)
	select {
	case <-f.done:
		if err = f.err; err == nil {
			n = copy(b, f.buf[off-g.Offset:])
		}
	case <-p.ctx.Done():
		err = ended(p.ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	g.users--
	if err == nil {
		g.read = g.read || off+int64(n) == g.End()
		p.prefetchFrom(i + 1)
	}
	return n, err
}

// prefetchFrom starts requests while memory allows: for the bytes behind the piece that
// is being read, piece i being the next, and for the beginnings of ranges, which
// may use half of the memory.
func (p *Prefetch) prefetchFrom(i int) {
	for n := 0; n < p.depth && i < len(p.pieces) && !p.pieces[i].starts; n, i = n+1, i+1 {
		if !p.begin(p.pieces[i]) {
			break
		}
	}
	for len(p.first) > 0 {
		g := p.first[0]
		if !g.seen && p.held > 0 && p.held+g.Length > p.memory/2 && !p.spent(g.Length) || !p.begin(g) {
			break
		}
		p.first = p.first[1:]
	}
}

// spent reports whether the memory is no more than half full without what
// was read.
func (p *Prefetch) spent(n int64) bool {
	held := p.held
	for _, g := range p.loaded {
		if g.read && g.users == 0 {
			held -= g.Length
		}
	}
	return held+n <= p.memory/2
}

// begin starts the request for a piece in advance. It reports false
// if the request has to wait.
func (p *Prefetch) begin(g *piece) bool {
	if g.seen {
		return true
	}
	if p.ctx.Err() != nil || p.flying >= p.inFlight || !p.room(g.Length, false) {
		return false
	}
	p.start(g)
	return true
}

// room frees memory for n bytes, by dropping pieces that were read and, if necessary, unread
// ones. It reports whether there is room.
func (p *Prefetch) room(n int64, need bool) bool {
	for p.held+n > p.memory {
		var out *piece
		for _, g := range p.loaded {
			select {
			case <-g.flight.done:
			default:
				continue
			}
			if g.users == 0 && (g.read || need) && (out == nil || g.before(out)) {
				out = g
			}
		}
		if out == nil {
			return false
		}
		if len(p.spare) < 2 { // it is unused, and the next piece needs one soon
			p.spare = append(p.spare, out.flight.buf)
		}
		p.drop(out)
	}
	return true
}

// before reports whether to drop g rather than h: pieces that were read first, then
// the piece that will be read last.
func (g *piece) before(h *piece) bool {
	switch {
	case g.read != h.read:
		return g.read
	case g.used != h.used:
		return g.used < h.used
	}
	return g.Offset > h.Offset
}

func (p *Prefetch) drop(g *piece) {
	p.held -= g.Length
	g.flight = nil
	g.seen = g.read
	p.loaded = slices.DeleteFunc(p.loaded, func(h *piece) bool { return h == g })
}

// start sends the request for a piece.
func (p *Prefetch) start(g *piece) {
	f := &flight{done: make(chan struct{})}
	if i := slices.IndexFunc(p.spare, func(b []byte) bool { return int64(cap(b)) >= g.Length }); i >= 0 {
		f.buf = p.spare[i][:g.Length]
		p.spare = slices.Delete(p.spare, i, i+1)
	} else {
		f.buf = make([]byte, g.Length)
	}
	g.flight, g.seen, g.read = f, true, false
	p.loaded = append(p.loaded, g)
	p.held += g.Length
	p.flying++
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		f.err = panics.Call(func() error {
			panics.Point("fetch")
			_, err := p.r.fetch(p.ctx, f.buf, g.Offset)
			return err
		})
		p.mu.Lock()
		defer p.mu.Unlock()
		p.flying--
		close(f.done)
		if f.err != nil { // waiting goroutines get the error; later ones retry
			p.drop(g)
		}
	}()
}
