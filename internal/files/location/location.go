// Package location converts file:// addresses to paths. Its errors for other addresses name a
// remedy.
package location

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// remedies are what to do about addresses that aren't read, by their schemes.
var remedies = map[string]string{
	"gs":    google,
	"gcs":   google,
	"az":    azure,
	"abfs":  azure,
	"abfss": azure,
	"wasb":  azure,
	"wasbs": azure,
	"adl":   azure,
	"http":  web,
	"https": web,
	"ftp":   web,
	"s3a":   "write %s",
	"s3n":   "write %s",
	"oss":   "read it by its S3-compatible endpoint, in AWS_ENDPOINT_URL, as %s",
	"hdfs":  "copy it to a file first, hdfs dfs -get",
}

const (
	google = "read Google Cloud Storage by its S3-compatible interface: set AWS_ENDPOINT_URL=https://storage.googleapis.com, an HMAC key as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and write %s"
	azure  = "Azure has no S3-compatible interface: mount the container or copy the files first (azcopy copy), and name them as files"
	web    = "download it first; if the address is that of an S3-compatible store, write s3://BUCKET/KEY and set AWS_ENDPOINT_URL"
)

// Error reports an address that can't be read.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Path returns the path of a file:// address, and returns other paths unchanged. Other addresses are an
// *Error, except those of objects (s3://) and catalogs (iceberg://).
func Path(p string) (string, error) {
	scheme, rest, ok := strings.Cut(p, "://")
	if !ok || scheme == "" || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return p, nil
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "s3", "iceberg":
		return scheme + "://" + rest, nil // S3:// is s3://
	case "file":
		return file(p, rest)
	}
	shown := redact(scheme + "://" + rest)
	plain := strings.TrimPrefix(shown[len(scheme)+len("://"):], "...@")
	shown = scheme + "://" + plain
	remedy, ok := remedies[scheme]
	if !ok {
		return "", &Error{fmt.Sprintf("%s: addresses of %s:// aren't read; there are files, file://, s3:// and iceberg://", shown, scheme)}
	}
	if strings.Contains(remedy, "%s") {
		remedy = fmt.Sprintf(remedy, "s3://"+plain)
	}
	return "", &Error{fmt.Sprintf("%s: addresses of %s:// aren't read; %s", shown, scheme, remedy)}
}

// file returns the path of file://HOST/PATH.
func file(p, rest string) (string, error) {
	host, path, ok := strings.Cut(rest, "/")
	p = redact(p)
	switch {
	case !ok:
		return "", &Error{fmt.Sprintf("%s: it has no path; write file:///path", p)}
	case host != "" && !strings.EqualFold(host, "localhost"):
		return "", &Error{fmt.Sprintf("%s: the file is on %s, not on this machine; write file:///path for one that is here", p, host[strings.LastIndexByte(host, '@')+1:])}
	}
	name, err := url.PathUnescape("/" + path)
	if err != nil {
		return "", &Error{fmt.Sprintf("%s: it has a %% that no two hexadecimal digits follow; write a %% as %%25", p)}
	}
	if len(name) > 2 && name[2] == ':' && filepath.VolumeName(name[1:]) != "" { // /C:/x
		name = name[1:]
	}
	return filepath.FromSlash(name), nil
}
