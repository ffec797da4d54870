// This file holds where partitions go: a directory, or a prefix of a store's,
// that is there whole or not at all.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/foray-graph/foray/internal/atomicfile"
	"github.com/foray-graph/foray/internal/s3"
)

// outputDir is a directory that files are written into.
type outputDir interface {
	// place makes s that of the file of one partition, for openOutput to
	// open, and returns the path that it will have.
	place(s *writeSpec, partition string) (string, error)
	// end makes all files final if err is nil, and else drops them. It returns the
	// error to report, which names the directory and a remedy.
	end(ctx context.Context, err error) error
	// Abort drops all files, unless end was called.
	Abort()
}

// openDirectory opens the directory that the options say.
func openDirectory(ctx context.Context, s *writeSpec) (outputDir, error) {
	if s3.Is(s.path) {
		return openPrefix(ctx, s)
	}
	var mayReplace func(string) error
	if s.Overwrite {
		mayReplace = onlyPartitions
	}
	d, err := atomicfile.CreateDir(s.path, mayReplace)
	if err != nil {
		return nil, err
	}
	return &localDir{d, s.path}, nil
}

// localDir is a directory of the file system.
type localDir struct {
	*atomicfile.Dir
	path string
}

func (d *localDir) place(s *writeSpec, partition string) (string, error) {
	name := filepath.Join(filepath.FromSlash(partition), "part-0."+string(s.format))
	s.path = filepath.Join(d.Temp(), name)
	err := os.MkdirAll(filepath.Dir(s.path), 0o777)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		err = tooLong(s.PartitionBy, "the name of a directory")
	}
	return filepath.Join(d.path, name), err
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

// onlyPartitions reports that a directory holds something else than partitions,
// which mustn't get lost because its path was given by mistake.
func onlyPartitions(dir string) error {
	return filepath.WalkDir(dir, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || p == dir:
			return err
		case entry.IsDir() && partitionDir(entry.Name()), entry.Type().IsRegular() && partitionFile(entry.Name()):
			return nil
		}
		return noPartition(p)
	})
}

func partitionDir(name string) bool { return hidden(name) || strings.Contains(name, "=") }

func partitionFile(name string) bool { return hidden(name) || strings.HasPrefix(name, "part-") }

func noPartition(path string) error {
	return fmt.Errorf("%w: it holds %s, which is no partition; only a directory of partitions is overwritten", ErrOutputOption, path)
}

// storeDir is a prefix in a store. Its files have a random part in their names,
// the same in all, so that they are never those of another writer.
type storeDir struct {
	*s3.Group
	client *s3.Client
	path   string // with a slash at the end
}

func openPrefix(ctx context.Context, s *writeSpec) (*storeDir, error) {
	var mayReplace func([]s3.Object) error
	if s.Overwrite {
		mayReplace = onlyPartitionObjects
	}
	c := s.S3.client()
	g, err := c.CreateGroup(ctx, s.path, mayReplace)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &storeDir{g, c, strings.TrimRight(s.path, "/") + "/"}, nil
}

// maxKey is how many bytes S3 lets a key have.
const maxKey = 1024

func (d *storeDir) place(s *writeSpec, partition string) (string, error) {
	s.prefix, s.name = d, partition+"/part-0-"+d.Mark()+"."+string(s.format)
	s.path = d.path + s.name
	if _, key, _ := strings.Cut(s.path[len("s3://"):], "/"); len(key) > maxKey {
		return s.path, tooLong(s.PartitionBy, "the key of an object")
	}
	return s.path, nil
}

// create opens the file that place said.
func (d *storeDir) create(s *writeSpec) (output, error) {
	return d.Create(s.name, contentTypes[s.format])
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

// onlyPartitionObjects is onlyPartitions for a store.
func onlyPartitionObjects(objects []s3.Object) error {
	for i := range objects {
		names := strings.Split(objects[i].Below, "/")
		last := len(names) - 1
		for k, name := range names {
			if k < last && !partitionDir(name) || k == last && !partitionFile(name) {
				return noPartition(objects[i].Path)
			}
		}
	}
	return nil
}
