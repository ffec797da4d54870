// This file holds progress bars: only on a terminal, and only for work that takes
// longer than a second. Loading has one, from the first byte to the last row.

package main

import (
	"fmt"
	"io"
	"math"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/text"
)

// progress shows the progress of work. Its methods may be called from several
// goroutines; on anything but a terminal they do nothing.
type progress struct {
	w     io.Writer // nil where nothing is shown
	edges uint64    // total of the phase "read" where the library doesn't know it

	loads string // what is loaded, while it is
	onGPU bool   // whose rows a GPU makes

	mu    sync.Mutex
	start time.Time
	phase string
	bar   *progressbar.ProgressBar

	loading bool      // the bar shows loading
	at      int       // of it, in loadSteps
	since   time.Time // the present phase began
	from    uint64    // what was done of it when its bar appeared
	rate    string
	drawn   time.Time
}

// loadSteps is how long the bar of loading is.
const loadSteps = 1000

// loadShares are the shares of loading that phases take, each from begin to end: for large graphs
// in Parquet, by 16 workers of a host, and with a GPU.
var loadShares = map[string][2][2]int{
	"reading": {{0, 220}, {0, 620}}, "generating": {{0, 150}, {0, 400}},
	"find ids": {{220, 235}, {620, 630}}, "number ids": {{235, 250}, {630, 640}},
	"partition": {{250, 330}, {}}, "drop duplicates": {{330, 700}, {}}, "count degrees": {{250, 700}, {}},
	"number vertices": {{700, 730}, {880, 920}}, "renumber edges": {{730, 750}, {}}, "partition rows": {{750, 840}, {}}, "fill rows": {{840, 920}, {}},
	"transpose": {{920, 980}, {}}, "fill reverse rows": {{920, loadSteps}, {}},
	"sort rows": {{600, 800}, {}}, "renumber": {{800, loadSteps}, {}},
	"upload edges": {{}, {640, 740}}, "make rows": {{}, {740, 880}}, "place rows": {{}, {920, loadSteps}},
}

// drawEvery is how often a bar is drawn at most.
const drawEvery = 100 * time.Millisecond

// progressAfter is for how long nothing is shown.
const progressAfter = time.Second

func (a *app) progress() *progress {
	p := &progress{start: time.Now()}
	if a.terminal {
		p.w = a.rawStderr
	}
	return p
}

// loading begins the bar of a load, which end removes; gpu means that a GPU may build the rows.
func (a *app) loading(name string, gpu bool) *progress {
	p := a.progress()
	p.loads, p.onGPU = name, gpu
	return p
}

// loadStep moves the bar of a load to the given progress of a phase, if there is such a bar and such a
// phase. Rates are shown for things that have a name. p.mu is held.
func (p *progress) loadStep(phase string, done, total uint64, rate func(perSecond uint64) string) bool {
	shares, ok := loadShares[phase]
	if p.loads == "" || !ok || total == 0 {
		return false
	}
	share := shares[0]
	if p.onGPU && shares[1][1] > 0 {
		share = shares[1]
	}
	if p.phase != phase {
		p.phase, p.since, p.rate = phase, time.Now(), ""
	}
	p.at = max(p.at, share[0]+int(uint64(share[1]-share[0])*min(done, total)/total)) // phases may take turns
	if seconds := time.Since(p.since).Seconds(); rate != nil && seconds > 0.1 {
		p.rate = ", " + rate(uint64(float64(done)/seconds))
	}
	what := "loading " + p.loads + ": " + phase + p.rate
	if p.at > 0 {
		left := time.Since(p.start).Seconds() * float64(loadSteps-p.at) / float64(p.at)
		what += fmt.Sprintf(", %.0f s left", math.Ceil(left))
	}
	if p.bar == nil || !p.loading {
		p.clear()
		p.loading = true
		p.bar = progressbar.NewOptions(loadSteps, progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(false), progressbar.OptionSetDescription(what))
	}
	if now := time.Now(); now.Sub(p.drawn) >= drawEvery {
		p.drawn = now
		p.bar.Describe(what)
		_ = p.bar.Set(min(p.at, loadSteps-1)) // a bar that can't be drawn is no reason to fail
	}
	return true
}

// shortName is what a bar calls the input.
func shortName(paths []string) string {
	const most = 24
	name := []rune(path.Base(strings.TrimRight(paths[0], "/")))
	if len(name) > most {
		name = append(name[:most-3], []rune("...")...)
	}
	if len(paths) > 1 {
		return fmt.Sprintf("%s and %d more", text.Escape(string(name)), len(paths)-1)
	}
	return text.Escape(string(name))
}

// perSecond formats a rate.
func perSecond(n uint64) string { return text.Count(n) + " rows/s" }

func bytesPerSecond(n uint64) string { return text.Bytes(n) + "/s" }

// build is for graph.Options.Progress. While files are read their readers
// report better than the number of edges does.
func (p *progress) build(at graph.Progress) {
	phase, done, total := at.Phase, at.Done, at.Total
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
	p.show(phase, done, total, nil) // of so many parts, which say nothing to the user
}

// update shows a number of things; a total of 0 means that it isn't known.
func (p *progress) update(phase string, done, total uint64) {
	p.show(phase, done, total, perSecond, progressbar.OptionShowCount())
	p.describeRate(done)
}

// describeRate shows the rate of a phase behind its name. A load has its own description, and a bar of bytes its own rate.
func (p *progress) describeRate(done uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.bar == nil || p.loading || now.Sub(p.drawn) < drawEvery {
		return
	}
	p.drawn = now
	if seconds := now.Sub(p.since).Seconds(); seconds > 0 && done > p.from {
		p.bar.Describe(fmt.Sprintf("%s, %s/s", p.phase, text.Count(uint64(float64(done-p.from)/seconds))))
	}
}

// counting is for Progress fields that count things: the bar is called name.
func (p *progress) counting(name string) func(graph.Progress) {
	return func(at graph.Progress) { p.update(name, at.Done, at.Total) }
}

// inBytes is for Progress fields that count bytes: the bar is called name.
func (p *progress) inBytes(name string) func(graph.Progress) {
	return func(at graph.Progress) { p.bytes(name, at.Done, at.Total) }
}

// bytes shows a number of bytes.
func (p *progress) bytes(phase string, done, total uint64) {
	p.show(phase, done, total, bytesPerSecond, progressbar.OptionShowCount(), progressbar.OptionShowBytes(true))
}

func (p *progress) show(phase string, done, total uint64, rate func(uint64) string, o ...progressbar.Option) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || time.Since(p.start) < progressAfter {
		return
	}
	if p.loadStep(phase, done, total, rate) {
		return
	}
	if p.phase != phase || p.bar == nil || p.loading {
		p.clear()
		p.loading = false
		n := int64(total)
		if n <= 0 {
			n = -1
		}
		p.phase, p.since, p.from = phase, time.Now(), done
		p.bar = progressbar.NewOptions64(n, append(o,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(phase),
			progressbar.OptionSetWidth(30), progressbar.OptionThrottle(drawEvery),
			progressbar.OptionSetSpinnerChangeInterval(0), // else it continues when the bar is gone
			progressbar.OptionSetPredictTime(total > 0), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(false))...)
	}
	if total > 0 {
		done = min(done, total)
	}
	_ = p.bar.Set64(int64(done)) // a bar that can't be drawn is no reason to fail
}

// aside has f print a line, where no bar is.
func (p *progress) aside(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	f()
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
