// This file tests that append survives being killed.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/io/arrow"
)

// TestAppendKilled kills appends at random moments: the file is the old graph or the new one, and the next
// append works beside what was left behind, and removes it.
func TestAppendKilled(t *testing.T) {
	testlong.Project(t)
	const command = "FORAY_TEST_APPEND_KILLED"
	if dir := os.Getenv(command); dir != "" {
		os.Stdout.Write([]byte{'.'}) // it begins now
		var out bytes.Buffer
		os.Exit(run([]string{"append", filepath.Join(dir, "g.foray"), filepath.Join(dir, "more.csv")}, &out, &out))
	}
	switch {
	case testing.Short():
		t.Skip("needs a run without -short: starting processes takes long")
	case runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1":
		t.Skip("needs SIGKILL: not on", runtime.GOOS)
	}
	dir := t.TempDir()
	g, old := filepath.Join(dir, "g.foray"), filepath.Join(dir, "old.foray")
	if err := os.WriteFile(filepath.Join(dir, "more.csv"), []byte("src,dst\n1000000,1000001\n1000001,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	foray(t, 0, "convert", "gen:kron14", old)
	before, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	edges := func() uint64 { // after a check of the whole file
		t.Helper()
		h, _, err := arrow.OpenGraph(context.Background(), g, arrow.OpenGraphOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		return h.NumEdges()
	}
	restore := func() uint64 {
		t.Helper()
		if err := os.WriteFile(g, before, 0o666); err != nil {
			t.Fatal(err)
		}
		return edges()
	}
	was := restore()
	start := time.Now()
	foray(t, 0, "append", g, filepath.Join(dir, "more.csv"))
	whole := time.Since(start)
	if edges() != was+2 {
		t.Fatalf("%d edges after %d", edges(), was)
	}
	outcomes := map[string]int{}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for i := range 8 {
		restore()
		cmd := exec.Command(os.Args[0], "-test.run=^TestAppendKilled$")
		cmd.Env = append(os.Environ(), command+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		wait := time.Duration(rng.Int64N(int64(whole)))
		if i%2 == 0 { // while it writes
			untilLarge(dir, int64(rng.IntN(len(before))))
			wait = 0
		}
		time.Sleep(wait)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		switch is := edges(); is {
		case was:
			outcomes["old"]++
		case was + 2:
			outcomes["new"]++
		default:
			t.Fatalf("%d edges, neither %d nor %d", is, was, was+2)
		}
		foray(t, 0, "append", g, filepath.Join(dir, "more.csv"))
		if is := edges(); is != was+2 {
			t.Fatalf("%d edges after the next append, want %d", is, was+2)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	if len(left) > 0 && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") { // which have locks
		t.Errorf("%q are left", left)
	}
	t.Log(fmt.Sprint(outcomes))
}

// untilLarge waits for a temporary file with so many bytes, for a second at most.
func untilLarge(dir string, size int64) {
	seen := map[string]bool{}
	old, _ := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	for _, name := range old {
		seen[name] = true
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		names, _ := filepath.Glob(filepath.Join(dir, ".*.tmp"))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && !seen[name] && info.Size() >= size {
				return
			}
		}
	}
}
