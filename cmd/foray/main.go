// Command foray searches graphs breadth-first: graphs from Parquet, Arrow and
// text files or generated ones, with results for a data lake.
//
// This file holds the entry point and what becomes of errors: one line on
// standard error (one per error in a functor's source), exit status 1; 2 where
// the command line is wrong; 3 where the data was refused; 128 and the signal's number where the program was
// interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	_ "github.com/foray-graph/foray/algos/bfs/laboratory"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/text"
	_ "github.com/foray-graph/foray/io/arrow/brotli"
	_ "github.com/foray-graph/foray/io/arrow/iceberg"
	_ "github.com/foray-graph/foray/io/s3"
)

func main() {
	frugally()
	endLate, processMemory = os.Exit, residentMemory
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// grace is how long a command may take to end after a signal. Most end within 50 ms; a call of a library
// that ignores the context, or a store that doesn't answer, may take longer. The next run removes leftover
// temporary files.
const grace = 800 * time.Millisecond

// endLate ends the program with a status where a command takes longer; nil in tests that run commands in
// their own process. ranked is set in a rank of several processes, which tells the others first, and which
// its launcher ends.
var (
	endLate func(status int)
	ranked  atomic.Bool
)

// Exit statuses beside 0.
const (
	exitError  = 1
	exitUsage  = 2
	exitData   = 3
	exitSignal = 128
)

// interrupted is the cause of a context that a signal canceled.
type interrupted struct{ signal os.Signal }

func (e *interrupted) Error() string { return "interrupted" }

// run runs the command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP) // a terminal that is closed leaves no temporary files behind either
	}
	defer signal.Stop(signals)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals) // a second signal ends the program at once
			cancel(&interrupted{s})
		case <-ctx.Done():
			return
		}
		late := time.NewTimer(grace)
		defer late.Stop()
		select {
		case <-ended:
		case <-late.C:
			if endLate != nil && !ranked.Load() {
				fmt.Fprintln(stderr, "foray: interrupted")
				endLate(exitStatus(ctx, ctx.Err()))
			}
		}
	}()
	return runContext(ctx, args, stdout, stderr)
}

// errorKeeper keeps the first error of a writer.
type errorKeeper struct {
	io.Writer
	err error
}

func (k *errorKeeper) Write(p []byte) (int, error) {
	n, err := k.Writer.Write(p)
	if k.err == nil {
		k.err = err
	}
	return n, err
}

// isTerminal reports whether what is written to w appears on a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// The commands that work over processes.
const (
	bfsName   = "bfs"
	paperName = "paper"
)

// runContext is run with a context of the caller's.
func runContext(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	// Help and the like is printed by cobra, which doesn't look at errors.
	kept := &errorKeeper{Writer: stdout}
	shown := text.NewEscaper(kept)
	a := &app{restore: func() {}, stdout: shown, data: kept, stderr: text.NewEscaper(stderr), rawStderr: stderr, terminal: isTerminal(stderr), args: args}
	if isTerminal(stdout) {
		a.data, shown.Bold = shown, colored(true)
	}
	stderr = a.stderr
	ctx, a.cancel = context.WithCancelCause(ctx)
	defer a.cancel(nil)
	ctx, temporary := withTemporary(atomicfile.WithInputs(ctx))
	root := a.root()
	defer func() { a.restore() }()
	root.SetArgs(args)
	root.SetOut(a.data) // completions are for a shell
	root.SetErr(stderr)
	if complete(root, args) {
		root.SetErr(io.Discard) // Cobra prints there what its scripts leave out
	}
	cmd, err := root.ExecuteContextC(ctx)
	if rerr := a.printResult(); err == nil { // bench compare has one also where --threshold fails
		err = rerr
	}
	if err == nil {
		err = a.sayLast()
	}
	a.ending.Store(true)
	if past := pastMemory(ctx); past != nil && err != nil {
		err = past
	}
	if rerr := temporary.remove(); err == nil && rerr != nil {
		err = rerr
	}
	if ferr := shown.Flush(); err == nil && kept.err == nil {
		err = ferr
	}
	if err == nil && kept.err != nil {
		err = atomicfile.Explain(atomicfile.Stdout, kept.err)
	}
	if err == nil {
		return 0
	}
	err = usageOf(err)
	var usage *usageError
	if errors.As(err, &usage) && (cmd.Name() == bfsName || cmd.Name() == paperName) && a.ranks == nil {
		err = a.tellUsage(ctx, err)
	}
	var ranks *ranksError
	var sources sourceErrors
	status := exitStatus(ctx, err)
	switch isRanks := errors.As(err, &ranks); {
	case isRanks && ranks.silent:
	case !isRanks && wasInterrupted(ctx) != nil:
		fmt.Fprintln(stderr, "foray: interrupted")
	case errors.As(err, &sources): // a line each, as compilers print them
		fmt.Fprintln(stderr, sources)
	case usage != nil:
		see := usage.see
		if see == "" {
			see = cmd.CommandPath()
		}
		fmt.Fprintf(stderr, "foray: %s (see %s --help)\n", temporary.shown(a.oneLine(err)), see)
	default:
		fmt.Fprintf(stderr, "foray: %s\n", temporary.shown(a.oneLine(explain(err))))
	}
	if a.ranks != nil { // none ends, and has the others ended, before it was printed
		_ = a.ranks.Close()
	}
	return status
}

// wasInterrupted returns the signal that ended the context, or nil.
func wasInterrupted(ctx context.Context) *interrupted {
	var stopped *interrupted
	errors.As(context.Cause(ctx), &stopped)
	return stopped
}

// exitStatus is the status with which the program ends after an error.
func exitStatus(ctx context.Context, err error) int {
	var ranks *ranksError
	var usage *usageError
	stopped := wasInterrupted(ctx)
	switch {
	case errors.As(err, &ranks):
		return ranks.status
	case stopped != nil:
		if s, ok := stopped.signal.(syscall.Signal); ok {
			return exitSignal + int(s)
		}
	case errors.As(err, &usage):
		return exitUsage
	case refusedData(err):
		return exitData
	}
	return exitError
}
