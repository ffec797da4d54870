// Package depthcheck checks the depths of a search over several GPUs on those GPUs, for graphs
// that neither one GPU nor the host holds as a whole: bfs.Validate needs all rows on the host.
package depthcheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/gpu"
)

// ErrWrong is of depths that break a rule.
var ErrWrong = errors.New("depthcheck: wrong depths")

// Verdict is the result of checking all depths.
type Verdict struct {
	Reached uint64 // vertices
	Edges   uint64 // out of these
	// Hash is the sum of a number made of each vertex's id and depth: the same on any number of GPUs. Hashes are the
	// sums over the vertices of each.
	Hash   uint64
	Hashes []uint64
}

// args are the kernel's arguments (judge.cuh).
type args struct {
	offsets, targets, inOffsets, inTargets uint64
	depths                                 uint64
	post                                   gpu.Post
	vertices, base, numbers, limit         uint32
}

var _ = [1]struct{}{}[unsafe.Sizeof(args{})-80] // as in judge.cuh

// Depths checks the depths by vertex of a search from sources along the edges of a graph on several GPUs. It checks the
// rules of Graph500 about depths, on the GPUs: each gets 4 bytes per vertex for it. limit is the search's limit, or 0.
// The error is ErrWrong for depths that break a rule, device.ErrNotSupported for a graph that isn't divided into shards
// or lacks its reverse, device.ErrMemory, the error of ctx, or the device's.
func Depths(ctx context.Context, p *graph.Placed, sources []uint32, depths []int32, limit int) (v Verdict, err error) {
	a, across := placed.Lookup(p.State(), placed.ShardsKey{})
	if err := p.Err(); err != nil {
		return v, err
	}
	if !across {
		return v, fmt.Errorf("depthcheck: %w: the graph isn't placed on several GPUs", device.ErrNotSupported)
	}
	release, err := p.Hold()
	if err != nil {
		return v, err
	}
	defer release()
	if !a.Reverse {
		return v, fmt.Errorf("depthcheck: %w: a directed graph without its reverse", device.ErrNotSupported)
	}
	if len(depths) != a.Vertices {
		return v, fmt.Errorf("%w: %d depths of %d vertices", ErrWrong, len(depths), a.Vertices)
	}
	for _, s := range sources {
		if depths[s] != 0 {
			return v, fmt.Errorf("%w: source %d has depth %d", ErrWrong, s, depths[s])
		}
	}
	j := &judge{a: a, depths: depths, limit: math.MaxUint32}
	if limit > 0 {
		j.limit = uint32(limit)
	}
	defer func() { err = errors.Join(err, j.free()) }()
	for i := range a.Parts {
		part := &part{dev: a.Parts[i].Dev.(*gpu.Device)}
		if part.s, err = part.dev.Stream(ctx); err != nil {
			return v, fmt.Errorf("depthcheck: %w", err)
		}
		j.parts = append(j.parts, part)
	}
	for _, do := range []func(i int) error{j.upload, j.spread, j.look} {
		if err := j.each(do); err != nil {
			return v, fmt.Errorf("depthcheck: %w", err)
		}
	}
	return j.verdict(p, sources)
}

// judge is a check.
type judge struct {
	a      *placed.Shards
	depths []int32
	limit  uint32
	parts  []*part
}

// part is the work of a GPU.
type part struct {
	dev    *gpu.Device
	s      *gpu.Stream
	depths device.Memory
	mail   gpu.Mail
}

func (j *judge) each(do func(i int) error) error {
	errs := make([]error, len(j.parts))
	var wait sync.WaitGroup
	for i, p := range j.parts {
		wait.Go(func() {
			if errs[i] = do(i); errs[i] == nil {
				errs[i] = p.s.Sync()
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// upload copies the depths of a GPU's vertices there. Positions without a vertex get -2.
func (j *judge) upload(i int) (err error) {
	p, stride, m := j.parts[i], int(j.a.Stride), len(j.parts)
	if p.depths, err = p.dev.Alloc(4 * uint64(stride) * uint64(m)); err != nil {
		return err
	}
	own := slices.Repeat([]int32{-2}, stride)
	for l := range j.a.Parts[i].Vertices {
		own[l] = j.depths[l*m+i]
	}
	return discrete.WriteAt(p.dev, p.depths, i*stride, own)
}

// spread copies them to all other GPUs.
func (j *judge) spread(i int) error {
	p, m, bytes := j.parts[i], len(j.parts), 4*uint64(j.a.Stride)
	for k := 1; k < m; k++ {
		from := (i + k) % m
		off := uintptr(bytes) * uintptr(from)
		if err := p.s.CopyFrom(p.depths.Pointer()+off, j.parts[from].dev, j.parts[from].depths.Pointer()+off, bytes); err != nil {
			return err
		}
	}
	return nil
}

// look has a GPU look at its rows.
func (j *judge) look(i int) error {
	p, part, name := j.parts[i], &j.a.Parts[i], "judge_o32"
	if j.a.Wide {
		name = "judge_o64"
	}
	k, err := p.s.Kernel(image, name)
	if err != nil {
		return err
	}
	x := args{offsets: uint64(part.Offsets), targets: uint64(part.Targets), inOffsets: uint64(part.InOffsets), inTargets: uint64(part.InTargets),
		depths: uint64(p.depths.Pointer()), vertices: uint32(part.Vertices), base: uint32(i) * j.a.Stride, numbers: j.a.Stride * uint32(len(j.parts)), limit: j.limit}
	var done gpu.Ticket
	if x.post, err = p.s.Post(&done); err != nil {
		return err
	}
	var a gpu.Args
	gpu.Struct(&a, &x)
	if err := p.s.Launch(k, part.Vertices/(gpu.Block/32)+1, &a); err != nil {
		return err
	}
	p.mail, err = done.Wait()
	return err
}

// verdict sums up the GPUs' results.
func (j *judge) verdict(p *graph.Placed, sources []uint32) (v Verdict, err error) {
	distinct := slices.Clone(sources)
	slices.Sort(distinct)
	begun := uint64(0)
	for i, part := range j.parts {
		c := part.mail.Counts
		vertex := func(number uint64) uint32 { return j.a.Vertex(uint32(number - 1)) }
		switch {
		case c[5] > 0:
			return v, fmt.Errorf("%w: %d targets on %s are no vertices", ErrWrong, c[5], part.s.Name())
		case c[2] > 0:
			u := vertex(c[6])
			return v, fmt.Errorf("%w: %d edges on %s lead down by more than a level, or to what wasn't reached: one from vertex %d at depth %d", ErrWrong, c[2], part.s.Name(), u, j.depths[u])
		case c[3] > 0:
			u := vertex(c[7])
			return v, fmt.Errorf("%w: %d vertices on %s have no in-neighbor one level above: one is vertex %d at depth %d", ErrWrong, c[3], part.s.Name(), u, j.depths[u])
		}
		v.Reached += c[0]
		v.Edges += c[1]
		begun += c[4]
		h := j.hash(p.Graph().IDs(), i)
		v.Hash += h
		v.Hashes = append(v.Hashes, h)
	}
	if want := uint64(len(slices.Compact(distinct))); begun != want {
		return v, fmt.Errorf("%w: %d vertices have depth 0; there are %d sources", ErrWrong, begun, want)
	}
	return v, nil
}

// hash returns the sum over the vertices of a GPU.
func (j *judge) hash(ids *graph.IDs, part int) uint64 {
	m, n := len(j.parts), j.a.Parts[part].Vertices
	sums := make([]uint64, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for w := range sums {
		wait.Go(func() {
			sum := uint64(0)
			for l := n * w / len(sums); l < n*(w+1)/len(sums); l++ {
				v := uint32(l*m + part)
				sum += mix(uint64(ids.Rank(v))<<32 | uint64(uint32(j.depths[v])))
			}
			sums[w] = sum
		})
	}
	wait.Wait()
	all := uint64(0)
	for _, s := range sums {
		all += s
	}
	return all
}

// mix is the mixer of SplitMix64.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (j *judge) free() error {
	errs := make([]error, 0, 2*len(j.parts))
	for _, p := range j.parts {
		errs = append(errs, p.s.Wait())
	}
	for _, p := range j.parts {
		if p.depths != nil {
			errs = append(errs, p.depths.Close())
		}
		errs = append(errs, p.s.Close())
	}
	return errors.Join(errs...)
}
