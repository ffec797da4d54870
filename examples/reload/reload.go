// Package reload keeps a graph of partitioned files up to date while it is being
// searched. A graph is immutable: when partitions change, a new one is built and
// put in the old one's place. What is saved is reading: the edges of every
// partition are kept, and only files that are new or changed are read again.
//
//	live, err := reload.Open(ctx, "lake/follows", arrow.Options{}, dev)
//	...
//	s := live.Acquire() // the graph as it is now, for as long as one likes
//	res, err := dobfs.Run(ctx, s.Placed, v, dobfs.Options{})
//	s.Release()
//	...
//	changed, err := live.Reload(ctx) // now and then
package reload

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// Live is a graph that is reloaded. It is safe for concurrent use.
type Live struct {
	dir string
	o   arrow.Options
	dev device.Device
	now atomic.Pointer[Snapshot]

	mu    sync.Mutex // one reload at a time
	parts map[string]partition
}

// fingerprint identifies the version of a file. In an object store it would be
// the ETag.
type fingerprint struct{ size, modified int64 }

// partition is the data kept of a file: its edges, 16 bytes each if ids are
// integers.
type partition struct {
	fingerprint
	edges []graph.Batch
}

// Open loads the Parquet files below a directory onto a device, which must stay
// open for as long. All must have ids of the same type.
func Open(ctx context.Context, dir string, o arrow.Options, dev device.Device) (*Live, error) {
	l := &Live{dir: dir, o: o, dev: dev}
	_, err := l.Reload(ctx)
	return l, err
}

// Reload looks at the files, reads those that changed, and builds and places the
// graph again if any did or is gone. It returns how many were read or are gone.
// After an error the graph is the one that it was.
func (l *Live) Reload(ctx context.Context) (changed int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	files, err := l.files()
	if err != nil {
		return 0, err
	}
	parts := map[string]partition{}
	for path, now := range files {
		p, ok := l.parts[path]
		if !ok || p.fingerprint != now {
			if p.edges, err = l.read(ctx, path); err != nil {
				return 0, err
			}
			p.fingerprint = now
			changed++
		}
		parts[path] = p
	}
	for path := range l.parts {
		if _, ok := files[path]; !ok {
			changed++
		}
	}
	if changed == 0 && l.now.Load() != nil {
		return 0, nil
	}
	s, err := l.build(ctx, parts)
	if err != nil {
		return 0, err
	}
	l.parts = parts
	if old := l.now.Swap(s); old != nil {
		old.Release() // closed when the last search over it ends
	}
	return changed, nil
}

// files returns the Parquet files that there are.
func (l *Live) files() (map[string]fingerprint, error) {
	files := map[string]fingerprint{}
	err := filepath.WalkDir(l.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".parquet" {
			return err
		}
		info, err := e.Info()
		if err == nil {
			files[path] = fingerprint{info.Size(), info.ModTime().UnixNano()}
		}
		return err
	})
	return files, err
}

// read returns the edges of a file. A batch is valid until the next one comes, so
// they are copied.
func (l *Live) read(ctx context.Context, path string) (edges []graph.Batch, err error) {
	set, err := arrow.Open(ctx, []string{path}, l.o)
	if err != nil {
		return nil, err
	}
	for b, err := range set.Batches(ctx) {
		if err != nil {
			return nil, err
		}
		b.Src, b.Dst = slices.Clone(b.Src), slices.Clone(b.Dst)
		b.Weights, b.IntWeights, b.FloatWeights = slices.Clone(b.Weights), slices.Clone(b.IntWeights), slices.Clone(b.FloatWeights)
		b.SrcStrings, b.DstStrings = clone(b.SrcStrings), clone(b.DstStrings)
		edges = append(edges, b)
	}
	return edges, nil
}

func clone(s *graph.Strings) *graph.Strings {
	if s == nil {
		return nil
	}
	return &graph.Strings{Offsets: slices.Clone(s.Offsets), Data: slices.Clone(s.Data), Binary: s.Binary}
}

// build makes a graph of the edges that are kept.
func (l *Live) build(ctx context.Context, parts map[string]partition) (*Snapshot, error) {
	b := graph.NewBuilder(l.o.Graph)
	defer b.Close()
	for _, p := range parts {
		for _, e := range p.edges {
			if err := b.Add(e); err != nil {
				return nil, err
			}
		}
	}
	g, err := b.Build(ctx)
	if err != nil {
		return nil, err
	}
	placed, err := g.On(l.dev)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Placed: placed}
	s.users.Store(1) // the Live
	return s, nil
}

// Acquire returns the graph as it is now. The caller releases it; until then it
// stays as it is, whatever is reloaded. It is nil after Close.
func (l *Live) Acquire() *Snapshot {
	for {
		s := l.now.Load()
		if s == nil || s.acquire() {
			return s
		}
	}
}

// Close lets go of the graph, which is closed when the last search ends.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.now.Swap(nil); old != nil {
		old.Release()
	}
	l.parts = nil
}

// Snapshot is the graph at one time.
type Snapshot struct {
	*graph.Placed
	users atomic.Int64
}

// acquire counts a user, unless the last one has left.
func (s *Snapshot) acquire() bool {
	for {
		n := s.users.Load()
		if n == 0 {
			return false
		}
		if s.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release ends a use; after the last the graph is closed.
func (s *Snapshot) Release() error {
	if s.users.Add(-1) > 0 {
		return nil
	}
	return s.Placed.Close()
}
