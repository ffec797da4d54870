// This file counts the users of a placed graph, for which Placed.Close waits.

package graph

import (
	"fmt"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
)

// uses counts the users of a placed graph: traversals that hold it, and operators. Close
// sets closing: then no traversal begins, and operators begin only within a traversal
// that is under way. Once there are no users, it sets gone.
type uses struct {
	state   atomic.Int64
	idle    chan struct{} // has room for one: the last hold ended while closing
	release func()        // ends a hold; made once
}

// The state of uses: two flags, and below them two counts.
const (
	usesClosing  = int64(1) << 62
	usesGone     = int64(1) << 61
	usesHold     = int64(1) << 30 // a traversal
	usesOperator = int64(1)
	usesCounts   = usesGone - 1
)

func (u *uses) begin() {
	u.idle = make(chan struct{}, 1)
	u.release = func() { u.leave(usesHold) }
}

func (u *uses) leave(who int64) {
	if s := u.state.Add(-who); s&usesClosing != 0 && s&usesCounts == 0 {
		select {
		case u.idle <- struct{}{}:
		default: // Close has been told, and looks again
		}
	}
}

// close refuses new users and waits for the current ones. It reports false if it
// was called before.
func (u *uses) close() bool {
	if u.state.Or(usesClosing)&usesClosing != 0 {
		return false
	}
	for !u.state.CompareAndSwap(usesClosing, usesClosing|usesGone) {
		<-u.idle
	}
	return true
}

func (p *Placed) gone() bool { return p.uses.state.Load()&usesGone != 0 }

// Hold keeps the placed graph, and its Graph, until release is called: Close waits
// for that, and Graph.Close releases the arrays only then. Searches hold the placed
// graph while they run. A custom traversal must do so too if another goroutine may
// free the graph meanwhile. Call release exactly once. Don't call Close before that in
// the same goroutine: it would wait for itself. Hold allocates nothing.
//
// The error is device.ErrClosed once Close was called, or ErrNoGraph for nil.
func (p *Placed) Hold() (release func(), err error) {
	if p == nil {
		return nil, p.Err()
	}
	if p.uses.state.Add(usesHold)&usesClosing != 0 {
		p.uses.release()
		return nil, errPlacedFreed()
	}
	return p.uses.release, nil
}

// Enter is Hold for an operator, which Leave ends. While Close waits for a traversal
// that holds the placed graph Enter succeeds, so that the traversal can continue;
// otherwise it returns device.ErrClosed once Close was called. On a GPU Leave may come
// when the operator is enqueued: Close waits for the device.
func (p *Placed) Enter() error {
	if p == nil {
		return p.Err()
	}
	s := p.uses.state.Add(usesOperator)
	if s&usesGone != 0 || s&usesClosing != 0 && s&usesCounts < usesHold {
		p.Leave()
		return errPlacedFreed()
	}
	return nil
}

// Leave ends what Enter began.
func (p *Placed) Leave() { p.uses.leave(usesOperator) }

func errPlacedFreed() error {
	return fmt.Errorf("graph: %w: the placed graph; place it again with Graph.On", device.ErrClosed)
}
