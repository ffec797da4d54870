// This file holds the launches of a search over several GPUs, and what the kernels report.

package bfs

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

func (g *shardSearch) loop(a *algorithm, l *loop) error { return g.search(l, a.variant != nil) }

// search runs the whole search and fills in the result's counts. If pulls is set, it changes
// direction by Tuning.Alpha and Beta; 0 is the kernel's own rule.
func (g *shardSearch) search(l *loop, pulls bool) error {
	if len(l.o.Targets) > fusedTargets {
		return fmt.Errorf("%s: %w: %d Targets; several GPUs take %d at most", l.result.Algorithm, graph.ErrOptions, len(l.o.Targets), fusedTargets)
	}
	targets := l.o.targetsBeside(l.result.Sources)
	growth := max(figuresOf(g.Placed).growth, 1)
	for i, p := range g.parts {
		o := &p.a.own
		o.in, o.first, o.none, o.words, o.ones = step.CsrArgs{}, 0, 0, 0, math.MaxUint32
		if pulls {
			o.in = step.CsrArgs{Offsets: uint64(p.part.InOffsets), Targets: uint64(p.part.InTargets), N: uint32(p.part.Vertices)}
			o.first, o.none, o.words, o.ones = uint64(p.part.First), uint64(p.part.None), p.part.Words, p.part.Ones
		}
		o.candidates = uint32(min(g.placed.Candidates, math.MaxUint32))
		o.meanInDegree = float32(float64(g.Placed.Graph().NumDirectedEdges()) / float64(max(g.placed.Candidates, 1)))
		o.heavy = min(uint64(float64(g.placed.Candidates)/growth), g.placed.Candidates/tuning.ShardHeavy)
		p.a.component, p.a.next = 0, 0
		p.a.alike = tuning.ShardAlike + g.placed.Candidates/tuning.ShardAlikeShare
		o.limit = math.MaxInt32
		if l.o.DepthLimit > 0 {
			o.limit = uint32(min(l.o.DepthLimit, math.MaxInt32))
		}
		o.alpha, o.beta = narrow(l.o.Tuning.Alpha), narrow(l.o.Tuning.Beta)
		o.targets = uint32(copy(o.target[:], targets))
		for k := range o.targets {
			o.target[k] = g.placed.Number(o.target[k])
		}
		p.a.row = 0
		if s := l.result.Sources; len(s) == 1 && o.targets == 0 && g.Placed.Graph().Degree(s[0]) <= tuning.ShardRow {
			p.a.row = 1
		}
		p.persist.Begin(p.s, &o.engine)
		if i == 0 && l.reports {
			if err := p.persist.Notes(notesRoom(g.Placed.NumVertices()), true); err != nil {
				return fmt.Errorf("bfs: %w", err)
			}
		}
	}
	if pulls && tuning.ShardNext {
		if err := g.useNext(); err != nil {
			return err
		}
	}
	if pulls && !g.Placed.Graph().Directed() {
		if err := g.useComponent(l.result.Sources); err != nil {
			return err
		}
	}
	if err := g.run(); err != nil {
		return err
	}
	r, mail := l.result, g.mails[0]
	r.Levels, r.Limited = int(mail.Counts[0]), mail.Counts[1] == gpu.EndedLimited
	for _, m := range g.mails {
		r.Reached += int(m.Tail)
	}
	l.level = int32(r.Levels)
	if l.reports {
		return g.report(l, mail)
	}
	return nil
}

// run launches the kernels and waits for them, in turn with other searches over several GPUs.
func (g *shardSearch) run() error {
	done, err := g.lease.Turn()
	if err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	defer done()
	if err := g.lease.Err(); err != nil { // before one GPU waits for another
		return fmt.Errorf("bfs: %w", err)
	}
	g.broken = true // until all have ended well
	var late bool
	if g.mails, late, err = gpu.RunTogether(g.kernels, g.launch, g.mails[:0]); err != nil {
		return errors.Join(fmt.Errorf("bfs: %w", err), g.lease.Wait())
	}
	if late {
		return errors.Join(fmt.Errorf("bfs: %w: the kernels of a search on %s didn't all run at once", device.ErrNotSupported, g.lease.Name()), g.lease.Wait())
	}
	g.broken = false
	return nil
}

// launch enqueues the kernel of a GPU.
func (g *shardSearch) launch(i int) error {
	p := g.parts[i]
	p.args.Reset()
	gpu.Struct(&p.args, &p.a)
	return p.s.LaunchTogether(p.kernel, &p.args)
}

// report makes statistics of the notes, and tells the levels.
func (g *shardSearch) report(l *loop, mail gpu.Mail) error {
	r, p := l.result, g.parts[0]
	expanded := r.Levels
	if r.Limited {
		expanded--
	}
	count := min(expanded, int(p.a.own.engine.Room))
	if count == 0 {
		return nil
	}
	notes := make([]gpu.LevelNote, count)
	if err := p.persist.ReadNotes(notes, 0); err != nil {
		return fmt.Errorf("bfs: %w", err)
	}
	known := mail.Counts[3]
	for i := range notes {
		level, ended := levelOf(&notes[i], i), mail.Counts[2]
		known += notes[i].Frontier
		if i+1 < count {
			ended = notes[i+1].Began
		} else if rest := expanded - count; rest > 0 { // there are no notes on these
			level = level.plus(Level{Levels: rest, Frontier: r.Reached - int(known)})
		}
		level.Took = time.Duration(ended - notes[i].Began)
		if l.o.Stats {
			r.Edges += level.Edges
			r.Stats = addLevel(r.Stats, level)
		}
		if l.tellsLevels() {
			if err := l.tellNext(level); err != nil {
				return err
			}
		}
	}
	return nil
}
