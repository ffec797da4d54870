// This file holds the tests of inputs and outputs that are pipes.

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testfile"
)

func TestPipes(t *testing.T) {
	in, out := testfile.FIFO(t), testfile.FIFO(t)
	go func() {
		if err := os.WriteFile(in, []byte("1 2\n2 3\n"), 0); err != nil {
			t.Error(err)
		}
	}()
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(out)
		if err != nil {
			t.Error(err)
		}
		got <- string(b)
	}()
	foray(t, 0, "convert", in, out, "--input-format", "text", "--format", "csv")
	if b := <-got; b != "src,dst\n1,2\n2,3\n" {
		t.Errorf("%q came through", b)
	}

	dir := t.TempDir()
	testfile.MakeFIFO(t, filepath.Join(dir, "a.parquet"))
	for args, want := range map[string]string{
		"bfs " + in:                             "pipe: not a regular file, and its name doesn't have a text extension; --input-format text reads text from pipes",
		"bfs " + dir + "/a.parquet":             "a.parquet: not a regular file",
		"bfs " + in + " --input-format arrow":   "not a regular file but a pipe; write it to a file first",
		"bfs " + dir:                            "a.parquet: unsupported: it is not a regular file but a pipe",
		"bfs " + testfile.Socket(t):             "not a regular file",
		"bfs /dev/null":                         "/dev/null: not a regular file",
		"bfs /dev/null --input-format text":     "/dev/null: ",
		"convert " + karate + " /dev/full":      "--format",
		"gen star:4 --format csv -o /dev/full ": "no space left on device",
	} {
		var errs bytes.Buffer
		if status := run(strings.Fields(args), &bytes.Buffer{}, &errs); status == 0 || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("foray %s: status %d, %s", args, status, errs.String())
		}
		contains(t, errs.String(), want)
	}
	_, errs := foray(t, 2, "bfs", in, "--input-format", "text", "--two-pass")
	contains(t, errs, "--two-pass reads twice, which "+in+" can't be: not a regular file")
}

// TestInterruptedPipes: a signal ends a command that waits for the other end of a pipe.
func TestInterruptedPipes(t *testing.T) {
	pipe, dir := testfile.FIFO(t), t.TempDir()
	svg := filepath.Join(dir, "a.svg")
	testfile.MakeFIFO(t, svg)
	for _, args := range []string{
		"bfs " + pipe + " --input-format text", "info " + pipe + " --input-format text", "bench " + pipe + " --input-format sg",
		"bfs " + karate + " -o " + pipe + " --format parquet", "bfs " + karate + " --plot " + svg,
		"convert " + pipe + " " + filepath.Join(dir, "x.csv") + " --input-format text", "convert " + karate + " " + pipe + " --format arrows",
		"gen kron10 --format csv -o " + pipe,
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(50*time.Millisecond, func() { cancel(&interrupted{os.Interrupt}) })
		var out, errs bytes.Buffer
		if status := runContext(ctx, strings.Fields(args), &out, &errs); status != 130 || sayings.ReplaceAllString(errs.String(), "") != "foray: interrupted\n" {
			t.Errorf("%s: status %d\n%s%s", args, status, out.String(), errs.String())
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
