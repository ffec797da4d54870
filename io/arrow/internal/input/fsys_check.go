// This file checks what the fs.FS of a program returns, since a mistake in it must be an error and not
// wrong edges or a panic.

package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/foray-graph/foray/graph"
)

// CheckFS returns a file system that has the files of fsys, and an error where fsys returns what package
// io/fs excludes, such as neither a file nor an error. It returns nil for nil.
func CheckFS(fsys fs.FS) fs.FS {
	if fsys == nil {
		return nil
	}
	return checkedFS{fsys}
}

// checkedFS implements fs.StatFS and fs.ReadDirFS, so that package fs calls its methods.
type checkedFS struct{ of fs.FS }

// onlyOpen has no other methods than Open, so that package fs calls that.
type onlyOpen struct{ fs.FS }

// fault is the error of a file system that does what it must not do.
func fault(format string, args ...any) error {
	return fmt.Errorf("%w: Options.FS: "+format, append([]any{graph.ErrOptions}, args...)...)
}

func faultOf(op, name, format string, args ...any) error {
	return &fs.PathError{Op: op, Path: name, Err: fault(format, args...)}
}

// named returns err as one that names the file, which the errors of package os do.
func named(op, name string, err error) error {
	var p *fs.PathError
	if err == nil || errors.As(err, &p) {
		return err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func (c checkedFS) Open(name string) (fs.File, error) {
	f, err := c.of.Open(name)
	if err == nil && IsNil(f) {
		return nil, faultOf("open", name, "Open returned neither a file nor an error")
	}
	return f, named("open", name, err)
}

func (c checkedFS) Stat(name string) (fs.FileInfo, error) {
	fsys := fs.FS(onlyOpen{c})
	if s, ok := c.of.(fs.StatFS); ok {
		fsys = s
	}
	info, err := fs.Stat(fsys, name)
	if err == nil && IsNil(info) {
		return nil, faultOf("stat", name, "Stat returned neither a FileInfo nor an error")
	}
	return info, named("stat", name, err)
}

func (c checkedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if strings.Count(name, "/") >= maxNested {
		return nil, faultOf("readdir", name[:100]+"...", "directories are nested more than %d deep", maxNested)
	}
	fsys := fs.FS(onlyOpen{c})
	if s, ok := c.of.(fs.ReadDirFS); ok {
		fsys = s
	}
	entries, err := fs.ReadDir(fsys, name)
	for _, e := range entries {
		if IsNil(e) {
			return nil, faultOf("readdir", name, "an entry is nil")
		}
		if n := e.Name(); n == "" || n == "." || n == ".." || strings.Contains(n, "/") {
			return nil, faultOf("readdir", name, "an entry has the name %.100q", n)
		}
	}
	return entries, named("readdir", name, err)
}

// checkRead checks the number of bytes that Read or ReadAt returned for a buffer.
func checkRead(call string, n, buffer int) error {
	if n < 0 || n > buffer {
		return fault("%s returned %d for a buffer of %d bytes", call, n, buffer)
	}
	return nil
}

// placedFile is a file that can be read at places.
type placedFile struct {
	fs.File
	places io.ReaderAt
	reader patient
}

func (f *placedFile) Read(b []byte) (int, error) { return f.reader.Read(b) }

// ReadAt returns io.EOF only where b isn't full.
func (f *placedFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.places.ReadAt(b, at)
	if wrong := checkRead("ReadAt", n, len(b)); wrong != nil {
		return 0, wrong
	}
	switch {
	case n == len(b) && err == io.EOF:
		err = nil
	case n < len(b) && err == nil:
		err = fault("ReadAt returned %d of %d bytes without an error", n, len(b))
	}
	return n, err
}

// patient reads until the context is done, or the reader it asks gives nothing again and again.
type patient struct {
	ctx   context.Context
	r     io.Reader
	empty int
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	if wrong := checkRead("Read", n, len(b)); wrong != nil {
		return 0, wrong
	}
	if p.empty++; n > 0 || err != nil {
		p.empty = 0
	}
	if p.empty == 100 { // as package bufio
		err = io.ErrNoProgress
	}
	return n, err
}
