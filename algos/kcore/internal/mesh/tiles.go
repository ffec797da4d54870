// This file holds peeling on the host by tiles: ranges of vertices, of which a worker has one at a time. Only that worker
// writes to the degrees of the tile, so that no write is atomic. Workers tell one another what leaves at the borders.

package mesh

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/host"
)

// Tiles is a step of the host that peels an undirected simple graph from the vertices of the frontier on, until no vertex
// of the remaining graph has Stage neighbors or fewer. It leaves an empty frontier.
type Tiles struct {
	Degree []uint32 // within the remaining graph; of a vertex that leaves it becomes Stage. The frontier's have it
	Stage  uint32

	job peeling
}

// TileShift returns the binary logarithm of the number of vertices of a tile, in a graph of n vertices.
func TileShift(n, workers int) uint {
	return uint(min(max(bits.Len(uint(n/(tilesEach*workers)))-1, leastTile), mostTile))
}

// Name is what statistics call it.
func (*Tiles) Name() string { return "peel" }

// Moves says that the frontier changes.
func (*Tiles) Moves() {}

// Compile refuses: no program has it.
func (*Tiles) Compile(*step.Program) error {
	return fmt.Errorf("%w: peeling by tiles", step.ErrNotCompiled)
}

// GPU refuses: Peel is for GPUs.
func (*Tiles) GPU(*step.Env) error {
	return fmt.Errorf("kcore: %w: peeling by tiles on a GPU", device.ErrNotSupported)
}

// Host peels.
func (s *Tiles) Host(x *step.Env) error {
	hs, err := host.StreamOf(x.Stream)
	if err = errors.Join(err, x.Cur.List(x.Stream)); err != nil {
		return err
	}
	if len(s.Degree) < x.Placed.NumVertices() {
		return fmt.Errorf("kcore: %w: %d degrees of %d vertices", graph.ErrOptions, len(s.Degree), x.Placed.NumVertices())
	}
	j := &s.job
	j.begin(hs, x.Placed, s)
	for _, v := range x.Cur.Queue() {
		t := &j.tiles[v>>j.shift]
		t.first = append(t.first, v)
		j.call(v >> j.shift)
	}
	hs.Run(j)
	vertices, edges := j.end()
	x.Went(1, vertices, edges)
	return errors.Join(hs.Err(), x.Cur.Reset(frontier.Queue))
}

// peeling is a host.Job.
type peeling struct {
	s       *host.Stream
	degree  []uint32
	rows    *graph.CSR
	four    *placed.Ell4 // or nil
	stage   uint32
	shift   uint
	tiles   []tile
	workers []peeler

	mu     sync.Mutex // of ready, head and waiting
	ready  []uint32   // a ring of tiles that no worker has, from head on
	head   int
	queued int
	_      [64]byte
	// waiting is queued, for a look without the lock.
	waiting atomic.Int32
	_       [60]byte
	busy    atomic.Int32 // tiles that are ready, or that a worker has
	failed  atomic.Bool  // a worker panicked
	_       [56]byte
}

// tile is a range of vertices.
type tile struct {
	mu    sync.Mutex
	inbox []uint32 // vertices of the tile, once for each neighbor in another tile that has left
	first []uint32 // vertices of the tile that leave at the beginning
	busy  bool     // it is ready, or a worker has it
	_     [64]byte
}

// peeler is what a worker has.
type peeler struct {
	got      []uint32 // an inbox
	queue    []uint32 // vertices that leave
	out      [bordering]border
	outs     int
	vertices int
	edges    uint64
	_        [64]byte
}

// border is what has left beside another tile.
type border struct {
	tile uint32
	vs   []uint32 // vertices of that tile
}

func (j *peeling) begin(s *host.Stream, p *graph.Placed, of *Tiles) {
	n := p.NumVertices()
	j.s, j.degree, j.stage, j.rows, j.four = s, of.Degree, of.Stage, p.Graph().Out(), p.State().Ell4()
	j.shift = TileShift(n, s.Workers())
	if tiles := (n + 1<<j.shift - 1) >> j.shift; len(j.tiles) != tiles || len(j.workers) != s.Workers() {
		j.tiles, j.ready, j.workers = make([]tile, tiles), make([]uint32, tiles), make([]peeler, s.Workers())
	}
	for i := range j.tiles { // a run that was stopped may have left something
		t := &j.tiles[i]
		t.inbox, t.first, t.busy = t.inbox[:0], t.first[:0], false
	}
	for i := range j.workers {
		o := &j.workers[i]
		for b := range o.out {
			o.out[b].vs = o.out[b].vs[:0]
		}
		o.outs, o.vertices, o.edges = 0, 0, 0
	}
	j.head, j.queued = 0, 0
	j.waiting.Store(0)
	j.busy.Store(0)
	j.failed.Store(false)
}

// end releases the arguments of the step, and returns what was peeled.
func (j *peeling) end() (vertices int, edges uint64) {
	j.s, j.degree, j.rows, j.four = nil, nil, nil, nil
	for i := range j.workers {
		vertices, edges = vertices+j.workers[i].vertices, edges+j.workers[i].edges
	}
	return vertices, edges
}

// call makes a tile ready, unless it is, or a worker has it. Its lock is held, or no worker is there yet.
func (j *peeling) call(b uint32) {
	t := &j.tiles[b]
	if t.busy {
		return
	}
	t.busy = true
	j.busy.Add(1)
	j.mu.Lock()
	at := j.head + j.queued
	if at >= len(j.ready) {
		at -= len(j.ready)
	}
	j.ready[at] = b
	j.queued++
	j.waiting.Store(int32(j.queued))
	j.mu.Unlock()
}

// next takes the tile that has been ready for longest.
func (j *peeling) next() (b uint32, ok bool) {
	if j.waiting.Load() == 0 {
		return 0, false
	}
	j.mu.Lock()
	if ok = j.queued > 0; ok {
		b = j.ready[j.head]
		if j.head++; j.head == len(j.ready) {
			j.head = 0
		}
		j.queued--
		j.waiting.Store(int32(j.queued))
	}
	j.mu.Unlock()
	return b, ok
}

func (j *peeling) stopped() bool { return j.s.Stopped() || j.failed.Load() }

// Run is the share of one worker.
func (j *peeling) Run(worker int) {
	ended := false
	defer func() { // after a panic too: others wait for the tile
		if !ended {
			j.failed.Store(true)
		}
	}()
	for spins := 0; !j.stopped(); spins++ {
		if b, ok := j.next(); ok {
			j.peel(&j.workers[worker], b)
			j.busy.Add(-1)
			spins = 0
		} else if j.busy.Load() == 0 {
			break
		} else {
			pause(spins)
		}
	}
	ended = true
}

// pause passes some time: the more, the longer a worker has waited.
func pause(spins int) {
	switch {
	case spins > tileSpins+tileYields:
		time.Sleep(tileNap)
	case spins > tileSpins:
		runtime.Gosched()
	default:
		for range tilePause {
		}
	}
}

// peel peels a tile until nothing is left to do there.
func (j *peeling) peel(o *peeler, b uint32) {
	t, degree, stage := &j.tiles[b], j.degree, j.stage
	for !j.stopped() {
		t.mu.Lock()
		if len(t.inbox) == 0 && len(t.first) == 0 {
			t.busy = false
			t.mu.Unlock()
			return
		}
		o.got, t.inbox = t.inbox, o.got[:0]
		queue := append(o.queue[:0], t.first...)
		t.first = t.first[:0]
		t.mu.Unlock()
		for _, v := range o.got {
			if d := degree[v]; d > stage {
				degree[v] = d - 1
				if d-1 == stage {
					queue = append(queue, v)
				}
			}
		}
		for i := 0; i < len(queue); i++ {
			if i%tileFlush == tileFlush-1 {
				j.send(o)
			}
			v := queue[i]
			var row []uint32
			if j.four != nil && (j.four.Long == nil || j.four.Long[v>>6]>>(v&63)&1 == 0) {
				row = j.four.Rows[v][:] // filled up with v, whose degree is the stage
			} else {
				row = j.rows.Neighbors(v)
			}
			o.edges += uint64(len(row))
			for _, u := range row {
				if u>>j.shift != b {
					j.tell(o, u)
				} else if d := degree[u]; d > stage {
					degree[u] = d - 1
					if d-1 == stage {
						queue = append(queue, u)
					}
				}
			}
		}
		o.vertices += len(queue)
		o.queue = queue
		j.send(o)
	}
}

// tell notes that a neighbor of a vertex of another tile has left.
func (j *peeling) tell(o *peeler, v uint32) {
	b := v >> j.shift
	for i := range o.out[:o.outs] {
		if x := &o.out[i]; x.tile == b {
			x.vs = append(x.vs, v)
			return
		}
	}
	if o.outs == len(o.out) {
		j.send(o)
	}
	x := &o.out[o.outs]
	o.outs++
	x.tile, x.vs = b, append(x.vs, v)
}

// send puts what a worker has noted into the inboxes.
func (j *peeling) send(o *peeler) {
	for i := range o.out[:o.outs] {
		x := &o.out[i]
		t := &j.tiles[x.tile]
		t.mu.Lock()
		t.inbox = append(t.inbox, x.vs...)
		j.call(x.tile)
		t.mu.Unlock()
		x.vs = x.vs[:0]
	}
	o.outs = 0
}
