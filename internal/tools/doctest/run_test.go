// This file runs the programs and commands of documents.

package doctest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A bench is where programs and commands run: a scratch folder with testdata.
type bench struct {
	root, dir string
}

// built is the binaries of packages, which all benches share.
var built = map[string]string{}

func newBench(root, dir string) (*bench, error) {
	b := &bench{root: root, dir: dir}
	return b, os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata"))
}

var binaries string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "foray-doctest-")
	if err != nil {
		panic(err)
	}
	binaries = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build builds a package or a file, and returns the binary.
func (b *bench) build(what string) (string, error) {
	if exe := built[what]; exe != "" {
		return exe, nil
	}
	exe := filepath.Join(binaries, fmt.Sprintf("program%d.exe", len(built)))
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", exe, what) // without symbols: half the time
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	built[what] = exe
	return exe, nil
}

// program builds and runs a block that is a program.
func (b *bench) program(x *block) error {
	file := filepath.Join(b.dir, fmt.Sprintf("block%d.go", x.line))
	if err := os.WriteFile(file, []byte(x.text), 0o666); err != nil {
		return err
	}
	exe, err := b.build(file)
	if err != nil {
		return x.problem(0, "%v", err)
	}
	if x.mark["build"] != "" {
		return nil
	}
	got, err := b.shell(exe + " " + x.mark["args"])
	if err != nil {
		return x.problem(0, "%v", err)
	}
	return x.printed(got)
}

// shell runs a line of shell in the scratch folder, with this machine's processors as the
// only device, and returns what it prints.
func (b *bench) shell(line string) (string, error) {
	cmd := exec.Command("sh", "-c", "set -e\n"+line)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "CUDA_VISIBLE_DEVICES=")
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.Output()
	var e *exec.ExitError
	if errors.As(err, &e) {
		return "", fmt.Errorf("%s: %w\n%s", line, err, e.Stderr)
	}
	return string(out), err
}

// printed returns what is wrong with the output that stands behind a block.
func (x *block) printed(got string) error {
	if x.next == nil {
		return nil
	}
	want := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(x.next.text)), `\.\.\.`, `.*`)
	if regexp.MustCompile(`^(?s:` + want + `)$`).MatchString(strings.TrimSpace(got)) {
		return nil
	}
	return x.next.problem(0, "another output:\n%s", got)
}

// known are the commands that aren't run here, and who runs or checks them.
var known = []string{
	"go test ",    // the tests themselves
	"go install ", // of a version that is published, or into the user's own folders
	"go get ",
	"nvcc ", // blocks of CUDA code have their own check
	"go generate ",
	"go doc ",
	"go build ",
	"curl ", // of a service, whose tests send requests
	"scripts/gpu-test", "scripts/gpu-bench", "scripts/nccl-bench", "bash .ci/run",
	"git clone ", "cd ", "export ",
	"libforay/build ", "cc ", "build/depths", "python3 -m ", // the tests of libforay and python
	"go run bench/", // need a GPU, and print what bench/RESULTS.md has
	"gapbs/",        // another project's
}

// serves is a program that runs until it is stopped: only its flags are checked.
const serves = "./examples/service"

var (
	// command is foray, or a program of this repository, at the beginning of a line or
	// behind a pipe or an assignment of variables.
	command   = regexp.MustCompile(`(^|\| |[A-Z_]+=\S+ )(go run (\./\S+)|foray)( |$)`)
	assigned  = regexp.MustCompile(`^([A-Z_]+=\S+ )+`)
	continued = regexp.MustCompile(`\\\n\s*`)
)

// commands runs a block of commands, or checks their flags.
func (b *bench) commands(x *block) (problems []error) {
	got, at := "", 0
	text := continued.ReplaceAllStringFunc(x.text, func(s string) string { return " \x00" })
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		here := at
		at += 1 + strings.Count(l, "\x00")
		l = strings.TrimSpace(strings.ReplaceAll(l, "\x00", ""))
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		if strings.HasPrefix(l, "mkdir ") || strings.HasPrefix(l, "printf ") {
			if _, err := b.shell(l); err != nil {
				problems = append(problems, x.problem(here, "%v", err))
			}
			continue
		}
		if !command.MatchString(l) {
			ok := false
			for _, k := range known {
				ok = ok || strings.HasPrefix(assigned.ReplaceAllString(l, ""), k) || strings.HasPrefix(l, "("+k)
			}
			if !ok {
				problems = append(problems, x.problem(here, "a command that nothing checks: %s", l))
			}
			continue
		}
		var failed error
		parse := x.mark["parse"] != ""
		run := command.ReplaceAllStringFunc(l, func(s string) string {
			m := command.FindStringSubmatch(s)
			what := m[3]
			if what == "" {
				what = "./cmd/foray"
			}
			parse = parse || what == serves
			exe, err := b.build(what)
			if err != nil {
				failed = err
			}
			return m[1] + exe + m[4]
		})
		if failed != nil {
			problems = append(problems, x.problem(here, "%v", failed))
			continue
		}
		if parse { // help comes after the flags are known to be right
			run, _, _ = strings.Cut(run, " #")
			run += " --help"
		}
		out, err := b.shell(run)
		if err != nil {
			problems = append(problems, x.problem(here, "%v", err))
		}
		if !parse {
			got += out
		}
	}
	if len(problems) == 0 && x.mark["parse"] == "" {
		if err := x.printed(got); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}
