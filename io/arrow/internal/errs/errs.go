// Package errs makes errors of the internal packages those that callers of the public ones know.
package errs

import (
	"errors"
	"io/fs"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/where"
	"github.com/foray-graph/foray/io/arrow/internal/write"
)

// words are the errors of internal packages that callers know by another one.
var words = []struct{ inside, public error }{
	{write.ErrOutputOption, graph.ErrOptions}, {write.ErrOutputFormat, graph.ErrOptions}, {write.ErrOutputColumn, graph.ErrOptions},
	{dataset.ErrWhere, graph.ErrOptions}, {where.ErrType, graph.ErrOptions},
	{input.ErrLimit, device.ErrMemory},
	{input.ErrWeight, graph.ErrWeights},
	{input.ErrUnsupported, errors.ErrUnsupported},
	{input.ErrNoData, fs.ErrNotExist},
	{dataset.ErrRows, input.ErrDamaged}, {dataset.ErrTwice, input.ErrDamaged},
	{input.ErrChanged, input.ErrStore},
	{input.ErrVacuumed, input.ErrSnapshot},
	{write.ErrEdgeBatch, write.ErrResult},
}

// Show makes *err an error that callers know: its text has no secrets, it wraps public errors, and the place in a file
// is what public returns, an *arrow.FileError.
func Show(err *error, public func(input.FileError) error) {
	if *err == nil {
		return
	}
	if f, ok := (*err).(*input.FileError); ok {
		shown := *f
		shown.Err = named(shown.Err)
		*err = public(shown)
	} else {
		if f := (*input.FileError)(nil); errors.As(*err, &f) {
			*err = &known{*err, public(*f)}
		}
		*err = named(*err)
	}
	location.Shown(err)
}

// known is an error that callers know by another one too.
type known struct {
	error
	as error
}

func (e *known) Unwrap() []error { return []error{e.error, e.as} }

// named returns the error as one that wraps what callers know it by.
func named(err error) error {
	for _, w := range words {
		if errors.Is(err, w.inside) && !errors.Is(err, w.public) {
			err = &known{err, w.public}
		}
	}
	return err
}
