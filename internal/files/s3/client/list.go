// This file lists objects.

package client

import (
	"context"
	"errors"
	"sort"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/internal/text/limit"
)

// List returns the objects that a path stands for, sorted by key: the object of
// that very key; else all below it, as in a directory; or what matches a
// pattern as package pathglob has them, together with what is below matches.
// Empty objects whose keys end in a slash stand for directories and are left out.
// If there is nothing the error is an ErrNotFound.
func (c *Client) List(ctx context.Context, path string) ([]s3.Object, error) {
	return c.ListSeen(ctx, path, func(string) bool { return true })
}

// ListSeen is List that also passes every key that it comes by to seen, including keys that it
// doesn't return: all keys that begin with the directory, or with a pattern's text
// before its first wildcard. It passes no key if the path names an object. If
// seen returns false, the listing ends and its result is invalid.
func (c *Client) ListSeen(ctx context.Context, path string, seen func(key string) bool) ([]s3.Object, error) {
	bucket, key, err := s3.Split(path)
	if err != nil {
		return nil, err
	}
	var objects []s3.Object
	if strings.ContainsAny(key, "*?[") {
		objects, err = c.match(ctx, path, bucket, key, seen)
	} else {
		objects, err = c.below(ctx, path, bucket, key, seen)
	}
	sort.Slice(objects, func(i, k int) bool { return objects[i].Path < objects[k].Path }) // of large types: package slices makes 10 KB of code for each
	return objects, err
}

// Stat returns the object of that very key.
func (c *Client) Stat(ctx context.Context, path string) (s3.Object, error) {
	bucket, key, err := s3.SplitKey(path)
	if err != nil {
		return s3.Object{}, err
	}
	var info minio.ObjectInfo
	err = c.do(ctx, request{op: "read", path: path, bucket: bucket}, func(ctx context.Context, core *minio.Core) error {
		var err error
		info, err = core.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
		return err
	})
	if err == nil && info.Size < 0 {
		err = &s3.Error{Op: "read", Path: path, Kind: s3.ErrAnswer, Err: errors.New("the store gives no length"), Remedy: "check what stands between here and the store, such as a proxy"}
	}
	if err != nil {
		return s3.Object{}, err
	}
	return s3.Object{Path: s3.Join(bucket, key), Size: info.Size, ETag: info.ETag, Modified: info.LastModified}, nil
}

// below lists an object, or those in a directory.
func (c *Client) below(ctx context.Context, path, bucket, key string, seen func(string) bool) ([]s3.Object, error) {
	if key != "" && !strings.HasSuffix(key, "/") {
		o, err := c.Stat(ctx, path)
		if err == nil {
			return []s3.Object{o}, nil
		}
		// Where listing isn't allowed, what is missing is denied.
		if !errors.Is(err, s3.ErrNotFound) && !errors.Is(err, s3.ErrDenied) {
			return nil, err
		}
		objects, lerr := c.below(ctx, path, bucket, key+"/", seen)
		if errors.Is(lerr, s3.ErrNotFound) || errors.Is(err, s3.ErrDenied) && errors.Is(lerr, s3.ErrDenied) {
			lerr = err
		}
		return objects, lerr
	}
	var objects []s3.Object
	markers := 0
	err := c.each(ctx, path, bucket, key, pageKeys, func(info *minio.ObjectInfo) bool {
		if !seen(info.Key) {
			markers++ // there is something
			return false
		}
		if directory(info) {
			markers++
		} else {
			objects = append(objects, object(bucket, info, info.Key[len(key):]))
		}
		return true
	})
	if err == nil && len(objects) == 0 && markers == 0 && key != "" {
		err = &s3.Error{Op: "list", Path: path, Kind: s3.ErrNotFound, Remedy: "check the prefix's spelling"}
	}
	return objects, err
}

// match lists the matches of a pattern. As with files, a pattern that is also the key of
// an object or the name of a directory stands for that.
func (c *Client) match(ctx context.Context, path, bucket, key string, seen func(string) bool) ([]s3.Object, error) {
	literal := strings.TrimRight(key, "/")
	p, err := pathglob.Compile(literal)
	if err != nil {
		return nil, &s3.Error{Op: "list", Path: path, Kind: s3.ErrPath, Err: err, Remedy: "check the pattern"}
	}
	var named, matched []s3.Object
	err = c.each(ctx, path, bucket, p.Prefix(), pageKeys, func(info *minio.ObjectInfo) bool {
		if !seen(info.Key) {
			return false
		}
		if directory(info) {
			return true
		}
		if rest, ok := strings.CutPrefix(info.Key, literal); ok && (rest == "" || rest[0] == '/') {
			named = append(named, object(bucket, info, strings.TrimPrefix(rest, "/")))
		}
		if at := p.Match(info.Key); at >= 0 {
			matched = append(matched, object(bucket, info, info.Key[at:]))
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if named != nil {
		return named, nil
	}
	if matched == nil {
		return nil, &s3.Error{Op: "list", Path: path, Kind: s3.ErrNotFound, Err: errors.New("no object matches the pattern"), Remedy: "check its spelling"}
	}
	return matched, nil
}

// FirstKeys returns the first n keys of a bucket that begin with a prefix, or fewer if
// there are fewer. n is at most 1,000, the number that one request returns.
func (c *Client) FirstKeys(ctx context.Context, bucket, prefix string, n int) ([]string, error) {
	var keys []string
	err := c.each(ctx, s3.Join(bucket, prefix), bucket, prefix, n, func(info *minio.ObjectInfo) bool {
		keys = append(keys, info.Key)
		return len(keys) < n
	})
	return keys, err
}

func object(bucket string, info *minio.ObjectInfo, below string) s3.Object {
	return s3.Object{Path: s3.Join(bucket, info.Key), Below: below, Size: info.Size, ETag: info.ETag, Modified: info.LastModified}
}

// directory reports whether an object only represents a directory.
func directory(info *minio.ObjectInfo) bool {
	return info.Size == 0 && strings.HasSuffix(info.Key, "/")
}

// each calls f with all objects whose keys begin with the prefix, in order, as
// long as f returns true. After a failure, the listing continues behind the last key.
// page is the number of keys per request.
func (c *Client) each(ctx context.Context, path, bucket, prefix string, page int, f func(*minio.ObjectInfo) bool) error {
	last, more, keys := "", true, 0
	count := &pages{}
	for more {
		count.n = 0
		err := c.do(ctx, request{op: "list", path: path, bucket: bucket}, func(ctx context.Context, core *minio.Core) error {
			n := 0
			ctx = context.WithValue(ctx, pagesKey{}, count)
			for info := range core.ListObjectsIter(ctx, bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true, StartAfter: last, MaxKeys: page}) {
				if info.Err != nil {
					return info.Err
				}
				if !strings.HasPrefix(info.Key, prefix) || info.Key <= last || info.Size < 0 {
					return because(s3.ErrAnswer, "the listing of %q after %q has %q of %d bytes", prefix, last, info.Key, info.Size)
				}
				last = info.Key
				count.n = 0
				if keys++; keys > c.set.maxObjects {
					return limit.Error("S3Options.MaxObjects", text.Count(c.set.maxObjects), "the listing has more than %s", text.Plural(c.set.maxObjects, "object"))
				}
				if !f(&info) {
					more = false
					return nil
				}
				if n++; n == page {
					return nil // the next page has a new count of attempts
				}
			}
			more = false
			return ctx.Err() // with which the listing ends silently
		})
		if err != nil {
			return err
		}
	}
	return nil
}
