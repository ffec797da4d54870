// This file holds what a search does in its own way on each kind of device.

package bfs

import (
	"github.com/foray-graph/foray/frontier"
)

// backend is the part of a Space that is a device's: a *hostSearch or a *gpuSearch. All of it is called
// once a level at most.
type backend interface {
	// admit returns device.ErrMemory where a search is sure not to fit.
	admit(o workspaceOptions) error
	// begin readies the space for a search: sources claimed, labeled and in Cur.
	begin(sources []uint32, o workspaceOptions) error
	// loop runs the algorithm's loop for the device.
	loop(a *algorithm, l *loop) error

	push(level int32) (uint64, error) // Space.Push
	pulls(level int32)                // before a pull
	settle(l *loop, f *frontier.Frontier) error
	note(f *frontier.Frontier) // with each frontier, before it is expanded
	lists()                    // for a Searcher: what searches reach may be listed
	outEdges(f *frontier.Frontier, sample int) float64
	claimsByArray() bool
	visited(v uint32) bool
	// sync waits for the kernels of a level, whose time is taken. Errors stay with the
	// stream.
	sync()

	// complete ends a search whose counts stand: the arrays are complete then.
	complete(r *Result) error
	hand(r *Result)    // arrays by id into the result
	reclaim(r *Result) // and back
	ended()
	// ahead is Searcher.Batch with a search launched before the one before it has ended.
	// rest is the index of the search from which on they have to be one by one; -1 where
	// all is done, or the error says why not.
	ahead(w *work, b batch) (rest int, err error)

	stowArrays() // the arrays of this device
	freeArrays() error
	close() error
}
