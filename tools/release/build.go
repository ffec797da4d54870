// This file holds the commit, the targets, and how their binaries are built.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// commit is what is released.
type commit struct {
	hash string
	time time.Time
}

// clean returns the commit of a clone without changes.
func clean(ctx context.Context, root string) (commit, error) {
	changes, err := git(ctx, root, "status", "--porcelain", "--untracked-files=all")
	if err != nil {
		return commit{}, err
	}
	if changes != "" {
		return commit{}, fmt.Errorf("the clone has changes:\n%s", changes)
	}
	line, err := git(ctx, root, "log", "-1", "--format=%H %ct")
	if err != nil {
		return commit{}, err
	}
	hash, seconds, _ := strings.Cut(line, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return commit{hash, time.Unix(n, 0).UTC()}, err
}

// target is a platform of binaries. One without GPUs is linked statically.
type target struct {
	os, arch string
	static   bool // built with the tag nocuda
}

var targets = []target{
	{os: "linux", arch: "amd64"}, {os: "linux", arch: "arm64"},
	{os: "linux", arch: "amd64", static: true}, {os: "linux", arch: "arm64", static: true},
	{os: "darwin", arch: "arm64"}, {os: "windows", arch: "amd64"},
}

func (t target) platform() string { return t.os + "/" + t.arch }

// name is what names of archives have.
func (t target) name() string {
	if t.static {
		return t.os + "_" + t.arch + "_static"
	}
	return t.os + "_" + t.arch
}

func (t target) binary() string {
	if t.os == "windows" {
		return "foray.exe"
	}
	return "foray"
}

// chosen returns the targets of platforms, which are separated by commas; all for none.
func chosen(platforms string) ([]target, error) {
	if platforms == "" {
		return targets, nil
	}
	var some []target
	for p := range strings.SplitSeq(platforms, ",") {
		if slices.ContainsFunc(some, func(t target) bool { return t.platform() == p }) {
			return nil, fmt.Errorf("%w: --platform has %s twice", errUsage, p)
		}
		before := len(some)
		for _, t := range targets {
			if t.platform() == p {
				some = append(some, t)
			}
		}
		if len(some) == before {
			return nil, fmt.Errorf("%w: platform %q isn't one of linux/amd64, linux/arm64, darwin/arm64, windows/amd64", errUsage, p)
		}
	}
	return some, nil
}

// goCommand runs the go command of goVersion with no settings of the machine's own.
func (r *release) goCommand(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.root
	for _, e := range os.Environ() { // the caches and the module proxy stay
		name, _, _ := strings.Cut(e, "=")
		switch name {
		case "GOFLAGS", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CGO_ENABLED", "GOWORK", "GOTOOLCHAIN", "GODEBUG", "GOFIPS140", "GOENV":
		default:
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "GOTOOLCHAIN="+goVersion, "GOENV=off", "GOWORK=off", "GOFLAGS=-mod=readonly", "CGO_ENABLED=0")
	cmd.Env = append(cmd.Env, env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &errs)
	}
	return nil
}

// build builds the command for a target.
func (r *release) build(ctx context.Context, t target, to string) error {
	const variables = "github.com/foray-graph/foray/internal/text/buildinfo."
	ld := fmt.Sprintf("-s -w -buildid= -X %srelease=v%s -X %srevision=%s -X %sdate=%s", variables, r.version, variables, r.commit.hash, variables, r.commit.time.Format(time.RFC3339))
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", ld, "-o", to}
	if t.static {
		args = append(args, "-tags", "nocuda")
	}
	return r.goCommand(ctx, []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0"}, append(args, "./cmd/foray")...)
}

// binaries builds every target, and packs it with its documents.
func (r *release) binaries(ctx context.Context) error {
	for _, t := range r.targets {
		to := filepath.Join(r.out, "work", t.name(), t.binary())
		if err := r.build(ctx, t, to); err != nil {
			return err
		}
		if err := r.archive(t, to); err != nil {
			return err
		}
		if err := r.bill(t, to); err != nil {
			return err
		}
	}
	return nil
}

// documents makes completion scripts and man pages, by a command for this machine.
func (r *release) documents(ctx context.Context) error {
	work := filepath.Join(r.out, "work")
	tool := filepath.Join(work, "documents", "foray")
	if err := r.goCommand(ctx, nil, "build", "-trimpath", "-buildvcs=false", "-tags", "man", "-o", tool, "./cmd/foray"); err != nil {
		return err
	}
	man := filepath.Join(work, "man")
	if err := os.MkdirAll(man, 0o755); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, tool, "man", man, "--version-of", r.version, "--date", r.commit.time.Format(time.DateOnly)).CombinedOutput(); err != nil {
		return fmt.Errorf("foray man: %w: %s", err, out)
	}
	completions := filepath.Join(work, "completions")
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return err
	}
	for shell, name := range map[string]string{"bash": "foray.bash", "zsh": "_foray", "fish": "foray.fish", "powershell": "foray.ps1"} {
		script, err := exec.CommandContext(ctx, tool, "completion", shell).Output()
		if err == nil && len(script) == 0 {
			err = errors.New("it printed nothing")
		}
		if err != nil {
			return fmt.Errorf("foray completion %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(completions, name), script, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// git returns what a git command prints, without the line break at its end.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(e.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}
