// Package placed describes a graph in the memory of a GPU to operators and algorithms: the
// addresses of its arrays, its shards, and how rows are built there.
package placed

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/linked"
)

// Remote is where a placed graph's arrays are on a device whose memory the
// host can't address. All are the placed graph's own.
type Remote struct {
	// Wide says that offsets are 64 bits wide; else they are 32.
	Wide bool
	// Simple says that rows are known to ascend, without an entry twice and without self-loops.
	Simple bool
	// Offsets (n+1 entries) and Targets (32 bits each) are the rows of Graph.Out.
	Offsets, Targets uintptr
	// InOffsets and InTargets are the rows of Graph.In: the same arrays where the graph is
	// symmetric, 0 where there is no reverse.
	InOffsets, InTargets uintptr
	// Tiers is nil, except for a graph whose rows are in tiers.
	Tiers *Tiers
	// Shard is nil, except for a shard.
	Shard *ShardPlace
	// Bytes is what they take, with those of Prepared once they are there;
	// Elapsed is what the upload took.
	Bytes   uint64
	Elapsed time.Duration

	Mem []device.Memory // of all of them
}

// RemotePrepared is Prepared on such a device.
type RemotePrepared struct {
	// Candidates and Words are as in Prepared.
	Candidates, Words int
	First             uintptr // 32 bits a vertex
	None              uintptr // a bit a vertex, in words of 64 bits
	// Bytes is what both take, Elapsed what the upload took.
	Bytes   uint64
	Elapsed time.Duration
}

// Parts are arrays that are on a device already, as Remote and Prepared have
// them.
type Parts struct {
	Offsets, Targets     device.Memory // offsets of 64 bits where there are 2^32-4096 edges or more
	InOffsets, InTargets device.Memory // nil where the graph is symmetric, or has no reverse
	First, None          device.Memory // nil: they are uploaded when they are wanted
	Weights, InWeights   device.Memory // nil: likewise
	EdgeIDs, InEdgeIDs   device.Memory // nil: likewise
}

// Arrays returns all arrays that are there.
func (p *Parts) Arrays() (all []device.Memory) {
	for _, m := range []device.Memory{p.Offsets, p.Targets, p.InOffsets, p.InTargets, p.First, p.None, p.Weights, p.InWeights, p.EdgeIDs, p.InEdgeIDs} {
		if m != nil {
			all = append(all, m)
		}
	}
	return all
}

// Fetches counts how often the host fetched rows that were on a device alone: tests look at it.
var Fetches atomic.Int64

// Plan describes the rows that a Builder makes of so many pairs, source<<32 | target, of numbers below Space once
// Base is taken away from both.
type Plan struct {
	Pairs          uint64
	Space          int
	Base           uint32
	Directed       bool // a pair is an entry of its source's row alone
	Reverse        bool // of a directed graph too
	In             bool // of a directed graph degrees count in-edges too
	KeepSelfLoops  bool
	KeepDuplicates bool
	Weights        bool
	Raw            bool    // Map makes the pairs, and sets Space, which is an estimate before
	Others         uint64  // of the keys that Map gets then: those of vertices, behind two a pair
	EdgeIDs        bool    // edges have ids
	WideIDs        bool    // of which some may be 2^32 or more
	Batch          uint64  // pairs that the device gets at a time, then twice; 0: all, once
	Early          []Pairs // these the device has already; the Builder frees them
	Made           *Maker  // makes the pairs, and their weights; nil: Upload does
	Seen           bool    // numbers that pairs have are wanted, those of dropped self-loops too
	// Parallel edges, which KeepDuplicates keeps then, are combined: as graph.Combine says, 0 not at all, with weights
	// of a graph.WeightType.
	Combine, WeightType uint8
}

// WholeIDs reports whether ids of edges have 64 bits while rows are made; others have 32, in the place of
// weights.
func (p *Plan) WholeIDs() bool { return p.EdgeIDs && (p.WideIDs || p.Weights) }

// Extras reports whether edges have weights, or ids in their place: 32 bits each.
func (p *Plan) Extras() bool { return p.Weights || p.EdgeIDs && !p.WideIDs }

// Key returns how many bytes an entry has while rows are made.
func (p *Plan) Key() uint64 {
	switch {
	case p.WholeIDs():
		return 16
	case p.Extras():
		return 8
	}
	return 4
}

// Pairs are pairs that a device has, what Plan.Extras says, and ids if Plan.WholeIDs.
type Pairs struct {
	Pairs, Extras, IDs device.Memory
	Count              uint64
}

// Arrays returns all arrays that are there.
func (p *Pairs) Arrays() []device.Memory {
	return slices.DeleteFunc([]device.Memory{p.Pairs, p.Extras, p.IDs}, func(m device.Memory) bool { return m == nil })
}

// Close gives them back.
func (p *Pairs) Close() (err error) {
	for _, m := range p.Arrays() {
		err = errors.Join(err, m.Close())
	}
	return err
}

// Settled is what a Builder found. Degrees are by number, without what was dropped.
type Settled struct {
	Out, In               []uint32
	Seen                  []uint64 // a bit for each number
	SelfLoops, Duplicates uint64   // dropped; of an undirected graph both directions of a duplicate count
}

// ErrRowTooLong is of a row that has 2^32 entries or more, duplicates among them.
var ErrRowTooLong = errors.New("rows: a row with 2^32 entries or more")

// ErrNotFolded is of weights that float32 doesn't hold once they are combined, or of a row that is too long for it.
var ErrNotFolded = errors.New("rows: combined weights need the host")

// Settler is what Builder and ShardBuilder have in common.
type Settler interface {
	// Upload fills in the pairs, if Map didn't, but for those that the device has already, what Plan.Extras
	// says, as float32 or uint32, and ids if Plan.WholeIDs: as discrete.Device calls fill. It isn't called where
	// the plan says who makes them. In batches Settle calls them.
	Upload(pairs, extras, ids func(at uint64, part []byte)) error
	// Settle makes the rows of the numbers, sorted, without what is to be dropped.
	Settle() (Settled, error)
	// Close gives back what wasn't handed over.
	Close() error
}

// Builder makes rows on a device whose memory the host can't address: Map, if the
// plan says so, Upload, Settle, Place, in this order, then Close. Close frees the memory that Place doesn't hand over.
type Builder interface {
	Settler
	// Map makes the pairs of so many keys, two of them a pair, then those of
	// other vertices. The number of a key is its place among the distinct keys, of which there are about
	// distinct; sorting puts these in order, and has a copy in the host's memory. It returns how many there are.
	Map(keys func(at uint64, part []byte), count, distinct uint64, sorting func(keys []uint64) error) (int, error)
	// Place makes the rows of n vertices; place has the vertex of each number that has an edge, and nil
	// means the number itself.
	Place(place []uint32, n int) (Rows, error)
}

// Relabeling is the edges of a placed graph between the labels of their ends.
type Relabeling struct {
	Offsets, Targets uintptr // as Remote has them
	Wide             bool
	Vertices         int
	Entries          uint64
	Directed         bool     // else an edge has two entries, of which one counts
	Labels           []uint32 // of the vertices; NoVertex leaves one out
	Weights          uintptr  // of the entries, or 0: each is 1
	EdgeIDs          uintptr  // likewise, of 64 bits, or 0: each has the number of its entry
	Plan             Plan     // what edges have
}

// Relabeled makes the edges of a Relabeling.
type Relabeled interface {
	// Count returns how many there are.
	Count() (uint64, error)
	// Make makes so many, in any order. The caller frees them.
	Make(count uint64) (Pairs, error)
	// Close frees the rest.
	Close() error
}

// Relabeler returns a Relabeled on a device, whose context is ctx.
var Relabeler = linked.Part[func(ctx context.Context, dev discrete.Device, r Relabeling) (Relabeled, error)]{
	Name: RowBuilder.Name, Import: RowBuilder.Import}

// Rows are a graph's rows on a device, with offsets as the host has them.
type Rows struct {
	Parts   Parts
	Out, In device.Memory // offsets of 64 bits; In is nil where there is no reverse
}

// RowBuilder returns a Builder on a device, whose context is ctx.
var RowBuilder = linked.Part[func(ctx context.Context, dev discrete.Device, p Plan) (Builder, error)]{
	Name: "the kernels that build graphs on a GPU", Import: "github.com/foray-graph/foray/device/gpu"}

// Bytes returns what a Builder takes of the device's memory at most, but for rows of more than
// tuning.SpareBytes.
func (p Plan) Bytes() uint64 {
	entries := p.Pairs
	if !p.Directed {
		entries *= 2
	}
	n := uint64(p.Space)
	pair, key, end := uint64(8), p.Key(), uint64(4) // end is the size of an entry at the end
	if p.Extras() {
		pair += 4
	}
	if p.WholeIDs() {
		pair += 8
	}
	if p.Weights {
		end += 4
	}
	if p.EdgeIDs {
		end += 8
	}
	sides := uint64(1)
	if p.Directed && p.Reverse {
		sides = 2
	}
	var most uint64
	if p.Batch > 0 { // two batches, and two windows of entries
		most = max(sides*key*entries, key*entries+pair*min(2*p.Batch, p.Pairs), sides*end*entries+key*min(2*p.Batch, entries))
	} else {
		most = max(pair*p.Pairs+key*entries, sides*key*entries+end*entries, key*entries+sides*end*entries)
	}
	most += min(key*entries, tuning.SpareBytes)
	if p.Raw { // keys, a table of which a quarter is taken at least, distinct keys in two orders, and the pairs
		most = max(most, 16*p.Pairs+8*p.Others+4*16*n+2*8*n+8*p.Pairs)
	}
	return most + n*(8+4+4+4+1+3*8+2*4+5) + 1<<20
}

// Away returns how much more than the pairs take entries take that wait on the host.
func (p Plan) Away(pairs uint64) uint64 {
	entries := p.Pairs
	if !p.Directed || p.Reverse {
		entries *= 2
	}
	if p.Batch == 0 || p.Key()*entries < pairs {
		return 0
	}
	return p.Key()*entries - pairs
}

// Width is the end of a kernel's name: the width of offsets.
func (r *Remote) Width() string {
	if r.Wide {
		return "_o64"
	}
	return "_o32"
}

// Wide reports whether offsets of so many edges need 64 bits there. Kernels look a little past the end
// of a row, and that must not wrap around.
func Wide(edges uint64) bool { return edges > math.MaxUint32-1<<12 || tuning.WideOffsets }

// Rows uploads the rows of a graph in CSR form, and sets their addresses.
func (r *Remote) Rows(u discrete.Device, from []uint64, to []uint32, offsets, targets *uintptr) (err error) {
	if err := r.offsets(u, from, offsets); err != nil {
		return err
	}
	*targets, err = Upload(u, r, to)
	return err
}

// offsets uploads offsets of rows, and sets their address.
func (r *Remote) offsets(u discrete.Device, from []uint64, to *uintptr) (err error) {
	if r.Wide {
		*to, err = Upload(u, r, from)
		return err
	}
	*to, err = uploadBy(u, r, uint64(len(from))*4, func(at uint64, part []byte) {
		narrow := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(part))), len(part)/4)
		for i, x := range from[at/4:][:len(narrow)] {
			narrow[i] = uint32(x)
		}
	})
	return err
}

// Upload copies an array to the device, for r to free.
func Upload[T uint32 | uint64](u discrete.Device, r *Remote, a []T) (uintptr, error) {
	mem, err := r.alloc(u, uint64(len(a))*uint64(unsafe.Sizeof(*new(T))))
	if err != nil {
		return 0, err
	}
	return mem.Pointer(), discrete.Write(u, mem, a)
}

func uploadBy(u discrete.Device, r *Remote, bytes uint64, fill func(at uint64, part []byte)) (uintptr, error) {
	mem, err := r.alloc(u, bytes)
	if err != nil {
		return 0, err
	}
	if bytes == 0 {
		return mem.Pointer(), nil
	}
	return mem.Pointer(), u.Upload(mem, bytes, fill)
}

// alloc returns memory of the device, for r to free.
func (r *Remote) alloc(u discrete.Device, bytes uint64) (device.Memory, error) {
	mem, err := u.Alloc(max(bytes, 16))
	if err != nil {
		return nil, err
	}
	r.Mem = append(r.Mem, mem)
	r.Bytes += bytes
	return mem, nil
}

// Close gives the memory back.
func (r *Remote) Close() (err error) {
	for _, m := range r.Mem {
		if e := m.Close(); err == nil {
			err = e
		}
	}
	r.Mem = nil
	return err
}
