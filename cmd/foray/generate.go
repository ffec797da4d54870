// This file holds the generate command.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// generator is the package of the program that compiles functors. It is no part of this one, whose size it would raise
// by a twelfth, since it needs the go command anyway, which builds it.
const generator = "github.com/foray-graph/foray/cmd/generate"

// generatorWait is how long the generator has to end after an interrupt, before it is killed. It is shorter than the time that
// the command has.
const generatorWait = 300 * time.Millisecond

func (a *app) generateCommand() *cobra.Command {
	var check, dump, aot bool
	cmd := &cobra.Command{
		Use:   "generate [DIR...]",
		Short: "Compile functors written in Go",
		Long: `Reads the Go package in each DIR, or in this directory, and writes
foray_functors.go there: for each struct marked //foray:functor a constructor,
the loops that run it on the host, and its PTX for GPUs. The package need not
compile before. If a functor uses Go that GPUs can't run, the error names the
line and an alternative.

It needs the go command, which builds the generator of the Foray that the
package's module requires, but no network, CUDA toolkit or C compiler. Commit
the file, and let go generate write it:

  //go:generate go run github.com/foray-graph/foray/cmd/generate

With --aot it also compiles kernels, which a GPU compiles otherwise on their
first launch: it runs the package's tests, compiles what they launch on the
emulated GPU (foraytest.Compare) by the ptxas of a CUDA toolkit, and writes
foray_kernels.bin and foray_kernels.go. The code is for GPUs of compute
capability 8 and 9. After a change of a functor or its steps run it again.`,
		Example: `  foray generate
  foray generate ./paths ./ranks
  foray generate --check
  foray generate --aot ./paths`,
		GroupID: groupOther,
		Args:    cobra.ArbitraryArgs,
	}
	g := newGroup(titleOutput)
	g.flags.BoolVar(&check, "check", false, "write nothing; fail if a file isn't what would be written")
	g.flags.BoolVar(&dump, "dump", false, "write no file; print what the methods were translated to")
	g.flags.BoolVar(&aot, "aot", false, "also compile the kernels that the tests launch, with ptxas")
	setFlags(cmd, g)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if check && dump {
			return usagef("--check and --dump don't go together")
		}
		if aot && (check || dump) {
			return usagef("--aot goes neither with --check nor with --dump")
		}
		if slices.Contains(args, "") {
			return usagef("a DIR is empty")
		}
		var flags []string
		if check {
			flags = append(flags, "-check")
		}
		if dump {
			flags = append(flags, "-dump")
		}
		if aot {
			flags = append(flags, "-aot")
		}
		out := a.data
		if a.json {
			if dump {
				return usagef("--dump and --json both print to standard output; give one of them")
			}
			out = io.Discard
		}
		switch {
		case aot:
			a.done("foray_functors.go, foray_kernels.go and foray_kernels.bin are written", "commit them; after a change of a functor or its steps run it again")
		case !check && !dump:
			a.done("foray_functors.go is written", "commit it; foray generate --check tells when it is out of date")
		}
		err := generate(cmd.Context(), append(append(flags, "--"), args...), args, out)
		if err == nil {
			a.result = generated(args, !check, aot)
		}
		return err
	}
	return cmd
}

// sourceErrors are a line for each error of a source file, as compilers print them.
type sourceErrors string

func (e sourceErrors) Error() string { return string(e) }

// generate builds the generator in the module of the first of the directories that exists, or of this one, and runs it.
func generate(ctx context.Context, args, dirs []string, out io.Writer) error {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("generate needs the go command: %w", err)
	}
	temp, err := os.MkdirTemp("", "foray-generate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	program, err := filepath.Abs(filepath.Join(temp, "generate"))
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	in := "."
	for i, dir := range dirs {
		switch info, err := os.Stat(dir); {
		case err != nil:
			return fmt.Errorf("%s: %w", dir, errors.Unwrap(err))
		case !info.IsDir():
			return fmt.Errorf("%s: not a directory; name the directory of a package", dir)
		case i == 0:
			in = dir
		}
	}
	// The generator runs here, whatever the package is built for. Files of an interrupted build are removed with it.
	env := append(os.Environ(), "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOTMPDIR="+filepath.Dir(program))
	if said, err := output(ctx, nil, env, goCommand, "build", "-C", in, "-o", program, generator); err != nil {
		return unbuilt(ctx, in, cmp.Or(said, err.Error()), err)
	}
	said, err := output(ctx, out, os.Environ(), program, args...)
	var ended *exec.ExitError
	switch message, isOther := strings.CutPrefix(said, "generate: "); {
	case err == nil || ctx.Err() != nil:
		return err
	case !errors.As(err, &ended) || said == "":
		return fmt.Errorf("generate: %w", err)
	case isOther:
		return errors.New(message)
	}
	return sourceErrors(said)
}

// unbuilt is why the generator wasn't built in a directory, in which the go command said so.
func unbuilt(ctx context.Context, in, said string, err error) error {
	has := func(what string) bool { return strings.Contains(said, what) }
	switch {
	case ctx.Err() != nil:
		return err
	case has("go.mod file not found"):
		return fmt.Errorf("%s: it is in no Go module; run go mod init there first", in)
	case has("no required module provides package"), has("is replaced but not required"):
		return fmt.Errorf("%s: its module doesn't require Foray; import a package of Foray, and run go mod tidy", in)
	case has("-mod=vendor"):
		return fmt.Errorf("%s: its module is vendored without the generator; run go get -tool %s, and go mod vendor", in, generator)
	case has("missing go.sum entry"), has("updates to go.mod needed"):
		return fmt.Errorf("%s: its go.mod or go.sum isn't complete; run go mod tidy there", in)
	}
	return fmt.Errorf("%s: building %s: %s", in, generator, oneLine(errors.New(strings.Join(strings.Fields(said), " "))))
}

// output runs a program and returns what it writes to its standard error.
func output(ctx context.Context, out io.Writer, env []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = out, &said, env
	grouped(cmd)
	cmd.Cancel = func() error { return interruptGroup(cmd) }
	cmd.WaitDelay = generatorWait
	err := cmd.Run()
	if cmd.Process != nil && err != nil {
		killGroup(cmd)
	}
	return strings.TrimSpace(said.String()), err
}
