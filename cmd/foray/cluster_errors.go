// This file holds who prints the error of a search over processes: one rank, if all know
// of it.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/foray-graph/foray/internal/cluster/comm"
	"github.com/foray-graph/foray/internal/cluster/engine"
)

// A rank that ends with an error has the launcher end the others, before they have printed
// anything. So a rank that leaves the printing to another rank waits to be ended: Open MPI 4.1 takes a
// second for that, MPICH none. If it isn't ended and the other rank hasn't reported that it prints, the rank whose
// error it is prints after all, and then the others end.
const (
	printAfterAll = 2 * time.Second
	endAfterThat  = printAfterAll + time.Second
	endAfterHung  = time.Second // all know of it within deadlines of package comm
)

// ranksError is an error of a search over processes.
type ranksError struct {
	err    error
	status int  // with which the process ends
	silent bool // another rank prints it
}

func (e *ranksError) Error() string { return e.err.Error() }
func (e *ranksError) Unwrap() error { return e.err }

// rankError adds the rank to an error.
func rankError(c comm.Comm, err error) error {
	var failed *comm.Error
	switch {
	case err == nil, alike(err):
		return err
	case errors.As(err, &failed):
		return failed
	}
	return fmt.Errorf("rank %d: %w", c.Rank(), explain(err))
}

// alike reports an error that all ranks have, since it comes of the command line and of
// what they have found out together.
func alike(err error) bool {
	var usage *usageError
	var same *comm.Alike
	var room *engine.NoRoom
	return errors.As(err, &usage) || errors.As(err, &same) || errors.As(err, &room)
}

// tellOnce returns the error for this rank to print, or one that it doesn't print.
func tellOnce(ctx context.Context, c comm.Comm, err error) error {
	if err == nil {
		return nil
	}
	status := exitStatus(ctx, err)
	var failed *comm.Error
	told := errors.As(c.Err(), &failed)
	own := !told || failed.Rank == c.Rank()
	speaker := 0
	if told && c.Size() > 1 {
		speaker = speakerOf(failed)
	}
	switch {
	case c.Rank() == speaker && !own && ctx.Err() != nil && !errors.Is(failed, context.Canceled):
		return &ranksError{err: failed, status: exitError} // for which the launcher ends this rank
	case c.Rank() == speaker, strings.HasPrefix(err.Error(), "panic: "): // others aren't told the whole stack
		return err
	}
	// If the failing rank is unknown, rank 0 may be the one that doesn't respond.
	second := told && failed.Rank == comm.Unknown && c.Rank() == 1
	patience := endAfterThat
	switch {
	case second:
		patience = endAfterHung
	case !told && alike(err):
		patience = 0 // Close, at the end, waits for all
	case own:
		patience = printAfterAll
	case lost(failed):
		patience = endAfterHung
	}
	ended := ctx.Done()
	if ctx.Err() != nil { // this rank alone may have been interrupted
		ended = nil
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-wait.C:
		if !speaks(c, speaker) && (second || own && !alike(err)) {
			return err
		}
	case <-ended:
	}
	return &ranksError{err, status, true}
}

// lost reports whether a rank can't print its error.
func lost(e *comm.Error) bool { return errors.Is(e, comm.ErrHung) || errors.Is(e, comm.ErrGone) }

// speakerOf returns the rank that prints an error: rank 0, unless it can't.
func speakerOf(e *comm.Error) int {
	if e.Rank == 0 && lost(e) {
		return 1
	}
	return 0
}

// startOnce is tellOnce for processes without MPI that failed to connect: the rank that failed prints why. If it can't, or is
// interrupted, tellOnce's rank does.
func startOnce(ctx context.Context, rank int, err error) error {
	var failed *comm.Error
	if !errors.As(err, &failed) || failed.Rank == comm.Unknown {
		return err
	}
	prints := failed.Rank
	if lost(failed) || errors.Is(failed, context.Canceled) {
		prints = speakerOf(failed)
	}
	switch {
	case rank == prints && failed.Rank == rank:
		return err
	case rank == prints:
		return &ranksError{err: failed, status: exitError}
	}
	wait := time.NewTimer(endAfterHung)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	return &ranksError{err, exitStatus(ctx, err), true}
}

// atStart returns the error of processes that failed to connect.
func atStart(err error) error {
	if ranks := (*ranksError)(nil); errors.As(err, &ranks) {
		return ranks
	}
	return err
}

// speaks reports whether a rank has told this one that it prints the error: a rank closes its communicator between
// tellOnce and the printing.
func speaks(c comm.Comm, rank int) bool {
	x, ok := c.(interface{ Leaving(rank int) bool })
	return ok && x.Leaving(rank)
}

// tellUsage is tellOnce for an error before ranks have joined: they join to compare it.
func (a *app) tellUsage(ctx context.Context, err error) error {
	c, joined := comm.World(ctx, comm.Options{Settings: []comm.Setting{{Name: "the error", Value: err.Error()}}, Deadline: hungAfter})
	if c == nil || joined != nil { // it is alone, or has an error that others don't have
		return err
	}
	a.ranks = c
	return tellOnce(ctx, c, err)
}
