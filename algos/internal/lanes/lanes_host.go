// This file holds how levels are pulled, end and are counted on the host: by functors.

package lanes

import (
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/operators/foreach"
	"github.com/foray-graph/foray/traverse"
)

// onHost is the part of Lanes on the host.
type onHost struct {
	edges, done *operators.Scalar[uint64]
	pulling     []operators.Step
	settling    []operators.Step
	search      func(lanes []uint64) error // those that still search
	any         func() error               // finds reached
	few         *few                       // a level of few edges, of one word
	fewCounts   *counter
	fewSteps    [2][]operators.Step // these two
	byFew       bool                // the last level was such a one

	// Of count.
	blocks            *traverse.Frontier
	counts            *device.Buffer[uint64]
	counted           *operators.Scalar[uint64]
	tally, tallyBlock []operators.Step
	zero, copied, sum []uint64
}

// newOnHost makes the steps.
func newOnHost(l *Lanes) (part, error) {
	back, err := l.onOne()
	if err != nil {
		return nil, err
	}
	h := &onHost{edges: traverse.Scalar[uint64](l.t, operators.Sum), done: traverse.Scalar[uint64](l.t, operators.Sum)}
	out, _ := traverse.Rows(l.t)
	if l.t.Err() != nil {
		return nil, l.t.Err()
	}
	in := out // without pulls the number of remaining edges isn't used
	var sources *device.Buffer[uint32]
	if l.pulls {
		if in, err = back.State().Offsets(); err == nil {
			sources, err = back.State().Targets()
		}
		if err != nil {
			return nil, err
		}
	}
	if l.words == 1 {
		h.few, h.fewCounts = &few{l: l, in: in.Host()}, &counter{l: l}
		h.fewSteps = [2][]operators.Step{{h.few}, {h.fewCounts}}
		h.narrow(l, out, in, sources)
	} else {
		h.wide(l, out, in, sources)
	}
	return h, l.t.Err()
}

// narrow makes the steps for one word.
func (h *onHost) narrow(l *Lanes, out, in *device.Buffer[uint64], sources *device.Buffer[uint32]) {
	any := traverse.Scalar[uint64](l.t, operators.Or)
	pull, settle := newPull(in, sources, l.seen, l.next, 0), newSettle(l.seen, l.new, l.next, out, in, 0, h.done, any)
	if sources != nil {
		h.pulling = []operators.Step{foreach.All(pull, nil)}
	}
	h.settling = []operators.Step{foreach.Each(settle, h.edges)}
	h.search = func(lanes []uint64) error {
		pull.full, settle.full = lanes[0], lanes[0]
		return nil
	}
	h.any = func() error {
		l.reached[0] = traverse.Get(l.t, any)
		return nil
	}
}

// wide makes those for several.
func (h *onHost) wide(l *Lanes, out, in *device.Buffer[uint64], sources *device.Buffer[uint32]) {
	w, dev, zero := uint64(l.words), l.t.Placed().Device(), make([]uint64, l.words)
	any, full := traverse.ArrayN[uint64](l.t, l.words, 0), traverse.ArrayN[uint64](l.t, l.words, 0)
	if sources != nil {
		h.pulling = []operators.Step{foreach.All(newPullWide(in, sources, l.seen, l.next, full, w), nil)}
	}
	h.settling = []operators.Step{foreach.Each(newSettleWide(l.seen, l.new, l.next, out, in, full, any, w, h.done), h.edges)}
	h.search = func(lanes []uint64) error { return full.Write(dev, 0, lanes) }
	h.any = func() error {
		if err := any.Read(dev, 0, l.reached); err != nil {
			return err
		}
		return any.Write(dev, 0, zero)
	}
}

func (*onHost) start(l *Lanes, vertices []uint32, bits []uint64) error {
	return l.begin(vertices, bits)
}

func (h *onHost) pull(l *Lanes) {
	l.t.Fill(l.cur)
	l.t.Do(l.cur, h.pulling...)
}

func (h *onHost) wait(l *Lanes) { traverse.Get(l.t, h.edges) }

func (h *onHost) runFew(l *Lanes) bool {
	h.byFew = h.few != nil && !l.pulled && l.ahead <= uint64(tuning.NarrowEdges)
	if !h.byFew {
		return false
	}
	h.few.full = l.reached[0]
	l.t.Do(l.cur, h.fewSteps[0]...)
	if l.t.Err() == nil {
		l.ahead, l.reached[0] = h.few.edges, h.few.any
		l.left -= min(h.few.done, l.left)
	}
	return true
}

func (h *onHost) settle(l *Lanes) {
	h.byFew = false
	// A lane that reached nothing in a level has ended. No vertex looks for it any more.
	if l.err = h.search(l.reached); l.err != nil {
		return
	}
	l.t.Do(l.cur, h.settling...)
	l.ahead = traverse.Get(l.t, h.edges)
	l.left -= min(traverse.Get(l.t, h.done), l.left)
	if l.t.Err() == nil {
		l.err = h.any()
	}
}

func (h *onHost) keep(l *Lanes) {
	if h.counts != nil {
		return
	}
	t, w, n := l.t, uint64(l.words), l.t.Placed().NumVertices()
	all := make([]uint32, (n+tallyLength-1)/tallyLength)
	for i := range all {
		all[i] = uint32(i)
	}
	h.blocks = t.From(all...)
	h.counts = traverse.ArrayN[uint64](t, copies*l.Most(), 0)
	h.counted = traverse.Scalar[uint64](t, operators.Sum)
	h.tally = []operators.Step{foreach.Each(newTally(l.new, h.counts, w), h.counted)}
	h.tallyBlock = []operators.Step{foreach.Each(newTallyBlock(l.new, h.counts, w, uint64(n), tallyLength), h.counted)}
	h.zero, h.copied = make([]uint64, copies*l.Most()), make([]uint64, copies*l.Most())
	h.sum = make([]uint64, l.Most())
}

func (h *onHost) count(l *Lanes) ([]uint64, error) {
	t := l.t
	if h.byFew {
		t.Do(l.cur, h.fewSteps[1]...)
		return h.fewCounts.sums[:], t.Err()
	}
	h.keep(l)
	if t.Err() != nil {
		return nil, t.Err()
	}
	dev := t.Placed().Device()
	if err := h.counts.Write(dev, 0, h.zero); err != nil {
		return nil, err
	}
	if l.pulled {
		t.Do(h.blocks, h.tallyBlock...)
	} else {
		t.Do(l.cur, h.tally...)
	}
	traverse.Get(t, h.counted) // waits
	if t.Err() != nil {
		return nil, t.Err()
	}
	if err := h.counts.Read(dev, 0, h.copied); err != nil {
		return nil, err
	}
	clear(h.sum)
	for i, n := range h.copied {
		h.sum[i%len(h.sum)] += n
	}
	return h.sum, nil
}

func (*onHost) fetch(l *Lanes, to []uint64) error { return l.fetch(to) }

func (*onHost) join(l *Lanes, sources []uint32, batch []joined, found *operators.Scalar[uint64], distances []int32) error {
	return l.join(sources, batch, found, distances)
}
