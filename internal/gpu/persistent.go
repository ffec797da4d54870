// This file owns the life cycle of persistent kernels, which run all levels of a search or
// traversal in one launch: their memory, launches in turns with a kernel of one thread-block cluster,
// notes on levels, the stop flag, and what an abandoned kernel leaves.

package gpu

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
)

// PersistentArgs are the arguments that every persistent kernel takes (EngineArgs of traverse/engine.cuh).
type PersistentArgs struct {
	Grid, Stop, Levels uint64
	Post               Post
	Room, Patience     uint32
	Resume, _          uint32
}

// How a kernel ended, which its mail has in Counts[1] (traverse/engine.cuh).
const (
	EndedLimited = 1
	EndedStopped = 2
	EndedPaused  = 3 // the other kernel's turn comes
	EndedNothing = 4 // it wasn't the kernel's turn
	EndedLate    = 5 // its blocks didn't all run at once
	EndedNoRoom  = 7
)

// GridBytes is the size of GridState (frontier/grid.cuh).
const GridBytes = 4*8 + 4*128 + 128

// LevelNote is a kernel's note on a level (LevelNote of traverse/engine.cuh).
type LevelNote struct {
	Frontier, Edges uint64
	Began           uint64 // in nanoseconds of the device's clock
	Way, _          uint32
}

// LevelNoteBytes is the size of a LevelNote.
const LevelNoteBytes = uint64(unsafe.Sizeof(LevelNote{}))

// Persistent is what persistent kernels need on one GPU. The zero value has no memory yet. Call Ready
// once, Begin, Notes and Run for every traversal, and Abandon after an error.
type Persistent struct {
	Stop  *Pinned // the flag that ends the kernels
	grid  device.Memory
	words uint64 // of grid
	notes device.Memory
	room  uint64 // levels that notes has room for

	s    *Stream
	args *PersistentArgs // of the run under way
	// The tickets of a run's first launch of the grid, and of the last.
	first, again Ticket
}

// Ready allocates what is missing: the flag, and the grid's state with so many bytes of the kernel's own behind it. Kernels
// of several GPUs have another barrier, and no grid.
func (k *Persistent) Ready(dev *Device, grid bool, own uint64) (err error) {
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
func (k *Persistent) Own() uint64 { return uint64(k.grid.Pointer()) + GridBytes }

// Begin readies the arguments for a run on a stream, without notes. a stays the caller's, as a part of its kernel's
// arguments.
func (k *Persistent) Begin(s *Stream, a *PersistentArgs) {
	k.s, k.args = s, a
	*a = PersistentArgs{Stop: uint64(k.Stop.Ptr()), Patience: Patience}
	if k.grid != nil {
		a.Grid = uint64(k.grid.Pointer())
	}
	k.flag(0)
}

// flag tells the kernels to end, or not to.
func (k *Persistent) flag(wish uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(unsafe.SliceData(k.Stop.Bytes()))), wish)
}

// Notes lets the run's kernels note up to so many levels, or as many as an earlier call said. clear says that notes of
// an earlier run must be gone.
func (k *Persistent) Notes(levels uint64, clear bool) (err error) {
	if k.notes == nil {
		k.room = levels
		k.notes, err = k.s.Device().Alloc(levels * LevelNoteBytes)
	} else if clear {
		err = k.s.Fill(k.notes.Pointer(), 0, k.room*LevelNoteBytes/4)
	}
	if err == nil {
		k.args.Levels, k.args.Room = uint64(k.notes.Pointer()), uint32(k.room)
	}
	return err
}

// ReadNotes copies the notes from a level on.
func (k *Persistent) ReadNotes(notes []LevelNote, from int) error {
	if len(notes) == 0 {
		return nil
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(notes))), len(notes)*int(LevelNoteBytes))
	return k.s.Device().(*Device).Download(raw, k.notes, uint64(from)*LevelNoteBytes)
}

// Launch enqueues the grid's kernel by launch, which passes the arguments that Begin had. The kernel reports to t.
func (k *Persistent) Launch(t *Ticket, launch func() error) (err error) {
	if k.args.Post, err = k.s.Post(t); err != nil {
		return err
	}
	return launch()
}

// Run launches kernels until the run has ended, and returns the report of the last. grid and cluster enqueue the kernel
// of the whole grid and that of one cluster, which take turns; cluster is nil if the grid's does everything. The
// kernel whose turn it isn't exits immediately, so the host need not wait between launches.
func (k *Persistent) Run(grid, cluster func() error, wait func(*Ticket) (Mail, error)) (Mail, error) {
	if err := k.Launch(&k.first, grid); err != nil {
		return Mail{}, err
	}
	if cluster == nil {
		return wait(&k.first)
	}
	k.args.Resume = 1
	for {
		if err := cluster(); err != nil {
			return Mail{}, err
		}
		if err := k.Launch(&k.again, grid); err != nil {
			return Mail{}, err
		}
		switch mail, err := wait(&k.again); {
		case err != nil:
			return Mail{}, err
		case mail.Counts[1] == EndedNothing:
			return k.first.Wait()
		case mail.Counts[1] != EndedPaused:
			return mail, nil
		}
	}
}

// Wait waits for the first launch of a run.
func (k *Persistent) Wait() (Mail, error) { return k.first.Wait() }

// ZeroSpan is memory that is zero between runs.
type ZeroSpan struct {
	Mem   device.Memory // or nil
	Words uint64        // of 32 bits
}

// Abandon ends the kernels that are under way, which look at the flag now and then. A run that another kernel was to
// continue is left half done, so it enqueues the clearing of the grid and of other memory for the next run.
func (k *Persistent) Abandon(others ...ZeroSpan) error {
	k.flag(1)
	var errs []error
	for _, m := range append(others, ZeroSpan{k.grid, k.words}) {
		if m.Mem != nil {
			errs = append(errs, k.s.Fill(m.Mem.Pointer(), 0, m.Words))
		}
	}
	return errors.Join(errs...)
}

// Close frees the memory.
func (k *Persistent) Close() error {
	var errs []error
	for _, m := range []device.Memory{k.grid, k.notes} {
		if m != nil {
			errs = append(errs, m.Close())
		}
	}
	errs = append(errs, k.Stop.Close())
	*k = Persistent{}
	return errors.Join(errs...)
}

// RunTogether runs one kernel per GPU, which wait for one another: it launches all of them, then waits for all, and appends
// their reports to mails. launch enqueues the kernel of a GPU. After an error it sets all flags; the caller then waits for
// the streams. late reports that the kernels don't run at the same time.
func RunTogether(all []*Persistent, launch func(i int) error, mails []Mail) (_ []Mail, late bool, err error) {
	for _, k := range all {
		if k.args.Post, err = k.s.Post(&k.first); err != nil {
			break
		}
	}
	for i := 0; i < len(all) && err == nil; i++ { // one after another: to wake threads for it takes longer (bench/notes/several-gpus.md)
		err = launch(i)
	}
	for i := 0; i < len(all) && err == nil && !late; i++ {
		var mail Mail
		mail, err = all[i].Wait()
		late = mail.Counts[1] == EndedLate || mail.Counts[7] != 0
		mails = append(mails, mail)
	}
	if err != nil || late {
		for _, k := range all {
			k.flag(1)
		}
	}
	return mails, late, err
}
