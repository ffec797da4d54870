// This file has what every communicator must do run by those of this package.

package comm

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/internal/cluster/comm/commtest"
)

var suite = commtest.Errors{
	Mismatch: ErrMismatch, Hung: ErrHung, Aborted: ErrAborted, Differs: ErrDiffers,
	Rank: func(err error) (int, bool) {
		var e *Error
		if !errors.As(err, &e) {
			return 0, false
		}
		return e.Rank, true
	},
	Do: func(c commtest.Comm, f func() error) error { return Do(c.(Comm), f) },
	Among: func(ctx context.Context, c commtest.Comm, ranks []int, out [][]byte) ([][]byte, error) {
		return ExchangeAmong(ctx, c.(Comm), ranks, out)
	},
}

var scenarios = suite.Scenarios()

const testDeadline = commtest.Deadline

// own are a rank's settings.
func own(s commtest.Scenario, rank int) (list []Setting) {
	if s.Settings != nil {
		for _, x := range s.Settings(rank) {
			list = append(list, Setting{x[0], x[1]})
		}
	}
	return list
}
