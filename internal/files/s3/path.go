// This file takes paths of objects apart.

package s3

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
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
	if err := checkBucket(bucket); err != nil {
		return fail(fmt.Sprintf("%q is no bucket: %v", bucket, err), "check the bucket's spelling")
	}
	if len(key) > 1024 || !utf8.ValidString(key) {
		return fail("the key isn't valid", "keys are UTF-8 of at most 1024 bytes")
	}
	return bucket, key, nil
}

// checkBucket checks a bucket's name as AWS and other stores have them
// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html).
func checkBucket(name string) error {
	if len(name) < 3 || len(name) > 63 {
		return errors.New("buckets have names of 3 to 63 characters")
	}
	if strings.Count(name, ".") == 3 && strings.Trim(name, "0123456789.") == "" {
		return errors.New("buckets don't have IP addresses as names")
	}
	valid := !strings.Contains(name, "..") && !strings.Contains(name, ".-") && !strings.Contains(name, "-.")
	for i := range len(name) {
		c := name[i]
		inside := c == '.' || c == '-' || c == '_'
		valid = valid && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || inside && i > 0 && i < len(name)-1)
	}
	if !valid {
		return errors.New("names of buckets consist of letters, digits, dots, hyphens and underscores")
	}
	return nil
}

// SplitKey is Split for the path of one object.
func SplitKey(path string) (bucket, key string, err error) {
	bucket, key, err = Split(path)
	if err == nil && (key == "" || strings.HasSuffix(key, "/")) {
		err = &Error{Op: "use", Path: path, Kind: ErrPath, Err: fmt.Errorf("it names no object"),
			Remedy: "name an object, such as " + strings.TrimRight(path, "/") + "/out.parquet"}
	}
	return bucket, key, err
}

// Join makes a path of a bucket and a key.
func Join(bucket, key string) string { return scheme + bucket + "/" + key }
