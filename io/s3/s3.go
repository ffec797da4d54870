// Package s3 links the client of S3-compatible object stores. A program that reads or writes
// s3:// locations with io/arrow or io/edgelist imports it:
//
//	import _ "github.com/foray-graph/foray/io/s3"
//
// The guide is [docs/loading.md].
//
// Without it such a location is an error that wraps [errors.ErrUnsupported] and names the
// import. Programs that read local files do not pay for the client: docs/embed.md has the
// sizes. The options are arrow.S3Options.
//
// [docs/loading.md]: https://github.com/foray-graph/foray/blob/main/docs/loading.md
package s3

import (
	"context"
	"net/http"

	"github.com/foray-graph/foray/internal/files/s3/client"
)

// WithTransport returns a context with which t sends requests to object stores, instead of a
// transport of the library's own: it may add headers, use another proxy, or record requests.
// t is safe for concurrent use. A nil context stays nil, which the call that takes it refuses.
func WithTransport(ctx context.Context, t http.RoundTripper) context.Context {
	if ctx == nil {
		return nil
	}
	return client.WithTransport(ctx, t)
}
