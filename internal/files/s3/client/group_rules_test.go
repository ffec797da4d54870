// This file tests what groups of objects refuse, and groups in a store that isn't
// of our making.

package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// TestGroupThere: what is there stays, and what comes meanwhile isn't mixed with.
func TestGroupThere(t *testing.T) {
	f, before := groupStore(t, true)
	c := small(t, f, 1000)
	_, err := writeGroup(context.Background(), c, false)
	if !errors.Is(err, s3.ErrExists) || !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "s3://bucket/out/_SUCCESS") {
		t.Error(err)
	}
	mine := errors.New("it is dear to me")
	_, err = c.CreateGroup(context.Background(), "s3://bucket/out", func(o []s3.Object) error {
		if len(o) != len(groupBefore) || o[1].Below != "p=1/part-0" {
			t.Errorf("%+v", o)
		}
		return mine
	})
	if !errors.Is(err, mine) || !strings.Contains(err.Error(), "another prefix") {
		t.Error(err)
	}
	if _, err = c.CreateGroup(context.Background(), "s3://bucket/other", nil); !errors.Is(err, s3.ErrExists) || !strings.Contains(err.Error(), "an object is there") {
		t.Error(err)
	}
	if _, err = c.CreateGroup(context.Background(), "s3://no-bucket/other", nil); !errors.Is(err, s3.ErrNoBucket) || !strings.Contains(err.Error(), "make the bucket") {
		t.Error(err)
	}
	f.SetFault(always(tests3.Remove, fault{Status: 403, Code: "AccessDenied"}))
	if _, err = writeGroup(context.Background(), c, true); !errors.Is(err, s3.ErrDenied) || !strings.Contains(err.Error(), "s3:DeleteObject") {
		t.Error(err)
	}
	f.SetFault(always(tests3.List, fault{Status: 403, Code: "AccessDenied"}))
	if _, err = writeGroup(context.Background(), c, true); !errors.Is(err, s3.ErrDenied) || !strings.Contains(err.Error(), "s3:ListBucket") {
		t.Error(err)
	}
	if len(f.Requests(tests3.Begin)) != 0 || !slices.Equal(f.Keys("bucket"), before) {
		t.Errorf("%q", f.Keys("bucket"))
	}
	f.SetFault(func(q tests3.Request) fault {
		if q.Op == tests3.Part && q.N == 3 {
			f.Put("bucket", "out/theirs", nil)
		}
		return fault{}
	})
	if _, err = writeGroup(context.Background(), c, true); !errors.Is(err, s3.ErrExists) || !strings.Contains(err.Error(), "out/theirs has come") {
		t.Error(err)
	}
	if now := f.Keys("bucket"); f.Uploads() != 0 || len(now) != len(before)+1 {
		t.Errorf("%q, %d uploads", now, f.Uploads())
	}
}

// TestGroupsAtOnce: of several that write below a prefix at the same time, there is
// one in the end, or none; never some of each.
func TestGroupsAtOnce(t *testing.T) {
	testlong.Project(t)
	rng := rand.New(&lockedSource{s: rand.NewPCG(1, 2)})
	ends := map[int]int{}
	for range 30 {
		f := tests3.NewFake(t, "bucket")
		f.SetFault(func(tests3.Request) fault { return fault{Delay: time.Duration(rng.IntN(3000)) * time.Microsecond} })
		var wg sync.WaitGroup
		var done atomic.Int64
		for range 3 {
			c := small(t, f, 1000)
			late := time.Duration(rng.IntN(10)) * time.Millisecond
			wg.Go(func() {
				defer c.Close()
				g, err := c.CreateGroup(context.Background(), "s3://bucket/out", nil)
				for i := 0; i < 10 && err == nil; i++ {
					var w s3.Writer
					if w, err = g.Create(groupName(g, i), ""); err == nil {
						err = w.Commit()
					}
				}
				time.Sleep(late)
				if err == nil {
					err = g.Commit()
				}
				switch {
				case err == nil:
					done.Add(1)
				case !errors.Is(err, s3.ErrExists):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		marks := map[string]int{}
		for _, k := range f.Keys("bucket") {
			marks[k[len(k)-16:]]++
		}
		if n := int(done.Load()); len(marks) != n || n > 1 || f.Uploads() != 0 || n == 1 && len(f.Keys("bucket")) != 10 {
			t.Errorf("%d were told that theirs is there; there are %v", n, marks)
		}
		ends[len(marks)]++
		f.Close()
	}
	t.Log("objects of so many groups there were so often:", ends)
}

// TestGroupMisuse: what isn't committed or is aborted doesn't appear.
func TestGroupMisuse(t *testing.T) {
	for _, abort := range []bool{false, true} {
		f, before := groupStore(t, false)
		c := small(t, f, 1000)
		g := must(c.CreateGroup(context.Background(), "s3://bucket/out", nil))
		if _, err := g.Create("a", ""); !errors.Is(err, s3.ErrPath) {
			t.Error(err)
		}
		must(must(g.Create("a"+g.Mark(), "")).Write(noise(5000)))
		w := must(g.Create("b"+g.Mark(), ""))
		must(w.Write(noise(10)))
		if abort {
			w.Abort()
		}
		if err := g.Commit(); err == nil || abort != errors.Is(err, s3.ErrClosed) {
			t.Error(err)
		}
		if f.Uploads() != 0 || !slices.Equal(f.Keys("bucket"), before) {
			t.Errorf("%q, %d uploads", f.Keys("bucket"), f.Uploads())
		}
	}
}

func TestCheckWrite(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	c := client(t, quick(f))
	ctx := context.Background()
	check := func(want error, says string) {
		t.Helper()
		g := must(c.CreateGroup(ctx, "s3://bucket/out", nil))
		for _, err := range []error{c.CheckWrite(ctx, "s3://bucket/out"), g.Probe()} {
			if !errors.Is(err, want) || want != nil && !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %v", err, want)
			}
		}
	}
	check(nil, "")
	if len(f.Keys("bucket")) != 0 || f.Uploads() != 0 {
		t.Error("something is left")
	}
	f.SetFault(always(tests3.Begin, fault{Status: 403, Code: "AccessDenied"}))
	check(s3.ErrDenied, "may write it")
	f.SetFault(always(tests3.Abort, fault{Status: 403, Code: "AccessDenied"}))
	check(nil, "")
	if err := c.CheckWrite(ctx, "s3://none/a"); !errors.Is(err, s3.ErrNoBucket) || !strings.Contains(err.Error(), "cannot write s3://none/a: no such bucket") {
		t.Error(err)
	}
}

// TestGatewayGroup: in a store that isn't of our making, with each request lost
// in turn, before it came or after.
func TestGatewayGroup(t *testing.T) {
	testlong.Only(t)
	gw, o := gateway(t)
	o.Attempts, o.PartSize = 1, minPart
	for _, effect := range []bool{false, true} {
		tests3.EveryRequest(8, func(k int) bool {
			lossy := tests3.NewLossy(int64(k), effect)
			c := newClient(o, lossy)
			path := gw.Path(fmt.Sprintf("out%v%d", effect, k))
			var before []s3.Object
			g, err := c.CreateGroup(context.Background(), path, nil)
			if err == nil {
				for i := range 4 {
					var w s3.Writer
					if w, err = g.Create(groupName(g, i), ""); err != nil {
						break
					}
					if _, err = w.Write(noise(i * 2 << 20)); err == nil {
						err = w.Commit()
					}
					if err != nil {
						break
					}
				}
				if err == nil {
					err = g.Commit()
				} else {
					g.Abort()
				}
			}
			lossy.Close()
			clean := New(s3.Options{Endpoint: gw.Endpoint, AccessKey: gw.AccessKey, SecretKey: gw.SecretKey, Getenv: noEnv})
			before, lerr := clean.List(context.Background(), path+"/")
			clean.Close()
			if err != nil && !errors.Is(lerr, s3.ErrNotFound) || err == nil && (len(before) != 4 || before[3].Size != 6<<20) {
				t.Errorf("request %d, effect %v: %v: there is %+v, %v", k, effect, err, before, lerr)
			}
			if n := gw.Uploads(t, path); n != 0 {
				t.Errorf("request %d, effect %v: %v: %d uploads are left", k, effect, err, n)
			}
			if !lossy.Hit() && err != nil {
				t.Error(err)
			}
			return lossy.Hit() && !t.Failed()
		})
	}
	noGoroutines(t)
}

// lockedSource is a source of random numbers for several goroutines.
type lockedSource struct {
	mu sync.Mutex
	s  rand.Source
}

func (l *lockedSource) Uint64() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.s.Uint64()
}
