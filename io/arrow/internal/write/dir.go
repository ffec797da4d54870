// This file holds where partitions go: a directory, or a prefix of a store's,
// that is there whole or not at all.

package write

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
)

// outputDir is a directory that files are written into.
type outputDir interface {
	// place makes s that of the file of one partition, for openOutput to
	// open, and returns the path that it will have.
	place(s *WriteSpec, partition string) (string, error)
	// complete reports a file that isn't there at the end, as when another one replaced it, and writes the list of
	// the files, which says to later runs what may be overwritten. sizes are by the names that place returned.
	complete(sizes map[string]int64) error
	// end makes all files final if err is nil, and else drops them. It returns the
	// error to report, which names the directory and a remedy.
	end(ctx context.Context, err error) error
	// Abort drops all files, unless end was called.
	Abort()
}

// openDirectory opens the directory that the options say.
func openDirectory(ctx context.Context, s *WriteSpec) (outputDir, error) {
	if s3.Is(s.Path) {
		return openPrefix(ctx, s)
	}
	var mayReplace func(string) error
	if s.Overwrite {
		mayReplace = onlyListed
	}
	d, err := atomicfile.CreateDir(ctx, s.Path, mayReplace)
	if err != nil {
		return nil, err
	}
	return &localDir{d, s.Path}, nil
}

// localDir is a directory of the file system.
type localDir struct {
	*atomicfile.Dir
	path string
}

func (d *localDir) place(s *WriteSpec, partition string) (string, error) {
	name := filepath.Join(filepath.FromSlash(partition), "part-0."+string(s.As))
	s.Path = filepath.Join(d.Temp(), name)
	err := os.Mkdir(filepath.Dir(s.Path), 0o777)
	switch {
	case errors.Is(err, syscall.ENAMETOOLONG):
		err = tooLong(s.PartitionBy, "the name of a directory")
	case errors.Is(err, fs.ErrExist): // no two names are the same, but a file system may not tell a from A
		err = sameName(s.PartitionBy, partition)
	}
	return filepath.Join(d.path, name), err
}

func (d *localDir) complete(sizes map[string]int64) error {
	list := fileList{}
	for name, size := range sizes {
		below, err := filepath.Rel(d.path, name)
		if err != nil {
			return err
		}
		info, err := os.Lstat(filepath.Join(d.Temp(), below))
		if err != nil || info.Size() != size {
			return fmt.Errorf("%w: %s was written and isn't there, or isn't what was written", ErrResult, name)
		}
		list[filepath.ToSlash(below)] = size
	}
	if len(list) == 0 {
		return nil // the directory is empty
	}
	f, err := os.OpenFile(filepath.Join(d.Temp(), listName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(list.encode())
	if err == nil {
		err = f.Sync() // its name is on disk once the directory is
	}
	return cmp.Or(err, f.Close())
}

// sameName says that a file system takes two names for one.
func sameName(column, partition string) error {
	return fmt.Errorf("%w: %s: the file system takes %s for the name of another partition, as some do that don't tell small letters from capitals; write elsewhere, or partition by another column",
		ErrOutputOption, column, partition)
}

func tooLong(column, of string) error {
	return fmt.Errorf("the value of %s is too long for %s; partition by another column: %w", column, of, syscall.ENAMETOOLONG)
}

func (d *localDir) end(ctx context.Context, err error) error {
	if err == nil {
		return d.Commit()
	}
	d.Abort()
	var system syscall.Errno
	if errors.As(err, &system) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return d.Explain(err)
	}
	return fmt.Errorf("cannot write %s: %w", d.path, err)
}

// storeDir is a prefix in a store. Its files have a random part in their names,
// the same in all, so that they are never those of another writer.
type storeDir struct {
	s3.Group
	client s3.Client
	path   string // with a slash at the end
}

func openPrefix(ctx context.Context, s *WriteSpec) (*storeDir, error) {
	c := s.S3.Client()
	var mayReplace func([]s3.Object) error
	if s.Overwrite {
		mayReplace = func(objects []s3.Object) error { return onlyListedObjects(ctx, c, objects) }
	}
	g, err := c.CreateGroup(ctx, s.Path, mayReplace)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &storeDir{g, c, strings.TrimRight(s.Path, "/") + "/"}, nil
}

// maxKey is how many bytes S3 lets a key have.
const maxKey = 1024

func (d *storeDir) place(s *WriteSpec, partition string) (string, error) {
	s.prefix, s.name = d, partition+"/part-0-"+d.Mark()+"."+string(s.As)
	s.Path = d.path + s.name
	if _, key, _ := strings.Cut(s.Path[len("s3://"):], "/"); len(key) > maxKey {
		return s.Path, tooLong(s.PartitionBy, "the key of an object")
	}
	return s.Path, nil
}

// complete writes the list. Whether all objects are there, Commit looks, before which none is to be seen.
func (d *storeDir) complete(sizes map[string]int64) error {
	list := fileList{}
	for name, size := range sizes {
		list[strings.TrimPrefix(name, d.path)] = size
	}
	if len(list) == 0 {
		return nil
	}
	w, err := d.CreateFirst(listName+"-"+d.Mark(), "application/json")
	if err != nil {
		return err
	}
	if _, err := w.Write(list.encode()); err != nil {
		return err
	}
	return w.Commit()
}

// create opens the file that place said.
func (d *storeDir) create(s *WriteSpec) (Output, error) {
	return d.Create(s.name, contentTypes[s.As])
}

func (d *storeDir) end(ctx context.Context, err error) error {
	defer d.client.Close()
	if err == nil {
		return d.Commit()
	}
	d.Group.Abort()
	var said *s3.Error
	switch {
	case errors.As(err, &said):
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = d.Explain(err)
	default:
		err = fmt.Errorf("cannot write %s: %w", d.path, err)
	}
	if left := d.Left(); left != "" {
		err = fmt.Errorf("%w; %s", err, left)
	}
	return err
}

// Abort drops what was sent.
func (d *storeDir) Abort() {
	d.Group.Abort()
	d.client.Close()
}
