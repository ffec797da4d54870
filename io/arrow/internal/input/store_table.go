// This file recognizes tables of Iceberg, Delta Lake and Hudi in stores.

package input

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/files/tableformat"
)

// tableKeys collects the tables whose metadata is in a listing.
type tableKeys struct {
	kinds map[string]tableformat.Kind // by root
}

// see is shown a key.
func (t *tableKeys) see(key string) bool {
	root, kind := tableformat.OfKey(key)
	if kind == "" {
		return true
	}
	if t.kinds == nil {
		t.kinds = map[string]tableformat.Kind{}
	}
	t.kinds[root] = kind
	return true
}

// of returns the outermost table that contains a key.
func (t *tableKeys) of(key string) (root string, kind tableformat.Kind) {
	if kind = t.kinds[""]; kind != "" {
		return "", kind
	}
	for i := range len(key) {
		if key[i] == '/' {
			if kind = t.kinds[key[:i]]; kind != "" {
				return key[:i], kind
			}
		}
	}
	return "", ""
}

// refuseTables returns an ErrTable if a path that isn't that of one object stands
// for objects of a table, as store.walk and glob do of files. The listing has the
// metadata of those below the directory that the path begins with; what is above
// it the store is asked for.
func (s *Store) refuseTables(ctx context.Context, p string, objects []s3.Object, tables *tableKeys) error {
	bucket, key, err := s3.Split(p)
	if err != nil {
		return fmt.Errorf("arrow: %w", err)
	}
	refuse := func(root string, kind tableformat.Kind) error {
		return InFile(p, "", &tableformat.Error{Root: strings.TrimSuffix("s3://"+bucket+"/"+root, "/"), Kind: kind})
	}
	if len(objects) == 1 && objects[0].Below == "" { // it was named itself
		return nil
	}
	dir := strings.TrimSuffix(key, "/") + "/" // the first directory above it is asked about
	if strings.ContainsAny(key, "*?[") {
		for i := range objects {
			_, k, err := s3.Split(objects[i].Path)
			if err != nil {
				return fmt.Errorf("arrow: %w", err)
			}
			if root, kind := tables.of(k); kind != "" && !leftOut(k, objects[i].Below, root) {
				return refuse(root, kind)
			}
		}
		pattern, err := pathglob.Compile(strings.TrimRight(key, "/"))
		if err != nil {
			return fmt.Errorf("arrow: pattern %q: %w", p, err)
		}
		// The listing has nothing of the directory in which the first wildcard
		// stands but what begins like the pattern.
		dir = pattern.Prefix()[:strings.LastIndexByte(pattern.Prefix(), '/')+1] + "*/"
	} else {
		for _, root := range slices.Sorted(maps.Keys(tables.kinds)) {
			below := strings.TrimPrefix(root+"/", dir)
			if !HiddenBelow(strings.TrimSuffix(below, "/")) {
				return refuse(root, tables.kinds[root])
			}
		}
	}
	return s.askAbove(ctx, bucket, dir, refuse)
}

// leftOut reports whether the match of a pattern, or the way from there to a table,
// has a name that isn't looked into. Below is the end of the key, from the match on.
func leftOut(key, below, root string) bool {
	if match := len(key) - len(below); len(root) > match {
		return HiddenBelow(root[match:])
	}
	return Hidden(below)
}

// askAbove asks the store whether a directory above dir is a table: at most
// tableformat.Levels of them, three short listings each, all at once, and a
// fourth where there are very many manifests. Where listing isn't allowed there
// is no answer, and nothing is refused.
func (s *Store) askAbove(ctx context.Context, bucket, dir string, refuse func(string, tableformat.Kind) error) error {
	var dirs []string
	for _, d := range tableformat.Above(dir) {
		if !s.asked[bucket+"/"+d] {
			dirs = append(dirs, d)
		}
	}
	found, fail := s.probe(ctx, bucket, dirs)
	if root, kind := found.of(dir); kind != "" {
		return refuse(root, kind)
	}
	if fail != nil {
		return fmt.Errorf("arrow: %w", fail)
	}
	if s.asked == nil {
		s.asked = map[string]bool{}
	}
	for _, d := range dirs {
		s.asked[bucket+"/"+d] = true
	}
	return nil
}

// probe asks a store which of some directories are tables. Directories that it may
// not list count as no tables.
func (s *Store) probe(ctx context.Context, bucket string, dirs []string) (found tableKeys, fail error) {
	var (
		wg panics.Group
		mu sync.Mutex
	)
	for _, d := range dirs {
		for _, probe := range tableformat.Probes(d) {
			wg.Go(func() {
				keys, err := s.s3().FirstKeys(ctx, bucket, probe.Prefix, probe.Keys)
				if err == nil && probe.Then != "" && len(keys) == probe.Keys {
					var then []string
					then, err = s.s3().FirstKeys(ctx, bucket, probe.Then, probe.Keys)
					keys = append(keys, then...)
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil && !errors.Is(err, s3.ErrDenied) && fail == nil {
					fail = err
				}
				for _, k := range keys {
					if root, kind := tableformat.OfKey(k); kind != "" && root == strings.TrimSuffix(d, "/") {
						found.see(k)
					}
				}
			})
		}
	}
	if err := wg.Err(); err != nil {
		return found, err
	}
	return found, fail
}
