// This file opens objects with the credentials that catalogues give with their tables.

package input

import (
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// With returns the same files, with a key for those in stores. What S3Options say
// themselves goes before it.
func (f *lakeFS) With(k tables.Key) tables.FS {
	o := f.s.S3
	if o.AccessKey == "" && !o.Anonymous && o.Profile == "" {
		o.AccessKey, o.SecretKey, o.SessionToken = k.AccessKey, k.SecretKey, k.SessionToken
	}
	if o.Endpoint == "" {
		o.Endpoint = k.Endpoint
	}
	if o.Region == "" {
		o.Region = k.Region
	}
	with := newLakeFS(f.s)
	with.setRoot(f.root)
	with.own = o.Client()
	f.s.keyed = append(f.s.keyed, with.own)
	return with
}

// client returns what objects are opened with.
func (f *lakeFS) client() s3.Client {
	if f.own != nil {
		return f.own
	}
	return f.s.s3()
}

// clientOf returns what an object is opened with.
func (s *Store) clientOf(from *Origin) s3.Client {
	if from.Lake != nil {
		return from.Lake.Table.FS.client()
	}
	return s.s3()
}
