// This file holds the list of the files of a directory of partitions, from which --overwrite knows which
// files it may remove.

package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
)

// listName is the name of the list in a directory. In a store the writer's mark stands behind it.
const listName = ".foray-partitions"

// fileList has the sizes of files by their names, with slashes, from the directory on.
type fileList map[string]int64

// writtenList is how a list is written.
type writtenList struct {
	Note  string   `json:"note"`
	Files fileList `json:"files"`
}

func (l fileList) encode() []byte {
	b, _ := json.Marshal(writtenList{"Foray wrote these files, with these sizes. It overwrites nothing else here.", l}) // which can't fail
	return append(b, '\n')
}

func decodeList(b []byte) (fileList, error) {
	var l writtenList
	err := json.Unmarshal(b, &l)
	return l.Files, err
}

// has reports whether a file is the one that was written.
func (l fileList) has(name string, size int64) bool {
	is, ok := l[name]
	return ok && is == size
}

// onlyListed reports that a directory holds something else than the files that its list has, which
// mustn't get lost because the path was given by mistake.
func onlyListed(dir string) error {
	list, err := readList(filepath.Join(dir, listName))
	if err != nil {
		return err
	}
	dirs := map[string]bool{".": true}
	for name := range list {
		if at := strings.LastIndexByte(name, '/'); at >= 0 {
			dirs[name[:at]] = true
		}
	}
	return filepath.WalkDir(dir, func(p string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		switch {
		case entry.IsDir() && dirs[below], below == listName && list != nil:
			return nil
		case entry.Type().IsRegular():
			if info, err := entry.Info(); err != nil {
				return err
			} else if list.has(below, info.Size()) {
				return nil
			}
		}
		return notListed(p, list != nil)
	})
}

// readList reads a list; it returns nil if the list doesn't exist.
func readList(path string) (fileList, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxList {
		return nil, fmt.Errorf("%w: %s is not a list of files", ErrOutputOption, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := decodeList(b)
	if err != nil || list == nil {
		return nil, fmt.Errorf("%w: %s is not a list of files", ErrOutputOption, path)
	}
	return list, nil
}

// onlyListedObjects is onlyListed for a store, where several writers may have left lists.
func onlyListedObjects(ctx context.Context, c s3.Client, objects []s3.Object) error {
	list := fileList{}
	lists := map[string]bool{}
	for _, o := range objects {
		mark, ok := strings.CutPrefix(o.Below, listName+"-")
		if !ok || strings.Contains(mark, "/") {
			continue
		}
		if o.Size > maxList {
			return fmt.Errorf("%w: %s is not a list of files", ErrOutputOption, o.Path)
		}
		r, err := c.Open(atomicfile.WithoutInputs(ctx), o)
		if err != nil {
			return err
		}
		b := make([]byte, o.Size)
		if n, err := r.ReadAt(b, 0); err != nil && !(errors.Is(err, io.EOF) && int64(n) == o.Size) {
			return err
		}
		some, err := decodeList(b)
		if err != nil {
			return fmt.Errorf("%w: %s is not a list of files", ErrOutputOption, o.Path)
		}
		lists[o.Path] = true
		for name, size := range some {
			if strings.Contains(name, mark) { // a list speaks of its writer's objects alone
				list[name] = size
			}
		}
	}
	for _, o := range objects {
		if !lists[o.Path] && !list.has(o.Below, o.Size) {
			return notListed(o.Path, len(lists) > 0)
		}
	}
	return nil
}

// notListed says why a directory isn't overwritten.
func notListed(path string, listed bool) error {
	if !listed {
		return fmt.Errorf("%w: it holds %s and no %s, the list of what Foray wrote; only what is in that list is overwritten: remove the rest yourself",
			ErrOutputOption, path, listName)
	}
	return fmt.Errorf("%w: it holds %s, which Foray did not write, or not as it is now; only what %s lists is overwritten: move the rest away",
		ErrOutputOption, path, listName)
}
