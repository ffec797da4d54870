package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/testlong"
)

// nvcc stands for the compiler: what it compiles is the source without comments. It notes what it compiles.
const nvcc = `#!/bin/sh
[ "$1" != --version ] || { echo "release 11.8"; exit; }
for last; do :; done
if [ "$1" = --dryrun ]; then
  echo "#$ _HERE_=there"
  echo "#$ PATH=$PATH"
  echo "#$ gcc -E -x c++ \"$last\" -o \"/tmp/tmpxft_000${$}_00000000-9_x.ii\""
  echo "#$ cicc $FLAG $* --orig_src_path_name \"$PWD/$last\" \"/tmp/tmpxft_000${$}_00000000-9_x.ii\""
  exit
fi
echo "$last" >> "$LOG"
while [ "$1" != -o ]; do shift; done
grep -v '^//' "$last" > "$2"
`

// gcc stands for the preprocessor.
const gcc = `#!/bin/sh
[ "$*" = "-E -x c++ $4 -o $6" ] || { echo "arguments: $*"; exit 1; }
grep -v '^//' "$4" > "$6"
`

func TestCheck(t *testing.T) {
	testlong.Project(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh, which runs nvcc's commands:", err)
	}
	root, bin := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(root, name) }
	write(filepath.Join(bin, "nvcc"), nvcc)
	write(filepath.Join(bin, "gcc"), gcc)
	write(in("go.mod"), "module m\n")
	write(in("internal/tools/fatbin/main.go"), "package main\n")
	names := strings.Fields("a b c d e f g h i j k l m n o p q") // one more than there are parts
	for _, name := range names {
		write(in(name+"/k.go"), "package k\n\n//go:generate go run ../internal/tools/fatbin -ptx -o k.fatbin k.cu\n")
		write(in(name+"/k.cu"), "kernel "+name+"\n")
	}
	log := in("log")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("LOG", log)
	compiled := func() string {
		b, _ := os.ReadFile(log)
		os.Remove(log)
		return strings.Join(strings.Fields(strings.ReplaceAll(string(b), "/k.cu", "")), "")
	}
	var version string
	for _, name := range names {
		t.Chdir(in(name))
		top, said, err := compiler()
		if version = said; err != nil || top != root {
			t.Fatal(top, err)
		}
		im, err := named(top, "ptx", "k.fatbin", []string{"k.cu"})
		if err != nil {
			t.Fatal(err)
		}
		if err := generate(im, version); err != nil {
			t.Fatal(err)
		}
	}
	if c := compiled(); c != "abcdefghijklmnopq" {
		t.Fatalf("compiled %s", c)
	}
	looks := func(what string, turn int, wrong, want string) { // in any order
		t.Helper()
		err := check(io.Discard, root, version, turn, false)
		if err == nil && wrong != "" || err != nil && (wrong == "" || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%s: %v, want %q", what, err, wrong)
		}
		if got := compiled(); len(got) != len(want) || strings.Trim(got, want) != "" {
			t.Errorf("%s: compiled %q, want %q", what, got, want)
		}
	}
	looks("as it was", 0, "", "aq")
	looks("another part's turn", 19, "", "d")
	looks("all", -1, "", "abcdefghijklmnopq")
	write(in("c/k.cu"), "// a word\nkernel c\n")
	looks("a comment", 1, "", "b")
	write(in("c/k.cu"), "kernel other\n")
	looks("another kernel", 1, "c/k.fatbin isn't what nvcc makes of c/k.cu: go generate ./c", "bc")
	write(in("c/k.fatbin"), "kernel other\n")
	looks("compiled without a note", 1, "", "bc")
	write(in("c/k.cu"), "kernel c\n")
	looks("the image of another source", 1, "c/k.fatbin isn't", "bc")
	write(in("c/k.fatbin"), "kernel c\n")
	looks("as it was again", 1, "", "b")
	write(in("c/k.go"), "package k\n\n//go:generate go run ../internal/tools/fatbin -newest -o k.fatbin k.cu\n")
	looks("other targets", 1, "", "bc")
	t.Setenv("FLAG", "-O1")
	looks("other flags", 1, "", "abcdefghijklmnopq")
	t.Setenv("FLAG", "")
	if err := os.Remove(in(recordName)); err != nil {
		t.Fatal(err)
	}
	looks("no record", 1, "", "abcdefghijklmnopq")
	write(in("c/k.go"), "package k\n")
	looks("an image that nothing makes", 1, "c/k.fatbin: no line of go generate", "")
	write(in("c/k.go"), "package k\n\n//go:generate go run ../internal/tools/fatbin -nowest -o k.fatbin k.cu\n")
	looks("a kind that there isn't", 1, "no kind of image is called nowest", "")
}
