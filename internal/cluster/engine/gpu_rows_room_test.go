//go:build linux && (amd64 || arm64) && !nocuda

// This file tests what parts that GPUs make and keep take of memory, and what happens where there is too little, or
// where placing them is canceled.

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/gpu"
)

// rounding is more than memory takes beyond what was asked for, in all.
const rounding = 64 << 10

// emulatedTeam are two emulated GPUs, whose memory can be taken but for a few bytes.
func emulatedTeam(t *testing.T) *gpuTeam {
	team := connect(t, 2)
	if !team.emulated {
		t.Skip("needs the emulated GPU (scripts/gpu-test emulate): the test takes its memory but for a few bytes")
	}
	return team
}

// freeIs makes parts see the free memory that f returns instead of the actual one.
func freeIs(t *testing.T, f func(*gpu.Device) uint64) {
	before := freeOn
	freeOn = f
	t.Cleanup(func() { freeOn = before })
}

func unknownFree(*gpu.Device) uint64 { return 0 }

// used returns how much memory is in use on each GPU.
func (g *gpuTeam) used() (list []uint64) {
	for _, s := range g.streams {
		list = append(list, s.GPU().Used())
	}
	return list
}

// build makes parts on all ranks, on their GPUs, and calls do with them.
func (g *gpuTeam) build(t *testing.T, spec string, directed bool, do func(p *Part) error) (errs []error) {
	t.Helper()
	generator, err := gen.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	errs = make([]error, len(g.comms))
	var all sync.WaitGroup
	for _, c := range comm.InProcess(len(g.comms)) {
		all.Go(func() {
			e := generated(generator, c.Rank(), c.Size())
			e.Directed, e.Generator = directed, generator
			p, err := Build(t.Context(), c, e, Options{Threshold: 16, GPU: g.streams[c.Rank()].GPU()})
			if err == nil {
				err = errors.Join(comm.Do(c, func() error { return do(p) }), p.Close())
			}
			errs[c.Rank()] = err
		})
	}
	all.Wait()
	return errs
}

// TestGPUStaysForetold: making takes no more of a GPU's memory than what was foretold, and not much less; what fails for
// lack of memory, wherever it is, leaves nothing on GPUs.
func TestGPUStaysForetold(t *testing.T) {
	team := emulatedTeam(t)
	for _, c := range []struct {
		spec     string
		directed bool
	}{{"kron12", false}, {"kron12", true}, {"urand12", false}} {
		t.Run(fmt.Sprintf("%s, directed %t", c.spec, c.directed), func(t *testing.T) {
			before := team.used()
			// What both looks at free memory foretell of rank 1's GPU, beside what was in use.
			d := team.streams[1].GPU()
			foretold := uint64(0)
			for look := range 2 {
				looks, used := 0, uint64(0)
				freeIs(t, func(of *gpu.Device) uint64 {
					if of != d {
						return 0
					}
					if looks++; looks <= look {
						return 0
					}
					if used == 0 {
						used = d.Used() - before[1]
					}
					return 1
				})
				errs := team.build(t, c.spec, c.directed, func(p *Part) error {
					lacks := (*NoRoom)(nil)
					if !errors.As(p.Stats.NotMade, &lacks) {
						return fmt.Errorf("a GPU made it")
					}
					if p.rank == 1 {
						foretold = max(foretold, used+lacks.Needs-madeFixed)
					}
					return nil
				})
				if err := errors.Join(errs...); err != nil {
					t.Fatal(err)
				}
			}
			freeIs(t, unknownFree)
			const steps = 4
			for part := 1; part <= steps; part++ { // quarters of the prediction
				left := foretold*uint64(part)/steps + rounding
				empty := fill(t, d, left)
				made := false
				errs := team.build(t, c.spec, c.directed, func(p *Part) error {
					if made = true; !p.Stats.Made {
						return fmt.Errorf("hosts made it")
					}
					return nil
				})
				empty()
				err := errors.Join(errs...)
				switch {
				case part == steps && err != nil:
					t.Errorf("in the %d bytes that were foretold: %v", foretold, err)
				case part <= steps/2 && err == nil:
					t.Errorf("%d bytes were foretold, but %d of them do", foretold, part)
				case err != nil && (made || !errors.Is(err, device.ErrMemory)):
					t.Errorf("in %d bytes: %v", left, err)
				}
				if now := team.used(); !slices.Equal(now, before) {
					t.Fatalf("in %d bytes: %d bytes are in use on GPUs, and %d were", left, now, before)
				}
			}
		})
	}
}

// TestGPUStaysInRoom: placing takes the predicted memory. If there is less, the rows go through the hosts. If there is
// too little for searches, or for rows on hosts, ranks get an error. Failures leave no memory in use.
func TestGPUStaysInRoom(t *testing.T) {
	team := emulatedTeam(t)
	before := team.used()
	place := func(name string, left func() uint64, do func(p *Part, g *OnGPU, err error) error) {
		t.Helper()
		empty := func() {}
		var one, two sync.WaitGroup
		one.Add(2)
		two.Add(1)
		go func() {
			one.Wait()
			if n := left(); n > 0 {
				empty = fill(t, team.streams[1].GPU(), n)
			}
			two.Done()
		}()
		errs := team.build(t, "kron11", false, func(p *Part) error {
			one.Done()
			two.Wait()
			g, err := team.placeOn(t.Context(), p)
			if err := do(p, g, err); err != nil {
				return err
			}
			// A search is right wherever it is.
			r, err := p.Search(t.Context(), []int64{1}, SearchOptions{Parents: true})
			if err != nil {
				return err
			}
			return r.Check(t.Context())
		})
		if err := errors.Join(errs...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		empty()
		if now := team.used(); !slices.Equal(now, before) {
			t.Fatalf("%s: %d bytes are in use on GPUs, and %d were", name, now, before)
		}
	}
	var needs, bytes uint64
	all := [subgraphs]bool{true, true, true, true}
	stayed := func(p *Part, g *OnGPU, err error) error {
		if err == nil && p.absent != all {
			err = fmt.Errorf("the host lacks %v", p.absent)
		}
		return err
	}
	place("free", func() uint64 { return 0 }, func(p *Part, g *OnGPU, err error) error {
		if err == nil && p.rank == 1 {
			needs, bytes = g.lacking, g.Bytes()
		}
		return stayed(p, g, err)
	})
	parents := uint64(2 * 8 * 2048) // which the search takes then
	place("as foretold", func() uint64 { return needs + rounding + parents }, stayed)
	for _, free := range []func(*gpu.Device) uint64{freeOn, unknownFree} {
		freeIs(t, free)
		const steps = 4
		for part := range steps {
			left := max(needs*uint64(part)/steps, 4096)
			place(fmt.Sprintf("%d of %d bytes", left, needs), func() uint64 { return left }, func(p *Part, g *OnGPU, err error) error {
				lacks := (*NoRoom)(nil)
				switch {
				case errors.As(err, &lacks): // hosts search
					if g != nil || p.absent != all && p.absent != [subgraphs]bool{} {
						return fmt.Errorf("placed %t, absent %v", g != nil, p.absent)
					}
					return nil
				case err == nil && p.absent != [subgraphs]bool{}:
					return fmt.Errorf("it was placed in less than was foretold, and the host lacks %v", p.absent)
				case err == nil && p.rank == 1 && g.Bytes() != bytes:
					return fmt.Errorf("it has %d bytes, not %d", g.Bytes(), bytes)
				case err == nil: // parents have room
					return g.Close()
				}
				return err
			})
		}
	}
	freeIs(t, func(d *gpu.Device) uint64 {
		if d == team.streams[0].GPU() {
			return 1
		}
		return 0
	})
	place("no room on hosts either", func() uint64 { return 0 }, func(p *Part, g *OnGPU, err error) error {
		p.limit = 0
		lacks := (*NoRoom)(nil)
		if !errors.As(err, &lacks) || lacks.Rank != 0 {
			return fmt.Errorf("placed with too little memory: %w", err)
		}
		return nil
	})
}

// TestGPUStaysHostRoom: if a host has no memory for rows, the error on all ranks names the call that needed them there.
func TestGPUStaysHostRoom(t *testing.T) {
	team := connect(t, 2)
	before := team.used()
	for _, placed := range []bool{false, true} {
		errs := team.build(t, "kron9", false, func(p *Part) error {
			if p.rank == 1 {
				p.limit = p.Stats.Foretold + 1000
			}
			if placed {
				if _, err := team.placeOn(t.Context(), p); err != nil {
					return err
				}
			}
			r, err := p.Search(t.Context(), []int64{1}, SearchOptions{})
			if !placed {
				return err
			}
			if err != nil {
				t.Error(err)
				return err
			}
			return r.Check(t.Context())
		})
		for r, err := range errs {
			if err == nil || !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "rank 1: ") || !strings.Contains(err.Error(), "need edges that GPUs have: it needs ") {
				t.Errorf("rank %d, placed %t: %v", r, placed, err)
			}
		}
	}
	if now := team.used(); !slices.Equal(now, before) {
		t.Errorf("%d bytes are in use on GPUs, and %d were", now, before)
	}
}

// TestGPUStaysElsewhere: another GPU than the one where a part is to be searched has made it.
func TestGPUStaysElsewhere(t *testing.T) {
	team := connect(t, 2)
	slices.Reverse(team.streams)
	errs := team.build(t, "kron9", false, func(p *Part) error {
		g, err := p.Place(t.Context(), team.streams[1-p.rank], team.comms[p.rank])
		if err != nil {
			return err
		}
		if p.absent != [subgraphs]bool{} {
			return fmt.Errorf("the host lacks %v", p.absent)
		}
		r, err := p.Search(t.Context(), []int64{1}, SearchOptions{Parents: true})
		if err != nil {
			return err
		}
		return errors.Join(r.Check(t.Context()), g.Close())
	})
	slices.Reverse(team.streams)
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// TestGPUStaysCanceled: a context ends the placing on all ranks wherever it is, and nothing is left on GPUs.
func TestGPUStaysCanceled(t *testing.T) {
	looks := func(t *testing.T, most int64) (n int64, canceled bool) {
		team := connect(t, 2)
		team.fails = most > 0
		before := team.used()
		asked := atomic.Int64{}
		errs := team.build(t, "kron8", false, func(p *Part) error {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := team.placeOn(looked{ctx, func() {
				if p.rank == 1 && asked.Add(1) == most {
					cancel()
				}
			}}, p)
			return err
		})
		if now := team.used(); !slices.Equal(now, before) {
			t.Errorf("%d bytes are in use on GPUs, and %d were, canceled at look %d", now, before, most)
		}
		for r, err := range errs {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("rank %d, canceled at look %d: %v", r, most, err)
			}
			canceled = canceled || err != nil
		}
		return asked.Load(), canceled
	}
	n, canceled := looks(t, -1)
	if canceled {
		t.Fatal("canceled without a reason")
	}
	for most := int64(1); most < n; most += max(1, most/3) {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			if n, canceled := looks(t, most); !canceled && n > most {
				t.Errorf("canceled at look %d of %d, and nobody noticed", most, n)
			}
		})
	}
}
