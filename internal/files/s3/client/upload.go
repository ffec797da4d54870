// This file holds the parts of an upload.

package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/calls/panics"
	"github.com/foray-graph/foray/internal/files/s3"
)

// upload is a multipart upload that was begun.
type upload struct {
	w      *Writer
	id     string
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	parts  []*minio.CompletePart // their ETags are there when wg is done
	slots  chan struct{}         // one per part in flight

	// Of a Group's: all parts are there; the store was asked to complete it;
	// it did; nothing of it is left.
	sealed, asked, completed, ended bool

	mu      sync.Mutex
	err     error // the first
	flying  int64 // bytes
	freed   chan struct{}
	buffers [][]byte
}

func (w *Writer) begin() (*upload, error) {
	u := &upload{w: w, slots: make(chan struct{}, w.c.set.partsInFlight), freed: make(chan struct{}, 1)}
	err := w.c.do(w.ctx, w.request(func() { w.stray = true }), func(ctx context.Context, core *minio.Core) error {
		o := minio.PutObjectOptions{ContentType: w.contentType, UserMetadata: map[string]string{uploadMark: w.mark}}
		if w.group != nil {
			var end func()
			ctx, end = graceful(ctx)
			defer end()
		}
		id, err := core.NewMultipartUpload(ctx, w.bucket, w.key, o)
		if err == nil && id == "" {
			err = because(s3.ErrAnswer, "the upload has no id")
		}
		u.id = id
		if err != nil && w.ctx.Err() != nil && !errors.As(err, new(minio.ErrorResponse)) {
			w.stray = true // given up before it was answered
		}
		return err
	})
	if w.group != nil && (err != nil || w.stray) {
		w.group.lost.Store(true)
	}
	if err != nil {
		return nil, err
	}
	u.ctx, u.cancel = context.WithCancel(w.ctx)
	return u, nil
}

// graceful returns a context that ends a while after ctx does. A request that
// begins an upload or sends a part isn't given up while its answer is on the way:
// without the answer, the upload couldn't be ended, and the store might still
// work on it after the sweep.
func graceful(ctx context.Context) (context.Context, func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(graceTimeout, cancel) })
	return late, func() { stop(); cancel() }
}

// straying adds to an error, once, that the store may have begun an upload whose
// id we don't know. Several writers may upload to the key, so ours can't be identified.
// Keys of a Group are unique, and their uploads are swept.
func (w *Writer) straying(err error) error {
	var e *s3.Error
	if w.stray && w.group == nil && errors.As(err, &e) {
		w.stray = false
		e.Remedy += fmt.Sprintf("; an upload without parts may be left: aws s3api list-multipart-uploads --bucket %q --prefix %q shows it, and abort-multipart-upload removes it",
			w.bucket, w.key)
	}
	return err
}

// send sends the next part, once there is a slot and memory for it.
func (u *upload) send(buf []byte) error {
	n := len(u.parts) + 1
	if n > maxParts {
		return &s3.Error{Op: "write", Path: u.w.path, Err: fmt.Errorf("it has more than %d parts", maxParts), Remedy: "write several objects"}
	}
	select {
	case u.slots <- struct{}{}:
	case <-u.ctx.Done():
		return u.failure()
	}
	u.mu.Lock()
	for u.flying > 0 && u.flying+int64(len(buf)) > partsMemory && u.err == nil {
		u.mu.Unlock()
		select {
		case <-u.freed:
		case <-u.ctx.Done():
		}
		if u.ctx.Err() != nil {
			<-u.slots
			return u.failure()
		}
		u.mu.Lock()
	}
	u.flying += int64(len(buf))
	err := u.err
	u.mu.Unlock()
	if err != nil {
		<-u.slots
		return err
	}
	part := &minio.CompletePart{PartNumber: n}
	u.parts = append(u.parts, part)
	u.wg.Go(func() {
		err := panics.Call(func() error {
			panics.Point("upload")
			return u.put(part, buf)
		})
		u.mu.Lock()
		defer u.mu.Unlock()
		u.flying -= int64(len(buf))
		u.buffers = append(u.buffers, buf[:0])
		if err != nil && u.err == nil {
			u.err = err
			u.cancel()
		}
		<-u.slots
		select {
		case u.freed <- struct{}{}:
		default:
		}
	})
	return nil
}

// spare returns a buffer that isn't used any more, if it is large enough.
func (u *upload) spare(size int64) []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	for len(u.buffers) > 0 {
		b := u.buffers[len(u.buffers)-1]
		u.buffers = u.buffers[:len(u.buffers)-1]
		if int64(cap(b)) >= size {
			return b
		}
	}
	return nil
}

func (u *upload) put(part *minio.CompletePart, buf []byte) error {
	sum := sha256.Sum256(buf)
	return u.w.c.do(u.ctx, u.w.request(nil), func(ctx context.Context, core *minio.Core) error {
		ctx, end := graceful(ctx)
		defer end()
		o := minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(sum[:]), DisableContentSha256: true}
		p, err := core.PutObjectPart(ctx, u.w.bucket, u.w.key, u.id, part.PartNumber, bytes.NewReader(buf), int64(len(buf)), o)
		if err == nil && p.ETag == "" {
			err = because(s3.ErrAnswer, "part %d has no ETag", part.PartNumber)
		}
		part.ETag = p.ETag
		return err
	})
}

// failure is why the upload has ended.
func (u *upload) failure() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err != nil && !errors.Is(u.err, context.Canceled) {
		return u.err
	}
	if err := u.w.ctx.Err(); err != nil {
		return err
	}
	return u.err
}

// wait waits until all parts are there.
func (u *upload) wait() error {
	u.wg.Wait()
	return u.failure()
}

// complete makes the object of the parts. If an answer gets lost, the
// repeated request may get NoSuchUpload; then the object's mark shows whether it
// is this upload's.
func (u *upload) complete() error {
	parts := make([]minio.CompletePart, len(u.parts))
	for i, p := range u.parts {
		parts[i] = *p
	}
	unsure := false
	u.w.unsure = u.w.group == nil // a Group looks itself
	err := u.w.c.do(u.ctx, u.w.request(func() { unsure = true }), func(ctx context.Context, core *minio.Core) error {
		_, err := core.CompleteMultipartUpload(ctx, u.w.bucket, u.w.key, u.id, parts, minio.PutObjectOptions{})
		return err
	})
	if err == nil || !unsure || u.w.ctx.Err() != nil || !isCode(err, "NoSuchUpload") {
		return err
	}
	there := false
	herr := u.w.c.do(u.ctx, u.w.request(nil), func(ctx context.Context, core *minio.Core) error {
		info, err := core.StatObject(ctx, u.w.bucket, u.w.key, minio.StatObjectOptions{})
		there = err == nil && info.Metadata.Get("X-Amz-Meta-"+uploadMark) == u.w.mark
		return err
	})
	if there {
		return nil
	}
	if herr != nil && !errors.Is(herr, s3.ErrNotFound) {
		return herr
	}
	return err
}

// abort ends the requests under way and drops all parts. A store may still be
// at work on a part whose request was given up, and bring the upload back with
// it: so it is asked, as S3's documentation advises, whether all are gone.
func (u *upload) abort() error {
	u.cancel()
	cut := u.wait() != nil && !u.sealed
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.w.ctx), u.w.c.set.abort)
	defer cancel()
	err := u.drop(ctx)
	if !cut || err != nil {
		return err
	}
	return u.w.c.pauses(ctx, func() error {
		gone := u.w.c.do(ctx, u.w.request(nil), func(ctx context.Context, core *minio.Core) error {
			_, err := core.ListObjectParts(ctx, u.w.bucket, u.w.key, u.id, 0, 1)
			return err
		})
		if gone == nil {
			return u.drop(ctx)
		}
		return nil
	})
}

// drop makes the store drop the upload.
func (u *upload) drop(ctx context.Context) error {
	err := u.w.c.do(ctx, u.w.request(nil), func(ctx context.Context, core *minio.Core) error {
		return core.AbortMultipartUpload(ctx, u.w.bucket, u.w.key, u.id)
	})
	var e *s3.Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil // it is already gone
	}
	return err
}
