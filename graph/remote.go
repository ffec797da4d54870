// This file holds Remote, a graph's arrays in the memory of a device that the
// host can't address, and their upload.

package graph

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/tuning"
)

// Remote is where a placed graph's arrays are on a device whose memory the
// host can't address. All are the placed graph's own.
type Remote struct {
	// Wide says that offsets are 64 bits wide; else they are 32.
	Wide bool
	// Offsets (n+1 entries) and Targets (32 bits each) are those of Graph.Out.
	Offsets, Targets uintptr
	// InOffsets and InTargets are those of Graph.In: the same where the graph is
	// symmetric, 0 where there is no reverse.
	InOffsets, InTargets uintptr
	// Bytes is what they take, with those of RemotePrepared once they are there;
	// Elapsed is what the upload took.
	Bytes   uint64
	Elapsed time.Duration

	mem []device.Memory
}

// Remote returns where the graph's arrays are, or nil on a device whose memory
// the host can address.
func (p *Placed) Remote() *Remote { return p.remote }

// RemotePrepared is Prepared on such a device.
type RemotePrepared struct {
	*Prepared
	First uintptr // 32 bits a vertex
	None  uintptr // a bit a vertex, in words of 64 bits
	// Bytes is what both take, Elapsed what the upload took.
	Bytes   uint64
	Elapsed time.Duration
}

// PrepareRemote is Prepare, with the arrays uploaded. It returns nil where the
// graph has no reverse or isn't on such a device. The error is the device's, or
// device.ErrClosed once the placed graph was freed.
func (p *Placed) PrepareRemote() (*RemotePrepared, error) {
	if p.remote == nil {
		return nil, nil
	}
	if err := p.Enter(); err != nil {
		return nil, err
	}
	defer p.Leave()
	prep := p.Prepare()
	if prep == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remotePrep != nil {
		return p.remotePrep, nil
	}
	start := time.Now()
	r := &RemotePrepared{Prepared: prep}
	u, kept, bytes := p.dev.(device.Uploader), len(p.remote.mem), p.remote.Bytes
	first, err := upload(u, p.remote, prep.First)
	none := uintptr(0)
	if err == nil {
		none, err = upload(u, p.remote, prep.NoIn)
	}
	if err != nil { // the graph may be searched without, or again later
		for _, m := range p.remote.mem[kept:] {
			err = errors.Join(err, m.Free())
		}
		p.remote.mem, p.remote.Bytes = p.remote.mem[:kept], bytes
		return nil, err
	}
	r.First, r.None = first, none
	r.Bytes = uint64(len(prep.First))*4 + uint64(len(prep.NoIn))*8
	r.Elapsed = time.Since(start)
	p.remotePrep = r
	return r, nil
}

// RemoteParts are arrays that are on a device already, as Remote and
// RemotePrepared have them.
type RemoteParts struct {
	Offsets, Targets     device.Memory // offsets of 64 bits where there are 2^32-4096 edges or more
	InOffsets, InTargets device.Memory // nil where the graph is symmetric, or has no reverse
	First, None          device.Memory // nil: they are uploaded when they are wanted
}

// Adopt is On for a graph whose arrays are on the device already, which the
// placed graph takes over, whether or not there is an error. That they are those
// of the graph is taken on trust. Errors are those of On.
func (g *Graph) Adopt(dev device.Uploader, parts RemoteParts) (*Placed, error) {
	r := &Remote{}
	for _, m := range []device.Memory{parts.Offsets, parts.Targets, parts.InOffsets, parts.InTargets, parts.First, parts.None} {
		if m != nil {
			r.mem = append(r.mem, m)
		}
	}
	fail := func(err error) (*Placed, error) { return nil, errors.Join(err, r.free()) }
	if g == nil || dev == nil {
		return fail(fmt.Errorf("placing: %w", ErrNoGraph))
	}
	separate := g.in != nil && g.in != g.out
	if parts.Offsets == nil || parts.Targets == nil || separate != (parts.InOffsets != nil) || separate != (parts.InTargets != nil) ||
		(parts.First == nil) != (parts.None == nil) || parts.First != nil && g.in == nil {
		return fail(fmt.Errorf("%w: arrays of another form of graph", ErrMalformed))
	}
	if err := g.enter(); err != nil {
		return fail(err)
	}
	r.Wide = wide(g.out)
	r.Bytes = remoteCSR(g.out, r.Wide)
	if separate {
		r.Bytes += remoteCSR(g.in, r.Wide)
	}
	r.Offsets, r.Targets = parts.Offsets.Pointer(), parts.Targets.Pointer()
	switch {
	case separate:
		r.InOffsets, r.InTargets = parts.InOffsets.Pointer(), parts.InTargets.Pointer()
	case g.in != nil:
		r.InOffsets, r.InTargets = r.Offsets, r.Targets
	}
	p := newPlaced(g, dev)
	p.remote = r
	if parts.First != nil {
		prep := p.Prepare()
		p.remotePrep = &RemotePrepared{Prepared: prep, First: parts.First.Pointer(), None: parts.None.Pointer(),
			Bytes: uint64(len(prep.First))*4 + uint64(len(prep.NoIn))*8}
	}
	return p, nil
}

// wide reports whether offsets need 64 bits. Kernels look a little past the end
// of a row, and that must not wrap around.
func wide(c *CSR) bool { return c.NumEdges() > math.MaxUint32-1<<12 || tuning.WideOffsets }

// RemoteBytes returns what a graph takes on a device whose memory the host
// can't address (a GPU): its rows, and what pulls need where it has its reverse,
// but not what each search takes. On refuses a device that has less free.
func (g *Graph) RemoteBytes() uint64 {
	bytes := remoteCSR(g.out, wide(g.out))
	if g.in != nil && g.in != g.out {
		bytes += remoteCSR(g.in, wide(g.out))
	}
	if g.in != nil { // Prepared
		n := uint64(g.NumVertices())
		bytes += 4*n + (n+63)/64*8
	}
	return bytes
}

// RemoteWide reports whether offsets are 64 bits wide there: Remote.Wide.
func (g *Graph) RemoteWide() bool { return wide(g.out) }

func remoteCSR(c *CSR, wide bool) uint64 {
	width := uint64(4)
	if wide {
		width = 8
	}
	return (uint64(c.NumVertices())+1)*width + 4*c.NumEdges()
}

// place uploads the graph, after a look at whether it fits.
func (g *Graph) place(u device.Uploader) (*Remote, error) {
	info, need := u.Info(), g.RemoteBytes()
	if info.MemoryFree > 0 && need > info.MemoryFree {
		return nil, fmt.Errorf("%w: placing the graph on %s takes about %s, of which %s are free there", noDeviceMemory{}, info.Name, text.Bytes(need), text.Bytes(info.MemoryFree))
	}
	start := time.Now()
	r := &Remote{Wide: wide(g.out)}
	err := r.csr(u, g.out, &r.Offsets, &r.Targets)
	switch {
	case err != nil:
	case g.in == g.out:
		r.InOffsets, r.InTargets = r.Offsets, r.Targets
	case g.in != nil:
		err = r.csr(u, g.in, &r.InOffsets, &r.InTargets)
	}
	if err != nil {
		r.free()
		return nil, fmt.Errorf("graph: placing it on %s: %w", info.Name, err)
	}
	r.Elapsed = time.Since(start)
	return r, nil
}

func (r *Remote) csr(u device.Uploader, c *CSR, offsets, targets *uintptr) (err error) {
	if r.Wide {
		*offsets, err = upload(u, r, c.Offsets)
	} else {
		*offsets, err = uploadBy(u, r, uint64(len(c.Offsets))*4, func(at uint64, part []byte) {
			to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4)
			for i, x := range c.Offsets[at/4:][:len(to)] {
				to[i] = uint32(x)
			}
		})
	}
	if err != nil {
		return err
	}
	*targets, err = upload(u, r, c.Targets)
	return err
}

func upload[T uint32 | uint64](u device.Uploader, r *Remote, a []T) (uintptr, error) {
	var zero T
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), len(a)*int(unsafe.Sizeof(zero)))
	return uploadBy(u, r, uint64(len(raw)), func(at uint64, part []byte) { copy(part, raw[at:]) })
}

func uploadBy(u device.Uploader, r *Remote, bytes uint64, fill func(at uint64, part []byte)) (uintptr, error) {
	mem, err := u.Alloc(max(bytes, 16))
	if err != nil {
		return 0, err
	}
	r.mem = append(r.mem, mem)
	r.Bytes += bytes
	if bytes == 0 {
		return mem.Pointer(), nil
	}
	return mem.Pointer(), u.Upload(mem, bytes, fill)
}

func (r *Remote) free() (err error) {
	for _, m := range r.mem {
		if e := m.Free(); err == nil {
			err = e
		}
	}
	r.mem = nil
	return err
}
