// This file holds how levels end on a GPU: by one step, which pulls and counts as well.

package lanes

import (
	"github.com/foray-graph/foray/algos/internal/lanes/steps"
	"github.com/foray-graph/foray/operators"
	"github.com/foray-graph/foray/traverse"
)

// onGPU is the part of Lanes on a GPU.
type onGPU struct {
	level *steps.Level
	steps []operators.Step          // level
	waits *operators.Scalar[uint64] // nothing is reduced into it
}

func newOnGPU(l *Lanes) (part, error) {
	if _, err := l.onOne(); err != nil {
		return nil, err
	}
	level := &steps.Level{
		Words: l.words, Seen: l.seen, New: l.new, Next: l.next, Results: traverse.ArrayN[uint64](l.t, steps.Results(l.words), 0),
		Pieces: traverse.ArrayN[uint64](l.t, l.t.Placed().NumVertices()/pieceShare+1, 0),
	}
	return &onGPU{level: level, steps: []operators.Step{level}, waits: traverse.Scalar[uint64](l.t, operators.Sum)}, nil
}

func (*onGPU) start(l *Lanes, vertices []uint32, bits []uint64) error { return l.begin(vertices, bits) }

func (*onGPU) pull(*Lanes) {}

func (*onGPU) keep(*Lanes) {}

func (*onGPU) runFew(*Lanes) bool { return false }

func (g *onGPU) wait(l *Lanes) { traverse.Get(l.t, g.waits) }

func (g *onGPU) settle(l *Lanes) {
	g.level.Pull = l.pulled
	copy(g.level.Full[:], l.reached) // a lane that reached nothing in a level has ended
	l.t.Do(l.cur, g.steps...)
	if l.pulled {
		l.t.Fill(l.cur)
	}
	if l.Err() != nil {
		return
	}
	results := g.level.Got
	l.ahead = results[steps.Edges]
	l.left -= min(results[steps.Done], l.left)
	copy(l.reached, results[steps.Any:])
}

func (g *onGPU) count(l *Lanes) ([]uint64, error) { return g.level.Got[steps.Any+l.words:], nil }

func (*onGPU) fetch(l *Lanes, to []uint64) error { return l.fetch(to) }

func (*onGPU) join(l *Lanes, sources []uint32, batch []joined, found *operators.Scalar[uint64], distances []int32) error {
	return l.join(sources, batch, found, distances)
}
