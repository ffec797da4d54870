// This file holds the ranks that searches are measured over: goroutines of this process, or processes that MPI connects.

package paper

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
	"github.com/foray-graph/foray/internal/cluster/nccl"
)

// searchRanks runs a task on its ranks, and returns what rank 0 has of it.
type searchRanks func(ctx context.Context, t *clusterGraph, k task) (*outcome, error)

// readEdges passes a rank's edges to yield.
type readEdges = func(ctx context.Context, yield func(src, dst []int64) error) error

// task is a graph to divide, and the searches of it.
type task struct {
	Ranks     int // 0: there are no more tasks
	Each      int // ranks that follow one another and count as a machine; 0: machines as they are
	Trials    int
	Ways      []way // each searches from all sources
	Threshold int64
	Vertices  int
	Sources   []uint32
	Depths    [][]int32 `json:"-"` // by source; nil: they aren't checked
	Src, Dst  []uint32  `json:"-"` // the rank's edges, of a process other than rank 0
	// On GPUs only: the graph's spec in package gen, and checksums of the depths by source, nil if they aren't checked.
	Spec string
	Sums []uint64
	// Draw is how many sources are to be drawn by Seed, and checked by the rules of Graph500 if Checked. Nothing is timed.
	Draw    int
	Seed    uint64
	Checked bool
}

// way is how searches go. The zero value is Foray's own way.
type way struct {
	ByMachine bool // local all-to-all
	Twice     bool // duplicates are sent
	PushNN    bool // edges between normal vertices are only pushed
	Push      bool // all edges are only pushed
}

// String is empty for Foray's own way.
func (w way) String() string {
	for _, o := range slices.Concat(hostOptions, gpuOptions) {
		if o.way == w && w != (way{}) {
			return o.name + ","
		}
	}
	return ""
}

func (w way) options() engine.SearchOptions {
	o := engine.SearchOptions{LocalAllToAll: w.ByMachine, Twice: w.Twice}
	if w.Push {
		o.Directions = [...]engine.Direction{engine.Push, engine.Push, engine.Push, engine.Push}
	} else if w.PushNN {
		o.Directions = [...]engine.Direction{engine.Either, engine.Either, engine.Either, engine.Push} // nn is the last
	}
	return o
}

// message is a task as processes send it: the length of a head, the head as JSON, and the arrays.
type message struct {
	task
	Depths []int // lengths
	Edges  int
}

func (k task) pack() ([]byte, error) {
	m := message{task: k, Edges: len(k.Src)}
	size := 8 + 8*len(k.Src)
	for _, d := range k.Depths {
		m.Depths = append(m.Depths, len(d))
		size += 4 * len(d)
	}
	head, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, size+len(head)), uint64(len(head)))
	out = append(out, head...)
	for _, d := range k.Depths {
		out, _ = binary.Append(out, binary.LittleEndian, d) // fails only for values without a size
	}
	for _, ends := range [][]uint32{k.Src, k.Dst} {
		out, _ = binary.Append(out, binary.LittleEndian, ends)
	}
	return out, nil
}

func unpack(in []byte) (k task, err error) {
	if len(in) < 8 || binary.LittleEndian.Uint64(in) > uint64(len(in)-8) {
		return k, errors.New("paper: a task that was cut")
	}
	n := binary.LittleEndian.Uint64(in)
	var m message
	if err := json.Unmarshal(in[8:8+n], &m); err != nil {
		return k, err
	}
	in = in[8+n:]
	next := func(values any) {
		if err == nil {
			n := 0
			n, err = binary.Decode(in, binary.LittleEndian, values)
			in = in[n:]
		}
	}
	k = m.task
	for _, n := range m.Depths {
		d := make([]int32, n)
		next(d)
		k.Depths = append(k.Depths, d)
	}
	k.Src, k.Dst = make([]uint32, m.Edges), make([]uint32, m.Edges)
	next(k.Src)
	next(k.Dst)
	return k, err
}

// outcome is what a task found.
type outcome struct {
	stats  engine.Stats
	bytes  uint64      // of all GPUs; 0: ranks searched on hosts
	trials [][][]trial // by way and source
	wrong  *wrongDepth
	drawn  []uint32 // sources
	sums   []uint64 // checksums of the depths from these
	lacks  string   // why nothing was measured: a GPU has too little memory
}

// trial is one search. It leaves out the engine's result, whose depths would take memory for every trial.
type trial struct {
	parts                engine.Parts  // sums over the ranks
	moving               time.Duration // of GPUs: communication without waiting
	elapsed              time.Duration // of the slowest rank
	traversed            uint64
	sent, across, united uint64
}

// wrongDepth is a depth that isn't the sequential search's.
type wrongDepth struct {
	way       int
	source    int
	vertex    uint32
	got, want int32
}

// search is a rank's part of a task. All ranks have the same outcome.
func (k *task) search(ctx context.Context, c comm.Comm, read readEdges) (_ *outcome, err error) {
	edges := engine.Edges{Dense: true, Vertices: uint64(k.Vertices), Read: read}
	p, err := engine.Build(ctx, c, edges, engine.Options{Threshold: k.Threshold, Workers: 1, PerMachine: k.Each})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	o := &outcome{stats: p.Stats}
	for i, w := range k.Ways {
		o.trials = append(o.trials, make([][]trial, len(k.Sources)))
		for s, source := range k.Sources {
			search := func() (*engine.Result, error) {
				return p.Search(ctx, []int64{int64(source)}, w.options())
			}
			r, err := search() // not timed: it also makes what all searches of the part begin with
			if err != nil {
				return nil, err
			}
			if k.Depths != nil {
				if o.wrong, err = compareDepths(ctx, c, p.IDs(), r.Depths, k.Depths[s]); err != nil {
					return nil, err
				}
				if o.wrong != nil {
					o.wrong.way, o.wrong.source = i, s
					return o, nil
				}
			}
			for range k.Trials {
				if r, err = search(); err != nil {
					return nil, err
				}
				x, err := trialOf(ctx, c, r)
				if err != nil {
					return nil, err
				}
				o.trials[i][s] = append(o.trials[i][s], x)
			}
		}
	}
	return o, nil
}

// trialOf adds up what a search took on all ranks.
func trialOf(ctx context.Context, c comm.Comm, r *engine.Result) (trial, error) {
	x := trial{elapsed: r.Elapsed, traversed: r.TraversedEdges}
	if r.Searched > 0 {
		x.elapsed = r.Searched
	}
	for _, l := range r.Stats {
		x.sent, x.across = x.sent+l.Sent, x.across+l.Across
		x.moving += time.Duration(l.Moving * 1e9)
		if l.United && c.Size() > 1 {
			x.united += r.UnitedBytes
		}
	}
	sums := []uint64{uint64(r.Own.Computing), uint64(r.Own.Uniting), uint64(r.Own.Local), uint64(r.Own.Exchanging)}
	err := c.Sum(ctx, sums)
	d := func(i int) time.Duration { return time.Duration(sums[i]) }
	x.parts = engine.Parts{Computing: d(0), Uniting: d(1), Local: d(2), Exchanging: d(3)}
	return x, err
}

// compareDepths compares the depths of each rank's own vertices with those of all vertices. It returns the largest
// vertex that differs, or nil, on all ranks.
func compareDepths(ctx context.Context, c comm.Comm, own []int64, got, want []int32) (*wrongDepth, error) {
	if len(own) != len(got) {
		return nil, fmt.Errorf("%d depths for %d vertices", len(got), len(own))
	}
	at := -1
	for i, v := range own {
		if got[i] != want[v] {
			at = i
		}
	}
	largest := []uint64{0} // plus 1
	if at >= 0 {
		largest[0] = uint64(own[at]) + 1
	}
	if err := c.Max(ctx, largest); err != nil || largest[0] == 0 {
		return nil, err
	}
	v := largest[0] - 1
	depth := []uint64{0} // plus 1
	if at >= 0 && uint64(own[at]) == v {
		depth[0] = uint64(got[at] + 1)
	}
	err := c.Max(ctx, depth)
	return &wrongDepth{vertex: uint32(v), got: int32(depth[0]) - 1, want: want[v]}, err
}

// onGoroutines runs a task on goroutines of this process.
func onGoroutines(ctx context.Context, t *clusterGraph, k task) (*outcome, error) {
	var first *outcome
	err := onRanks(k.Ranks, func(c comm.Comm) error {
		o, err := k.search(ctx, c, t.read(c.Rank(), c.Size()))
		if c.Rank() == 0 {
			first = o
		}
		return err
	})
	return first, err
}

// onRanks calls f on ranks of this process, a goroutine each, and returns the error of a rank that failed first.
func onRanks(ranks int, f func(c comm.Comm) error) error {
	errs := make([]error, ranks)
	var all sync.WaitGroup
	for _, c := range comm.InProcess(ranks) {
		all.Go(func() {
			err := comm.Do(c, func() error { return f(c) })
			if err == nil {
				err = c.Close()
			}
			errs[c.Rank()] = err
		})
	}
	all.Wait()
	// The other ranks have an error of the communicator.
	if i := slices.IndexFunc(errs, func(err error) bool {
		other := (*comm.Error)(nil)
		return err != nil && !errors.As(err, &other)
	}); i >= 0 {
		return errs[i]
	}
	return cmp.Or(errs...)
}

// onProcesses runs tasks on the first of the processes. This one is rank 0, which has the graph, unless GPUs generate it.
func onProcesses(c comm.Comm, own *nccl.Process) searchRanks {
	return func(ctx context.Context, t *clusterGraph, k task) (*outcome, error) {
		err := assign(ctx, c, func(rank int) task {
			mine := k
			if rank >= k.Ranks {
				mine.Sources, mine.Depths = nil, nil
				return mine
			}
			if k.Spec != "" {
				return mine
			}
			_ = t.share(rank, k.Ranks, func(src, dst []int64) error {
				for i := range src {
					mine.Src, mine.Dst = append(mine.Src, uint32(src[i])), append(mine.Dst, uint32(dst[i]))
				}
				return nil
			})
			return mine
		})
		if err != nil {
			return nil, err
		}
		return k.among(ctx, c, own, t.read(0, k.Ranks))
	}
}

// assign sends a task to each process but this one, rank 0.
func assign(ctx context.Context, c comm.Comm, of func(rank int) task) error {
	out := make([][]byte, c.Size())
	for rank := 1; rank < c.Size(); rank++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if out[rank], err = of(rank).pack(); err != nil {
			return err
		}
	}
	_, err := c.Exchange(ctx, out)
	return err
}

// among is search on the first of the processes, on the GPUs of these if they have some. The others return nil.
func (k *task) among(ctx context.Context, c comm.Comm, own *nccl.Process, read readEdges) (*outcome, error) {
	first, err := comm.First(ctx, c, k.Ranks)
	if err != nil || first == nil {
		return nil, err
	}
	if k.Spec == "" {
		o, err := k.search(ctx, first, read)
		if err != nil {
			return nil, err
		}
		return o, first.Close()
	}
	gpu, joined := first.(*nccl.Process)
	if !joined {
		gpu = own
		if err := gpu.Join(ctx, first, nccl.Options{}); err != nil {
			return nil, err
		}
	}
	o, err := k.onGPU(ctx, first, gpu)
	if err == nil && !joined {
		err = gpu.Leave()
	}
	if err != nil {
		return nil, err
	}
	return o, first.Close()
}

// meet notes how many processes there are, on how many machines, how many cores each may use at least, and, if asked for,
// that each has a GPU, which it returns, or why not. All processes call it.
func (r *Cluster) meet(ctx context.Context, c comm.Comm, gpus bool) (own *nccl.Process, err error) {
	r.Processes = c.Size()
	if r.Machines, err = engine.CountMachines(ctx, c); err != nil {
		return nil, err
	}
	fewest := []uint64{^uint64(runtime.GOMAXPROCS(0))}
	if err := c.Max(ctx, fewest); err != nil {
		return nil, err
	}
	r.Cores = int(^fewest[0])
	if !gpus {
		return nil, nil
	}
	own, has := c.(*nccl.Process)
	var lacks error
	if !has {
		own, lacks = nccl.Take(c.Rank())
	}
	out := make([][]byte, c.Size())
	if lacks != nil {
		for rank := range out {
			out[rank] = []byte(lacks.Error())
		}
	}
	in, err := c.Exchange(ctx, out)
	rank := slices.IndexFunc(in, func(why []byte) bool { return len(why) > 0 })
	if err == nil && rank < 0 {
		r.GPUs = c.Size()
		return own, nil
	}
	if own != nil && !has {
		err = errors.Join(err, own.Close())
	}
	if err == nil {
		r.NoGPUs = fmt.Sprintf("rank %d has none: %s", rank, in[rank])
	}
	return nil, err
}

// part gives the GPU back that meet took.
func part(c comm.Comm, own *nccl.Process) error {
	if own == nil || comm.Comm(own) == c {
		return nil
	}
	return own.Close()
}

// dismiss tells the processes that there are no more tasks.
func dismiss(ctx context.Context, c comm.Comm) error {
	return assign(ctx, c, func(int) task { return task{} })
}

// Join takes part in the searches over ranks of a Run with Options.Processes, which rank 0 has, on GPUs as that says. The
// other processes call it. It returns when Run has made its last search.
func Join(ctx context.Context, c comm.Comm, gpus bool) (err error) {
	own, err := new(Cluster).meet(ctx, c, gpus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, part(c, own)) }()
	for {
		in, err := c.Exchange(ctx, make([][]byte, c.Size()))
		if err != nil {
			return err
		}
		k, err := unpack(in[0])
		if err != nil {
			return err
		}
		if k.Ranks == 0 {
			return nil
		}
		if _, err := k.among(ctx, c, own, k.read); err != nil {
			return err
		}
	}
}

// read passes the task's edges to yield.
func (k *task) read(_ context.Context, yield func(src, dst []int64) error) error {
	const batch = 1 << 14
	src, dst := make([]int64, 0, batch), make([]int64, 0, batch)
	for from := 0; from < len(k.Src); from += batch {
		src, dst = src[:0], dst[:0]
		for i := from; i < min(from+batch, len(k.Src)); i++ {
			src, dst = append(src, int64(k.Src[i])), append(dst, int64(k.Dst[i]))
		}
		if err := yield(src, dst); err != nil {
			return err
		}
	}
	return nil
}
