// This file holds how a GPU counts triangles of an undirected graph: in rows up to the vertex
// itself, and in a bit matrix of the hubs.

package intersect

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// triangleArgs are the arguments of the kernels (oriented.cuh).
type triangleArgs struct {
	g                  step.CsrArgs
	bounds, tasks      uint64
	bits, twins, twice uint64
	order              uint64
	wide, narrow       uint64
	count              uint64
	hubs, least        uint32
	post               gpu.Post
}

// orientedGPU is what the kernels need to know of a placed graph.
type orientedGPU struct {
	bounds, tasks *device.Buffer[uint64]
	bits          *device.Buffer[uint32]
	order, rows   *device.Buffer[uint32] // where rows are made, of vertices by degree
	args          triangleArgs
	edges         uint64
	width         string // the end of kernels' names
}

// Close gives the memory back.
func (o *orientedGPU) Close() error {
	return errors.Join(o.bounds.Close(), o.tasks.Close(), o.bits.Close(), o.order.Close(), o.rows.Close())
}

// orientedOnGPU returns what is made once of a placed graph; nil where the graph isn't one whose
// triangles can be counted so.
func orientedOnGPU(p *graph.Placed, s *gpu.Stream) (*orientedGPU, error) {
	if p.Graph().NumDirectedEdges() == 0 {
		return nil, nil
	}
	if ok, err := orientable(context.Background(), p); !ok {
		return nil, err
	}
	return placed.LoadOrMake(p.State(), orientedKey[*orientedGPU]{}, func() (*orientedGPU, error) {
		o := &orientedGPU{}
		if err := o.make(p, s); err != nil {
			return nil, errors.Join(err, o.Close())
		}
		return o, nil
	})
}

// boundWords is how many words of 64 bits the bounds of a row are.
func boundWords(wide bool) int {
	if wide {
		return 2
	}
	return 1
}

// longTasks is how many tasks the long rows are at most, where rows up to the vertex itself have
// so many edges in all.
func longTasks(edges uint64) uint64 {
	return edges/uint64(tuning.LongRow) + edges/devicePartRow + 1
}

// orientedBytesOnGPU is what bounds, tasks and bit rows take at most.
func orientedBytesOnGPU(n int, edges uint64, twice bool) uint64 {
	bits := min(uint64(mostHubBytes), 4*deviceBits(uint32(min(n, tuning.MostHubs))), 4*deviceSparse*edges/2)
	if twice {
		bits *= 2
	}
	ranked := 8*uint64(n) + 8*edges/2 + 4*degreeClasses                                              // while they are made; half of it stays
	return uint64(8*boundWords(placed.Wide(edges))*n) + 8*longTasks(edges/2) + bits + ranked + 9*256 // as each is rounded up
}

func (o *orientedGPU) make(p *graph.Placed, s *gpu.Stream) (err error) {
	d, n, wide := p.Device(), p.NumVertices(), p.Remote().Wide
	if o.bounds, err = device.NewBuffer[uint64](d, n*boundWords(wide)); err != nil {
		return err
	}
	if o.tasks, err = device.NewBuffer[uint64](d, int(longTasks(p.Graph().NumDirectedEdges()/2))); err != nil {
		return err
	}
	o.width = p.Remote().Width()
	o.args = triangleArgs{g: step.Out(p), bounds: uint64(o.bounds.Pointer()), tasks: uint64(o.tasks.Pointer()), least: uint32(tuning.LongRow)}
	j := trianglesGPU{s: s, o: o, call: o.args}
	var t gpu.Ticket
	if j.call.post, err = s.Post(&t); err != nil {
		return err
	}
	if err := j.launch("orient", uint64(n)/triangleBlock+1); err != nil {
		return err
	}
	mail, err := t.Wait()
	if err != nil {
		return err
	}
	o.edges, o.args.count = mail.Tail, mail.Counts[6]
	if p.Graph().Order() != graph.OrderDegree && mail.Visited > tuning.MostStreamed*mail.Tail {
		if err := o.rank(p, s); err != nil {
			return err
		}
	}
	bounds := make([]uint64, min(n, tuning.MostHubs)*boundWords(wide))
	if err := o.bounds.Read(d, 0, bounds); err != nil {
		return err
	}
	o.args.hubs = deviceHubs(bounds, wide, hubBytes(d))
	if o.bits, err = device.NewBuffer[uint32](d, int(deviceBits(o.args.hubs))); err != nil {
		return err
	}
	o.args.bits = uint64(o.bits.Pointer())
	j = trianglesGPU{s: s, o: o, call: o.args}
	if err := j.launch("fill_bits", uint64(o.args.hubs)/(triangleBlock/32)+1); err != nil {
		return err
	}
	return s.Sync()
}

// deviceBits is how many words of 32 bits the bit rows of so many hubs have: sectors of 256 bits, up to
// that of the hub itself.
func deviceBits(hubs uint32) uint64 {
	sector := uint64(hubs >> 8)
	return 8 * (sector + 1) * (128*sector + uint64(hubs&255))
}

// hubBytes is what bit rows may take of a GPU's memory.
func hubBytes(d device.Device) uint64 {
	return min(uint64(mostHubBytes), d.Info().MemoryFree/4)
}

// deviceHubs returns how many of the first vertices get a bit row: as many as keep the rows within the
// bounds of tuning.go.
func deviceHubs(bounds []uint64, wide bool, most uint64) (hubs uint32) {
	entries := uint64(0)
	step := boundWords(wide)
	for v := range uint32(len(bounds) / step) {
		if b := bounds[int(v)*step:]; wide {
			entries += b[1] - b[0]
		} else {
			entries += b[0]>>32 - b[0]&(1<<32-1)
		}
		words := deviceBits(v + 1)
		if 4*words > most {
			break
		}
		if entries*deviceSparse >= words {
			hubs = v + 1
		}
	}
	return hubs
}

// trianglesGPU is one count.
type trianglesGPU struct {
	o     *orientedGPU
	s     *gpu.Stream
	each  uint64 // how often a triangle counts in all
	call  triangleArgs
	args  gpu.Args
	twins *device.Buffer[uint32] // bit rows of the edges that count twice
}

// asks reports whether a functor and options ask for triangles, and notes where they are counted.
func (j *trianglesGPU) asks(o Options, f Functor) bool {
	if o.From != nil || !o.Ascending && !o.Triangles {
		return false
	}
	j.each, j.call = 1, triangleArgs{}
	switch f := f.(type) {
	case *count:
		return o.Triangles && f.perEdge == nil
	case *corners:
		j.call.narrow = uint64(f.perVertex.Pointer())
		return o.Triangles
	case *opposite:
		// Without Triangles each of a triangle's edges has the third vertex in common.
		j.call.wide, j.call.twice, j.each = uint64(f.perVertex.Pointer()), uint64(f.twice.Pointer()), 3
		return !o.Triangles
	}
	return false
}

// run enqueues what was asked for.
func (j *trianglesGPU) run(s *gpu.Stream, o *orientedGPU, t *gpu.Ticket) error {
	wide, narrow, twice := j.call.wide, j.call.narrow, j.call.twice
	j.s, j.o, j.call = s, o, o.args
	j.call.wide, j.call.narrow, j.call.twice = wide, narrow, twice
	mode := "_inall"
	switch {
	case twice != 0:
		mode = "_twice"
		if err := j.fillTwins(); err != nil {
			return err
		}
	case wide != 0 || narrow != 0:
		mode = "_at"
	}
	post, err := s.Post(t)
	if err != nil {
		return err
	}
	j.call.post = post
	if o.args.count > 0 {
		j.call.post.Mail = 0 // the last kernel reports
		if err := j.launch("long"+mode, o.args.count); err != nil {
			return err
		}
		j.call.post = post
	}
	return j.launch("short"+mode, uint64(o.args.g.N)/triangleBlock+1)
}

func (j *trianglesGPU) launch(name string, blocks uint64) error {
	k, err := j.s.KernelOf(trianglesImage, name+j.o.width, triangleBlock)
	if err != nil {
		return err
	}
	j.args.Reset()
	gpu.Struct(&j.args, &j.call)
	return j.s.Launch(k, int(min(blocks, 1<<30)), &j.args)
}

// fillTwins fills the bit rows of the edges that count twice.
func (j *trianglesGPU) fillTwins() (err error) {
	words := deviceBits(j.o.args.hubs)
	if uint64(j.twins.Len()) >= words && j.twins != nil {
		err = j.s.Fill(j.twins.Pointer(), 0, words)
	} else {
		err = errors.Join(j.close())
		if err == nil {
			j.twins, err = device.NewBuffer[uint32](j.s.Device(), int(words))
		}
	}
	if err != nil {
		return err
	}
	j.call.twins = uint64(j.twins.Pointer())
	return j.launch("fill_bits", uint64(j.o.args.hubs)/(triangleBlock/32)+1)
}

func (j *trianglesGPU) close() error {
	err := j.twins.Close()
	j.twins = nil
	return err
}
