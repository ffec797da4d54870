// This file holds the words in which functors on a GPU report their faults.

package gpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu/driver"
)

// faultWords is the number of functors that a stream can distinguish, plus one word for the stop flag of
// kernels that don't read one.
const faultWords = 512

// faults are a stream's words, in memory that host and device share. A functor that faults
// writes the fault to its own word, which is 0 before.
type faults struct {
	pinned  *driver.Host
	words   []uint64
	at      map[any]int
	explain []func(word uint64) error
	times   uint64 // that they were forgotten
}

// FaultWord returns the device addresses of the fault word for a key, and of a stop flag
// that the host doesn't read. Once the word isn't 0, Err returns explain(word).
func (s *Stream) FaultWord(key any, explain func(word uint64) error) (word, stop uint64, err error) {
	f := &s.faults
	if f.pinned == nil {
		if f.pinned, err = s.d.c.AllocHost(8 * faultWords); err != nil {
			return 0, 0, fmt.Errorf("gpu: %w", err)
		}
		f.words = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(f.pinned.Bytes()))), faultWords)
		clear(f.words)
		f.at = map[any]int{}
	}
	i, ok := f.at[key]
	if !ok {
		i = len(f.explain)
		if i == faultWords-1 {
			return 0, 0, fmt.Errorf("gpu: %w: more than %d functors in one stream", device.ErrNotSupported, faultWords-1)
		}
		f.at[key] = i
		f.explain = append(f.explain, explain)
	}
	at := uint64(f.pinned.Ptr())
	return at + 8*uint64(i), at + 8*(faultWords-1), nil
}

// FaultRoom reports whether enough words are free for a functor to have several.
func (s *Stream) FaultRoom() bool { return len(s.faults.explain) < faultWords/2 }

// FaultTime is another number once the words are for other functors: the stream was used again.
func (s *Stream) FaultTime() uint64 { return s.faults.times }

// err returns what went wrong in a functor.
func (f *faults) err() error {
	for i, explain := range f.explain {
		if w := atomic.LoadUint64(&f.words[i]); w != 0 {
			return explain(w)
		}
	}
	return nil
}

// forget lets other functors use the stream. Its kernels have ended. Functors that were used before
// keep their words as long as these are few, so that a key keeps its meaning.
func (f *faults) forget() {
	clear(f.words)
	if len(f.explain) < faultWords/4 {
		return
	}
	f.times++
	clear(f.at)
	clear(f.explain)
	f.explain = f.explain[:0]
}

func (f *faults) close() error {
	if f.pinned == nil {
		return nil
	}
	return f.pinned.Close()
}
