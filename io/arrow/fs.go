// This file holds a file system of one file.

package arrow

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
)

// FileFS returns a file system with one file, for Options.FS, of bytes that are in memory or elsewhere:
//
//	data, err := os.ReadFile("edges.parquet")
//	g, err := arrow.Load(ctx, "edges.parquet", arrow.Options{FS: arrow.FileFS("edges.parquet", bytes.NewReader(data), int64(len(data)))})
//
// r has the bytes from 0 to size. Several goroutines read it at once. Reading the file is graph.ErrOptions if size is
// negative, r is nil or the name is ".".
func FileFS(name string, r io.ReaderAt, size int64) fs.FS { return &fileFS{name, r, size} }

// fileFS is the file system and the description of its file.
type fileFS struct {
	name string
	r    io.ReaderAt
	size int64
}

func (f *fileFS) Open(name string) (fs.File, error) {
	switch {
	case !fs.ValidPath(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	case name != f.name:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case name == ".":
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: FileFS names its file like the root directory; give another name", graph.ErrOptions)}
	case f.size < 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: FileFS has a size of %d bytes; give the number of bytes that its reader has", graph.ErrOptions, f.size)}
	case input.IsNil(f.r):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: FileFS has no reader (nil); give one", graph.ErrOptions)}
	}
	return &readerFile{f, io.NewSectionReader(f.r, 0, f.size)}, nil
}

func (f *fileFS) Name() string       { return path.Base(f.name) }
func (f *fileFS) Size() int64        { return f.size }
func (f *fileFS) Mode() fs.FileMode  { return 0o444 }
func (f *fileFS) ModTime() time.Time { return time.Time{} }
func (f *fileFS) IsDir() bool        { return false }
func (f *fileFS) Sys() any           { return nil }

// readerFile is the open file.
type readerFile struct {
	fs *fileFS
	*io.SectionReader
}

func (f *readerFile) Stat() (fs.FileInfo, error) { return f.fs, nil }
func (f *readerFile) Close() error               { return nil }
