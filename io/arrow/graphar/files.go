// This file lists the files that a graph consists of.

package graphar

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// Files returns the paths of the files that the graph of a YAML file, as Load takes
// it, consists of, for those who mustn't write over them: the YAML files, and the
// chunks and counts that are there of all kinds of vertices and edges, in whatever
// format. Reading the YAML files may fail; a directory that is missing
// or can't be read has no files.
func Files(path string) (_ []string, failed error) {
	defer shown(&failed)
	root, vertices, edges, err := readInfo(path, boundsOf(path, true, true), tables.NewBudget(0))
	if err != nil {
		return nil, err
	}
	files := []string{path}
	add := func(prefixes []string, patterns ...string) {
		dir := root
		for _, p := range prefixes {
			dir = filepath.Join(dir, filepath.FromSlash(p))
		}
		for _, pattern := range patterns {
			found, _ := fs.Glob(os.DirFS(dir), pattern) // the pattern is fine
			for _, f := range found {
				files = append(files, filepath.Join(dir, filepath.FromSlash(f)))
			}
		}
	}
	for _, v := range vertices {
		files = append(files, v.path)
		add([]string{v.Prefix}, "vertex_count")
		for _, g := range v.Groups {
			add([]string{v.Prefix, g.Prefix}, "chunk*")
		}
	}
	for _, e := range edges {
		files = append(files, e.path)
		for _, l := range e.AdjLists {
			add([]string{e.Prefix, l.Prefix}, "vertex_count", "edge_count*", "offset/chunk*", "adj_list/part*/chunk*")
			for _, g := range e.Groups {
				add([]string{e.Prefix, l.Prefix, g.Prefix}, "part*/chunk*")
			}
		}
	}
	slices.Sort(files) // that of one kind of edges is named twice
	return slices.Compact(files), nil
}
