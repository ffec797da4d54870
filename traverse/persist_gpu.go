// This file holds the host's part of the persistent engine: the launch of a program, and
// what becomes of it.

package traverse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/frontier"
	"github.com/foray-graph/foray/internal/engine/front"
	"github.com/foray-graph/foray/internal/engine/hubs"
	"github.com/foray-graph/foray/internal/engine/step"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/functor/link"
	"github.com/foray-graph/foray/internal/gpu"
)

// repeatArgs are the arguments of the kernel (repeat.cuh).
type repeatArgs struct {
	engine             gpu.PersistentArgs
	out, in            step.CsrArgs
	items, prefix      [2]uint64
	marks              [2]uint64
	hubs               step.HubsArgs
	all                [2]step.HubsArgs
	edges              uint64
	count, allVertices uint32
	shift, ops         uint32
	flat, enter        uint32
	limit, trail       uint32
	state              uint64
	program            [step.MaxOps]step.Op
}

// stay is the persistent engine, and what it keeps on a GPU. Single steps, arrays and
// frontiers it leaves to the engine beside it.
type stay struct {
	*levels
	program *step.Program // of the Repeat under way
	kept    *step.Program // of one before that ended well, for the next one; or nil

	own     repeatArgs
	persist gpu.Persistent
	cluster cluster
	block   *step.Block // of functors written in Go; or nil
	marks   [2]device.Memory
	words   uint64 // of 32 bits, of a bitmap
}

func (*stay) kind() Engine { return Persistent }

func (y *stay) repeat(t *Traversal, cur *Frontier, _ []step.Step) {
	p := y.program
	y.program = nil // before a callback may end the traversal and leave the space to others
	// What an error leaves isn't used again, nor is what a callback ended, which others may have by now.
	if !t.fail(p.Ended(t.persist(y, cur, p))) && !t.closed {
		y.kept = p
	}
}

func (y *stay) close() error {
	var errs []error
	for _, m := range []*device.Memory{&y.marks[0], &y.marks[1]} {
		if *m != nil {
			errs = append(errs, (*m).Close())
			*m = nil
		}
	}
	return errors.Join(append(errs, y.persist.Close())...)
}

// ready allocates what is missing.
func (y *stay) ready(dedupes bool) (err error) {
	dev := y.lease.Device()
	y.words = uint64(y.space.spare.Words()) * 2
	alloc := func(m *device.Memory, bytes uint64) {
		if err == nil && *m == nil {
			*m, err = dev.Alloc(bytes)
		}
	}
	if dedupes {
		alloc(&y.marks[0], 4*y.words)
		alloc(&y.marks[1], 4*y.words)
	}
	if err == nil {
		err = y.persist.Ready(dev, true, stateBytes)
	}
	return err
}

// abandon ends a kernel that is under way after an error, and leaves what the next one needs. It returns that error, joined
// with others. Until the kernel has ended, more threads may fault: of several faults, the first is the error.
func (y *stay) abandon(err error) error {
	again := errors.Join(y.persist.Abandon(gpu.ZeroSpan{Mem: y.marks[0], Words: y.words}, gpu.ZeroSpan{Mem: y.marks[1], Words: y.words}), y.lease.Stream.Wait())
	var fault *link.Fault
	if again == nil || again.Error() == err.Error() || errors.As(err, &fault) && errors.As(again, &fault) {
		return err
	}
	return errors.Join(err, again)
}

// persist runs a program on the frontier.
func (t *Traversal) persist(y *stay, cur *Frontier, p *step.Program) error {
	all := cur.f.Form() == frontier.All
	if err := t.asSet(cur); err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	count, edges := cur.f.Len(), t.p.Graph().NumDirectedEdges()
	if err := cmp.Or(y.lease.Stream.Err(), cur.f.ReadErr()); err != nil {
		return err
	}
	if count == 0 {
		return nil
	}
	spare := t.space.spare
	if !all {
		if err := cur.f.Grow(t.p.NumVertices()); err != nil {
			return fmt.Errorf("traverse: %w", err)
		}
		var err error
		if count, edges, err = cur.f.Remote().Measured(y.lease.Stream, true); err != nil {
			return fmt.Errorf("traverse: %w", err)
		}
	}
	if !all || p.Moves {
		if err := spare.Reset(frontier.Queue); err != nil {
			return fmt.Errorf("traverse: %w", err)
		}
	}
	other := cur.f // the second queue
	if all && p.Moves {
		// A frontier of all vertices has no queue: two spare ones take turns.
		other = t.space.frontier(t.p)
		defer func() { t.space.keep(other) }()
		if err := other.Reset(frontier.Queue); err != nil {
			return fmt.Errorf("traverse: %w", err)
		}
	}
	dedupes := false
	for _, op := range p.Ops {
		dedupes = dedupes || op.Flags&step.Dedupe != 0
	}
	if err := y.ready(dedupes); err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	a := &y.own
	*a = repeatArgs{out: step.Out(t.p), in: step.In(t.p), edges: edges, count: uint32(count), shift: front.Shift(t.p), ops: uint32(len(p.Ops))}
	copy(a.program[:], p.Ops)
	y.persist.Begin(y.lease.Stream, &a.engine)
	if !all || p.Moves {
		for i, f := range []*frontier.Frontier{other, spare} {
			q := f.Remote().Queue()
			a.items[i], a.prefix[i] = q.Items, q.Prefix
		}
	}
	if all {
		a.allVertices = 1
	}
	if t.p.State().MaxDegree() <= shortRows {
		a.flat = 1
	}
	if dedupes {
		a.marks = [2]uint64{uint64(y.marks[0].Pointer()), uint64(y.marks[1].Pointer())}
	}
	if err := t.hubs(y, a, p); err != nil {
		return err
	}
	if p.Trail != nil {
		n, err := p.Trail.Begin()
		if err != nil {
			return fmt.Errorf("traverse: %w", err)
		}
		a.trail = uint32(n)
	}
	p.Flat, p.Short = a.flat != 0, t.clusters(p)
	image, name, err := p.Kernel(y.lease.Stream)
	if err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	k, err := y.lease.Stream.Kernel(image, name)
	if err == nil && p.Short {
		err = t.readyCluster(y, a, p)
	}
	if err != nil {
		return fmt.Errorf("traverse: kernel %s: %w", name, err)
	}
	if t.reports() {
		if err := y.persist.Notes(uint64(tuning.RepeatNotes), a.enter != 0); err != nil { // a cluster adds to notes
			return fmt.Errorf("traverse: %w", err)
		}
	}
	if y.block, err = p.Block(y.lease.Stream, a.engine.Stop); err != nil {
		return err
	}
	mail, err := y.run(k, t.blocks(all, count, p))
	for _, f := range p.Seen {
		f.Remote().Recount()
	}
	if err == nil && mail.Counts[1] == gpu.EndedLate {
		err = fmt.Errorf("traverse: %w: the blocks of the kernel didn't all run at once; Options.Engine LevelByLevel needs no such kernel", device.ErrNotSupported)
	}
	if err == nil && p.Trail != nil {
		p.Trail.Ended(int(mail.Counts[5]))
	}
	if err == nil && mail.Counts[1] == gpu.EndedNoRoom {
		err = fmt.Errorf("traverse: %w", errNoRoom(cur.f.Len()))
	}
	if err != nil {
		return y.abandon(err)
	}
	rounds := int(mail.Counts[0])
	if t.reports() {
		if err := t.report(y, rounds, mail.Counts[4]); err != nil {
			return err
		}
		if t.closed { // by EachLevel
			return nil
		}
	}
	t.env.Level += int32(rounds)
	t.stats.Rounds += rounds
	t.stats.Limited = mail.Counts[1] == gpu.EndedLimited
	if mail.Counts[3] != 0 { // the frontier is still all vertices
		return y.lease.Stream.Err()
	}
	if mail.Counts[2] == 1 {
		t.space.spare, other = other, spare
	}
	if all {
		cur.f, other = other, cur.f
	} else {
		cur.f = other
	}
	if err := cur.f.Reset(frontier.Queue); err != nil {
		return err
	}
	if count := int(mail.Tail >> a.shift); a.flat != 0 {
		cur.f.Remote().SetUnmeasured(count)
	} else {
		cur.f.Remote().Set(count, mail.Tail&(1<<a.shift-1))
	}
	cur.set = true
	return y.lease.Stream.Err()
}

// hubs readies the memory of the hubs that a program's reduces need.
func (t *Traversal) hubs(y *stay, a *repeatArgs, p *step.Program) error {
	for in, is := range p.Gather {
		if !is {
			continue
		}
		all, err := hubs.Of(t.env, in == 1)
		if err != nil {
			return fmt.Errorf("traverse: %w", err)
		}
		a.all[in] = all.Args
	}
	if p.Gather == [2]bool{} || !p.Moves && a.allVertices != 0 {
		return nil // no queue is reduced over
	}
	some, err := hubs.Room(t.env, p.Gather)
	if err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	a.hubs = some.Args
	if err := some.Clear(y.lease.Stream); err != nil {
		return fmt.Errorf("traverse: %w", err)
	}
	return nil
}

// blocks returns how many blocks a multiprocessor gets; 0 for as many as there is room for.
func (t *Traversal) blocks(all bool, count int, p *step.Program) int {
	if !all && count < fewVertices && t.p.State().MaxDegree() <= fewBlocks {
		if p.Ahead {
			return aheadBlocks
		}
		return 1
	}
	if t.p.State().MaxDegree() >= tuning.SkewedDegree && slices.ContainsFunc(p.Ops, func(op step.Op) bool {
		return op.Code == step.OpPush && op.Number>>16 != 0 // PushNear with NearOptions.Once
	}) {
		return chainedBlocks
	}
	return 0
}

// report makes statistics of the kernel's notes.
func (t *Traversal) report(y *stay, rounds int, ended uint64) error {
	notes := make([]gpu.LevelNote, min(rounds, int(y.own.engine.Room)))
	if err := y.persist.ReadNotes(notes, 0); err != nil {
		return fmt.Errorf("traverse: statistics: %w", err)
	}
	for i, n := range notes {
		if t.closed {
			break
		}
		end, levels := ended, rounds-i // of those without a note, too
		if i+1 < len(notes) {
			end, levels = notes[i+1].Began, 1
		}
		t.tell(Level{Level: t.Level() + i + 1, Levels: levels, Frontier: int(n.Frontier), Edges: n.Edges, Took: time.Duration(min(end-n.Began, math.MaxInt64))})
	}
	return nil
}
