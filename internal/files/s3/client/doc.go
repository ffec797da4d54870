// Package s3 reads and writes objects in S3-compatible stores: AWS S3, MinIO,
// Ceph, R2 and others. A Client finds endpoint, region and credentials where
// the AWS tools look for them. It lists objects (one object, all objects with a prefix,
// or a pattern), reads them by ranges that are pinned to the listed version, and
// writes objects completely or not at all.
//
// Errors are of type *Error and wrap one of the package's sentinels; errors of
// a context come as they are.
//
// Client.do holds the only loop of retries. minio-go has another one,
// which is set to a single attempt. After a failure that it would retry it
// still waits up to 200 ms, less if the context ends; that adds to the
// jitter of our waits and to nothing else. And net/http sends a request again,
// without our knowing, if a connection that was kept turns out to be closed.
package client
