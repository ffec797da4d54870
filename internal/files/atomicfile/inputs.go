// This file holds the inputs of a run, over which nothing is written.

package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ErrInput is returned if the output is a file that was read, or is inside a table.
var ErrInput = errors.New("the output would replace an input")

// inputError is ErrInput, except for its text.
type inputError string

func (e inputError) Error() string      { return string(e) }
func (inputError) Is(target error) bool { return target == ErrInput }

type inputsKey struct{}

// inputs are the files that were opened for reading. They are identified as the system identifies them, so
// that links and other spellings of a name don't hide a file.
type inputs struct {
	mu      sync.Mutex
	files   map[fileID]string
	infos   []namedInfo         // files on systems without a fileID
	names   map[string]struct{} // files of tables that need not be opened
	tables  []namedInfo         // directories of tables
	objects map[string]struct{} // s3://bucket/key
	stores  []string            // tables in stores: s3://bucket/prefix/
	replace string              // the input that may be replaced
}

type namedInfo struct {
	name string
	info fs.FileInfo
}

// WithInputs returns a context that records the files that are read under it. Writing over one of them
// returns an error that wraps ErrInput. Other contexts record nothing.
func WithInputs(ctx context.Context) context.Context {
	return context.WithValue(ctx, inputsKey{}, &inputs{files: map[fileID]string{}, names: map[string]struct{}{}, objects: map[string]struct{}{}})
}

// WithoutInputs returns a context that records nothing more, for reading a file that is to be replaced.
func WithoutInputs(ctx context.Context) context.Context {
	return context.WithValue(ctx, inputsKey{}, nil)
}

// withInputs calls f with the context's inputs, if it has any.
func withInputs(ctx context.Context, f func(in *inputs)) {
	if in, ok := ctx.Value(inputsKey{}).(*inputs); ok {
		in.mu.Lock()
		defer in.mu.Unlock()
		f(in)
	}
}

// NoteFile remembers a file that was opened. Pipes and devices aren't remembered.
func NoteFile(ctx context.Context, name string, info fs.FileInfo) {
	withInputs(ctx, func(in *inputs) { in.note(name, info) })
}

func (in *inputs) note(name string, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		return
	}
	if id, ok := identity(info); ok {
		in.files[id] = name
	} else {
		in.infos = append(in.infos, namedInfo{name, info})
	}
}

// NoteName remembers a file that belongs to an input, whether it is opened or not.
func NoteName(ctx context.Context, name string) {
	withInputs(ctx, func(in *inputs) { in.names[name] = struct{}{} })
}

// NoteObject remembers an object, s3://bucket/key.
func NoteObject(ctx context.Context, path string) {
	withInputs(ctx, func(in *inputs) { in.objects[path] = struct{}{} })
}

// NoteTable remembers a table, below whose directory or prefix nothing is written.
func NoteTable(ctx context.Context, dir string) {
	withInputs(ctx, func(in *inputs) {
		if isObject(dir) {
			in.stores = append(in.stores, strings.TrimRight(dir, "/")+"/")
		} else if info, err := os.Stat(dir); err == nil {
			in.tables = append(in.tables, namedInfo{dir, info})
		}
	})
}

// MayReplace allows the output to replace one input that it is made from.
func MayReplace(ctx context.Context, path string) {
	withInputs(ctx, func(in *inputs) { in.replace = path })
}

func isObject(path string) bool { return strings.HasPrefix(path, "s3://") }

// CheckInputs returns an error if the output, a path or s3://bucket/key, would replace an input of the context or
// be inside a table. If the path is a directory, the check covers all files in it.
func CheckInputs(ctx context.Context, path string) (err error) {
	withInputs(ctx, func(in *inputs) {
		if isObject(path) {
			err = in.checkObject(path)
		} else {
			err = in.checkPath(path)
		}
	})
	return err
}

func isInput(path, input string) error {
	if input != path {
		input = " (" + input + ")"
	} else {
		input = ""
	}
	return &Error{Path: path, Err: inputError(fmt.Sprintf("it is an input%s, which is read", input)),
		Remedy: "reading that again would read the output instead; write it elsewhere"}
}

func inTable(path, table string) error {
	return &Error{Path: path, Err: inputError(fmt.Sprintf("it lies in the table %s", table)),
		Remedy: "a table's directory is for its own files; write it elsewhere"}
}

func (in *inputs) checkObject(path string) error {
	if _, ok := in.objects[path]; ok && path != in.replace {
		return isInput(path, path)
	}
	for _, t := range in.stores {
		if strings.HasPrefix(path, t) {
			return inTable(path, t)
		}
	}
	if dir := strings.TrimRight(path, "/") + "/"; dir == path { // of partitions
		for o := range in.objects {
			if strings.HasPrefix(o, dir) {
				return isInput(path, o)
			}
		}
	}
	return nil
}

func (in *inputs) checkPath(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil: // it is new, or its error comes up when it is written
	case info.IsDir():
		var name, input string
		root := path
		if to, err := filepath.EvalSymlinks(path); err == nil {
			root = to
		}
		_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // errors of reading are reported elsewhere
			}
			if info, err := os.Stat(p); err == nil {
				if name = in.find(info); name != "" {
					input = p
					return fs.SkipAll
				}
			}
			return nil
		})
		if name != "" {
			return isInput(path, input)
		}
	case info.Mode().IsRegular():
		if name := in.find(info); name != "" && !in.mayReplace(info) {
			return isInput(path, name)
		}
	default:
		return nil
	}
	return in.checkTables(path)
}

// find returns the input that a file is, or "".
func (in *inputs) find(info fs.FileInfo) string {
	if !info.Mode().IsRegular() {
		return ""
	}
	for name := range in.names { // once, since a table may have many
		if is, err := os.Stat(name); err == nil {
			in.note(name, is)
		}
	}
	clear(in.names)
	if id, ok := identity(info); ok {
		if name, is := in.files[id]; is {
			return name
		}
	}
	for _, f := range in.infos {
		if os.SameFile(f.info, info) {
			return f.name
		}
	}
	return ""
}

func (in *inputs) mayReplace(info fs.FileInfo) bool {
	is, err := os.Stat(in.replace)
	return in.replace != "" && err == nil && os.SameFile(is, info)
}

// checkTables looks for tables among the directories that a path is in, and, if it is a link, among
// those that it leads to.
func (in *inputs) checkTables(path string) error {
	if len(in.tables) == 0 {
		return nil
	}
	starts := []string{path}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		starts = append(starts, to)
	} else if to, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		starts = append(starts, filepath.Join(to, filepath.Base(path)))
	}
	for _, p := range starts {
		p, err := filepath.Abs(p)
		if err != nil {
			continue
		}
		for {
			if info, err := os.Stat(p); err == nil && info.IsDir() {
				for _, t := range in.tables {
					if os.SameFile(t.info, info) {
						return inTable(path, t.name)
					}
				}
			}
			up := filepath.Dir(p)
			if up == p {
				break
			}
			p = up
		}
	}
	return nil
}
