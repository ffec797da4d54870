// This file tests progress bars.

package main

import (
	"bytes"
	"regexp"
	"testing"
	"time"
)

// TestProgressHasRate: a bar has the rate of its phase and the time left.
func TestProgressHasRate(t *testing.T) {
	var b bytes.Buffer
	a := &app{terminal: true, rawStderr: &b}
	p := a.progress()
	p.update("searching", 1, 1000) // too early to be shown
	if b.Len() > 0 {
		t.Errorf("a bar appears at once: %q", b.String())
	}
	p.start = p.start.Add(-2 * progressAfter)
	p.update("searching", 100, 1000)
	p.since = p.since.Add(-time.Second)
	for done := uint64(200); done < 800; done += 200 {
		p.drawn = time.Time{}
		p.update("searching", done, 1000)
		time.Sleep(drawEvery + 10*time.Millisecond)
	}
	if bar := b.String(); !regexp.MustCompile(`searching, [\d,]+/s .*\(\d+/1000\) \[\d+s:\d+s\]`).MatchString(bar) {
		t.Errorf("no rate or no time left in %q", bar)
	}
	p.end()
}
