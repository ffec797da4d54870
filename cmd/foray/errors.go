// This file holds errors: those of usage, and how others are put to the user.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/atomicfile"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// usageError is a command line that is wrong whatever the input is.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// needArgs makes the check that there are from lo to hi arguments; hi < 0
// means any number.
func needArgs(lo, hi int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < lo:
			return usagef("%s", what)
		case hi >= 0 && len(args) > hi:
			return usagef("%s, not %q", what, args[hi])
		}
		return nil
	}
}

// hinted is an error with what the user can do about it.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }

func hint(err error, format string, args ...any) error {
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// explain puts an error of the libraries in terms of the command line.
func explain(err error) error {
	var h *hinted
	var written *atomicfile.Error
	var path *fs.PathError
	switch {
	case errors.As(err, &h), errors.As(err, &written):
		return err
	case errors.As(err, &path) && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	case errors.Is(err, graph.ErrMemory):
		return hint(err, "--two-pass takes less, --memory-limit sets another limit")
	case errors.Is(err, arrow.ErrColumn), errors.Is(err, arrow.ErrColumnType):
		return hint(err, "--src and --dst name the columns")
	case errors.Is(err, arrow.ErrNull):
		return hint(err, "--nulls skip leaves such edges out")
	case errors.Is(err, arrow.ErrFormat):
		return hint(err, "if it is text, --input-format text reads it")
	case errors.Is(err, graph.ErrIDType), errors.Is(err, edgelist.ErrSyntax):
		return err
	}
	return err
}

// oneLine is the error's text without line breaks and without the name of the
// package that it comes from.
func oneLine(err error) string {
	s := strings.TrimSpace(err.Error())
	for _, p := range []string{"arrow: ", "edgelist: ", "graph: ", "bfs: ", "dobfs: ", "bench: "} {
		s = strings.TrimPrefix(s, p)
	}
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}

// checkOutput makes sure that a file can be written before work is put into
// its contents. What isn't a plain file is left alone.
func checkOutput(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	f.Abort()
	return nil
}
