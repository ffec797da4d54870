//go:build linux && (amd64 || arm64) && !nocuda

// This file tests what ranks make of one another's reports.

package nccl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
)

func TestJudge(t *testing.T) {
	type report struct {
		closing     bool
		calls       uint64
		waits, idle time.Duration
		failure     *comm.Error
	}
	const ms = time.Millisecond
	canceled := &comm.Error{Rank: 1, Call: "Barrier (call 3)", Err: fmt.Errorf("it: %w", context.Canceled)}
	for name, c := range map[string]struct {
		reports       []report
		over, working bool
		rank          int
		wrong         string
	}{
		"all close":                   {reports: []report{{closing: true, calls: 4}, {closing: true, calls: 4}}, over: true},
		"one closes":                  {reports: []report{{closing: true, calls: 4}, {calls: 4, waits: 5000 * ms}}, working: true},
		"all compute":                 {reports: []report{{calls: 4, idle: 9000 * ms}, {calls: 4, idle: 9000 * ms}}},
		"all wait":                    {reports: []report{{calls: 4, waits: 9000 * ms}, {calls: 4, waits: 9000 * ms}}},
		"one is at work":              {reports: []report{{calls: 5, waits: 9000 * ms}, {calls: 4, idle: 100 * ms}}, working: true},
		"one hangs":                   {reports: []report{{calls: 5, waits: 2500 * ms}, {calls: 4, idle: 9000 * ms}}, rank: 1, wrong: "no progress for 2.5s, while rank 0 waits for it"},
		"it hung before anybody came": {reports: []report{{calls: 5, waits: 100 * ms}, {calls: 4, idle: 9000 * ms}}, working: true},
		"one hangs within the call":   {reports: []report{{calls: 5, waits: 2500 * ms}, {calls: 5, idle: 3000 * ms}}, rank: 1, wrong: "no progress for 2.5s"},
		"it waits in an earlier call": {reports: []report{{calls: 4, waits: 2500 * ms}, {calls: 5, idle: 3000 * ms}}},
		"the first failure counts":    {reports: []report{{calls: 5, waits: 9000 * ms}, {failure: canceled}, {failure: &comm.Error{Rank: 2, Err: comm.ErrHung}}}, rank: 1, wrong: "rank 1, in Barrier (call 3): it: context canceled"},
	} {
		words := make([]uint64, len(c.reports)*newsWords)
		for r, x := range c.reports {
			w := words[r*newsWords:]
			w[0], w[1], w[2], w[3] = newsMagic, x.calls, uint64(x.waits), uint64(x.idle)
			if x.closing {
				w[0] |= newsClosing
			}
			if x.failure != nil {
				comm.FailureTo(w[newsHead:][:comm.FailureWords], x.failure)
			}
		}
		over, working, e := judge(words, len(c.reports), 2*time.Second)
		if over != c.over || working != c.working || (e != nil) != (c.wrong != "") || e != nil && (e.Rank != c.rank || !strings.Contains(e.Error(), c.wrong)) {
			t.Errorf("%s: %v, %v, %v", name, over, working, e)
		}
		if e != nil && name == "the first failure counts" && !errors.Is(e, context.Canceled) {
			t.Errorf("%v has lost its cause", e)
		}
	}
}
