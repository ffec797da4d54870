// Package persistent owns the life cycle of persistent kernels, which run all levels of a search or
// traversal in one launch: their memory, launches in turns with a kernel of one thread-block cluster,
// notes on levels, the stop flag, and what an abandoned kernel leaves.
//
// A Kernel is used so: Ready once, then Begin, Notes, and Run for every traversal, and Abandon after an error.
package persistent

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/tuning"
	"github.com/foray-graph/foray/internal/gpu"
)

// Args are the arguments that every persistent kernel takes (EngineArgs of traverse/engine.cuh).
type Args struct {
	Grid, Stop, Levels uint64
	Post               gpu.Post
	Room, Patience     uint32
	Resume, _          uint32
}

// How a kernel ended, which its mail has in Counts[1] (traverse/engine.cuh).
const (
	Limited = 1
	Stopped = 2
	Paused  = 3 // the other kernel's turn comes
	Nothing = 4 // it wasn't the kernel's turn
	Late    = 5 // its blocks didn't all run at once
	NoRoom  = 7
)

// GridBytes is the size of GridState (frontier/grid.cuh).
const GridBytes = 4*8 + 4*128 + 128

// Note is a kernel's note on a level (LevelNote of traverse/engine.cuh).
type Note struct {
	Frontier, Edges uint64
	Began           uint64 // in nanoseconds of the device's clock
	Way, _          uint32
}

// NoteBytes is the size of a Note.
const NoteBytes = uint64(unsafe.Sizeof(Note{}))

// Kernel is what persistent kernels need on one GPU. The zero value has no memory yet.
type Kernel struct {
	Stop  *gpu.Pinned // the flag that ends the kernels
	grid  device.Memory
	words uint64 // of grid
	notes device.Memory
	room  uint64 // levels that notes has room for

	s    *gpu.Stream
	args *Args // of the run under way
	// The tickets of a run's first launch of the grid, and of the last.
	first, again gpu.Ticket
}

// Ready allocates what is missing: the flag, and the grid's state with so many bytes of the kernel's own behind it. Kernels
// of several GPUs have another barrier, and no grid.
func (k *Kernel) Ready(dev *gpu.Device, grid bool, own uint64) (err error) {
	if k.grid == nil && grid {
		if k.grid, err = dev.Alloc(GridBytes + own); err != nil {
			return err
		}
		k.words = (GridBytes + own) / 4
	}
	if k.Stop == nil {
		k.Stop, err = dev.Context().AllocHost(64)
	}
	return err
}

// Own is the address behind the grid's state.
func (k *Kernel) Own() uint64 { return uint64(k.grid.Pointer()) + GridBytes }

// Begin readies the arguments for a run on a stream, without notes. a stays the caller's, as a part of its kernel's
// arguments.
func (k *Kernel) Begin(s *gpu.Stream, a *Args) {
	k.s, k.args = s, a
	*a = Args{Stop: uint64(k.Stop.Ptr()), Patience: tuning.FusedPatience}
	if k.grid != nil {
		a.Grid = uint64(k.grid.Pointer())
	}
	k.flag(0)
}

// flag tells the kernels to end, or not to.
func (k *Kernel) flag(wish uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(unsafe.SliceData(k.Stop.Bytes()))), wish)
}

// Notes lets the run's kernels note up to so many levels, or as many as an earlier call said. clear says that notes of
// an earlier run must be gone.
func (k *Kernel) Notes(levels uint64, clear bool) (err error) {
	if k.notes == nil {
		k.room = levels
		k.notes, err = k.s.Device().Alloc(levels * NoteBytes)
	} else if clear {
		err = k.s.Fill(k.notes.Pointer(), 0, k.room*NoteBytes/4)
	}
	if err == nil {
		k.args.Levels, k.args.Room = uint64(k.notes.Pointer()), uint32(k.room)
	}
	return err
}

// ReadNotes copies the notes from a level on.
func (k *Kernel) ReadNotes(notes []Note, from int) error {
	if len(notes) == 0 {
		return nil
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(notes))), len(notes)*int(NoteBytes))
	return k.s.Device().(*gpu.Device).Download(raw, k.notes, uint64(from)*NoteBytes)
}

// Launch enqueues the grid's kernel by launch, which passes the arguments that Begin had. The kernel reports to t.
func (k *Kernel) Launch(t *gpu.Ticket, launch func() error) (err error) {
	if k.args.Post, err = k.s.Post(t); err != nil {
		return err
	}
	return launch()
}

// Run launches kernels until the run has ended, and returns the report of the last. grid and cluster enqueue the kernel
// of the whole grid and that of one cluster, which take turns; cluster is nil if the grid's does everything. The
// kernel whose turn it isn't exits immediately, so the host need not wait between launches.
func (k *Kernel) Run(grid, cluster func() error, wait func(*gpu.Ticket) (gpu.Mail, error)) (gpu.Mail, error) {
	if err := k.Launch(&k.first, grid); err != nil {
		return gpu.Mail{}, err
	}
	if cluster == nil {
		return wait(&k.first)
	}
	k.args.Resume = 1
	for {
		if err := cluster(); err != nil {
			return gpu.Mail{}, err
		}
		if err := k.Launch(&k.again, grid); err != nil {
			return gpu.Mail{}, err
		}
		switch mail, err := wait(&k.again); {
		case err != nil:
			return gpu.Mail{}, err
		case mail.Counts[1] == Nothing:
			return k.first.Wait()
		case mail.Counts[1] != Paused:
			return mail, nil
		}
	}
}

// Wait waits for the first launch of a run.
func (k *Kernel) Wait() (gpu.Mail, error) { return k.first.Wait() }

// Span is memory that is zero between runs.
type Span struct {
	Mem   device.Memory // or nil
	Words uint64        // of 32 bits
}

// Abandon ends the kernels that are under way, which look at the flag now and then. A run that another kernel was to
// continue is left half done, so it enqueues the clearing of the grid and of other memory for the next run.
func (k *Kernel) Abandon(others ...Span) error {
	k.flag(1)
	var errs []error
	for _, m := range append(others, Span{k.grid, k.words}) {
		if m.Mem != nil {
			errs = append(errs, k.s.Fill(m.Mem.Pointer(), 0, m.Words))
		}
	}
	return errors.Join(errs...)
}

// Close frees the memory.
func (k *Kernel) Close() error {
	var errs []error
	for _, m := range []device.Memory{k.grid, k.notes} {
		if m != nil {
			errs = append(errs, m.Close())
		}
	}
	errs = append(errs, k.Stop.Close())
	*k = Kernel{}
	return errors.Join(errs...)
}

// Together runs one kernel per GPU, which wait for one another: it launches all of them, then waits for all, and appends
// their reports to mails. launch enqueues the kernel of a GPU. After an error it sets all flags; the caller then waits for
// the streams. late reports that the kernels don't run at the same time.
func Together(all []*Kernel, launch func(i int) error, mails []gpu.Mail) (_ []gpu.Mail, late bool, err error) {
	for _, k := range all {
		if k.args.Post, err = k.s.Post(&k.first); err != nil {
			break
		}
	}
	for i := 0; i < len(all) && err == nil; i++ { // one after another: to wake threads for it takes longer (bench/notes/several-gpus.md)
		err = launch(i)
	}
	for i := 0; i < len(all) && err == nil && !late; i++ {
		var mail gpu.Mail
		mail, err = all[i].Wait()
		late = mail.Counts[1] == Late || mail.Counts[7] != 0
		mails = append(mails, mail)
	}
	if err != nil || late {
		for _, k := range all {
			k.flag(1)
		}
	}
	return mails, late, err
}
