// This file lists the linked modules and their licenses.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// platforms are those that .ci/run builds for.
var platforms = []string{"linux/amd64", "linux/arm64", "linux/riscv64", "darwin/arm64", "windows/amd64"}

// licenses are the names of files with licenses, and of notices that go with one.
var licenses = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|notice)([-._].*)?$`)

// module is a linked module: its path, its folder, and the folders of
// its linked packages.
type module struct {
	path, dir string
	packages  []string
}

// list is a file of licenses.
type list struct {
	file, about string
	packages    []string // whose dependencies it covers
}

// lists has the libraries' file and the command's, which links more.
var lists = []list{
	{"NOTICE", "The packages of Foray that programs import link the software below, each some of it,\nunder the licenses below. The command has a list of its own, cmd/foray/NOTICE.",
		[]string{"./algos/...", "./atomics", "./cuda", "./device/...", "./frontier", "./functor", "./graph/...", "./io/...", "./operators/...", "./traverse"}},
	{"cmd/foray/NOTICE", "The program foray (cmd/foray) contains the software below, under the licenses\nbelow.", []string{"./cmd/foray"}},
}

// importable returns the packages that patterns match, without internal ones: some of those
// are linked by tests alone, and the packages that programs import bring the others.
func importable(root string, patterns []string) (packages []string, err error) {
	cmd := exec.Command("go", append([]string{"list"}, patterns...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if p := strings.TrimSuffix(line, "\n"); !strings.Contains(p, "/internal/") {
			packages = append(packages, p)
		}
	}
	return packages, nil
}

// linked returns the modules that packages depend on, in order.
func linked(root string, packages []string) ([]module, error) {
	packages, err := importable(root, packages)
	if err != nil {
		return nil, err
	}
	var modules []module
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		cmd := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}\t{{.Dir}}"}, packages...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				err = fmt.Errorf("%w: %s", err, exit.Stderr)
			}
			return nil, fmt.Errorf("go list for %s: %w", platform, err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(fields) != 3 {
				continue // of the standard library, or ours
			}
			i := slices.IndexFunc(modules, func(m module) bool { return m.path == fields[0] })
			if i < 0 {
				i = len(modules)
				modules = append(modules, module{path: fields[0], dir: fields[1]})
			}
			if !slices.Contains(modules[i].packages, fields[2]) {
				modules[i].packages = append(modules[i].packages, fields[2])
			}
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

// files returns a module's licenses: those in its folder, and those in the
// folders of linked packages or above them, as paths in the module.
func (m *module) files() ([]string, error) {
	folders := []string{m.dir}
	for _, dir := range m.packages {
		for ; dir != m.dir && strings.HasPrefix(dir, m.dir); dir = filepath.Dir(dir) {
			folders = append(folders, dir)
		}
	}
	slices.Sort(folders)
	var found []string
	for _, dir := range slices.Compact(folders) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		in, err := filepath.Rel(m.dir, dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && licenses.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
				found = append(found, filepath.ToSlash(filepath.Join(in, e.Name())))
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no license: replace it, or leave it out", m.path)
	}
	return found, nil
}

// notice returns the file, which begins with its subject. Modules with the same text share it.
func notice(about string, modules []module) ([]byte, error) {
	type license struct {
		text string
		of   []string
	}
	var all []license
	for i := range modules {
		m := &modules[i]
		files, err := m.files()
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			raw, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			text := tidy(raw)
			at := slices.IndexFunc(all, func(l license) bool { return l.text == text })
			if at < 0 {
				at = len(all)
				all = append(all, license{text: text})
			}
			all[at].of = append(all[at].of, m.path+": "+name)
			if m.path == "golang.org/x/sys" && name == "LICENSE" { // which is Go's
				all[at].of = append(all[at].of, "the standard library of Go")
			}
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `Foray
Licensed under the Apache License, Version 2.0; see LICENSE.

%s
This file is written by: go run ./internal/tools/notice
`, about)
	for _, l := range all {
		fmt.Fprintf(&out, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(l.of, "\n"), l.text)
	}
	return out.Bytes(), nil
}

// tidy returns a text without carriage returns and spaces at the ends of lines.
func tidy(raw []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(raw), "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
