//go:build linux

// This file measures the memory of commands with --memory-limit, in separate processes.

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/testing/testlong"
)

// peakTo names the file that a command which runs as the program writes the most memory to that it had resident.
const peakTo = "FORAY_TEST_PEAK_TO"

// writePeak does so before the process exits.
func writePeak() {
	path := os.Getenv(peakTo)
	if path == "" {
		return
	}
	data, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := bytes.Cut(data, []byte("VmHWM:"))
	if fields := bytes.Fields(rest); len(fields) > 0 {
		_ = os.WriteFile(path, fields[0], 0o666)
	}
}

// TestMemoryLimit: with --memory-limit a command's resident memory is at most a tenth above the limit, whether it
// succeeds or fails with an error about the limit. It covers each format, in one pass and two, and searches, results
// and written files.
func TestMemoryLimit(t *testing.T) {
	testlong.Only(t)
	if raced {
		t.Skip("needs a build without -race, whose detector takes several times the memory")
	}
	for name, value := range map[string]string{"GOMAXPROCS": "4", "GOGC": "100", "GOMEMLIMIT": "off"} { // of the commands
		t.Setenv(name, value)
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"g.parquet", "g.arrow", "g.csv", "g.tsv"} {
		foray(t, 0, "gen", "kron17", "-o", at(name))
	}
	foray(t, 0, "gen", "urand16:weights=1:100,seed=3", "-o", at("w.parquet"))
	foray(t, 0, "convert", at("g.parquet"), at("g.foray"))
	foray(t, 0, "convert", at("w.parquet"), at("w.foray"), "--weights")
	foray(t, 0, "gen", "urand16:weights=1:100,seed=4", "-o", at("w.csv"))
	for i, args := range [][]string{
		{"bfs", at("g.parquet"), "--source", "1", "--parents", "-o", at("1.parquet"), "--sort", "id"},
		{"bfs", at("g.csv"), "--source", "1", "--two-pass"},
		{"cc", at("g.arrow"), "-o", at("2.csv")},
		{"pagerank", at("g.tsv"), "-o", at("3.jsonl")},
		{"sssp", "gen:kron17:weights=1:100", "--source", "1", "-o", at("4.arrow")},
		{"run", at("g.parquet"), "--two-pass", "--do", "kcore", "--do", "triangles"},
		{"closeness", at("g.foray"), "--source", "1"},
		{"convert", at("g.parquet"), at("5.foray")},
		{"bench", "gen:kron17", "--trials", "1"},
		{"convert", "gen:kron17:weights=1:100", at("6.parquet"), "--weights"},
		{"convert", at("g.parquet"), at("7.parquet"), "--compression", "gzip"},
		{"convert", at("g.csv"), at("8.arrow")},
		{"convert", at("g.arrow"), at("9.jsonl"), "--simple"},
		{"convert", at("w.parquet"), at("10.arrow"), "--weights", "--compression", "zstd"},
		{"convert", at("w.parquet"), "-", "--weights"},
		{"gen", "kron17", "-o", at("11.parquet")},
		{"gen", "kron17:weights=1:100", "-o", at("12.csv")},
		{"append", at("w.foray"), at("w.csv"), "-o", at("13.foray")},
		{"append", at("w.foray"), at("w.csv"), "-o", at("14.foray"), "--combine", "sum"},
		{"append", at("w.foray"), at("w.parquet"), "-o", at("15.foray"), "--remove"},
	} {
		ended, refused := false, false
		limits, mapped := testlong.Of([]uint64{30, 130, 250}, []uint64{30, 110, 150, 250}), uint64(0)
		switch args[0] {
		case "convert", "gen":
			limits = testlong.Of([]uint64{30, 66, 95, 250}, []uint64{30, 58, 66, 80, 95, 120, 250})
		case "append":
			info, err := os.Stat(args[1])
			if err != nil {
				t.Fatal(err)
			}
			limits, mapped = testlong.Of([]uint64{30, 120, 160, 200}, []uint64{30, 100, 120, 140, 160, 180, 200}), uint64(info.Size()) // whose pages don't count
		}
		if i%3 != 0 && !testlong.Long() { // one that is refused, one that isn't
			limits = []uint64{limits[0], limits[len(limits)-1]}
		}
		for _, mb := range limits {
			peak := at("peak")
			_ = os.Remove(peak)
			t.Setenv(peakTo, peak)
			cmd, stderr := start(t, append(args, "--memory-limit", strconv.FormatUint(mb, 10)+"MB")...)
			err := cmd.Wait()
			data, _ := os.ReadFile(peak)
			kib, _ := strconv.ParseUint(string(data), 10, 64)
			t.Logf("%s: %d MB: %d KiB, %v", strings.Join(args[:2], " "), mb, kib, err)
			if err == nil {
				ended = true
			} else if refused = true; strings.Contains(stderr.String(), "would take more") && slices.Contains([]string{"convert", "gen", "append"}, args[0]) {
				t.Errorf("%v with a limit of %d MB wasn't refused before it took it: %s", args, mb, stderr)
			} else if !strings.Contains(stderr.String(), "not enough memory: ") || !strings.Contains(stderr.String(), "--memory-limit") {
				t.Errorf("%v: %v, %s", args, err, stderr)
			}
			if most := max(mb*11/10, 60); kib == 0 || kib<<10 > most*1e6+mapped { // 60 MB are what it takes to say that it isn't enough
				t.Errorf("%v with a limit of %d MB took %d KiB", args, mb, kib)
			}
		}
		if !ended || !refused {
			t.Errorf("%v: ended %t, was refused %t", args, ended, refused)
		}
	}
}

// TestPastMemoryLimit: memory that no estimate includes ends the command too.
func TestPastMemoryLimit(t *testing.T) {
	held := uint64(90)
	processMemory = func() (own, files uint64) { held += 4; return held, 1 << 30 }
	defer func() { processMemory = nil }()
	ctx, cancel := context.WithCancelCause(t.Context())
	var a app
	a.cancel = cancel
	a.ending.Store(true)
	ended := make(chan struct{})
	go func() {
		a.watchMemory(&memoryLimit{limit: 120, program: 8})
		close(ended)
	}()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("it continued")
	}
	<-ended
	if err := pastMemory(ctx); !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), "more than the 120 B of --memory-limit") {
		t.Error(err)
	}
}
