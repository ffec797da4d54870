// This file finds and opens files of an fs.FS.

package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/tableformat"
)

// discoverFS is Discover for a file system. Its tables aren't read.
func (s *Store) discoverFS(ctx context.Context, paths []string) ([]Origin, error) {
	var all []Origin
	for _, p := range paths {
		name := strings.TrimSuffix(p, "/")
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("arrow: %w: names in a file system are relative, with slashes, and without . and .. (package io/fs)",
				&fs.PathError{Op: "open", Path: p, Err: fs.ErrInvalid})
		}
		info, err := fs.Stat(s.FS, name)
		switch {
		case err == nil && !info.IsDir():
			all = append(all, Origin{Path: p, FS: s.FS, named: len(elements(p))})
			continue
		case err == nil:
			found, err := s.below(ctx, p, name, func(file string) int {
				if name == "." {
					return 0
				}
				return len(name) + 1
			}, len(elements(name)))
			if err != nil {
				return nil, InFile(p, "", err)
			}
			all = append(all, found...)
			continue
		case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(name, "*?["):
			return nil, fmt.Errorf("arrow: %w", err)
		}
		pattern, err := pathglob.Compile(name)
		if err != nil {
			return nil, fmt.Errorf("arrow: pattern %q: %w", p, err)
		}
		dir := "."
		if i := strings.LastIndexByte(pattern.Prefix(), '/'); i >= 0 {
			dir = pattern.Prefix()[:i]
		}
		found, err := s.below(ctx, p, dir, pattern.Match, rootOf(name))
		if err != nil {
			return nil, InFile(p, "", err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("arrow: %w: no path was given", ErrNoData)
	}
	return all, nil
}

// below returns the files below a directory for which match returns where the last name begins that the path p
// stands for, or -1. named is how many names the path has before those that are found.
func (s *Store) below(ctx context.Context, p, dir string, match func(file string) int, named int) ([]Origin, error) {
	var found []Origin
	plain, other, left := 0, "", ""
	err := fs.WalkDir(s.FS, dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil && file == dir && errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll // nothing matches
		}
		if err != nil || d.IsDir() {
			return err
		}
		at := match(file)
		if at < 0 || HiddenBelow(file[at:]) {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(s.FS, file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err == nil && info.IsDir() {
				return InFile(file, "", fmt.Errorf("%w: it is a link to a directory; name the directory itself", ErrUnsupported))
			}
		}
		switch matched := strings.ContainsAny(p, "*?[") && !strings.Contains(file[at:], "/"); {
		case matched, Data(file):
		case path.Ext(file) != "":
			left = file
			s.Left.note(file)
			return nil
		default:
			is, err := beginsLikeData(file, func() (fs.FileInfo, error) { return fs.Stat(s.FS, file) },
				func() (io.ReadCloser, error) {
					f, _, err := OpenFile(ctx, s.FS, file)
					return f, err
				})
			if err != nil {
				return err
			}
			if !is {
				other = file
				s.Left.note(file)
				return nil
			}
			plain++
		}
		found = append(found, Origin{Path: file, FS: s.FS, named: named})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := s.refuseTablesFS(found); err != nil {
		return nil, err
	}
	switch {
	case plain > 0 && other != "":
		return nil, fmt.Errorf("%w: of the files without an extension some are Parquet or Arrow, but %s isn't; take it away, or name the files themselves", ErrFormat, other)
	case len(found) > 0:
		return found, nil
	case left+other != "":
		return nil, fmt.Errorf("%w: no files end in .parquet, .arrow, .feather, .ipc or .arrows, but others do, such as %s; name such files, or a pattern of them, to have them read",
			ErrNoData, left+other)
	}
	return nil, fmt.Errorf("%w: no file matches", ErrNoData)
}

// refuseTablesFS returns an ErrTable if a file is one of a table, whose metadata defines which are current.
func (s *Store) refuseTablesFS(files []Origin) error {
	seen := map[string]bool{}
	for i := range files {
		for dir := files[i].Path; dir != "."; {
			if dir = path.Dir(dir); seen[dir] {
				break
			}
			seen[dir] = true
			if kind := tableformat.LookFS(s.FS, dir); kind != "" {
				return fmt.Errorf("%w: %s is a table of %s, whose snapshots are read by a path of this machine or a store, not from a file system of a program", ErrTable, dir, kind)
			}
		}
	}
	return nil
}

// File is an open regular file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

// OpenFile is OpenRegular for a file of a file system, or of this machine where that is nil.
func OpenFile(ctx context.Context, fsys fs.FS, name string) (File, fs.FileInfo, error) {
	if fsys == nil {
		return OpenRegular(ctx, name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("arrow: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("arrow: %w", err)
	case IsNil(info):
		err = InFile(name, "", fault("the file's Stat returned neither a FileInfo nor an error"))
	case info.IsDir():
		err = InFile(name, "", fmt.Errorf("%w: it is a directory, not a file", ErrUnsupported))
	case !info.Mode().IsRegular():
		err = InFile(name, "", fmt.Errorf("%w: it is not a regular file but %s", ErrUnsupported, kindOf(info.Mode())))
	case info.Size() < 0:
		err = InFile(name, "", fault("the file has a size of %d bytes", info.Size()))
	default:
		if r, ok := f.(io.ReaderAt); ok {
			return &placedFile{f, r, patient{ctx: ctx, r: f}}, info, nil
		}
		var all []byte
		all, err = io.ReadAll(io.LimitReader(&patient{ctx: ctx, r: f}, max(info.Size(), info.Size()+1)))
		if err == nil && int64(len(all)) != info.Size() {
			err = Changed(info.Size(), int64(len(all)))
		}
		if err == nil {
			if err = f.Close(); err == nil {
				return &heldFile{bytes.NewReader(all)}, info, nil
			}
			return nil, nil, InFile(name, "", err)
		}
		err = InFile(name, "", err)
	}
	return nil, nil, errors.Join(err, f.Close())
}

// heldFile is a file that was read into memory, since it can't be read at places.
type heldFile struct{ *bytes.Reader }

func (*heldFile) Close() error { return nil }
