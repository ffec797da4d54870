package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// testStdin reads all formats from a pipe, and leaves no temporary file.
func testStdin(t *testing.T, start func(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer)) {
	dir, temp := t.TempDir(), t.TempDir()
	run := func(stdin []byte, args ...string) (string, string, error) {
		cmd, out, errs := start(args...)
		cmd.Stdin, cmd.Env = bytes.NewReader(stdin), append(os.Environ(), "TMPDIR="+temp)
		err := cmd.Run()
		return out.String(), errs.String(), err
	}
	want, _, err := run(nil, "bfs", karate, "--source", "1", "-o", "-")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.parquet", "a.arrow", "a.arrows", "a.csv", "a.jsonl", "a.tsv.gz", "a.el.zst"} {
		path := filepath.Join(dir, name)
		foray(t, 0, "convert", karate, path)
		got, errs, err := run([]byte(read(t, path)), "bfs", "-", "--source", "1", "-o", "-")
		if err != nil || got != want || strings.Contains(errs, temp) {
			t.Errorf("%s: %v, %s%s", name, err, got, errs)
		}
		if name == "a.parquet" {
			for want, args := range map[string][]string{
				"foray: -: standard input has more than 100 B":       {"info", "-", "--limits", "pipe=100B"},
				"foray: - is standard input, which can be read once": {"info", "-", "-"},
				`foray: -: column "x": --src names it`:               {"info", "-", "--src", "x"},
			} {
				if _, errs, err := run([]byte(read(t, path)), args...); err == nil || !strings.HasPrefix(errs, want) {
					t.Errorf("%s: %v, %s", args, err, errs)
				}
			}
		}
	}
	// Vertices are named there, too.
	g, rest := filepath.Join(dir, "g.foray"), filepath.Join(dir, "rest.foray")
	foray(t, 0, "convert", karate, g)
	if out, errs, err := run([]byte("1\n34\n"), "append", g, "--remove-vertices", "-", "-o", rest); err != nil || !strings.Contains(out, "; 2 vertices of - taken away; ") {
		t.Errorf("%v, %s%s", err, out, errs)
	}
	if _, errs, err := run([]byte("x\n"), "append", g, "--remove-vertices", "-"); err == nil || !strings.HasPrefix(errs, `foray: --remove-vertices -: "x" is no int64`) {
		t.Errorf("%v, %s", err, errs)
	}
	if _, errs, err := run([]byte("1,2\n"), "append", g, "-", "--remove-vertices", "-"); err == nil || !strings.HasPrefix(errs, "foray: - is standard input, which can be read once") {
		t.Errorf("%v, %s", err, errs)
	}
	for _, line := range []string{`{ "src":1,"dst":2}`, " \t{\"src\":1,\"dst\":2}", "\ufeff{\n", `{"src":1,"dst":2}`, "\n\n{ \"src\":1,\"dst\":2}"} {
		if got := stdinEnd([]byte(line)[:min(8, len(line))]); got != ".jsonl" {
			t.Errorf("%q: %s", line, got)
		}
	}
	for _, line := range []string{"{1,2}", "1 {", "", "\ufeff1,2"} {
		if got := stdinEnd([]byte(line)); got != ".txt" {
			t.Errorf("%q: %s", line, got)
		}
	}
	if _, errs, err := run(nil, "info", "-"); err == nil || errs != "foray: -: standard input is empty\n" {
		t.Errorf("%v, %s", err, errs)
	}
	empty(t, temp)
	testStdinKilled(t, start)
}

// testStdinKilled kills a process with a copy of standard input: the copy takes no room then, and the next run takes
// what has a name away. Nor is the file that standard input is written over.
func testStdinKilled(t *testing.T, start func(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer)) {
	if runtime.GOOS != "linux" {
		return // the copy has a name elsewhere
	}
	temp, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "in.parquet")
	if err := os.WriteFile(path, []byte(read(t, karate)), 0o666); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "TMPDIR="+temp)
	cmd, _, _ := start("info", "-")
	cmd.Env = env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte(read(t, karate))); err != nil {
		t.Fatal(err)
	}
	var left []string
	for deadline := time.Now().Add(time.Minute); len(left) == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		left, _ = filepath.Glob(filepath.Join(temp, "foray-stdin-*", "stdin.parquet"))
		if named, _ := filepath.Glob(filepath.Join(temp, "foray-stdin-*", "copy")); len(named) > 0 {
			left = nil // its name goes in a moment
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // returns that it was killed
	if len(left) == 0 {
		t.Fatal("there was no copy")
	}
	err = filepath.WalkDir(temp, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			t.Errorf("%s is left, and takes room", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	for _, out := range []string{path, filepath.Join(dir, "other.parquet")} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		cmd, _, errs := start("bfs", "-", "-o", out)
		cmd.Stdin, cmd.Env = file, env
		if err := cmd.Run(); (err != nil) != (out == path) || err != nil && !strings.Contains(errs.String(), "it is an input (-), which is read") {
			t.Errorf("%s: %v, %s", out, err, errs)
		}
		file.Close()
	}
	if read(t, path) != before {
		t.Error("standard input was replaced")
	}
	empty(t, temp)
}
