// This file holds the calls of the operator that finds common neighbors.

package triangles

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/placed"
	"github.com/foray-graph/foray/internal/engine/run"
	"github.com/foray-graph/foray/internal/layout/simple"
	"github.com/foray-graph/foray/operators/intersect"
)

type lentKey struct{ placed.Of[*lent] }

// lent is what one run after another has: a stream, and the operator on it.
type lent struct {
	lease run.Lease
	in    *intersect.Intersector // or nil
}

// Close gives both back.
func (l *lent) Close() error {
	if l.in == nil {
		return l.lease.Close()
	}
	return errors.Join(l.in.Close(), l.lease.Close())
}

// intersects lends an Intersector over the simple graph.
func intersects(ctx context.Context, x *simple.Graph, use func(*intersect.Intersector) error) error {
	l, ok := placed.Take(x.Placed.State(), lentKey{})
	if !ok {
		lease, err := run.NewLease(x.Placed, "operator")
		if err != nil {
			return err
		}
		l = &lent{lease: lease}
	}
	s, err := l.lease.Begin(ctx)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if l.in == nil || !l.in.Bind(s) {
		if l.in, err = intersect.New(s, x.Placed); err != nil {
			l.in = nil
			return errors.Join(err, l.Close())
		}
	}
	if err = use(l.in); err == nil {
		err = l.lease.Wait()
	}
	l.lease.End()
	if err != nil || l.lease.Failed() { // a stream with a call that failed is of no more use
		return errors.Join(err, l.Close())
	}
	if placed.Keep(x.Placed.State(), lentKey{}, l) {
		return nil
	}
	return l.Close()
}

// common runs the operator and returns how many common neighbors there are.
func common(ctx context.Context, x *simple.Graph, o intersect.Options, f intersect.Functor) (found uint64, err error) {
	err = intersects(ctx, x, func(in *intersect.Intersector) error {
		if err := in.Run(o, f); err != nil {
			return err
		}
		var err error
		_, found, err = in.Totals()
		return err
	})
	return found, err
}

// opposite counts the edges opposite to every vertex of the graph into at, which is 0.
func opposite(ctx context.Context, x *simple.Graph, at, twice *device.Buffer[uint64]) (found uint64, err error) {
	o := intersect.Options{Ascending: true}
	if x.Order == nil {
		return common(ctx, x, o, intersect.Opposite(at, twice))
	}
	d, n := x.Placed.Device(), x.Placed.NumVertices()
	own, err := device.NewBuffer[uint64](d, n)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	if found, err = common(ctx, x, o, intersect.Opposite(own, twice)); err != nil {
		return 0, err
	}
	values := make([]uint64, n)
	if err := own.Read(d, 0, values); err != nil {
		return 0, err
	}
	return found, at.Write(d, 0, simple.Moved(x, values))
}
