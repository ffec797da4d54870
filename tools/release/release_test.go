// This file tests the parts of a release that need no build: notes, archives, packages, targets.

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSection(t *testing.T) {
	log := "# Changelog\n\n## 0.2.0 - 2027-01-01\n\n### Added\n- b\n\n## 0.1.0\n\n- a\n\n## 0.0.1\n"
	for version, want := range map[string]string{"0.2.0": "### Added\n- b\n", "0.1.0": "- a\n"} {
		if got, err := section(log, version); err != nil || got != want {
			t.Errorf("%s: %q, %v", version, got, err)
		}
	}
	for _, version := range []string{"0.0.1", "0.1", "0.3.0"} {
		if got, err := section(log, version); err == nil {
			t.Errorf("%s: %q", version, got)
		}
	}
}

func TestChosen(t *testing.T) {
	if all, err := chosen(""); err != nil || len(all) != len(targets) {
		t.Errorf("%v, %v", all, err)
	}
	if some, err := chosen("linux/arm64,windows/amd64"); err != nil || len(some) != 3 || some[2].binary() != "foray.exe" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := chosen("linux/amd64,windows/amd64,linux/amd64"); !errors.Is(err, errUsage) || !strings.Contains(err.Error(), "--platform has linux/amd64 twice") {
		t.Error(err)
	}
	if _, err := chosen("linux/amd64,plan9/386"); !errors.Is(err, errUsage) || !strings.Contains(err.Error(), "plan9/386") {
		t.Error(err)
	}
}

// made returns a release in which every file exists.
func made(t *testing.T) *release {
	root, out := t.TempDir(), t.TempDir()
	r := &release{version: "0.1.0", root: root, out: out, commit: commit{strings.Repeat("a", 40), time.Unix(1.8e9, 0).UTC()}, targets: targets[:1]}
	for path, text := range map[string]string{
		root + "/LICENSE": "license", root + "/cmd/foray/NOTICE": "notice", root + "/README.md": "readme", root + "/CHANGELOG.md": "log",
		out + "/work/completions/foray.bash": "bash", out + "/work/completions/_foray": "zsh", out + "/work/man/foray.1": "man",
		out + "/work/linux_amd64/foray": "binary",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestSameBytes(t *testing.T) {
	var first map[string][]byte
	for range 2 {
		r := made(t)
		if err := r.archive(targets[0], r.out+"/work/linux_amd64/foray"); err != nil {
			t.Fatal(err)
		}
		if err := r.archive(target{os: "windows", arch: "amd64"}, r.out+"/work/linux_amd64/foray"); err != nil {
			t.Fatal(err)
		}
		if err := r.packages(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.checksums(); err != nil {
			t.Fatal(err)
		}
		all := map[string][]byte{}
		for _, name := range r.made {
			data, err := os.ReadFile(filepath.Join(r.out, name))
			if err != nil {
				t.Fatal(err)
			}
			all[name] = data
		}
		if first == nil {
			first = all
			continue
		}
		if len(all) != 5 || len(first) != len(all) {
			t.Errorf("made %v", r.made)
		}
		for name, data := range all {
			if !bytes.Equal(first[name], data) {
				t.Errorf("%s differs between two runs", name)
			}
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(first["foray_0.1.0_linux_amd64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimPrefix(h.Name, "foray_0.1.0_linux_amd64/"))
		if want := int64(0o644); strings.HasSuffix(h.Name, "/foray") != (h.Mode == 0o755) || h.Mode != want && h.Mode != 0o755 || h.ModTime.Unix() != 1.8e9 {
			t.Errorf("%s: mode %o, time %v", h.Name, h.Mode, h.ModTime)
		}
	}
	slices.Sort(names)
	if want := []string{"CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "completions/_foray", "completions/foray.bash", "foray", "man/foray.1"}; !slices.Equal(names, want) {
		t.Errorf("the archive has %v", names)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"1.0"}, {"0.1.0", "0.2.0"}, {"0.1.0", "--platform", "x"}, {"--nothing"},
		{"0.1.0", "--platform", "linux/amd64,linux/amd64"}, {"0.1.0", "--platform", "linux/amd64", "--platform", "windows/amd64"},
		{"0.1.0", "-o", "a", "-o", "b"}, {"0.1.0", "-o", ""}} {
		if err := run(t.Context(), args); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestSameVersion: files with another version than the release are refused.
func TestSameVersion(t *testing.T) {
	for _, c := range []struct{ header, project, want string }{
		{"#define FORAY_VERSION \"0.1.0\"\n", "name = \"foray\"\n", ""},
		{"#define FORAY_VERSION \"0.1.0\"\n", "version = \"0.1.0\"\n", ""},
		{"#define FORAY_VERSION \"0.2.0\"\n", "", "libforay/foray.h has version 0.2.0, but the release is 0.1.0"},
		{"#define FORAY_VERSION \"0.1.0\"\n", "version = \"0.1.1\"\n", "python/pyproject.toml has version 0.1.1, but the release is 0.1.0"},
		{"#define OTHER \"0.1.0\"\n", "", "libforay/foray.h has no line"},
	} {
		r := &release{version: "0.1.0", root: t.TempDir()}
		for name, text := range map[string]string{"libforay/foray.h": c.header, "python/pyproject.toml": c.project} {
			path := filepath.Join(r.root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.sameVersion(); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q, %q: %v, want %q", c.header, c.project, err, c.want)
		}
	}
}

// TestVersionOfRepository: the repository has one version, the newest of the changelog.
func TestVersionOfRepository(t *testing.T) {
	root := filepath.Join("..", "..")
	log, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, newest, _ := strings.Cut(string(log), "\n## ")
	r := &release{version: strings.Fields(newest)[0], root: root}
	if err := r.sameVersion(); err != nil {
		t.Error(err)
	}
	if err := run(t.Context(), []string{"99.0.0", "--dry-run"}); err == nil || !strings.Contains(err.Error(), "but the release is 99.0.0") {
		t.Error(err)
	}
}

// TestOutDir: a relative -o begins where scripts/release was called.
func TestOutDir(t *testing.T) {
	r := &release{root: t.TempDir()}
	from, absolute := t.TempDir(), t.TempDir()
	t.Setenv("FORAY_RELEASE_FROM", from)
	for given, want := range map[string]string{
		"": filepath.Join(r.root, "build", "release"), "out": filepath.Join(from, "out"), "../out": filepath.Join(filepath.Dir(from), "out"), absolute: absolute,
	} {
		if got, err := r.outDir(given); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", given, got, err, want)
		}
	}
}
