// This file holds the conversion between queue and bitmap on a GPU.

package front

import (
	"math"
	"slices"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/gpu"
)

// tileBits is how many entries or bits a block looks at at a time (kTile of
// tiles.cuh).
const tileBits = 8 * gpu.Block

// addsMost is how many vertices Add keeps host memory for, as a bound on memory: few are added to a frontier
// that a search begins with.
const addsMost = 4096

// Slack is how many entries a queue's buffer has beyond its capacity, so that an operator may
// write a tile past the end before it knows how much of it counts.
const Slack = 1 << 13

// convertArgs are the arguments of the kernels (convert.cu).
type convertArgs struct {
	items, words, tiles uint64
	out                 RemoteQueue
	post                gpu.Post
	count, n            uint32
}

// scanArgs are the arguments of scan_tiles.
type scanArgs struct {
	tiles uint64
	count uint32
	_     uint32
	post  gpu.Post
}

// remoteConverter is what a conversion on a GPU needs.
type remoteConverter struct {
	args  gpu.Args
	conv  convertArgs
	scan  scanArgs
	tiles *device.Buffer[uint64]
	spare gpu.Ticket
}

func (r *Remote) kernel(s *gpu.Stream, op string) (*gpu.Kernel, error) {
	return s.Kernel(image, op+r.graph.Width())
}

// Convert gives the frontier the other form.
func (r *Remote) Convert(s *gpu.Stream, form Form, ordered bool) error {
	if form == Bitmap {
		return r.toBitmap(s)
	}
	return r.toQueue(s, ordered)
}

func (r *Remote) toBitmap(s *gpu.Stream) error {
	f, c := r.f, &r.conv
	count, _, err := r.Count()
	if err != nil {
		return err
	}
	items := r.Queue().Items
	if err := f.clearWords(s); err != nil {
		return err
	}
	f.Form = Bitmap
	if count == 0 {
		r.Set(0, 0)
		return nil
	}
	k, err := r.kernel(s, "convert_mark")
	if err != nil {
		return err
	}
	c.conv = convertArgs{items: items, words: r.Words(), out: r.Queue(), count: uint32(count), n: uint32(f.N)}
	if c.conv.post, err = s.Post(&r.ticket); err != nil {
		return err
	}
	if err := r.launch(s, k, (count+gpu.Block-1)/gpu.Block); err != nil {
		return err
	}
	r.Expect()
	return nil
}

// toQueue lists the vertices of the bitmap: ascending, by a full scan, or in
// no order, by one pass.
func (r *Remote) toQueue(s *gpu.Stream, ordered bool) error {
	f, c := r.f, &r.conv
	if err := r.Grow(f.N); err != nil {
		return err
	}
	f.Form = Queue
	if f.N == 0 {
		r.Set(0, 0)
		return nil
	}
	r.plain = false
	c.conv = convertArgs{words: r.Words(), out: r.Queue(), n: uint32(f.N)}
	if !ordered {
		k, err := r.kernel(s, "convert_emit")
		if err != nil {
			return err
		}
		if c.conv.post, err = s.Post(&r.ticket); err != nil {
			return err
		}
		if err := r.launch(s, k, ((f.N+31)/32+gpu.Block-1)/gpu.Block); err != nil {
			return err
		}
		r.Expect()
		return nil
	}
	tiles, err := r.tiles(f.N)
	if err != nil {
		return err
	}
	c.conv.tiles = uint64(c.tiles.Pointer())
	k, err := r.kernel(s, "convert_count")
	if err != nil {
		return err
	}
	if err := r.launch(s, k, tiles); err != nil {
		return err
	}
	if err := r.Scan(s, c.tiles, tiles, &r.ticket); err != nil {
		return err
	}
	r.Expect()
	if k, err = r.kernel(s, "convert_list"); err != nil {
		return err
	}
	return r.launch(s, k, tiles)
}

// tiles makes room for the sums of the tiles of n entries and returns their
// number.
func (r *Remote) tiles(n int) (int, error) {
	c, tiles := &r.conv, (n+tileBits-1)/tileBits
	if c.tiles.Len() < tiles {
		if err := c.tiles.Close(); err != nil {
			return 0, err
		}
		b, err := device.NewBuffer[uint64](r.dev, max(tiles, (r.f.N+tileBits-1)/tileBits)) // for most of those to come, too
		if err != nil {
			return 0, err
		}
		c.tiles = b
	}
	return tiles, nil
}

// measure adds up the degrees of a queue's entries and writes its edge prefix.
func (r *Remote) measure(s *gpu.Stream, entries int) (uint64, error) {
	c := &r.conv
	tiles, err := r.tiles(entries)
	if err != nil {
		return 0, err
	}
	q := r.Queue()
	c.conv = convertArgs{items: q.Items, out: q, tiles: uint64(c.tiles.Pointer()), count: uint32(entries), n: uint32(r.f.N)}
	k, err := r.kernel(s, "convert_degrees")
	if err != nil {
		return 0, err
	}
	if err := r.launch(s, k, tiles); err != nil {
		return 0, err
	}
	if err := r.Scan(s, c.tiles, tiles, &c.spare); err != nil {
		return 0, err
	}
	if k, err = r.kernel(s, "convert_prefix"); err != nil {
		return 0, err
	}
	c.args.Reset()
	gpu.Struct(&c.args, &c.conv)
	if err := s.Launch(k, tiles, &c.args); err != nil {
		return 0, err
	}
	mail, err := c.spare.Wait()
	if err != nil {
		return 0, err
	}
	r.Set(entries, mail.Tail)
	// A narrow prefix can't hold the edges of a list that has more of them than
	// the graph.
	r.plain = !r.graph.Wide && mail.Tail > math.MaxUint32
	return mail.Tail, nil
}

// Scan enqueues the scan over the sums of tiles, whose total is reported to the
// ticket.
func (r *Remote) Scan(s *gpu.Stream, tiles *device.Buffer[uint64], count int, t *gpu.Ticket) error {
	k, err := s.Kernel(image, "scan_tiles")
	if err != nil {
		return err
	}
	c := &r.conv
	c.scan = scanArgs{tiles: uint64(tiles.Pointer()), count: uint32(count)}
	if c.scan.post, err = s.Post(t); err != nil {
		return err
	}
	c.args.Reset()
	gpu.Struct(&c.args, &c.scan.tiles)
	gpu.Struct(&c.args, &c.scan.count)
	gpu.Struct(&c.args, &c.scan.post)
	return s.Launch(k, 1, &c.args)
}

func (r *Remote) launch(s *gpu.Stream, k *gpu.Kernel, blocks int) error {
	c := &r.conv
	c.args.Reset()
	gpu.Struct(&c.args, &c.conv)
	return s.Launch(k, blocks, &c.args)
}

// clearWords enqueues the clearing of the bitmap, which it allocates first
// where it isn't there.
func (f *State) clearWords(s *gpu.Stream) error {
	if f.Bits == nil {
		return f.NeedBits()
	}
	return s.Fill(f.Bits.Pointer(), 0, uint64(f.Words())*2)
}

// Read copies the entries out.
func (r *Remote) Read() ([]uint32, error) {
	n, _, err := r.Count()
	if err != nil || n == 0 {
		return nil, err
	}
	f := r.f
	if err := r.dev.Sync(); err != nil {
		return nil, err
	}
	if f.Form == Queue {
		vs := make([]uint32, n)
		return vs, f.List.Read(r.dev, 0, vs)
	}
	words := make([]uint64, f.Words())
	if err := f.Bits.Read(r.dev, 0, words); err != nil {
		return nil, err
	}
	return ListWords(words, n), nil
}

// Add appends vertices that are the graph's.
func (r *Remote) Add(vs []uint32) error {
	f := r.f
	n, edges, err := r.Count()
	if err != nil {
		return err
	}
	if f.Form == Bitmap {
		words := make([]uint64, f.Words())
		if err := r.dev.Sync(); err != nil {
			return err
		}
		if err := f.Bits.Read(r.dev, 0, words); err != nil {
			return err
		}
		for _, v := range vs {
			if words[v>>6]>>(v&63)&1 == 0 {
				words[v>>6] |= 1 << (v & 63)
				n++
				edges += r.degree(v)
			}
		}
		r.Set(n, edges)
		return f.Bits.Write(r.dev, 0, words)
	}
	if n+len(vs) > r.room {
		old, err := r.Read()
		if err != nil {
			return err
		}
		if err := r.Grow(max(n+len(vs), 2*n)); err != nil {
			return err
		}
		vs = append(old, vs...)
		n, edges = 0, 0
	}
	// An operator may still read what is overwritten.
	if err := r.dev.Sync(); err != nil {
		return err
	}
	r.plain, r.list = r.plain && n > 0, true
	// Writes have copied what is here when they return.
	prefix := slices.Grow(r.sums[:0], len(vs))[:len(vs)]
	if len(vs) <= addsMost {
		r.sums = prefix
	}
	sum := edges
	for i, v := range vs {
		prefix[i] = sum
		sum += r.degree(v)
	}
	if err := f.List.Write(r.dev, n, vs); err != nil {
		return err
	}
	if err := r.writePrefix(n, prefix); err != nil {
		return err
	}
	stale := r.stale && n > 0
	r.Set(n+len(vs), sum)
	r.stale = stale
	r.plain = r.plain || !r.graph.Wide && sum > math.MaxUint32
	return nil
}

func (r *Remote) writePrefix(at int, prefix []uint64) error {
	if len(prefix) == 0 {
		return nil
	}
	if r.graph.Wide {
		return discrete.WriteAt(r.dev, r.prefix, at, prefix)
	}
	narrow := slices.Grow(r.narrow[:0], len(prefix))[:len(prefix)]
	if len(prefix) <= addsMost {
		r.narrow = narrow
	}
	for i, x := range prefix {
		narrow[i] = uint32(x)
	}
	return discrete.WriteAt(r.dev, r.prefix, at, narrow)
}
