// This file tests stores that mean harm: what they can make us do has bounds.

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/foray-graph/foray/internal/text/limit"
)

// transportFunc answers requests in this process.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answerOf(r *http.Request, body io.Reader, header ...string) *http.Response {
	h := http.Header{"Etag": {`"e"`}, "Last-Modified": {"Mon, 02 Jan 2006 15:04:05 GMT"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: http.StatusOK, Header: h, Body: io.NopCloser(body), Request: r, ContentLength: -1, ProtoMajor: 1, ProtoMinor: 1}
}

func hostile(o s3.Options, f transportFunc) *Client {
	o.Endpoint, o.Region, o.Anonymous = "http://store.invalid", "us-east-1", true
	o.Getenv = func(string) string { return "" }
	o.Backoff = time.Nanosecond
	return newClient(o, f)
}

// page is an answer to a listing that says that there are more.
func page(keys ...string) string {
	var b strings.Builder
	b.WriteString("<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
	for _, k := range keys {
		fmt.Fprintf(&b, "<Contents><Key>%s</Key><Size>1</Size><LastModified>2024-01-01T00:00:00Z</LastModified></Contents>", k)
	}
	return b.String() + "</ListBucketResult>"
}

// TestEndlessListings: whatever a store lists without an end, the listing ends.
func TestEndlessListings(t *testing.T) {
	testlong.Only(t)
	n := 0
	grows := func(r *http.Request) (*http.Response, error) {
		n++
		return answerOf(r, strings.NewReader(page(fmt.Sprintf("p/%09d", 2*n), fmt.Sprintf("p/%09d", 2*n+1)))), nil
	}
	c := hostile(s3.Options{MaxObjects: 1500}, grows)
	_, err := c.List(context.Background(), "s3://bkt/p/")
	if !errors.Is(err, limit.Err) || !strings.Contains(err.Error(), "the listing has more than 1,500 objects; the limit is 1,500, and S3Options.MaxObjects raises it") || n > 800 {
		t.Errorf("ever more keys: %v after %d requests", err, n)
	}
	n = 0
	empty := func(r *http.Request) (*http.Response, error) {
		n++
		return answerOf(r, strings.NewReader(page())), nil
	}
	c = hostile(s3.Options{}, empty)
	if _, err = c.List(context.Background(), "s3://bkt/p/"); !errors.Is(err, s3.ErrAnswer) || !strings.Contains(err.Error(), "1000 answers in a row without an object") || n > 1100 {
		t.Errorf("pages without keys: %v after %d requests", err, n)
	}
	long := func(r *http.Request) (*http.Response, error) {
		return answerOf(r, io.MultiReader(strings.NewReader("<ListBucketResult>"), endless("<CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>"))), nil
	}
	c = hostile(s3.Options{Attempts: 1}, long)
	if _, err = c.List(context.Background(), "s3://bkt/p/"); !errors.Is(err, s3.ErrAnswer) || !strings.Contains(err.Error(), "more than 33.6 MB") {
		t.Errorf("a page without an end: %v", err)
	}
}

// endless is a text again and again.
func endless(s string) io.Reader { return &repeated{text: s} }

type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n, r.at = n+k, (r.at+k)%len(r.text)
	}
	return n, nil
}

// trickle gives a byte per wait.
type trickle struct{ wait time.Duration }

func (d trickle) Read(p []byte) (int, error) {
	time.Sleep(d.wait)
	return copy(p, "x"), nil
}

// TestSlowObjects: a store that sends a byte now and then isn't waited for, and one
// that is as fast as it has to be is.
func TestSlowObjects(t *testing.T) {
	for _, c := range []struct {
		rate int64
		ok   bool
	}{{1 << 20, false}, {1, true}, {-1, true}} {
		body := func(r *http.Request) (*http.Response, error) {
			from := 0
			if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err != nil {
				return nil, err
			}
			return answerOf(r, io.LimitReader(trickle{2 * time.Millisecond}, int64(100-from)), "Content-Range", fmt.Sprintf("bytes %d-99/100", from)), nil
		}
		o := s3.Options{MinRate: c.rate, Stall: 20 * time.Millisecond, Attempts: 2}
		r, err := hostile(o, body).Open(context.Background(), s3.Object{Path: "s3://bkt/k", Size: 100, ETag: "e"})
		if err != nil {
			t.Fatal(err)
		}
		n, err := r.ReadAt(make([]byte, 100), 0)
		if c.ok && (err != nil || n != 100) {
			t.Errorf("rate %d: %d bytes, %v", c.rate, n, err)
		}
		if !c.ok && (!errors.Is(err, s3.ErrUnavailable) || !strings.Contains(err.Error(), "less than 1048576 B/s") || !strings.Contains(err.Error(), "S3Options.MinRate")) {
			t.Errorf("rate %d: %d bytes, %v", c.rate, n, err)
		}
	}
}

// TestShrunk: an object that has other bytes than when it was listed is changed,
// whatever else is odd about the answer.
func TestShrunk(t *testing.T) {
	for _, size := range []int{50, 99, 101} {
		body := func(r *http.Request) (*http.Response, error) {
			n := min(size, 100)
			return answerOf(r, bytes.NewReader(make([]byte, n)), "Content-Range", fmt.Sprintf("bytes 0-%d/%d", n-1, size)), nil
		}
		r, err := hostile(s3.Options{}, body).Open(context.Background(), s3.Object{Path: "s3://bkt/k", Size: 100, ETag: "e"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadAt(make([]byte, 100), 0); !errors.Is(err, s3.ErrChanged) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestSecretsInAddresses: no message shows the password in an endpoint's address.
func TestSecretsInAddresses(t *testing.T) {
	for _, where := range []string{"http://me:sesame@host:9000", "https://me:ses/sesame@host", "http://me:sesame@%zz", "http://me:sesame@host/path", "me:sesame@host"} {
		env := map[string]string{"AWS_ENDPOINT_URL": where}
		c := New(s3.Options{Region: "us-east-1", Anonymous: true, Getenv: func(name string) string { return env[name] }})
		_, err := c.List(context.Background(), "s3://bkt/p")
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), "sesame") {
				t.Errorf("%v", e)
			}
		}
		if !errors.Is(err, s3.ErrConfig) || strings.Contains(fmt.Sprintf("%v %+v", err, err), "sesame") || !strings.Contains(err.Error(), "AWS_ENDPOINT_URL") {
			t.Errorf("%s: %v", where, err)
		}
	}
	c := hostile(s3.Options{Attempts: 1}, func(*http.Request) (*http.Response, error) {
		return nil, errors.New(`invalid proxy address "http://me:sesame@proxy:1"`)
	})
	if _, err := c.List(context.Background(), "s3://bkt/p"); err == nil || strings.Contains(err.Error(), "sesame") || !strings.Contains(err.Error(), "proxy:1") {
		t.Errorf("%v", err)
	}
}
