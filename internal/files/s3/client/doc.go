// Package s3 reads and writes objects in S3-compatible stores: AWS S3, MinIO,
// Ceph, R2 and others. A Client finds endpoint, region and credentials where
// the AWS tools look for them. It lists objects (an object, all below a prefix,
// or a pattern), reads them by ranges that are pinned to what was listed, and
// writes objects that are there whole or not at all.
//
// Errors are of type *Error and wrap one of the package's sentinels; errors of
// a context come as they are.
//
// There is one loop of retries, in Client.do. minio-go has one of its own,
// which is set to a single attempt. After a failure that it would retry it
// still waits up to 200 ms, less if the context ends; that adds to the
// jitter of our waits and to nothing else. And net/http sends a request again,
// without our knowing, if a connection that was kept turns out to be closed.
package client
