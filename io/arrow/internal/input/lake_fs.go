// This file lets the readers of tables' metadata read files and objects.

package input

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// lakeFS is the files of this machine and the objects of stores.
type lakeFS struct {
	s     *Store
	bytes *atomic.Int64 // read of files of this machine
	own   s3.Client     // for objects; nil for the store's

	named  string           // the path that was given, which may be a link
	root   string           // the table's directory; empty until it is known
	bounds *pathglob.Bounds // of files of this machine; nil until then

	mu     sync.Mutex
	listed map[string]s3.Object
	opened map[string]bool // files of metadata and deletes
}

// setRoot sets the location of the table: files that its metadata names must be there, or in the
// same bucket.
func (f *lakeFS) setRoot(dir string) {
	if dir == "" || dir == f.root {
		return
	}
	f.root, f.bounds = dir, nil
	if !s3.Is(dir) {
		f.bounds = pathglob.NewBounds(dir, f.s.Links, f.s.Outside)
	}
}

// allow reports a file that lies elsewhere.
func (f *lakeFS) allow(name string) error {
	if f.root == "" || f.s.Outside || name == f.named {
		return nil
	}
	in := s3.Is(name) == s3.Is(f.root)
	if in && s3.Is(name) {
		in = bucketOf(name) == bucketOf(f.root)
	} else if in {
		err := linkError(f.bounds.Check(name))
		var outside *pathglob.OutsideError
		if in = !errors.As(err, &outside); in {
			return err
		}
	}
	if in {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnsupported, &pathglob.OutsideError{Path: name, Dir: f.root})
}

// allowAll reports a data file of the snapshot that lies elsewhere, without a look at links.
func (f *lakeFS) allowAll(files []tables.DataFile) error {
	for i := range files {
		if name := files[i].Name; !s3.Is(name) && LiesBelow(name, f.root) {
			continue
		} else if err := f.allow(name); err != nil {
			return err
		}
	}
	return nil
}

// bucketOf returns the bucket of an object, without its scheme.
func bucketOf(path string) string {
	bucket, _, _ := strings.Cut(path[len("s3://"):], "/")
	return bucket
}

// Budget returns the budget of the load.
func (f *lakeFS) Budget() *tables.Budget {
	if f.s.Metadata == nil { // of tests, which have no load
		return tables.NewBudget(0)
	}
	return f.s.Metadata
}

func newLakeFS(s *Store) *lakeFS {
	return &lakeFS{s: s, bytes: &s.LakeBytes, listed: map[string]s3.Object{}, opened: map[string]bool{}}
}

// localFile is a file of this machine.
type localFile struct {
	*os.File
	size  int64
	bytes *atomic.Int64
}

func (f *localFile) Size() int64 { return f.size }

func (f *localFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	f.bytes.Add(int64(n))
	return n, err
}

// storeFile is an object.
type storeFile struct{ s3.Reader }

func (storeFile) Close() error { return nil }

// Outside returns how many files were opened that lie outside of a directory, and the
// first of them by name.
func (f *lakeFS) Outside(dir string) (n int, first string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.opened {
		if LiesBelow(name, dir) {
			continue
		}
		if n++; n == 1 || name < first {
			first = name
		}
	}
	return n, first
}

func (f *lakeFS) Open(ctx context.Context, name string) (tables.File, error) {
	if err := f.allow(name); err != nil {
		return nil, err
	}
	if !s3.Is(name) {
		file, info, err := OpenRegular(ctx, name)
		if err != nil {
			return nil, err
		}
		f.note(name)
		return &localFile{file, info.Size(), f.bytes}, nil
	}
	f.mu.Lock()
	o, ok := f.listed[name]
	f.mu.Unlock()
	if !ok {
		var err error
		if o, err = f.client().Stat(ctx, name); err != nil {
			return nil, fmt.Errorf("arrow: %w", err)
		}
	}
	r, err := f.client().Open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	f.note(name)
	return storeFile{r}, nil
}

// note remembers a file that was opened.
func (f *lakeFS) note(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened[name] = true
}

func (f *lakeFS) List(ctx context.Context, dir string) ([]tables.Entry, error) {
	if err := f.allow(dir); err != nil {
		return nil, err
	}
	if !s3.Is(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("arrow: %w", err)
		}
		var all []tables.Entry
		for _, e := range entries {
			info, err := os.Stat(filepath.Join(dir, e.Name())) // links count as what they lead to
			if errors.Is(err, os.ErrNotExist) {
				continue // removed meanwhile, or a link to nothing
			}
			if err != nil {
				return nil, fmt.Errorf("arrow: %w", err)
			}
			if info.Mode().IsRegular() {
				all = append(all, tables.Entry{Name: filepath.Join(dir, e.Name()), Size: info.Size(), Modified: info.ModTime()})
			}
		}
		return all, nil
	}
	objects, err := f.client().List(ctx, strings.TrimSuffix(dir, "/")+"/")
	if err != nil {
		return nil, fmt.Errorf("arrow: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []tables.Entry
	for _, o := range objects {
		if strings.Contains(o.Below, "/") {
			continue
		}
		f.listed[o.Path] = o
		all = append(all, tables.Entry{Name: o.Path, Size: o.Size, Modified: o.Modified})
	}
	return all, nil
}

// With returns the same files, with a key for those in stores. What S3Options say
// themselves goes before it.
func (f *lakeFS) With(k tables.Key) tables.FS {
	o := f.s.S3
	if o.AccessKey == "" && !o.Anonymous && o.Profile == "" {
		o.AccessKey, o.SecretKey, o.SessionToken = k.AccessKey, k.SecretKey, k.SessionToken
	}
	if o.Endpoint == "" {
		o.Endpoint = k.Endpoint
	}
	if o.Region == "" {
		o.Region = k.Region
	}
	with := newLakeFS(f.s)
	with.setRoot(f.root)
	with.own = o.Client()
	f.s.keyed = append(f.s.keyed, with.own)
	return with
}

// client returns what objects are opened with.
func (f *lakeFS) client() s3.Client {
	if f.own != nil {
		return f.own
	}
	return f.s.s3()
}

// clientOf returns what an object is opened with.
func (s *Store) clientOf(from *Origin) s3.Client {
	if from.Lake != nil {
		return from.Lake.Table.FS.client()
	}
	return s.s3()
}
