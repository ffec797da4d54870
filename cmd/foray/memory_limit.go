// This file keeps a command to --memory-limit: what the process holds before it loads a graph counts, and
// so do the graph, what a search takes, and results. Commands refuse to begin if ulimit leaves too little memory for anything.

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/osmem/rlimit"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
)

// processMemory returns how many bytes of memory the process has resident: its own, and pages of files that are
// mapped. nil in tests that run commands in their own process, and where the system doesn't tell.
var processMemory func() (own, files uint64)

const (
	// ownGrowth is what the command takes beside what it counts while it works: more pages of the program
	// itself, stacks, the runtime's tables.
	ownGrowth = 8 << 20
	// watchEvery is how often the process's memory is looked at: what takes 4 GB/s takes 20 MB meanwhile.
	watchEvery = 5 * time.Millisecond
	// freesWithin is how long freeing memory may take until what is still held counts.
	freesWithin = 100 * time.Millisecond
	// endsWithin is how long a command may take to end once it is past the limit.
	endsWithin = 200 * time.Millisecond
	// boundOfRuntime is the share of the limit that Go's runtime keeps its memory to, in percent: it is
	// past it for moments.
	boundOfRuntime = 96
)

// memoryLimit is --memory-limit as a command keeps to it.
type memoryLimit struct {
	limit   uint64
	base    uint64 // what the command held when it began to load
	program uint64 // pages of the program itself: a mapped graph's pages count with these as files' pages
}

// pastMemoryError ends a command that took more than --memory-limit.
type pastMemoryError struct{ limit, held uint64 }

func (e *pastMemoryError) Error() string {
	return fmt.Sprintf("%v: the command holds %s, more than the %s of --memory-limit, and would take more; raise it",
		device.ErrMemory, text.Bytes(e.held), text.Bytes(e.limit))
}

func (e *pastMemoryError) Unwrap() error { return device.ErrMemory }

// pastMemory returns why a context ended, if that is --memory-limit, or nil.
func pastMemory(ctx context.Context) error {
	var past *pastMemoryError
	if errors.As(context.Cause(ctx), &past) {
		return past
	}
	return nil
}

// held returns what counts of the process's memory. Pages of files that were mapped since don't.
func (m *memoryLimit) held() uint64 {
	own, files := processMemory()
	return own + min(files, m.program)
}

// boundMemory keeps the command within --memory-limit; loading may take f.left of it.
func (a *app) boundMemory(f *inputFlags, o *graph.Options) error {
	f.left = uint64(f.memory)
	if f.memory == 0 || processMemory == nil {
		return nil
	}
	if a.bound != nil { // another graph was there, or is
		debug.FreeOSMemory()
	}
	own, files := processMemory()
	m := &memoryLimit{limit: uint64(f.memory), base: own + files, program: files + ownGrowth}
	if a.bound != nil {
		m.program, m.base = a.bound.program, a.bound.held()
	}
	if m.base+ownGrowth >= m.limit {
		return fmt.Errorf("%w: the command itself takes %s before it reads anything, and --memory-limit is %s", device.ErrMemory,
			text.Bytes(m.base+ownGrowth), text.Bytes(m.limit))
	}
	f.left = m.limit - m.base - ownGrowth
	o.MemoryLimit = f.left
	ofRuntime := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(ofRuntime)
	others := m.base - min(ofRuntime[0].Value.Uint64()-ofRuntime[1].Value.Uint64(), m.base)
	debug.SetMemoryLimit(int64((m.limit - others - ownGrowth) / 100 * boundOfRuntime))
	if a.bound == nil {
		go a.watchMemory(m)
	}
	a.bound = m
	return nil
}

// watchMemory ends the command where it takes more memory than it may.
func (a *app) watchMemory(m *memoryLimit) {
	freed := time.Time{}
	for range time.Tick(watchEvery) {
		held := m.held()
		switch {
		case held <= m.limit:
			continue
		case held <= m.limit+m.limit/20 && time.Since(freed) > time.Second:
			go debug.FreeOSMemory() // which takes long on a busy machine, while the command takes more
			freed = time.Now()
			continue
		case held <= m.limit+m.limit/20 && time.Since(freed) < freesWithin:
			continue
		}
		past := &pastMemoryError{m.limit, held}
		a.cancel(past)
		time.Sleep(endsWithin)
		a.endPast(past)
		return
	}
}

// endPast ends the program, which is past its limit and hasn't ended itself.
func (a *app) endPast(past error) {
	if endLate != nil && !a.ending.Load() {
		fmt.Fprintf(a.rawStderr, "foray: %s\n", oneLine(past))
		endLate(exitError)
	}
}

// sayOwn adds to an error about memory how much of the limit the command itself takes.
func (a *app) sayOwn(err error) error {
	if a.bound == nil || !errors.Is(err, device.ErrMemory) || errors.Is(err, limit.Err) {
		return err
	}
	return fmt.Errorf("%w; of the %s of --memory-limit, the command itself takes %s", err, text.Bytes(a.bound.limit), text.Bytes(a.bound.base+ownGrowth))
}

// roomOfSearch returns what a breadth-first search takes at most on the host, if the command has a limit.
func (a *app) roomOfSearch(g *graph.Graph) uint64 {
	if a.bound == nil {
		return 0
	}
	need, _, _, _ := searchBytes(g, 0) // where that fails, the search does
	return need
}

// checkRoom refuses what takes so many bytes of the host's memory beside what the command holds.
func (a *app) checkRoom(dev device.Device, what string, need uint64) error {
	m := a.bound
	if m == nil || dev.Info().Kind != device.Host {
		return nil
	}
	held := m.held()
	if held+need > m.limit {
		debug.FreeOSMemory()
		held = m.held()
	}
	if held+need <= m.limit {
		return nil
	}
	return fmt.Errorf("%w: %s takes %s in addition to the %s that the graph and the command hold, %s in all; --memory-limit is %s", device.ErrMemory,
		what, text.Bytes(need), text.Bytes(held), text.Bytes(held+need), text.Bytes(m.limit))
}

// roomLeft returns how much more the command may take, or 0 without a limit.
func (a *app) roomLeft() uint64 {
	if a.bound == nil {
		return 0
	}
	debug.FreeOSMemory()
	return max(1, a.bound.limit-min(a.bound.limit, a.bound.held()))
}

// memoryBound is what an app knows of --memory-limit.
type memoryBound struct {
	bound  *memoryLimit // nil for none
	cancel context.CancelCauseFunc
	ending atomic.Bool // the command has ended, and prints its error
}

// leastLeft is what the limits of the process have to leave: buffers of reading and writing, which
// take some 130 MB of address space, and some heap. Past it Go's runtime would end the program.
const leastLeft = 256 << 20

// checkLimits refuses where ulimit leaves less than that.
func checkLimits() error {
	left, name, ok := rlimit.Left()
	if !ok || left >= leastLeft {
		return nil
	}
	return fmt.Errorf("%w: %s is %s, and at least %s is needed to begin: allow more, or set no such limit",
		device.ErrMemory, name, text.Bytes(left), text.Bytes(leastLeft))
}
