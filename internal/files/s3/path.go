// This file takes paths of objects apart.

package s3

import (
	"fmt"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

const scheme = "s3://"

// Is reports whether a path is one of an object store: s3://bucket/prefix.
func Is(path string) bool {
	return len(path) >= len(scheme) && strings.EqualFold(path[:len(scheme)], scheme)
}

// Split returns the bucket of a path, and the key, prefix or pattern after
// it, which is empty if the path names the whole bucket. The error is an
// ErrPath.
func Split(path string) (bucket, key string, err error) {
	fail := func(why, remedy string) (string, string, error) {
		return "", "", &Error{Op: "use", Path: path, Kind: ErrPath, Err: fmt.Errorf("%s", why), Remedy: remedy}
	}
	if !Is(path) {
		return fail("it doesn't begin with s3://", "write it as s3://bucket/key")
	}
	bucket, key, _ = strings.Cut(path[len(scheme):], "/")
	switch {
	case bucket == "":
		return fail("it has no bucket", "write it as s3://bucket/key")
	case strings.ContainsAny(bucket, "*?[]"):
		return fail("it has a pattern in the bucket's name", "name one bucket; patterns are for what comes after it")
	case strings.Contains(bucket, "@"):
		return fail("it has an @ in the bucket's name", "credentials come from the environment or ~/.aws/credentials, not from the path")
	case strings.Contains(bucket, ":"):
		return fail("it has a colon in the bucket's name", "the endpoint comes from AWS_ENDPOINT_URL, not from the path")
	}
	if err := s3utils.CheckValidBucketName(bucket); err != nil {
		return fail(fmt.Sprintf("%q is no bucket: %v", bucket, err), "check the bucket's spelling")
	}
	if err := s3utils.CheckValidObjectNamePrefix(key); err != nil {
		return fail("the key isn't valid: "+err.Error(), "keys are UTF-8 of at most 1024 bytes")
	}
	return bucket, key, nil
}

// splitKey is Split for the path of one object.
func splitKey(path string) (bucket, key string, err error) {
	bucket, key, err = Split(path)
	if err == nil && (key == "" || strings.HasSuffix(key, "/")) {
		err = &Error{Op: "use", Path: path, Kind: ErrPath, Err: fmt.Errorf("it names no object"),
			Remedy: "name an object, such as " + strings.TrimRight(path, "/") + "/out.parquet"}
	}
	return bucket, key, err
}

// join makes a path of a bucket and a key.
func join(bucket, key string) string { return scheme + bucket + "/" + key }
