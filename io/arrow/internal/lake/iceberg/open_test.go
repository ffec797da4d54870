// This file opens the tables of others.

package iceberg

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/io/arrow/internal/lake"
)

// disk is the local file system.
type disk struct{}

type diskFile struct {
	*os.File
	size int64
}

func (f *diskFile) Size() int64 { return f.size }

func (disk) Open(_ context.Context, name string) (lake.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &diskFile{f, info.Size()}, nil
}

func (disk) List(_ context.Context, dir string) (all []lake.Entry, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, lake.Entry{Name: filepath.Join(dir, e.Name()), Size: info.Size()})
		}
	}
	return all, err
}

// others returns the directories of the tables of others, by name.
func others(t *testing.T) map[string]string {
	root := os.Getenv("FORAY_DATA")
	if root == "" {
		t.Skip("needs the data for tests: FORAY_DATA doesn't say where it is")
	}
	root = filepath.Join(root, "tables", "iceberg")
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("FORAY_DATA has no tables")
	}
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{}
	for _, e := range entries {
		err := filepath.WalkDir(filepath.Join(root, e.Name()), func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "metadata" {
				tables[e.Name()] = filepath.Dir(p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tables
}

// openWhole opens a snapshot with its files.
func openWhole(ctx context.Context, files lake.FS, name string, at lake.At) (*lake.Snapshot, error) {
	s, err := Open(ctx, files, name, at)
	if err == nil && s.Plan != nil {
		s.Files, _, err = s.Plan(ctx, nil)
	}
	return s, err
}

func TestOthers(t *testing.T) {
	for name, dir := range others(t) {
		t.Run(name, func(t *testing.T) {
			s, err := openWhole(t.Context(), disk{}, dir, lake.At{})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(s.Format, s.Name, s.ID, s.Time)
			for _, f := range s.Fields {
				t.Logf("  %+v", f)
			}
			for _, f := range s.Files {
				t.Logf("  %s %d rows %v eq %v", f.Name, f.Rows, f.Fixed, f.Equality)
				for _, c := range s.Fields {
					k, ok := f.Bounds(c.Name)
					t.Log("    ", c.Name, k, ok)
				}
				if f.Deletes != nil {
					d, err := f.Deletes(t.Context(), disk{})
					t.Log("    ", d, err)
				}
				if _, err := os.Stat(f.Name); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
