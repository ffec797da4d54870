// This file reads objects of S3-compatible stores from beginning to end.

package edgelist

import (
	"context"
	"io"

	"github.com/foray-graph/foray/internal/files/s3"
)

// object is an object that is read in order, with some ranges fetched ahead.
type object struct {
	client s3.Client
	ahead  s3.Prefetch
	at     int64
}

// openObject opens the object of a path as it is now: if it changes, reading fails.
func openObject(ctx context.Context, path string, o *Options) (io.ReadCloser, int64, error) {
	client := s3.New(s3.Options{MinRate: o.MinRate})
	found, err := client.Stat(ctx, path)
	if err != nil {
		client.Close()
		return nil, 0, err
	}
	r, err := client.Open(ctx, found)
	if err != nil {
		client.Close()
		return nil, 0, err
	}
	ahead, err := r.Prefetch(ctx, []s3.Range{{Offset: 0, Length: found.Size}}, s3.PrefetchOptions{})
	if err != nil {
		client.Close()
		return nil, 0, err
	}
	return &object{client: client, ahead: ahead}, found.Size, nil
}

func (o *object) Read(p []byte) (int, error) {
	left := o.ahead.Size() - o.at
	if left <= 0 {
		return 0, io.EOF
	}
	n, err := o.ahead.ReadAt(p[:min(int64(len(p)), left)], o.at)
	o.at += int64(n)
	if err == io.EOF && n > 0 {
		err = nil
	}
	return n, err
}

func (o *object) Close() error {
	o.ahead.Close()
	o.client.Close()
	return nil
}
