// This file holds the package's errors and what a user can do about each.

package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/text/limit"
)

// Causes of a failed attempt.
var (
	errStalled   = errors.New("no byte came or went for too long")
	errTruncated = errors.New("the answer ended too soon")
	errSlow      = errors.New("the object comes too slowly")
	errPages     = errors.New("an endless listing")
)

// verdict is what to make of the error of one attempt.
type verdict struct {
	err     *s3.Error
	retry   bool
	renew   bool   // the credentials have expired
	region  string // where the bucket is, if the store said that it isn't here
	unknown bool   // it may have happened all the same: no answer came
}

// judge looks at the error of one attempt. Errors of the caller's context are
// not for it.
func judge(op, path string, err error) verdict {
	e := &s3.Error{Op: op, Path: path, Err: err}
	var resp minio.ErrorResponse
	if !errors.As(err, &resp) {
		return judgeLocal(e)
	}
	e.Code, e.Status = resp.Code, resp.StatusCode
	v := verdict{err: e}
	switch resp.Code {
	case "NoSuchBucket":
		e.Kind, e.Remedy = s3.ErrNoBucket, "check the bucket's spelling, and the endpoint (AWS_ENDPOINT_URL)"
	case "NoSuchKey", "NotFound":
		e.Kind, e.Remedy = s3.ErrNotFound, "check the key's spelling"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken":
		e.Kind, e.Remedy = s3.ErrDenied, "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the profile in ~/.aws/credentials"
	case "RequestTimeTooSkewed":
		e.Kind, e.Remedy = s3.ErrDenied, "set this machine's clock"
	case "ExpiredToken", "ExpiredTokenException":
		e.Kind, e.Remedy = s3.ErrDenied, "get new credentials: the session token has expired"
		v.retry, v.renew = true, true
	case "InvalidObjectState":
		e.Kind, e.Remedy = s3.ErrDenied, "the object is archived: restore it first"
	case "NoSuchUpload":
		e.Remedy = "somebody has ended the upload: run it again"
	case "EntityTooLarge":
		e.Remedy = "the object is larger than the store allows: write it in several"
	case "QuotaExceeded", "XMinioStorageFull", "InsufficientCapacity":
		e.Remedy = "the store is full: free space in it, or write elsewhere"
	case "SlowDown", "SlowDownRead", "SlowDownWrite", "InternalError", "RequestTimeout", "RequestError",
		"Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled", "200 OK":
		v.retry = true
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect", "InvalidRegion", "IllegalLocationConstraintException":
		e.Remedy = "set AWS_REGION to the region of the bucket"
	}
	if resp.Region != "" {
		v.region = resp.Region
	}
	switch s := resp.StatusCode; {
	case e.Kind != nil:
	case s == http.StatusForbidden || s == http.StatusUnauthorized:
		e.Kind, e.Remedy = s3.ErrDenied, "check that the credentials may "+op+" it, and that it is there: stores say so of what is missing, too"
	case s == http.StatusNotFound:
		if e.Remedy == "" {
			e.Kind, e.Remedy = s3.ErrNotFound, "check the spelling"
		}
	case s == http.StatusPreconditionFailed:
		e.Kind, e.Remedy = s3.ErrChanged, "run it again, once nobody writes to it"
	case s == http.StatusMovedPermanently || s == http.StatusTemporaryRedirect:
		e.Remedy = "set AWS_REGION to the region of the bucket"
	case s == http.StatusRequestTimeout || s == http.StatusTooManyRequests || s == 499 || s >= 500 && s != http.StatusNotImplemented:
		v.retry = true
	}
	if v.retry && e.Kind == nil {
		e.Kind, e.Remedy = s3.ErrUnavailable, "try later, or with fewer at once"
		v.unknown = resp.StatusCode != http.StatusServiceUnavailable
	}
	if e.Remedy == "" {
		e.Remedy = "see what the store's documentation says about it"
	}
	return v
}

// judgeLocal looks at an error that isn't the store's answer.
func judgeLocal(e *s3.Error) verdict {
	err := e.Err
	var own *s3.Error
	if errors.As(err, &own) {
		return verdict{err: own}
	}
	v := verdict{err: e, retry: true, unknown: true}
	e.Kind, e.Remedy = s3.ErrUnavailable, "check the endpoint and the network, or try later"
	var (
		dns     *net.DNSError
		unknown x509.UnknownAuthorityError
		invalid x509.CertificateInvalidError
		host    x509.HostnameError
		plain   tls.RecordHeaderError
		op      *net.OpError
	)
	switch {
	case errors.Is(err, s3.ErrChanged):
		v.retry = false
		e.Kind, e.Err, e.Remedy = s3.ErrChanged, detail(err, s3.ErrChanged), "run it again, once nobody writes to it"
	case errors.Is(err, s3.ErrAnswer):
		e.Kind, e.Err, e.Remedy = s3.ErrAnswer, detail(err, s3.ErrAnswer), "check what stands between here and the store, such as a proxy"
	case errors.Is(err, errPages):
		v.retry = false
		e.Kind, e.Err, e.Remedy = s3.ErrAnswer, detail(err, errPages), "check the endpoint (AWS_ENDPOINT_URL)"
	case errors.Is(err, limit.Err):
		v.retry = false
		e.Kind, e.Remedy = nil, "name fewer"
	case errors.Is(err, errSlow):
		e.Err, e.Remedy = detail(err, errSlow), "check the network; S3Options.MinRate sets another limit"
	case errors.Is(err, errStalled):
		e.Err = errStalled
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Err = errTruncated
	case errors.As(err, &dns) && dns.IsNotFound:
		v.retry, e.Remedy = false, "check the endpoint (AWS_ENDPOINT_URL) and the region: there is no such host"
	case errors.As(err, &unknown), errors.As(err, &invalid), errors.As(err, &host):
		v.retry, e.Remedy = false, "the endpoint's certificate isn't trusted here: install its authority's, name it in AWS_CA_BUNDLE, or check the endpoint"
	case errors.As(err, &op) && op.Op == "dial":
		v.unknown = false // it wasn't sent
	case errors.As(err, &plain), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		v.retry, e.Remedy = false, "the endpoint speaks http, not https: write it with http://"
	}
	if u := (*url.Error)(nil); errors.As(e.Err, &u) && u.Err != nil {
		e.Err = u.Err // the address has the request's signature in it
	}
	return v
}

// detailed is an error that says more about a sentinel.
type detailed struct{ kind, err error }

func (d *detailed) Error() string { return d.err.Error() }
func (d *detailed) Unwrap() error { return d.kind }

// because returns a sentinel with its reason.
func because(kind error, format string, args ...any) error {
	return &detailed{kind, fmt.Errorf(format, args...)}
}

// detail returns the reason only.
func detail(err, kind error) error {
	var d *detailed
	if errors.As(err, &d) && d.kind == kind {
		return d.err
	}
	return err
}

// ended returns the error of a context that is done, or nil. A deadline that came
// by way of both is still one.
func ended(ctx context.Context) error {
	if err := context.Cause(ctx); err == context.DeadlineExceeded {
		return err
	}
	return ctx.Err()
}
