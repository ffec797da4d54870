// This file tests groups of objects with a fault at each request in turn: all
// objects are there, or none.

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// groupSizes are the sizes of a group's objects, in parts of 1,000 bytes.
var groupSizes = []int{500, 3500, 0, 1000, 2001, 1, 999, 100, 100}

// writeGroup writes a group of objects below s3://bucket/out.
func writeGroup(ctx context.Context, c *Client, replace bool) (s3.Group, error) {
	var may func([]s3.Object) error
	if replace {
		may = func([]s3.Object) error { return nil }
	}
	g, err := c.CreateGroup(ctx, "s3://bucket/out/", may)
	if err != nil {
		return nil, err
	}
	defer g.Abort()
	for i, size := range groupSizes {
		w, err := g.Create(groupName(g, i), "text/plain")
		if err != nil {
			return g, err
		}
		data := noise(size)
		for len(data) > 0 { // in pieces
			n := min(len(data), 300)
			if _, err := w.Write(data[:n]); err != nil {
				w.Abort()
				return g, err
			}
			data = data[n:]
		}
		if err := w.Commit(); err != nil {
			return g, err
		}
		w.Abort() // as those do who defer it
	}
	return g, g.Commit()
}

func groupName(g s3.Group, i int) string { return fmt.Sprintf("p=%d%%2F/part-0-%s", i, g.Mark()) }

// wantGroup fails the test unless the group's objects are there.
func wantGroup(t *testing.T, f *tests3.Fake, g s3.Group) {
	t.Helper()
	for i, size := range groupSizes {
		if got, ok := f.Object("bucket", "out/"+groupName(g, i)); !ok || !bytes.Equal(got, noise(size)) {
			t.Errorf("object %d: %d bytes are there", i, len(got))
		}
	}
}

var groupBefore = []string{"out/_SUCCESS", "out/p=1/part-0", "out/p=2/part-0", "out/p=3/part-0"}

// groupStore is a fake with objects outside of the prefix, and with before also
// below it.
func groupStore(t *testing.T, before bool) (*tests3.Fake, []string) {
	f := tests3.NewFake(t, "bucket")
	keys := []string{"other", "out.x", "outer/y"}
	f.Put("bucket", "out/", nil) // as consoles make it
	if before {
		keys = append(keys, groupBefore...)
	}
	for _, k := range keys {
		f.Put("bucket", k, []byte(k))
	}
	return f, f.Keys("bucket")
}

func TestGroup(t *testing.T) {
	for _, replace := range []bool{false, true} {
		f, before := groupStore(t, replace)
		c := small(t, f, 1000)
		f.SetFault(func(q tests3.Request) fault { // nothing of it is seen until all is sent
			if now := f.Keys("bucket"); q.Op != tests3.Complete && len(f.Requests(tests3.Complete)) == 0 && !slices.Equal(now, before) {
				t.Errorf("at %v there is %q", q, now)
			}
			if q.Op == tests3.Complete && q.N == 0 && f.Uploads() != len(groupSizes) {
				t.Errorf("%d uploads", f.Uploads())
			}
			return fault{}
		})
		g, err := writeGroup(context.Background(), c, replace)
		if err != nil {
			t.Fatal(err)
		}
		wantGroup(t, f, g)
		if n := len(f.Keys("bucket")); n != 4+len(groupSizes) || f.Uploads() != 0 || g.Left() != "" {
			t.Errorf("%q, %d uploads", f.Keys("bucket"), f.Uploads())
		}
		if err := g.Commit(); !errors.Is(err, s3.ErrClosed) {
			t.Errorf("again: %v", err)
		}
		if _, err := g.Create("x"+g.Mark(), ""); !errors.Is(err, s3.ErrClosed) {
			t.Errorf("another: %v", err)
		}
	}
}

// groupFaults are what may happen to a request that isn't sent again.
var groupFaults = map[string]fault{
	"denied":      {Status: 403, Code: "AccessDenied"},
	"fails":       {Status: 500, Code: "InternalError"},
	"cut":         {Cut: true},
	"answer lost": {Cut: true, Effect: true},
}

// TestGroupFaults: each request fails in turn, once.
func TestGroupFaults(t *testing.T) {
	testlong.Only(t)
	for name, w := range groupFaults {
		if testgraph.Race && (w.Status == 403 || w.Cut && !w.Effect) {
			continue // the others have as much at the same time
		}
		for _, replace := range []bool{false, true} {
			tests3.EveryRequest(40, func(k int) bool {
				f, before := groupStore(t, replace)
				c := small(t, f, 1000)
				c.set.attempts = 1
				var hit atomic.Value
				f.SetFault(func(q tests3.Request) fault {
					if q.All != k {
						return fault{}
					}
					hit.Store(q.Op)
					return w
				})
				g, err := writeGroup(context.Background(), c, replace)
				c.Close()
				checkGroup(t, fmt.Sprintf("%s, replace %v, request %d (%v): %v", name, replace, k, hit.Load(), err), f, g, before, err)
				if hit.Load() == nil && err != nil {
					t.Error(err)
				}
				f.Close()
				return hit.Load() != nil
			})
		}
	}
}

// checkGroup checks that all is there, or nothing.
func checkGroup(t *testing.T, what string, f *tests3.Fake, g s3.Group, before []string, err error) {
	t.Helper()
	var e *s3.Error
	now := f.Keys("bucket")
	switch {
	case err == nil:
		wantGroup(t, f, g)
		if len(now) != 4+len(groupSizes) {
			t.Errorf("%s: there is %q", what, now)
		}
	case !errors.As(err, &e) || e.Remedy == "" || !strings.Contains(e.Path, "s3://bucket/out"):
		t.Errorf("%s: an error without a remedy, or of no place", what)
	case strings.Contains(err.Error(), "all that is new is there"):
		wantGroup(t, f, g)
		if len(now) < 4+len(groupSizes) {
			t.Errorf("%s: there is %q", what, now)
		}
	case !slices.Equal(now, before):
		t.Errorf("%s: there is %q", what, now)
	}
	if f.Uploads() != 0 {
		t.Errorf("%s: %d uploads are left", what, f.Uploads())
	}
}

// TestGroupRetries: each request fails once and is sent again.
func TestGroupRetries(t *testing.T) {
	testlong.Only(t)
	for name, w := range groupFaults {
		if w.Status == 403 || testgraph.Race && w.Cut && !w.Effect {
			continue
		}
		tests3.EveryRequest(40, func(k int) bool {
			f, before := groupStore(t, true)
			c := small(t, f, 1000)
			var hit atomic.Bool
			f.SetFault(func(q tests3.Request) fault {
				if q.All != k {
					return fault{}
				}
				hit.Store(true)
				return w
			})
			g, err := writeGroup(context.Background(), c, true)
			c.Close()
			if err != nil {
				t.Errorf("%s, request %d: %v", name, k, err)
			}
			checkGroup(t, fmt.Sprintf("%s, request %d", name, k), f, g, before, err)
			f.Close()
			return hit.Load()
		})
	}
}

// TestGroupStoreGone: from some request on the store refuses all requests, or is unreachable.
// The error then lists the remaining objects.
func TestGroupStoreGone(t *testing.T) {
	testlong.Project(t)
	for name, w := range map[string]fault{"denied": groupFaults["denied"], "gone": groupFaults["cut"]} {
		tests3.EveryRequest(40, func(k int) bool {
			f, before := groupStore(t, false)
			c := small(t, f, 1000)
			c.set.attempts = 1
			f.SetFault(func(q tests3.Request) fault {
				if q.All < k {
					return fault{}
				}
				return w
			})
			g, err := writeGroup(context.Background(), c, false)
			c.Close()
			asked := len(f.Requests()) - k
			hit := asked > 0
			if hit == (err == nil) {
				t.Errorf("%s from %d on: %v", name, k, err)
			}
			left := ""
			if g != nil {
				left = g.Left()
			}
			n := len(f.Keys("bucket")) - len(before)
			if hit && (n > 0 && !strings.Contains(left, "of the objects that were written are left") || n == 0 && f.Uploads() > 1 && left == "") {
				t.Errorf("%s from %d on: %d objects and %d uploads are left: %v; %s", name, k, n, f.Uploads(), err, left)
			}
			if name == "gone" && asked > 3*groupInFlight {
				t.Errorf("the store was asked %d times after it went away", asked)
			}
			f.Close()
			return hit
		})
	}
}

// TestGroupSweepFails: if uploads have unknown ids and can't be listed, the error reports
// that they may exist. If all answers arrived, the error doesn't.
func TestGroupSweepFails(t *testing.T) {
	for _, w := range []fault{{Cut: true, Effect: true}, {Status: 403, Code: "AccessDenied"}} {
		f, before := groupStore(t, false)
		c := small(t, f, 1000)
		c.set.attempts = 1
		f.SetFault(func(q tests3.Request) fault {
			switch {
			case q.Op == tests3.Begin && q.N == 2:
				return w
			case q.Op == tests3.Uploads:
				return fault{Status: 403, Code: "AccessDenied"}
			}
			return fault{}
		})
		g, err := writeGroup(context.Background(), c, false)
		want := 0
		if w.Effect {
			want = 1
		}
		const says = `aws s3api list-multipart-uploads --bucket "bucket" --prefix "out/" shows`
		if err == nil || f.Uploads() != want || strings.Count(g.Left(), says) != want || !slices.Equal(f.Keys("bucket"), before) {
			t.Errorf("%+v: %v; left: %s; %d uploads", w, err, g.Left(), f.Uploads())
		}
	}
}

// TestGroupCanceled: the context ends at each request in turn, and requests hang.
func TestGroupCanceled(t *testing.T) {
	testlong.Only(t)
	var all sync.WaitGroup // they mostly wait until they give up
	defer all.Wait()
	for _, w := range []fault{{Stall: true}, {Stall: true, Effect: true}, {}} {
		all.Go(func() {
			tests3.EveryRequest(40, func(k int) bool {
				f, before := groupStore(t, true)
				o := quick(f)
				o.Stall = 2 * time.Second
				c := client(t, o)
				c.set.partSize = 1000
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				var hit atomic.Bool
				f.SetFault(func(q tests3.Request) fault {
					if q.All != k {
						return fault{}
					}
					hit.Store(true)
					cancel()
					return w
				})
				g, err := writeGroup(ctx, c, true)
				c.Close()
				if err != nil && !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "all that is new") {
					t.Errorf("request %d: %v", k, err)
				}
				checkGroup(t, fmt.Sprintf("canceled at request %d, %+v: %v", k, w, err), f, g, before, err)
				f.Close()
				return hit.Load()
			})
		})
	}
}
