// This file holds progress bars: on a terminal only, and only for what takes
// longer than a second.

package main

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows what is going on. Its methods may be called from several
// goroutines; on anything but a terminal they do nothing.
type progress struct {
	w     io.Writer // nil where nothing is shown
	edges uint64    // total of the phase "read" where the library doesn't know it

	mu    sync.Mutex
	start time.Time
	phase string
	bar   *progressbar.ProgressBar
}

// progressAfter is for how long nothing is shown.
const progressAfter = time.Second

func (a *app) progress() *progress {
	p := &progress{start: time.Now()}
	if a.terminal {
		p.w = a.rawStderr
	}
	return p
}

// build is for graph.Options.Progress. While files are read their readers
// report better than the number of edges does.
func (p *progress) build(phase string, done, total uint64) {
	if phase == "read" {
		if total == 0 {
			total = p.edges
		}
		if total == 0 {
			return
		}
		p.update("generating", done, total)
		return
	}
	p.show(phase, done, total) // of so many parts, which say nothing to the user
}

// update shows a number of things; a total of 0 means that it isn't known.
func (p *progress) update(phase string, done, total uint64) {
	p.show(phase, done, total, progressbar.OptionShowCount())
}

// bytes shows a number of bytes.
func (p *progress) bytes(phase string, done, total uint64) {
	p.show(phase, done, total, progressbar.OptionShowCount(), progressbar.OptionShowBytes(true))
}

func (p *progress) show(phase string, done, total uint64, o ...progressbar.Option) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || time.Since(p.start) < progressAfter {
		return
	}
	if p.phase != phase || p.bar == nil {
		p.clear()
		n := int64(total)
		if n <= 0 {
			n = -1
		}
		p.phase = phase
		p.bar = progressbar.NewOptions64(n, append(o,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(phase),
			progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetPredictTime(total > 0), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(false))...)
	}
	if total > 0 {
		done = min(done, total)
	}
	_ = p.bar.Set64(int64(done)) // a bar that can't be drawn is no reason to fail
}

// clear takes the bar off the screen.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

// end takes the bar off the screen for good.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.w = nil
}
