// This file holds the calls of the operator that finds common neighbours.

package triangles

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/simple"
	"github.com/foray-graph/foray/operators/intersect"
)

type intersectorKey struct{}

// intersects lends an Intersector over the simple graph.
func intersects(ctx context.Context, x *simple.Graph, use func(*intersect.Intersector) error) (err error) {
	s, err := x.Placed.Device().NewStream(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	in, ok := x.Placed.TakeScratch(intersectorKey{}).(*intersect.Intersector)
	if !ok || !in.Bind(s) {
		if in, err = intersect.New(s, x.Placed); err != nil {
			return err
		}
	}
	if err := use(in); err != nil {
		return errors.Join(err, in.Free())
	}
	if x.Placed.KeepScratch(intersectorKey{}, in) {
		return nil
	}
	return in.Free()
}

// run runs the operator and returns how many common neighbours there are.
func run(ctx context.Context, x *simple.Graph, o intersect.Options, f intersect.Functor) (common uint64, err error) {
	err = intersects(ctx, x, func(in *intersect.Intersector) error {
		if err := in.Run(o, f); err != nil {
			return err
		}
		var err error
		_, common, err = in.Totals()
		return err
	})
	return common, err
}

// opposite counts the edges opposite to every vertex of the graph into at, which is 0.
func opposite(ctx context.Context, x *simple.Graph, at, twice *device.Buffer[uint64]) (common uint64, err error) {
	o := intersect.Options{Ascending: true}
	if x.Order == nil {
		return run(ctx, x, o, &intersect.Opposite{PerVertex: at, Twice: twice})
	}
	d, n := x.Placed.Device(), x.Placed.NumVertices()
	own, err := device.NewBuffer[uint64](d, n)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, own.Free()) }()
	if common, err = run(ctx, x, o, &intersect.Opposite{PerVertex: own, Twice: twice}); err != nil {
		return 0, err
	}
	values := make([]uint64, n)
	if err := own.Read(d, 0, values); err != nil {
		return 0, err
	}
	return common, at.Write(d, 0, simple.Moved(x, values))
}
