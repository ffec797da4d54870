// This file reads the tree that the rules look at.

package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// module is the path of the library's module.
const module = "github.com/foray-graph/foray"

// tree is the sources of the module, without those of nested modules (examples/duckdb).
type tree struct {
	fset     *token.FileSet
	packages map[string][]source // by folder, "." for the root; all files, whatever their build tags
	sizes    map[string]int      // of Go and CUDA sources, in bytes, by path
}

// source is a Go file.
type source struct {
	path string
	test bool
	*ast.File
}

// readTree reads all sources below the root of a file system.
func readTree(files fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), packages: map[string][]source{}, sizes: map[string]int{}}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if name == "." {
				return nil
			}
			_, err := fs.Stat(files, name+"/go.mod")
			if err == nil || strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		switch path.Ext(name) {
		case ".go", ".cu", ".cuh":
		default:
			return nil
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		t.sizes[name] = len(data)
		if path.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(t.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		t.packages[dir] = append(t.packages[dir], source{name, strings.HasSuffix(name, "_test.go"), file})
		return nil
	})
	return t, err
}

// folders returns the folders of packages, sorted.
func (t *tree) folders() []string {
	var all []string
	for dir := range t.packages {
		all = append(all, dir)
	}
	slices.Sort(all)
	return all
}

// at is the place of a node, as file:line.
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	p.Column = 0
	return p.String()
}

// repository is this repository, read once.
var repository = sync.OnceValues(func() (*tree, error) { return readTree(os.DirFS("../../..")) })

// keep fails the test with what breaks a rule in this repository.
func keep(t *testing.T, rule func(*tree) []string) {
	t.Helper()
	r, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, offense := range rule(r) {
		t.Error(offense)
	}
}

// treeOf returns the tree of some files.
func treeOf(t *testing.T, files map[string]string) *tree {
	t.Helper()
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	r, err := readTree(m)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// broken looks that a rule finds just what breaks it in a tree of files: each offense has
// the text wanted.
func broken(t *testing.T, rule func(*tree) []string, files map[string]string, want ...string) {
	t.Helper()
	found := rule(treeOf(t, files))
	if len(found) != len(want) {
		t.Errorf("%d offenses, want %d: %q", len(found), len(want), found)
	}
	for i, offense := range found {
		if i < len(want) && !strings.Contains(offense, want[i]) {
			t.Errorf("offense %q, want %q in it", offense, want[i])
		}
	}
}
