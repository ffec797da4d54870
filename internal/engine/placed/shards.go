// This file describes a graph on several devices of one machine.

package placed

import (
	"encoding/binary"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/discrete"
)

// Sharded is a device that is several of one machine, whose kernels reach each other's memory.
type Sharded interface {
	device.Device
	Discrete() []discrete.Device
	Any() bool // a graph may lie on the first one alone
	// Arrays returns the device of the arrays of traversals.
	Arrays() Copies
}

// Copies is a device whose memory each of several has a copy of (gpu.Copies).
type Copies = interface {
	discrete.Device
	// At returns the address on device i of the copy of an address on the first device.
	At(i int, at uintptr) uintptr
	// Gather copies part i of an array, which begins at byte i times each, from device i.
	Gather(parts [][]byte, at uintptr, each uint64) error
	// AllocParts is Alloc of memory whose contents differ: each device has its part of something, which PartsOf returns.
	AllocParts(bytes uint64, of any) (device.Memory, error)
	// PartsOf returns what AllocParts got; nil for the address of other memory.
	PartsOf(at uintptr) any
	// UploadPart is Upload on device i alone.
	UploadPart(i int, at uintptr, bytes uint64, fill func(at uint64, part []byte)) error
}

// PlacedShards are the parts of a graph on several devices, as placed graphs. P is *graph.Placed.
type PlacedShards[P interface{ Close() error }] []P

// Close ends their use.
func (m PlacedShards[P]) Close() (err error) {
	for _, p := range m {
		err = errors.Join(err, p.Close())
	}
	return err
}

// PlacedShardsKey is the key of the PlacedShards of a placed graph.
type PlacedShardsKey[P interface{ Close() error }] struct{ Of[PlacedShards[P]] }

// ShardPlace is the position of a shard among the shards of its graph. Vertices have their numbers over all
// devices there, and the offsets of rows begin at the number First.
type ShardPlace struct {
	Dev          discrete.Device
	First, Count uint32                   // its vertices
	Edges        [2]uint64                // out-edges of its vertices, in-edges
	List         uintptr                  // of their numbers, on the device
	Of           *Shards                  // the whole graph
	Copies       Copies                   // of arrays
	At           func(at uintptr) uintptr // where this device has its copy of an array
}

// ShardPlace is the shard of a graph; nil for a whole graph, and on the host.
func (r *Remote) ShardPlace() *ShardPlace {
	if r == nil {
		return nil
	}
	return r.Shard
}

// Moved returns the address on a device of an address of an array: At for a shard, else the same.
func (r *Remote) Moved(at uintptr) uintptr {
	if r == nil || r.Shard == nil {
		return at
	}
	return r.Shard.At(at)
}

// Numbers is how many numbers the vertices are among.
func (a *Shards) Numbers() int { return int(a.Stride) * len(a.Parts) }

// ShardsKey is the key of the Shards of a placed graph.
type ShardsKey struct{ Of[*Shards] }

// Shards is a graph whose vertices are sharded over several devices: vertex v belongs to device v
// mod the number of devices, and is its vertex v div that number. Targets of rows are numbered
// over all of them: by device first, with Stride numbers each, so that what belongs to a device
// lies side by side.
type Shards struct {
	Parts      []Shard
	Vertices   int
	Stride     uint32 // a multiple of 1024
	Wide       bool   // offsets are 64 bits wide
	Reverse    bool   // rows of in-neighbors are there
	Candidates uint64 // vertices that have an in-neighbor
	// Edges are the most out-edges, and in-edges, that a device has.
	Edges [2]uint64
}

// Shard is what one device has. Without a reverse, what is said of in-neighbors is 0.
type Shard struct {
	Dev                  discrete.Device
	Vertices             int
	Offsets, Targets     uintptr // of the out-edges of its vertices
	InOffsets, InTargets uintptr // of their in-edges; the same where the graph is symmetric
	First, None          uintptr // as Prepared has them, with a target's number, and a bit past the last vertex
	Words                uint32  // of 32 bits, of None, that have a candidate
	Ones                 uint32  // vertices from here on have one in-neighbor at most; Vertices where that isn't known
	Mem                  []device.Memory
}

// Last reads the last of the offsets of so many rows that a device has: how many entries they have.
func Last(dev discrete.Device, offsets device.Memory, rows int, wide bool) (entries uint64, err error) {
	width := uint64(4)
	if wide {
		width = 8
	}
	var raw [8]byte
	err = dev.Download(raw[:width], offsets, width*uint64(rows))
	return binary.LittleEndian.Uint64(raw[:]), err
}

// Memory returns the memory of an array.
func (p *Shard) Memory(at uintptr) device.Memory {
	for _, m := range p.Mem {
		if m.Pointer() == at {
			return m
		}
	}
	return nil
}

// Number returns the number of a vertex over all devices.
func (a *Shards) Number(v uint32) uint32 {
	p := uint32(len(a.Parts))
	return v%p*a.Stride + v/p
}

// Vertex returns the vertex of a number.
func (a *Shards) Vertex(number uint32) uint32 {
	p := uint32(len(a.Parts))
	return number%a.Stride*p + number/a.Stride
}

// Close gives the memory back.
func (a *Shards) Close() (err error) {
	for i := range a.Parts {
		for _, m := range a.Parts[i].Mem {
			err = errors.Join(err, m.Close())
		}
		a.Parts[i].Mem = nil
	}
	return err
}
