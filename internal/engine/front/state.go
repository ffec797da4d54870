// Package front is the GPU side of frontiers: their queues and bitmaps, as operators on a GPU read
// and fill them, and conversions between the two. Package frontier wraps it for traversals. The
// kernels' sources are in frontier; the image of the conversion is embedded here.
package front

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// Form is how a frontier is represented at present.
type Form uint8

// The forms, as package frontier has them.
const (
	Queue Form = iota
	Bitmap
	All
)

func (f Form) String() string {
	switch f {
	case Queue:
		return "queue"
	case Bitmap:
		return "bitmap"
	case All:
		return "all"
	}
	return fmt.Sprintf("Form(%d)", uint8(f))
}

// State is what a frontier holds, on whichever device.
type State struct {
	P      *graph.Placed
	N      int // vertices of the graph
	Form   Form
	Length atomic.Int64
	List   *device.Buffer[uint32] // queue form; nil until needed
	Bits   *device.Buffer[uint64] // bitmap form: a bit per vertex; nil until needed
}

// Size is how many vertices a frontier may have: those of the graph, or, of a part of one, the numbers that
// vertices have over all devices.
func Size(p *graph.Placed) int {
	if d := p.Remote().ShardPlace(); d != nil {
		return d.Of.Numbers()
	}
	return p.NumVertices()
}

// memoryOf is the device whose memory a frontier takes.
func memoryOf(p *graph.Placed) device.Device {
	if d := p.Remote().ShardPlace(); d != nil {
		return d.Dev
	}
	return p.Device()
}

// NeedBits makes the words of a bitmap, with anything in them, where they aren't there.
func (f *State) NeedBits() (err error) {
	if f.Bits == nil {
		f.Bits, err = device.NewBuffer[uint64](memoryOf(f.P), f.Words())
	}
	return err
}

// Words returns the number of 64-bit words that a bitmap has.
func (f *State) Words() int { return (f.N + 63) / 64 }

// ListWords returns the vertices of a bitmap that has n of them, ascending.
func ListWords(words []uint64, n int) []uint32 {
	vs := make([]uint32, 0, n)
	for i, w := range words {
		for ; w != 0; w &= w - 1 {
			vs = append(vs, uint32(i*64+bits.TrailingZeros64(w)))
		}
	}
	return vs
}
