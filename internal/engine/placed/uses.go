// This file counts the users of a placed graph, for which Placed.Close waits.

package placed

import (
	"context"
	"fmt"
	"sync"
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
	none    error         // of no graph

	// ctx is the context of goroutines that Close ends. The first of them makes it.
	once sync.Once
	ctx  context.Context
	cut  context.CancelFunc
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

// ending returns a context that End ends.
func (u *uses) ending() context.Context {
	u.once.Do(func() { u.ctx, u.cut = context.WithCancel(context.Background()) })
	return u.ctx
}

func (u *uses) leave(who int64) {
	if s := u.state.Add(-who); s&usesClosing != 0 && s&usesCounts == 0 {
		select {
		case u.idle <- struct{}{}:
		default: // Close has been told, and looks again
		}
	}
}

// End refuses new users and waits for the current ones. It reports false if it
// was called before.
func (u *uses) End() bool {
	if u.state.Or(usesClosing)&usesClosing != 0 {
		return false
	}
	u.ending()
	u.cut()
	for !u.state.CompareAndSwap(usesClosing, usesClosing|usesGone) {
		<-u.idle
	}
	return true
}

// Gone reports whether End was called and has returned.
func (u *uses) Gone() bool { return u.state.Load()&usesGone != 0 }

// Hold is graph.Placed.Hold.
func (u *uses) Hold() (release func(), err error) {
	if u.state.Add(usesHold)&usesClosing != 0 {
		u.release()
		return nil, u.errClosed()
	}
	return u.release, nil
}

// Enter is Hold for an operator, which Leave ends. While Close waits for a traversal
// that holds the placed graph Enter succeeds, so that the traversal can continue;
// otherwise it returns device.ErrClosed once Close was called. On a GPU Leave may come
// when the operator is enqueued: Close waits for the device.
func (u *uses) Enter() error {
	s := u.state.Add(usesOperator)
	if s&usesGone != 0 || s&usesClosing != 0 && s&usesCounts < usesHold {
		u.Leave()
		return u.errClosed()
	}
	return nil
}

// Leave ends what Enter began.
func (u *uses) Leave() { u.leave(usesOperator) }

func (u *uses) errClosed() error {
	if u.none != nil {
		return u.none
	}
	return ClosedError()
}

// ClosedError returns the error of a placed graph that was closed.
func ClosedError() error {
	return fmt.Errorf("graph: %w: the placed graph; place it again with Graph.On", device.ErrClosed)
}
