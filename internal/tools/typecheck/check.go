// This file holds the check for one system.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listed is go list's record of a package. A package of tests, or one that was changed for them, has its
// path with the test's in brackets.
type listed struct {
	ImportPath, Dir, Name, ForTest string
	GoFiles, CgoFiles, SFiles      []string
	ImportMap                      map[string]string
	Standard                       bool
	Module                         *struct {
		Main      bool
		GoVersion string
	}
}

// ours reports whether the package is of the module that is checked.
func (p *listed) ours() bool { return p.Module != nil && p.Module.Main }

// testMain reports whether the package is the main program of tests, which go test writes.
func (p *listed) testMain() bool { return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") }

// check type-checks all packages of the module in a folder, with their tests, for a target: a system and a
// processor, and build tags, as in "linux/amd64,cgo,nocuda". It returns how many packages of the module it
// checked, and the compiler's errors, except those about names that cgo defines.
func check(dir, target string) (packages int, offenses []string, err error) {
	platform, tags, _ := strings.Cut(target, ",")
	system, processor, _ := strings.Cut(platform, "/")
	sizes := types.SizesFor("gc", processor)
	if sizes == nil {
		return 0, nil, fmt.Errorf("unknown processor %q", processor)
	}
	all, err := list(dir, system, processor, tags)
	if err != nil {
		return 0, nil, err
	}
	note := func(offense string) {
		if !slices.Contains(offenses, offense) { // a file is in a package, and in that with its tests
			offenses = append(offenses, offense)
		}
	}
	fset := token.NewFileSet()
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, p := range all { // a package comes after those that it imports
		if p.testMain() || p.ImportPath == "unsafe" {
			continue
		}
		var files []*ast.File
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return 0, nil, err
			}
			files = append(files, file)
		}
		config := types.Config{
			Sizes:            sizes,
			FakeImportC:      true,
			IgnoreFuncBodies: p.Standard, // which Go's own builds have compiled for that system
			Importer:         importer{p.ImportMap, done},
			Error: func(err error) {
				if p.ours() || len(p.CgoFiles) == 0 { // others' constants of C seem to have one value
					note(err.Error())
				}
			},
		}
		if p.Module != nil && p.Module.GoVersion != "" {
			config.GoVersion = "go" + p.Module.GoVersion
		}
		path, _, _ := strings.Cut(p.ImportPath, " ")
		done[p.ImportPath], _ = config.Check(path, fset, files, nil)
		if !p.ours() {
			continue
		}
		packages++
		if len(p.SFiles) == 0 {
			for _, f := range bodiless(files) {
				note(fmt.Sprintf("%s: function %s has no body", fset.Position(f.Pos()), f.Name.Name))
			}
		}
	}
	if packages == 0 {
		return 0, nil, errors.New("no package of the module is built there")
	}
	return packages, offenses, nil
}

// list runs go list for all packages of the module, their tests, and all their imports, in order.
// The tag cgo sets CGO_ENABLED.
func list(dir, system, processor, tags string) (all []*listed, err error) {
	cmd := exec.Command("go", "list", "-tags", tags, "-deps", "-test",
		"-json=ImportPath,Dir,Name,ForTest,GoFiles,CgoFiles,SFiles,ImportMap,Standard,Module", "./...")
	cmd.Dir = dir
	cgo := "0"
	if slices.Contains(strings.Split(tags, ","), "cgo") {
		cgo = "1"
	}
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED="+cgo)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("%w: %s", err, exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// bodiless returns the functions without a body, which only a package with assembly may have.
func bodiless(files []*ast.File) (all []*ast.FuncDecl) {
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// importer finds the packages that are done, by the names that one package has for them.
type importer struct {
	names map[string]string
	done  map[string]*types.Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if name := i.names[path]; name != "" {
		path = name
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("go list didn't say what %s is", path)
}
