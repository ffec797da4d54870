// This file refuses outputs that would replace the input, or are in a directory of the
// input: reading it again would read them instead, or too.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/tableformat"
	"github.com/foray-graph/foray/io/arrow/graphar"
)

// checkInside refuses an output that is an input, or that a path stands for: in a
// directory or below a prefix that is read, or matched by a pattern. Tables of
// edges and of vertices are inputs too.
func (f *inputFlags) checkInside(paths []string, o *outputFlags) error {
	if o.output == "-" || o.output == "" {
		return nil
	}
	f.outputs = append(f.outputs, o.output)
	for _, p := range f.tableFlags.allPaths(paths) {
		switch {
		case strings.HasPrefix(p, "gen:"), p == "", inStore(p) != inStore(o.output):
		case slices.ContainsFunc(o.files(), func(file string) bool {
			return inStore(p) && belowPrefix(p, file) || !inStore(p) && belowDirectory(p, file)
		}):
			return usagef("%s is in %s, which is read: reading that again would read the output too; write it elsewhere", o.output, p)
		case f.inGraphAr(p, o.output):
			return usagef("%s is a file of %s, which is read: reading that again would read the output instead; write it elsewhere", o.output, p)
		case inStore(p) && p == o.output, !inStore(p) && sameFile(p, o.output):
			name := ""
			if p != o.output {
				name = " (" + p + ")"
			}
			return usagef("%s is an input%s, which is read: reading that again would read the output instead; write it elsewhere", o.output, name)
		}
	}
	return f.checkInTable(paths, o.output)
}

// checkInTable refuses an output in the directory of a table: of one that is read, as far as the paths
// tell before it is opened, or of any other.
func (f *inputFlags) checkInTable(paths []string, output string) error {
	if inStore(output) {
		return nil // which checkOpened looks at
	}
	ctx := atomicfile.WithInputs(context.Background())
	var finder tableformat.Finder
	var in *tableformat.Error
	for _, p := range f.tableFlags.allPaths(paths) {
		if strings.HasPrefix(p, "gen:") || p == "" || p == "-" || inStore(p) || inCatalog(p) {
			continue
		}
		files, _ := expand(p, true) // what is wrong with it comes up when it is opened
		for _, file := range files {
			switch dir := filepath.Dir(file); {
			case f.isGraphAr(file):
				atomicfile.NoteTable(ctx, dir)
			case tableformat.MetadataFile(filepath.Base(file)) && filepath.Base(dir) == "metadata":
				atomicfile.NoteTable(ctx, filepath.Dir(dir))
			case finder.At(file) != "":
				atomicfile.NoteTable(ctx, file)
			case errors.As(finder.Check(dir), &in):
				atomicfile.NoteTable(ctx, in.Root)
			}
		}
	}
	if err := atomicfile.CheckInputs(ctx, output); err != nil {
		return &usageError{err: err}
	}
	for _, dir := range []string{filepath.Dir(output), filepath.Dir(resolved(output))} {
		if errors.As(finder.Check(dir), &in) {
			return usagef("%s is in %s, a table of %s: a table's directory is for its own files; write it elsewhere", output, in.Root, in.Kind)
		}
	}
	return nil
}

// checkOpened refuses outputs that are files opened meanwhile, under any name, or that are inside
// tables opened meanwhile.
func (f *inputFlags) checkOpened(ctx context.Context) error {
	for _, o := range f.outputs {
		if err := atomicfile.CheckInputs(ctx, o); err != nil {
			return &usageError{err: err}
		}
	}
	return nil
}

// sameOutput reports whether two outputs are one file under any name.
func sameOutput(a, b string) bool {
	switch {
	case a == "", b == "", a == "-", b == "-":
		return false
	case inStore(a), inStore(b):
		return a == b
	}
	return resolved(a) == resolved(b) || sameFile(a, b)
}

// allPaths returns the paths with those of further tables.
func (f *tableFlags) allPaths(paths []string) []string {
	all := append(append([]string{}, paths...), f.vertices...)
	for _, e := range f.edges {
		table, _, _ := strings.Cut(e, ";")
		all = append(all, table)
	}
	for i, p := range all {
		if local, err := location.Path(p); err == nil { // else it comes up when it is opened
			all[i] = local
		}
	}
	return all
}

// files returns names that are written: the output, or some like those that a
// directory of partitions will have, whose values aren't known yet.
func (o *outputFlags) files() []string {
	if o.partitionBy == "" {
		return []string{o.output}
	}
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("%s/%s=%d/part-0.%s", strings.TrimRight(o.output, "/"), o.partitionBy, i, o.tableFormat()))
	}
	return names
}

// sameFile reports whether a path, or one of the files that it stands for, is the
// output under any name. Pipes and devices are never the same.
func sameFile(p, output string) bool {
	out, err := os.Stat(output)
	if err != nil || !out.Mode().IsRegular() {
		return false
	}
	same := func(p string) bool {
		info, err := os.Stat(p)
		return err == nil && os.SameFile(info, out)
	}
	files, _ := expand(p, true) // what is wrong with it comes up when it is opened
	return slices.ContainsFunc(files, func(p string) bool {
		if info, err := os.Stat(p); err != nil || !info.IsDir() {
			return same(p)
		}
		found := false
		_ = filepath.WalkDir(resolved(p), func(name string, d fs.DirEntry, err error) error {
			switch below, _ := filepath.Rel(resolved(p), name); {
			case err != nil: // likewise
				return nil
			case d.IsDir() && below != "." && !isRead(filepath.Join(below, "x.parquet")):
				return fs.SkipDir
			case !d.IsDir() && isRead(below) && same(name):
				found = true
				return fs.SkipAll
			}
			return nil
		})
		return found
	})
}

// inGraphAr reports whether a path is GraphAr's, and the output one of the files
// that it stands for under any name, or by its name another chunk beside them.
func (f *inputFlags) inGraphAr(p, output string) bool {
	chunk, _ := filepath.Match("chunk[0-9]*", filepath.Base(output))
	if _, err := os.Stat(output); err != nil && !chunk {
		return false // new, so no input reads it
	}
	infos, _ := expand(p, true)
	for _, info := range infos {
		if !f.isGraphAr(info) {
			continue
		}
		files, _ := graphar.Files(info) // what is wrong with it comes up when it is opened
		dirs := map[string]bool{}
		for _, file := range files {
			if sameFile(file, output) {
				return true
			}
			if dir := filepath.Dir(file); chunk && !dirs[dir] && strings.HasPrefix(filepath.Base(file), "chunk") {
				dirs[dir] = true
				if resolved(dir) == resolved(filepath.Dir(output)) {
					return true
				}
			}
		}
	}
	return false
}

// isRead reports whether a file below a directory is read, by its names.
func isRead(below string) bool {
	for name := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			return false
		}
	}
	switch strings.ToLower(path.Ext(below)) {
	case ".parquet", ".arrow", ".feather", ".ipc", ".arrows", "":
		return true
	}
	return false
}

// belowPrefix reports whether an object is one of those that a path stands for.
func belowPrefix(p, output string) bool {
	p = strings.TrimRight(p, "/")
	if strings.ContainsAny(p, "*?[") {
		return matched(p, output)
	}
	below, ok := strings.CutPrefix(output, p+"/")
	return ok && isRead(below)
}

// matched reports whether a pattern stands for a file, or for a directory in which
// it is read.
func matched(p, output string) bool {
	pattern, err := pathglob.Compile(p)
	if err != nil {
		return false
	}
	at := pattern.Match(output)
	if at < 0 {
		return false
	}
	first, below, ok := strings.Cut(output[at:], "/")
	return isRead(first+".parquet") && (!ok || isRead(below))
}

// belowDirectory reports whether a file is one of those that a path stands for.
func belowDirectory(p, output string) bool {
	info, err := os.Stat(p)
	switch {
	case err == nil && info.IsDir():
		// A link is written where it leads to.
		for _, out := range []string{filepath.Join(resolved(filepath.Dir(output)), filepath.Base(output)), resolved(output)} {
			below, err := filepath.Rel(resolved(p), out)
			if err == nil && filepath.IsLocal(below) && isRead(below) {
				return true
			}
		}
		return false
	case err == nil || !strings.ContainsAny(p, "*?["):
		return false
	}
	// As they are written, and, where one is and the other isn't, from the root.
	for _, as := range []func(string) string{filepath.Clean, absolute} {
		if matched(filepath.ToSlash(as(p)), filepath.ToSlash(as(output))) {
			return true
		}
	}
	files, _ := expand(p, true)
	return slices.ContainsFunc(files, func(p string) bool {
		info, err := os.Stat(p)
		return err == nil && info.IsDir() && belowDirectory(p, output)
	})
}

func absolute(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return p
}

// resolved is a path without links, as far as it is there.
func resolved(p string) string {
	p = absolute(p)
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	if up := filepath.Dir(p); up != p {
		return filepath.Join(resolved(up), filepath.Base(p))
	}
	return p
}
