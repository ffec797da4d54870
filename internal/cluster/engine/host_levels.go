// This file holds the loop over levels on the host's processors.

package engine

import (
	"context"
	"time"
)

// hostSearch is the engine on the host's processors.
type hostSearch struct{ *Part }

func (p hostSearch) run(ctx context.Context, from, targets []place, r *Result) (*found, error) {
	if err := p.bring(ctx, subND, subDD, subDN, subNN); err != nil {
		return nil, err
	}
	start := time.Now()
	h := newHost(p.Part, from, r.options)
	if err := p.levels(ctx, h, targets, r); err != nil {
		return nil, err
	}
	f := &found{depths: h.finish(), depthD: h.depthD, parentN: h.parentN, parentD: h.parentD}
	o := &r.Own
	o.Computing = time.Since(start) - o.Counting - o.Uniting - o.Exchanging - o.Local
	return f, nil
}

// levels searches until a level finds nothing or the search has what was requested.
func (p *Part) levels(ctx context.Context, e *hostEngine, targets []place, r *Result) error {
	counts := make([]uint64, 6+len(r.options.Directions))
	for depth := int32(0); ; depth++ {
		start, talking := time.Now(), time.Duration(0)
		talk := func(part *time.Duration, f func() error) error {
			since := time.Now()
			defer func() {
				took := time.Since(since)
				talking += took
				*part += took
			}()
			return f()
		}
		clear(counts)
		last := r.options.DepthLimit > 0 && int(depth) >= r.options.DepthLimit
		if len(r.options.Targets) > 0 { // before anything below them is visited
			left := []uint64{0}
			for _, t := range targets {
				if !e.visited(t) {
					left[0]++
				}
			}
			if err := talk(&r.Own.Counting, func() error { return p.comm.Sum(ctx, left) }); err != nil {
				return err
			}
			last = last || left[0] == 0
		}
		normals, delegates := e.frontier()
		var x expanded
		if !last {
			x = e.expand(ctx, depth)
		}
		counts[0], counts[1], counts[2], counts[3] = normals, x.edges, x.delegates, x.sends
		for i := range r.options.Directions {
			if x.pulls[i] {
				counts[6+i] = 1
			}
		}
		if err := talk(&r.Own.Counting, func() error { return p.comm.Sum(ctx, counts) }); err != nil {
			return err
		}
		size := counts[0] + delegates
		if size == 0 {
			return nil
		}
		r.Reached += size
		r.Levels++
		if last {
			r.Limited = true
			return nil
		}
		l := Level{Depth: depth, Frontier: size, Edges: counts[1], United: counts[2] > 0}
		for i := range l.Pulled {
			l.Pulled[i] = int(counts[6+i])
		}
		if l.United {
			if err := talk(&r.Own.Uniting, func() error { return e.unite(ctx) }); err != nil {
				return err
			}
		}
		// An exchange would also take the rank's own finds, which is already done.
		if counts[3] > 0 {
			if err := talk(&r.Own.Exchanging, func() error {
				s, err := e.exchange(ctx, depth)
				l.Sent, l.Across, l.Messages = s.bytes, s.across, s.messages
				r.Own.Local, r.Own.Exchanging = r.Own.Local+s.local, r.Own.Exchanging-s.local
				return err
			}); err != nil {
				return err
			}
		}
		e.settle(ctx, depth+1)
		l.Seconds, l.Talking = time.Since(start).Seconds(), talking.Seconds()
		r.Stats = append(r.Stats, l)
	}
}
