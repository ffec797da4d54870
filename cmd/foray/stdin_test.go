package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
}
