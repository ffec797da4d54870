package advance

import "testing"

// TestQueueMoves: a queue that has hardly any room left, and loses as many vertices as it gets, isn't moved each time.
func TestQueueMoves(t *testing.T) {
	const n = 1 << 16
	o, moved := &asyncWorker{queue: make([]uint32, n)}, 0
	vs := make([]uint32, asyncGroup)
	for range 4 * n / asyncGroup {
		for i := range vs {
			vs[i]++ // other slots of recent
		}
		o.head += asyncGroup
		before := len(o.queue)
		if o.add(vs[:1]); o.head == 0 {
			moved += before
		}
		o.queue = append(o.queue, vs[1:]...)
	}
	if moved > 8*n {
		t.Errorf("%d vertices were moved, of %d that came", moved, 4*n)
	}
}
