// This file reports progress of ranks during long work between calls.

package comm

import "time"

// Working calls progress every second until stop is called. It is for work that takes longer than the ranks' deadline
// and has its own time limits.
func Working(progress func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				progress()
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
