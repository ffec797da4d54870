// This file refuses outputs that lie where the input is read: whoever read it
// again would read them too.

package main

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/pathglob"
)

// checkInside refuses an output that one of the paths stands for: in a directory
// or below a prefix that is read, or matched by a pattern. A file that is
// itself named as input may be replaced.
func (f *convertFlags) checkInside(paths []string) error {
	if f.output == "-" || f.output == "" {
		return nil
	}
	all := append(append([]string{}, paths...), f.vertices...)
	for _, e := range f.edges {
		table, _, _ := strings.Cut(e, ";")
		all = append(all, table)
	}
	for _, p := range all {
		in := false
		switch {
		case strings.HasPrefix(p, "gen:"), p == "":
		case inStore(p) != inStore(f.output):
		case inStore(p):
			in = belowPrefix(p, f.output)
		default:
			in = belowDirectory(p, f.output)
		}
		if in {
			return usagef("%s lies in %s, which is read: whoever reads that again would read the output too; write it elsewhere", f.output, p)
		}
	}
	return nil
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
	if strings.ContainsAny(p, "*?[") {
		pattern, err := pathglob.Compile(strings.TrimRight(p, "/"))
		return err == nil && pattern.Match(output) >= 0
	}
	below, ok := strings.CutPrefix(output, strings.TrimRight(p, "/")+"/")
	return ok && isRead(below)
}

// belowDirectory reports whether a file is one of those that a path stands for.
func belowDirectory(p, output string) bool {
	info, err := os.Stat(p)
	switch {
	case err == nil && info.IsDir():
		below, err := filepath.Rel(resolved(p), filepath.Join(resolved(filepath.Dir(output)), filepath.Base(output)))
		return err == nil && filepath.IsLocal(below) && isRead(below)
	case err == nil || !strings.ContainsAny(p, "*?["):
		return false
	}
	// As they are written, and, where one is and the other isn't, from the root.
	for _, as := range []func(string) string{filepath.Clean, absolute} {
		pattern, err := pathglob.Compile(filepath.ToSlash(as(p)))
		if err == nil && pattern.Match(filepath.ToSlash(as(output))) >= 0 && isRead(filepath.Base(output)+".parquet") {
			return true
		}
	}
	return false
}

func absolute(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return p
}

// resolved is a directory without links.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(absolute(dir)); err == nil {
		return real
	}
	return absolute(dir)
}
