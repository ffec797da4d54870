// This file holds the launches on a GPU.

package intersect

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/gpu"
)

// intersectArgs are the arguments of the kernels (choose.cuh).
type intersectArgs struct {
	g                  step.CsrArgs
	list, prefix, bits uint64
	tasks              uint64
	edges              uint64
	count, options     uint32
	strategy, _        uint32
	post               gpu.Post
}

var _ = [1]struct{}{}[unsafe.Sizeof(intersectArgs{})-104] // as choose.cuh says

// The options, as bits of the kernels (choose.cuh).
const (
	optionAscending = 1
	optionTriangles = 2
)

// onGPU is the part of an Intersector that launches kernels.
type onGPU struct {
	p      *graph.Placed
	g      *placed.Remote
	s      *gpu.Stream
	tasks  *device.Buffer[uint64]
	ticket gpu.Ticket
	ran    bool // the ticket belongs to a run
	call   intersectArgs
	params step.Params
	args   gpu.Args
	tri    trianglesGPU
	each   uint64 // where tri ran: how often a triangle counts; else 0
}

func (r *onGPU) bind(s device.Stream) bool {
	gs, err := gpu.StreamOf(s)
	if err != nil || gs.Device() != r.p.Device() {
		return false
	}
	r.s = gs
	return true
}

func (r *onGPU) err() error { return r.s.Err() }
func (*onGPU) remote() bool { return true }

func (r *onGPU) prepare() error {
	_, err := orientedOnGPU(r.p, r.s)
	return err
}

// takes asks for kernels.
func (r *onGPU) takes(f Functor) error {
	if _, ok := f.(kernelFunctor); !ok {
		return fmt.Errorf("intersect: %w: the functor %T has no kernels (Count, Corners and Opposite have), and the graph is on %s", device.ErrNotSupported, f, r.p.Device().Info().Name)
	}
	return nil
}

func (r *onGPU) run(o Options, asked Functor, strategy strategy) error {
	f := asked.(kernelFunctor) // see takes
	r.ran, r.each = false, 0
	if strategy == byLengths && r.tri.asks(o, asked) {
		rows, err := orientedOnGPU(r.p, r.s)
		if err != nil {
			return err
		}
		if rows != nil && (r.tri.call.twice == 0 || rows.order == nil) { // edges have other numbers in rows that were made
			r.each = r.tri.each
			err := r.tri.run(r.s, rows, &r.ticket)
			r.ran = err == nil
			return err
		}
	}
	n := r.p.NumVertices()
	r.call = intersectArgs{
		g:      step.Out(r.p),
		prefix: uint64(r.g.Offsets), count: uint32(n), edges: r.p.Graph().NumDirectedEdges(), strategy: uint32(strategy),
	}
	if o.Ascending || o.Triangles {
		r.call.options = optionAscending
	}
	if o.Triangles {
		r.call.options |= optionTriangles
	}
	switch {
	case o.From == nil:
	case o.From.Form() == frontier.Bitmap:
		r.call.bits = o.From.Remote().Words()
	default:
		count, edges, err := o.From.Remote().Measured(r.s, true)
		if err != nil {
			return err
		}
		if count > 0 && !o.From.Remote().HasPrefix() {
			return fmt.Errorf("intersect: %w: %d edges out of a queue are too many with offsets of 32 bits; drop its duplicates", device.ErrSize, edges)
		}
		q := o.From.Remote().Queue()
		r.call.list, r.call.prefix, r.call.count, r.call.edges = q.Items, q.Prefix, uint32(count), edges
	}
	if r.call.edges == 0 {
		return nil
	}
	tables, err := r.room(strategy)
	if err != nil {
		return err
	}
	post, err := r.s.Post(&r.ticket)
	if err != nil {
		return err
	}
	r.call.post = post
	if tables {
		r.call.post.Mail = 0 // the last kernel reports
	}
	image, name := f.Kernels()
	if err := r.launch(image, name+"_pairs", r.call.edges, f); err != nil {
		return err
	}
	if tables {
		if err := r.launch(ownImage(), "tasks", uint64(r.call.count), nil); err != nil {
			return err
		}
		r.call.post = post
		if err := r.launch(image, name+"_table", uint64(r.tasks.Len())*gpu.Block, f); err != nil {
			return err
		}
	}
	r.ran = true
	return nil
}

// room reports whether there may be rows that are worth a table, and makes room
// for the list of those.
func (r *onGPU) room(strategy strategy) (bool, error) {
	least := uint64(deviceRow)
	switch {
	case strategy == byMerge || strategy == bySearch:
		return false, nil
	case strategy == byTable:
		least = 1
	case r.p.State().MaxDegree() < least:
		return false, nil
	}
	// As many sources have so long a row, and each may begin a separate part.
	most := min(r.call.edges/least, uint64(r.call.count)) + r.call.edges/devicePart + 1
	if uint64(r.tasks.Len()) >= most {
		return true, nil
	}
	if err := r.tasks.Close(); err != nil {
		return false, err
	}
	var err error
	r.tasks, err = device.NewBuffer[uint64](r.s.Device(), int(most))
	return true, err
}

// launch enqueues a kernel that gives each item a thread.
func (r *onGPU) launch(image []byte, name string, items uint64, f kernelFunctor) error {
	k, err := r.s.Kernel(image, name+r.g.Width())
	if err != nil {
		return fmt.Errorf("intersect: %w", err)
	}
	r.call.tasks = uint64(r.tasks.Pointer())
	r.args.Reset()
	gpu.Struct(&r.args, &r.call)
	if f != nil {
		f.Params(&r.params)
		gpu.Struct(&r.args, &r.params)
	}
	return r.s.Launch(k, int(min((items+gpu.Block-1)/gpu.Block, 1<<30)), &r.args)
}

func (r *onGPU) totals() (edges, common uint64, err error) {
	if !r.ran {
		return 0, 0, nil
	}
	mail, err := r.ticket.Wait()
	if r.each > 0 {
		return r.tri.o.edges, r.each * mail.Tail, err
	}
	return mail.Visited, mail.Tail, err
}

func (r *onGPU) close() error {
	err := errors.Join(r.tasks.Close(), r.tri.close())
	r.tasks = nil
	return err
}

// ownImage is where the kernels are that no functor brings.
func ownImage() []byte { return image }
