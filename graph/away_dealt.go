// This file brings rows to the host that several devices made, dealt out.

package graph

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/foray-graph/foray/internal/hugepage"
	"github.com/foray-graph/foray/internal/pages"
	"github.com/foray-graph/foray/internal/placed"
)

// newDealtAway is newAway for rows that are dealt out.
func newDealtAway(devs placed.Several, dealt *placed.Across, out, in *CSR) *away {
	a := &away{dealt: dealt, name: devs.Info().Name, rows: []awayRows{{to: out}}}
	if in != nil && in != out {
		a.rows = append(a.rows, awayRows{to: in})
	}
	return a
}

// copyDealt returns the targets of rows that are dealt out; in says that they are those of the reverse.
func (r *awayRows) copyDealt(a *placed.Across, in bool) (CSR, error) {
	c := CSR{Targets: pages.Uncleared[uint32](int(r.to.NumEdges()))}
	hugepage.Expect(c.Targets)
	errs := make([]error, len(a.Parts))
	var wait sync.WaitGroup
	for i := range a.Parts {
		wait.Go(func() { errs[i] = r.copyPart(a, i, in, c.Targets) })
	}
	wait.Wait()
	return c, errors.Join(errs...)
}

// copyPart copies the targets that a device has to where they belong.
func (r *awayRows) copyPart(a *placed.Across, device int, in bool, to []uint32) error {
	part, devices := &a.Parts[device], len(a.Parts)
	from := part.Targets
	if in {
		from = part.InTargets
	}
	mem := part.Memory(from)
	left := uint64(0)
	for v := device; v < a.Vertices; v += devices {
		left += r.to.Degree(uint32(v))
	}
	piece := make([]uint32, min(left, dealtPiece))
	have, at := piece[:0], uint64(0)
	for l := range part.Vertices {
		v := l*devices + device
		row := to[r.to.Offsets[v]:r.to.Offsets[v+1]]
		for len(row) > 0 {
			if len(have) == 0 {
				have = piece[:min(uint64(len(piece)), left-at)]
				if err := part.Dev.Download(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(have))), 4*len(have)), mem, 4*at); err != nil {
					return err
				}
				at += uint64(len(have))
			}
			n := min(len(have), len(row))
			for k, x := range have[:n] {
				row[k] = a.Vertex(x)
			}
			have, row = have[n:], row[n:]
		}
	}
	return nil
}
