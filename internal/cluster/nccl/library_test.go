//go:build linux && (amd64 || arm64) && !nocuda

// This file tests how the library is opened, and what C sees of the environment.

package nccl

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// TestNoLibrary: the error explains how to name the library.
func TestNoLibrary(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"/nowhere/libnccl.so.2", "set FORAY_NCCL to the file"},
		{"libc.so.6", "libc.so.6 isn't NCCL: it has no ncclGetVersion"},
	} {
		_, err := openLibrary(c.path)
		if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

// TestOldLibrary: a library that is too old is refused before it is used.
func TestOldLibrary(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		testlong.Missing(t, "compiler", "needs gcc: install gcc: ", err)
	}
	dir := t.TempDir()
	source, path := filepath.Join(dir, "old.c"), filepath.Join(dir, "libnccl.so.2")
	text := "int ncclGetVersion(int* v) { *v = 21805; return 0; }\n"
	for _, f := range functions {
		if f != "ncclGetVersion" && f != "ncclCommInitRankScalable" {
			text += "int " + f + "(void) { __builtin_trap(); }\n"
		}
	}
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", path, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, err := openLibrary(path)
	want := path + " is version 2.18.5 and lacks ncclCommInitRankScalable; this needs 2.23.0 or later"
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestMulticastOff: C's getenv, by which NCCL reads, sees what was set, also where the
// environment said something else.
func TestMulticastOff(t *testing.T) {
	const name = "NCCL_NVLS_ENABLE"
	env, err := environment()
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []string{"", "1", "2"} {
		if before == "" {
			env.remove(name)
		} else if err := env.put(name, before); err != nil {
			t.Fatal(err)
		}
		if err := noMulticast("/nowhere/libnccl.so.2"); err != nil {
			t.Fatal(err)
		}
		if got, ok := env.lookup(name); !ok || got != "0" {
			t.Errorf("C sees %q, %v after %q", got, ok, before)
		}
	}
	// A library that is in use already may have found something else.
	env.remove(name)
	if err := noMulticast("libc.so.6"); err == nil || !strings.Contains(err.Error(), "start the program with NCCL_NVLS_ENABLE=0") {
		t.Errorf("a library that is in use: %v", err)
	}
	if err := env.put(name, "0"); err != nil {
		t.Error(err)
	}
	if err := noMulticast("libc.so.6"); err != nil {
		t.Error(err)
	}
	if err := env.put("", "x"); err == nil {
		t.Error("a variable without a name was set")
	}
}

func TestMaster(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"MASTER_ADDR=10.0.0.1 MASTER_PORT=29500", "10.0.0.1:29500"},
		{"MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 TORCHELASTIC_USE_AGENT_STORE=False", "10.0.0.1:29500"},
		{"MASTER_ADDR=10.0.0.1 MASTER_PORT=29500 TORCHELASTIC_USE_AGENT_STORE=True", "10.0.0.1:29501"},
		{"MASTER_ADDR=fe80::1 MASTER_PORT=1", "[fe80::1]:1"},
		{"MASTER_ADDR=host MASTER_PORT=65535 TORCHELASTIC_USE_AGENT_STORE=True", `error: MASTER_PORT="65535"`},
		{"MASTER_ADDR=host MASTER_PORT=0", `error: MASTER_PORT="0"`},
		{"MASTER_ADDR=host MASTER_PORT=x", `error: MASTER_PORT="x"`},
		{"MASTER_ADDR=host", "error: nccl: MASTER_ADDR and MASTER_PORT aren't set"},
		{"MASTER_PORT=29500", "error: nccl: MASTER_ADDR and MASTER_PORT aren't set"},
	} {
		env := map[string]string{}
		for v := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		got, err := master(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if want, fails := strings.CutPrefix(c.want, "error: "); fails && (err == nil || !strings.Contains(err.Error(), want)) || !fails && got != want {
			t.Errorf("%s: got %q, %v", c.env, got, err)
		}
	}
}

// TestGathers: the number of bytes decides how bitmaps are united.
func TestGathers(t *testing.T) {
	for _, c := range []struct {
		size     int
		bytes    uint64
		gathered bool
	}{{1, 1 << 30, true}, {2, 1 << 30, true}, {4, 8 << 20, true}, {4, 9 << 20, false}, {8, 1 << 20, true}, {8, 4 << 20, false}, {3, 18 << 20, true}, {3, 19 << 20, false}} {
		if got := (&Comm{size: c.size, gatherMost: gatherMost}).gathers(c.bytes); got != c.gathered {
			t.Errorf("%d bytes on %d ranks: %v", c.bytes, c.size, got)
		}
	}
}

// TestPick: which GPU a process takes.
func TestPick(t *testing.T) {
	for _, c := range []struct {
		local      int
		known      bool
		rank, gpus int
		visible    string
		want       int
		wrong      string
	}{
		{3, true, 11, 4, "", 3, ""},
		{0, false, 6, 4, "", 2, ""},
		{0, false, 6, 1, "", 0, ""},
		{3, true, 3, 1, "2", 0, ""}, // Slurm has bound it
		{3, true, 3, 2, "0,1", 0, "this is process 3 of its machine, from 0, which has 2 GPUs"},
		{4, true, 12, 4, "", 0, "start no more processes than GPUs on a machine"},
		{1, true, 1, 1, "", 0, "which has 1 GPU:"},
	} {
		got, err := pick(c.local, c.known, c.rank, c.gpus, c.visible)
		if got != c.want || (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}
