// This file ends a Group: all objects appear, or none remains.

package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/s3"
)

// parallel calls f with the numbers below n, some at once, until one fails, and
// returns the first error.
func (g *Group) parallel(n int, f func(i int) error) error {
	var (
		next atomic.Int64
		wg   sync.WaitGroup
		once sync.Once
		err  error
		stop atomic.Bool
	)
	for range min(n, groupInFlight) {
		wg.Go(func() {
			for !stop.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if e := panics.Call(func() error { return f(i) }); e != nil {
					stop.Store(true)
					once.Do(func() { err = e })
				}
			}
		})
	}
	wg.Wait()
	return err
}

// Commit makes all objects appear, and removes those that they replace. On an
// error, and if there was one before, it does what Abort does, and removes those
// that have appeared; what it can't remove, the error says. Objects of others that
// came below the prefix since CreateGroup are an ErrExists; they are looked for
// before the first of the group appears and after the last.
//
// An error about objects that are replaced is the exception: the group is there
// whole then, and some of those before it, too.
func (g *Group) Commit() error {
	if g.done {
		return g.failure()
	}
	g.wg.Wait()
	err := g.failure()
	for _, w := range g.writers {
		if err == nil && !w.done {
			err = &s3.Error{Op: "write", Path: w.path, Err: errors.New("it isn't committed"), Remedy: "commit each object of a group"}
		}
	}
	if err == nil {
		err = g.stillThere(len(g.there) == 0)
	}
	if err == nil && g.lead != nil {
		err = g.lead.complete()
	}
	if err == nil {
		err = g.parallel(len(g.writers), func(i int) error {
			if g.writers[i] == g.lead {
				return nil
			}
			return g.writers[i].complete()
		})
	}
	if err == nil { // of two that complete at once, the later one sees the other
		err = g.allThere()
	}
	if err != nil {
		g.fail(g.Explain(err))
		g.Abort()
		var e *s3.Error
		if errors.As(g.err, &e) && g.left != "" {
			e.Remedy += "; " + g.left
		}
		return g.err
	}
	g.done = true
	defer g.cancel()
	_ = g.sweep() // all is there; what stays has no parts
	for _, leads := range []bool{false, true} {
		if err == nil {
			err = g.parallel(len(g.there), func(i int) error {
				if g.there[i] == "" || g.leads(g.there[i]) != leads {
					return nil
				}
				err := g.remove(context.WithoutCancel(g.ctx), g.there[i])
				if err == nil {
					g.there[i] = ""
				}
				return err
			})
		}
	}
	if err != nil {
		err = g.beside(err)
	}
	return err
}

// leads reports whether an earlier object is the one that its group wrote first. It is removed last: it
// lists the others, so if the process ends before, they can still be told from other writers' objects.
func (g *Group) leads(key string) bool {
	return g.lead != nil && strings.HasPrefix(key, strings.TrimSuffix(g.lead.key, g.mark))
}

// Left describes what Abort, or a failed Commit, could not remove. It is empty
// if nothing is left. Commit's error includes it.
func (g *Group) Left() string { return g.left }

// stillThere returns objects that were added since the beginning, other than the
// group's own; only the first if one is true.
func (g *Group) stillThere(one bool) error {
	objects, err := g.list(g.ctx, one)
	if err != nil {
		return err
	}
	return g.noOthers(objects)
}

// allThere is stillThere once all of the group's objects are complete, each of which
// has to be there: a store may take two keys for one.
func (g *Group) allThere() error {
	objects, err := g.list(g.ctx, false)
	if err == nil {
		err = g.noOthers(objects)
	}
	if err != nil {
		return err
	}
	seen := make(map[string]bool, len(objects))
	for i := range objects {
		seen[objects[i].Path] = true
	}
	for _, w := range g.writers {
		if !seen[s3.Join(w.bucket, w.key)] {
			return &s3.Error{Op: "write", Path: g.path, Kind: s3.ErrAnswer, Err: fmt.Errorf("%s was written and isn't there", w.path),
				Remedy: "the store may take keys for the same that differ in capitals or escapes alone: write to another"}
		}
	}
	return nil
}

// noOthers reports objects that are neither the group's nor those that it replaces.
func (g *Group) noOthers(objects []s3.Object) error {
	known := map[string]bool{}
	for _, key := range g.there {
		known[s3.Join(g.bucket, key)] = true
	}
	for _, o := range objects {
		if !known[o.Path] && !strings.Contains(o.Below, g.mark) {
			return &s3.Error{Op: "write", Path: g.path, Kind: s3.ErrExists, Err: fmt.Errorf("%s has come since writing began", o.Path),
				Remedy: "run it again, once nobody else writes there"}
		}
	}
	return nil
}

// beside adds to an error which of the earlier objects remain next to the new ones.
func (g *Group) beside(err error) error {
	n, one := 0, ""
	for _, key := range g.there {
		if key != "" {
			n++
			one = s3.Join(g.bucket, key)
		}
	}
	var e *s3.Error
	if !errors.As(err, &e) {
		e = &s3.Error{Err: err}
	}
	e.Op, e.Path = "overwrite", g.path
	e.Remedy = fmt.Sprintf("all that is new is there, but %d objects that it replaces could not be removed, such as %s: remove what has no %q in its name", n, one, g.mark)
	return e
}

// complete makes the object of a sealed Writer appear.
func (w *Writer) complete() error {
	if err := ended(w.ctx); err != nil {
		return err
	}
	w.up.asked = true
	if err := w.up.complete(); err != nil {
		return w.Explain(err)
	}
	w.up.completed = true
	return nil
}

// Abort discards all written objects, and leaves the earlier objects below the prefix
// unchanged. After Commit or Abort it does nothing, so that it can be deferred.
func (g *Group) Abort() {
	if g.done {
		return
	}
	g.done = true
	g.cancel()
	g.wg.Wait()
	var objects, uploads leftovers
	// If the store is unreachable, it isn't called once per object.
	drop := func(w *Writer) error {
		w.done, w.buf = true, nil
		switch {
		case w.up == nil:
			return nil
		case w.up.completed || w.up.asked:
			return objects.note(w, w.takeBack())
		}
		return uploads.note(w, w.up.abort())
	}
	err := g.parallel(len(g.writers), func(i int) error {
		if g.writers[i] == g.lead {
			return nil
		}
		return drop(g.writers[i])
	})
	if g.lead != nil {
		if g.lead.done, g.lead.buf = true, nil; err == nil {
			_ = drop(g.lead)
		}
	}
	for _, w := range g.writers {
		if w.up != nil && !w.up.ended { // the store went away
			if w.up.asked {
				objects.add(w)
			} else {
				uploads.add(w)
			}
		}
	}
	var left []string
	if g.lost.Load() && uploads.n == 0 {
		if err := g.sweep(); err != nil && slices.ContainsFunc(g.writers, func(w *Writer) bool { return w.stray }) {
			left = append(left, fmt.Sprintf("uploads without parts may be left: aws s3api list-multipart-uploads --bucket %q --prefix %q shows them, and abort-multipart-upload removes them; those of this run have %q in their keys (%v)",
				g.bucket, g.prefix, g.mark, err))
		}
	}
	if objects.n > 0 {
		left = append(left, fmt.Sprintf("%d of the objects that were written are left, such as %s: remove those with %q in their names (%v)", objects.n, objects.one, g.mark, objects.err))
	}
	if uploads.n > 0 {
		left = append(left, fmt.Sprintf("parts of %d uploads may be left, such as that of %s: remove them with aws s3api abort-multipart-upload, or by a lifecycle rule (%v)", uploads.n, uploads.one, uploads.err))
	}
	g.left = strings.Join(left, "; ")
}

// leftovers count what couldn't be removed.
type leftovers struct {
	mu  sync.Mutex
	n   int
	one string // of them
	err error  // the first
}

// note records the result of one removal. It returns an error that makes further
// removals pointless.
func (l *leftovers) note(w *Writer, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil && l.err == nil {
		l.err = err
	}
	if err == nil {
		w.up.ended = true
	}
	if errors.Is(err, s3.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

func (l *leftovers) add(w *Writer) {
	l.n++
	if l.one == "" || w.path < l.one {
		l.one = w.path
	}
}

// takeBack removes the object of a Writer that was completed, or that may have
// been.
func (w *Writer) takeBack() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), w.c.set.abort)
	defer cancel()
	if w.up.completed {
		return w.group.remove(ctx, w.key)
	}
	if err := w.up.drop(ctx); err != nil {
		return err
	}
	look := func() error {
		err := w.c.do(ctx, w.request(nil), func(ctx context.Context, core *minio.Core) error {
			_, err := core.StatObject(ctx, w.bucket, w.key, minio.StatObjectOptions{})
			return err
		})
		if err == nil || errors.Is(err, s3.ErrDenied) {
			return w.group.remove(ctx, w.key)
		}
		if errors.Is(err, s3.ErrNotFound) {
			return nil
		}
		return err
	}
	if err := look(); err != nil {
		return err
	}
	return w.c.pauses(ctx, look)
}

// sweep drops uploads that the store began without our receiving their ids. Uploads that
// it can't drop have no parts, and stay.
func (g *Group) sweep() error {
	if !g.lost.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(g.ctx), g.c.set.abort)
	defer cancel()
	return g.c.pauses(ctx, func() error {
		return g.c.do(ctx, g.request("write", g.path), func(ctx context.Context, core *minio.Core) error {
			key, id := "", ""
			for {
				page, err := core.ListMultipartUploads(ctx, g.bucket, g.prefix, key, id, "", 0)
				if err != nil {
					return err
				}
				for _, u := range page.Uploads {
					if !strings.HasPrefix(u.Key, g.prefix) || !strings.Contains(u.Key, g.mark) {
						continue
					}
					if err := core.AbortMultipartUpload(ctx, g.bucket, u.Key, u.UploadID); err != nil && minio.ToErrorResponse(err).StatusCode != http.StatusNotFound {
						return err
					}
				}
				if !page.IsTruncated || page.NextKeyMarker == key && page.NextUploadIDMarker == id {
					return nil
				}
				key, id = page.NextKeyMarker, page.NextUploadIDMarker
			}
		})
	})
}
