// This file holds launches: the shape of one, a kernel's arguments, and putting
// both into a stream without allocating.

package driver

import (
	"fmt"
	"math"
	"unsafe"
)

// Dim is a number of blocks or threads in up to three directions; a zero Y or
// Z counts as 1.
type Dim struct{ X, Y, Z uint32 }

// Config is the shape of a launch.
type Config struct {
	Grid        Dim    // blocks
	Block       Dim    // threads of a block
	Cluster     Dim    // blocks of a cluster, dividing the grid; X is 0 without clusters
	Shared      uint32 // bytes of dynamic shared memory per block
	Cooperative bool   // all blocks run at once and may wait for each other
}

func (d *Dim) fill() {
	d.Y, d.Z = max(d.Y, 1), max(d.Z, 1)
}

func (c *Config) fill(f *Function) error {
	c.Grid.fill()
	c.Block.fill()
	if c.Cluster.X != 0 {
		c.Cluster.fill()
	}
	if c.Grid.X == 0 || c.Block.X == 0 {
		return fmt.Errorf("cuda: launch of %s: %w: without blocks or threads", c.text(f), ErrInvalid)
	}
	return nil
}

// text describes the launch for errors.
func (c *Config) text(f *Function) string {
	s := fmt.Sprintf("%s, grid %dx%dx%d, block %dx%dx%d, %d bytes of shared memory", f.name,
		c.Grid.X, c.Grid.Y, c.Grid.Z, c.Block.X, c.Block.Y, c.Block.Z, c.Shared)
	if c.Cluster.X != 0 {
		s += fmt.Sprintf(", cluster %dx%dx%d", c.Cluster.X, c.Cluster.Y, c.Cluster.Z)
	}
	if c.Cooperative {
		s += ", cooperative"
	}
	return s
}

// The most that a kernel here can take: arguments, and words of 8 bytes of all
// of them together, which is the driver's own limit.
const (
	MaxArgs  = 48
	argWords = 4096 / 8
)

// Args holds a kernel's arguments, in the order of its parameters. One is made
// once and used for any number of launches: the driver copies the values at
// each. It isn't safe for concurrent use and must not be copied. The zero value
// has no arguments.
type Args struct {
	slots [argWords]uint64
	ptrs  [MaxArgs]unsafe.Pointer // each at its slots, as the driver wants them
	at    [MaxArgs]uint16         // the same as numbers of slots
	n     int
	used  int    // slots; past argWords for too much
	cfg   Config // of the launch under way: the driver reads it, so it must be on the heap
	_     noCopy
}

// NewArgs returns an empty list of arguments.
func NewArgs() *Args { return new(Args) }

// Reset empties the list.
func (a *Args) Reset() *Args {
	a.n, a.used = 0, 0
	return a
}

// Len is the number of arguments.
func (a *Args) Len() int { return a.n }

// room reserves an argument of that many bytes and returns its place; nil if
// there are too many arguments, which a launch refuses.
func (a *Args) room(bytes uintptr) unsafe.Pointer {
	words := int((bytes + 7) / 8)
	a.n++
	if a.n > MaxArgs || words > argWords-a.used {
		a.used = argWords + 1
		return nil
	}
	p := unsafe.Pointer(&a.slots[a.used])
	a.ptrs[a.n-1], a.at[a.n-1] = p, uint16(a.used)
	a.used += words
	return p
}

func (a *Args) add(v uint64) *Args {
	if p := a.room(8); p != nil {
		*(*uint64)(p) = v
	}
	return a
}

// Struct appends a copy of a structure of Go types laid out as the
// kernel's: fixed-size integers and floats, and arrays and structures of them.
// Structures of size zero can't be parameters.
func Struct[T any](a *Args, v *T) {
	if size := unsafe.Sizeof(*v); size > 0 {
		if p := a.room(size); p != nil {
			*(*T)(p) = *v
		}
	}
}

// zeros are the parameters that have no argument.
var zeros [argWords]uint64

// ready points parameters that have no argument at zeros, so that a kernel with
// more of them than arguments reads no other memory.
func (a *Args) ready() {
	for i := a.n; i < MaxArgs && a.ptrs[i] != unsafe.Pointer(&zeros); i++ {
		a.ptrs[i] = unsafe.Pointer(&zeros) // those behind are as they were left
	}
}

// Ptr appends an address.
func (a *Args) Ptr(p Ptr) *Args { return a.add(uint64(p)) }

// U32 appends a uint32_t.
func (a *Args) U32(v uint32) *Args { return a.add(uint64(v)) }

// I32 appends an int32_t.
func (a *Args) I32(v int32) *Args { return a.add(uint64(uint32(v))) }

// U64 appends a uint64_t.
func (a *Args) U64(v uint64) *Args { return a.add(v) }

// I64 appends an int64_t.
func (a *Args) I64(v int64) *Args { return a.add(uint64(v)) }

// F32 appends a float.
func (a *Args) F32(v float32) *Args { return a.add(uint64(math.Float32bits(v))) }

// F64 appends a double.
func (a *Args) F64(v float64) *Args { return a.add(math.Float64bits(v)) }

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Launch enqueues a kernel. args may be nil for a kernel without parameters.
// They must match the kernel's own; neither side can check that. Launch returns
// its own errors at once; a later call returns the kernel's. It
// doesn't allocate.
func (s *Stream) Launch(f *Function, c Config, args *Args) error {
	if args == nil {
		if s.none == nil {
			s.none = NewArgs()
		}
		args = s.none
	}
	if err := c.fill(f); err != nil {
		return err
	}
	if f.m.h == 0 || args.used > argWords || f.m.ctx != s.ctx {
		return s.refuse(f, args)
	}
	args.ready()
	var r Code
	call := "cuLaunchKernel"
	if c.Cluster.X != 0 {
		call = "cuLaunchKernelEx"
		if err := s.ctx.checkClusters(f); err != nil {
			return err
		}
	} else if c.Cooperative {
		call = "cuLaunchCooperativeKernel"
	}
	if err := s.enter(); err != nil {
		return err
	}
	args.cfg = c
	switch {
	case c.Cluster.X != 0:
		r = s.ctx.drv.launchCluster(f.h, &args.cfg, s.h, args)
	case c.Cooperative:
		r = s.ctx.drv.launchCooperative(f.h, &args.cfg, s.h, args)
	default:
		r = s.ctx.drv.launch(f.h, &args.cfg, s.h, args)
	}
	s.leave()
	if r != codeOK {
		return s.ctx.fail(call, r, c.text(f)+" on "+s.ctx.dev.String())
	}
	return nil
}

// refuse returns why a launch is invalid, or nil.
func (s *Stream) refuse(f *Function, args *Args) error {
	switch {
	case f.m.h == 0:
		return fmt.Errorf("cuda: launch of %s: its module is %w", f.name, ErrClosed)
	case args.n > MaxArgs:
		return fmt.Errorf("cuda: launch of %s: %w: %d arguments, at most %d", f.name, ErrInvalid, args.n, MaxArgs)
	case args.used > argWords:
		return fmt.Errorf("cuda: launch of %s: %w: arguments of more than %d bytes", f.name, ErrInvalid, 8*argWords)
	}
	return fmt.Errorf("cuda: launch of %s: %w: its module is another context's", f.name, ErrInvalid)
}

func (c *Context) checkClusters(f *Function) error {
	switch {
	case c.dev.Clusters:
		return nil
	case !c.dev.clusterLaunch:
		return fmt.Errorf("cuda: clusters for %s: %w: driver too old: it offers CUDA %v, and lacks cuLaunchKernelEx", f.name, ErrNotSupported, c.dev.Driver)
	}
	return fmt.Errorf("cuda: clusters for %s: %w by %v of compute capability %d.%d", f.name, ErrNotSupported, c.dev, c.dev.Major, c.dev.Minor)
}

// bytesOf is the memory of words as bytes.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}
