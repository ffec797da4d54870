// This file holds Group: objects that appear together, as far as a store can do
// that.

package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/atomicfile"
	"github.com/foray-graph/foray/internal/files/s3"
)

// Group is objects below a prefix that are written one after another. Each is a
// multipart upload whose parts are sent while it is written; none is
// completed, and so none is to be seen, before Commit, which completes them all.
// Use it from one goroutine at a time. It has to be ended with Commit or
// Abort, else uploads stay in the store.
//
// A store can't complete several uploads at once: while Commit is at work some
// objects are there and others not yet. What ends it there, other than the end
// of the process, has it remove those again. Of groups that are committed below
// one prefix at once, at most one stays.
//
// Besides the memory of the Writer that is being written, it holds up to
// groupInFlight buffers of objects smaller than a part.
type Group struct {
	c      *Client
	caller context.Context
	ctx    context.Context // of all requests before Commit; Abort ends it
	cancel context.CancelFunc
	path   string // s3://bucket/prefix, with a slash at the end
	bucket string
	prefix string
	mark   string
	there  []string // keys that were there before, which Commit removes

	writers []*Writer
	lead    *Writer       // the writer whose object appears first
	slots   chan struct{} // one per object that is finished in the background
	wg      sync.WaitGroup
	lost    atomic.Bool // an upload may have begun without our knowing its id
	done    bool

	left string // what Abort could not remove, in words

	mu  sync.Mutex
	err error // the first
}

// CreateGroup begins a group of objects below the prefix that a path names. What
// is there already is an ErrExists, unless mayReplace, if not nil, returns nil
// for all objects below the prefix: they stay until Commit, which removes them.
// Objects that only say that there is a directory count for nothing, and stay.
//
// That the bucket is there, may be listed and, where there is something to
// replace, be removed from, is looked at now. ctx ends all writing.
func (c *Client) CreateGroup(ctx context.Context, path string, mayReplace func([]s3.Object) error) (s3.Group, error) {
	bucket, prefix, err := s3.Split(path)
	if err != nil {
		return nil, err
	}
	prefix = strings.TrimRight(prefix, "/")
	if err := atomicfile.CheckInputs(ctx, strings.TrimRight(path, "/")+"/"); err != nil {
		return nil, err
	}
	g := &Group{c: c, caller: ctx, bucket: bucket, slots: make(chan struct{}, groupInFlight)}
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, g.Explain(err)
	}
	g.mark = hex.EncodeToString(random[:])
	if prefix != "" {
		g.path = s3.Join(bucket, prefix)
		if err := g.checkObject(ctx); err != nil {
			return nil, g.Explain(err)
		}
		prefix += "/"
	}
	g.path, g.prefix = s3.Join(bucket, prefix), prefix
	objects, err := g.list(ctx, mayReplace == nil)
	if err == nil && len(objects) > 0 && mayReplace == nil {
		err = g.exists(objects[0].Path)
	}
	if err == nil && len(objects) > 0 {
		if err = mayReplace(objects); err != nil {
			err = &s3.Error{Op: "write", Path: g.path, Err: err, Remedy: "name another prefix"}
		}
	}
	if err == nil && len(objects) > 0 {
		err = g.mayRemove(ctx)
	}
	if err != nil {
		return nil, g.Explain(err)
	}
	for _, o := range objects {
		g.there = append(g.there, o.Path[len(s3.Join(bucket, "")):])
	}
	g.ctx, g.cancel = context.WithCancel(ctx)
	return g, nil
}

func (g *Group) exists(what string) error {
	return &s3.Error{Op: "write", Path: g.path, Kind: s3.ErrExists, Err: fmt.Errorf("such as %s", what),
		Remedy: "name a prefix below which there is nothing, or ask for it to be overwritten"}
}

func (g *Group) request(op, path string) request {
	return request{op: op, path: path, bucket: g.bucket}
}

// checkObject refuses a prefix that is the key of an object, since a path can't
// be both a file and a directory.
func (g *Group) checkObject(ctx context.Context) error {
	_, err := g.c.Stat(ctx, g.path)
	switch {
	case err == nil:
		return &s3.Error{Op: "write", Path: g.path, Kind: s3.ErrExists, Err: errors.New("an object is there"),
			Remedy: "name a prefix below which there is nothing"}
	case errors.Is(err, s3.ErrNotFound), errors.Is(err, s3.ErrDenied):
		return nil // permission to write doesn't imply permission to read
	}
	return g.c.writing(g.path, err)
}

// writing adds to an error that the request was made for a write.
func (c *Client) writing(path string, err error) error {
	var e *s3.Error
	if errors.As(err, &e) {
		e.Op, e.Path = "write", path
		if e.Kind == s3.ErrNoBucket {
			e.Remedy = "make the bucket first, or check its spelling and the endpoint (AWS_ENDPOINT_URL)"
		}
	}
	return err
}

// list returns the objects below the prefix, or the first one only.
func (g *Group) list(ctx context.Context, one bool) ([]s3.Object, error) {
	var objects []s3.Object
	err := g.c.each(ctx, g.path, g.bucket, g.prefix, pageKeys, func(info *minio.ObjectInfo) bool {
		if !directory(info) {
			objects = append(objects, object(g.bucket, info, info.Key[len(g.prefix):]))
		}
		return !one || len(objects) == 0
	})
	if errors.Is(err, s3.ErrDenied) {
		var e *s3.Error
		if errors.As(err, &e) && e.Code == "AccessDenied" && !e.Anonymous {
			e.Remedy = "to see whether anything is there, the credentials need the right to list the bucket (s3:ListBucket)"
		}
	}
	return objects, g.c.writing(g.path, err)
}

// mayRemove requests the removal of a missing object. This checks the permission to remove
// before anything is written.
func (g *Group) mayRemove(ctx context.Context) error {
	err := g.remove(ctx, g.prefix+"_foray_check_"+g.mark)
	if errors.Is(err, s3.ErrDenied) {
		var e *s3.Error
		if errors.As(err, &e) && !e.Anonymous {
			e.Op, e.Path, e.Remedy = "write", g.path, "what is there can't be overwritten without the right to remove it (s3:DeleteObject); name another prefix"
		}
	}
	return err
}

// Probe checks whether objects may be written below the prefix, by
// beginning and dropping an upload, which leaves nothing visible.
func (g *Group) Probe() error {
	return g.c.probe(g.caller, g.path, g.bucket, g.prefix+"_foray_check_"+g.mark)
}

// CheckWrite reports why an object of that path can't be written: no such
// bucket, or no right to. It begins an upload and drops it, of which nothing
// is seen.
func (c *Client) CheckWrite(ctx context.Context, path string) error {
	bucket, key, err := s3.SplitKey(path)
	if err != nil {
		return err
	}
	return c.probe(ctx, path, bucket, key)
}

func (c *Client) probe(ctx context.Context, path, bucket, key string) error {
	w := &Writer{c: c, ctx: ctx, path: path, bucket: bucket, key: key, contentType: "application/octet-stream"}
	up, err := w.begin()
	if err != nil {
		return w.straying(w.Explain(c.writing(path, err)))
	}
	up.cancel()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.set.abort)
	defer cancel()
	_ = up.drop(ctx) // it has no parts, and permission to write doesn't imply permission to abort
	return nil
}

// Mark is a random name of the group, for unique names of
// objects.
func (g *Group) Mark() string { return g.mark }

// Create begins the next object, with a key below the prefix. It has to have the
// group's mark in it, so that no other object is ever taken for the group's.
// The Writer's Commit says that the object ends here, and doesn't wait until
// its parts are there where there are few; only the group's makes it appear. An
// object that is aborted isn't part of the group, which can't be committed then.
func (g *Group) Create(name, contentType string) (s3.Writer, error) {
	w, err := g.create(name, contentType)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (g *Group) create(name, contentType string) (*Writer, error) {
	path := g.path + name
	bucket, key, err := s3.SplitKey(path)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(name, g.mark) {
		return nil, &s3.Error{Op: "use", Path: path, Kind: s3.ErrPath, Err: errors.New("the group's mark isn't in it"), Remedy: "name it with the mark"}
	}
	if err := g.failure(); err != nil {
		return nil, err
	}
	w := &Writer{c: g.c, ctx: g.ctx, path: path, bucket: bucket, key: key, group: g, mark: g.mark,
		contentType: first(contentType, "application/octet-stream")}
	g.writers = append(g.writers, w)
	return w, nil
}

// CreateFirst is Create for the object that appears before all others.
func (g *Group) CreateFirst(name, contentType string) (s3.Writer, error) {
	w, err := g.create(name, contentType)
	if err != nil {
		return nil, err
	}
	g.lead = w
	return w, nil
}

// seal sends the remaining bytes of an object.
func (g *Group) seal(w *Writer) error {
	if w.up != nil { // large: wait, so that not many such are in memory
		return w.sendAll()
	}
	select {
	case g.slots <- struct{}{}:
	case <-g.ctx.Done():
		return g.failure()
	}
	g.wg.Go(func() {
		defer func() { <-g.slots }()
		if err := panics.Call(w.sendAll); err != nil {
			g.fail(w.Explain(err))
		}
	})
	return g.failure()
}

// sendAll sends the remaining bytes and waits until they are stored.
func (w *Writer) sendAll() error {
	if w.up == nil || len(w.buf) > 0 {
		if err := w.flush(); err != nil {
			return err
		}
	}
	err := w.up.wait()
	w.up.sealed = err == nil
	w.buf, w.up.buffers = nil, nil // there may be thousands of such
	return err
}

// fail ends the group's requests.
func (g *Group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
		g.cancel()
	}
}

// failure returns the error that stopped the group, or nil.
func (g *Group) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.err != nil:
		return g.err
	case g.done:
		return g.Explain(s3.ErrClosed)
	}
	return g.Explain(ended(g.caller))
}

// Explain returns err as an *Error that names the prefix and a remedy. It returns err itself
// if that is an *Error, and nil for nil.
func (g *Group) Explain(err error) error {
	w := &Writer{path: g.path}
	return w.Explain(err)
}

// remove removes an object, or does nothing if it isn't there.
func (g *Group) remove(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, g.c.set.abort)
	defer cancel()
	return g.c.do(ctx, g.request("remove", s3.Join(g.bucket, key)), func(ctx context.Context, core *minio.Core) error {
		return core.RemoveObject(ctx, g.bucket, key, minio.RemoveObjectOptions{})
	})
}

// pauses calls f after each of two pauses, in which a store may still be at work
// on a request that was given up.
func (c *Client) pauses(ctx context.Context, f func() error) error {
	for n := range 2 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(c.set.pause << n):
		}
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}
