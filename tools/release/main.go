// Command release makes what a release of Foray has: see scripts/release.
//
// The same commit gives the same bytes on any machine: one version of Go builds all, paths and build times
// stay out, and every time stamp is the time of the commit.
//
// This file holds the command line and the order of the steps.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// goVersion builds every release. Another version of Go fetches it.
const goVersion = "go1.26.8"

// usage is what -h prints before the flags.
const usage = `Makes a release of Foray: binaries, archives, packages, checksums, an SBOM and
release notes. Run it in a clean clone with Go and git.

  scripts/release 0.1.0 --dry-run             makes all in build/release
  scripts/release 0.1.0                       also tags the commit v0.1.0
  scripts/release 0.1.0 --dry-run --platform linux/amd64 -o DIR

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

var errUsage = errors.New("wrong usage; -h prints help")

// release is what the steps share.
type release struct {
	version string // "0.1.0"
	root    string // the clone
	out     string
	commit  commit
	targets []target
	made    []string // names of files in out
}

var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("release", flag.ContinueOnError)
	dry := fs.Bool("dry-run", false, "make all, but set no tag")
	var out, platforms string
	fs.Func("o", "the `directory` of what is made, which must be empty or missing (default build/release of the clone)", once(&out))
	fs.Func("platform", "make only these `platforms`, such as linux/amd64,windows/amd64", once(&platforms))
	fs.Usage = func() { fmt.Fprint(fs.Output(), usage); fs.PrintDefaults() }
	var names []string
	for len(args) > 0 { // flags may follow the version
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil
		} else if err != nil {
			return errUsage
		}
		if args = fs.Args(); len(args) > 0 {
			names, args = append(names, args[0]), args[1:]
		}
	}
	if len(names) != 1 || !semver.MatchString(strings.TrimPrefix(names[0], "v")) {
		return fmt.Errorf("%w: want one version such as 0.1.0, got %q", errUsage, names)
	}
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	r := &release{version: strings.TrimPrefix(names[0], "v"), root: root}
	if r.targets, err = chosen(platforms); err != nil {
		return err
	}
	if err := r.sameVersion(); err != nil {
		return err
	}
	if r.out, err = r.outDir(out); err != nil {
		return err
	}
	if r.commit, err = clean(ctx, root); err != nil {
		return err
	}
	if err := emptyDir(r.out); err != nil {
		return err
	}
	notes, err := r.notes()
	if err != nil {
		return err
	}
	if !*dry {
		if platforms != "" {
			return fmt.Errorf("%w: a release has all platforms; --platform goes with --dry-run", errUsage)
		}
		if _, err := git(ctx, root, "rev-parse", "-q", "--verify", "refs/tags/v"+r.version); err == nil {
			return fmt.Errorf("the tag v%s exists", r.version)
		}
	}
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"notes", func(context.Context) error { return r.write("release-notes.md", []byte(notes)) }},
		{"completions and man pages", r.documents},
		{"binaries", r.binaries},
		{"packages", r.packages},
		{"checksums", func(context.Context) error { return r.checksums() }},
	} {
		fmt.Println("==", step.name)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	slices.Sort(r.made)
	fmt.Printf("v%s of %s is in %s: %s\n", r.version, r.commit.hash[:12], r.out, strings.Join(r.made, ", "))
	if *dry {
		return nil
	}
	if _, err := git(ctx, root, "tag", "-a", "v"+r.version, "-m", "v"+r.version); err != nil {
		return err
	}
	fmt.Printf("Tagged v%s. To publish it:\n  git push origin v%s\n  gh release create v%s --notes-file release-notes.md FILES\n", r.version, r.version, r.version)
	return nil
}

// once returns what sets a flag, and refuses a second value.
func once(to *string) func(string) error {
	return func(value string) error {
		switch {
		case value == "":
			return errors.New("it is empty")
		case *to != "":
			return fmt.Errorf("it is given twice, as %q before", *to)
		}
		*to = value
		return nil
	}
}

// outDir returns the absolute path of the directory that -o names. A relative one is in the directory that
// scripts/release was called in, which it passes by FORAY_RELEASE_FROM.
func (r *release) outDir(given string) (string, error) {
	switch from := os.Getenv("FORAY_RELEASE_FROM"); {
	case given == "":
		return filepath.Join(r.root, "build", "release"), nil
	case from == "" || filepath.IsAbs(given):
		return filepath.Abs(given)
	default:
		return filepath.Join(from, given), nil
	}
}

// versions are where files of the repository have the version: that of the C library, which setup.py gives to the
// Python package too, and the one that pyproject.toml may have.
var versions = []struct {
	file     string
	pattern  *regexp.Regexp
	required bool
}{
	{"libforay/foray.h", regexp.MustCompile(`(?m)^#define FORAY_VERSION "(.*)"$`), true},
	{"python/pyproject.toml", regexp.MustCompile(`(?m)^version *= *"(.*)"$`), false},
}

// sameVersion refuses a version that a file of the repository doesn't have.
func (r *release) sameVersion() error {
	for _, v := range versions {
		text, err := os.ReadFile(filepath.Join(r.root, v.file))
		if err != nil {
			return err
		}
		switch found := v.pattern.FindSubmatch(text); {
		case found == nil && v.required:
			return fmt.Errorf("%s has no line %s", v.file, v.pattern)
		case found != nil && string(found[1]) != r.version:
			return fmt.Errorf("%s has version %s, but the release is %s: change one of them", v.file, found[1], r.version)
		}
	}
	return nil
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return fmt.Errorf("%s isn't empty: remove it, or name another directory by -o", dir)
	}
	return os.MkdirAll(dir, 0o755)
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	r.made = append(r.made, name)
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// notes returns the changelog's section of the version.
func (r *release) notes() (string, error) {
	all, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	return section(string(all), r.version)
}

// section returns the text below the heading "## VERSION" or "## VERSION - DATE".
func section(changelog, version string) (string, error) {
	found, lines := false, []string{}
	for line := range strings.Lines(changelog) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			if found {
				break
			}
			found = strings.Fields(title + " -")[0] == version
			continue
		}
		if found {
			lines = append(lines, line)
		}
	}
	if text := strings.TrimSpace(strings.Join(lines, "")); text != "" {
		return text + "\n", nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no section %q with text", "## "+version)
}
