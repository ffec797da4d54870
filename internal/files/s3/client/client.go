// This file holds Client, its options, and how it gets its connections.

package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/s3"
)

// settings are the options with their defaults.
type settings struct {
	attempts, inFlight, partsInFlight      int
	backoff, stall, complete, abort        time.Duration
	metadata                               time.Duration // how long the instance's service may take
	pause                                  time.Duration // see abortPause
	mergeGap, pieceSize, partSize, minPart int64
	growAfter, growEvery, maxObjects       int
	minRate                                int64
	getenv                                 func(string) string
}

func settingsOf(o *s3.Options) settings {
	s := settings{attempts, inFlight, partsInFlight, backoff, stall, stallComplete, abortTimeout, metadataTimeout, abortPause,
		mergeGap, pieceSize, partSize, minPart, growAfter, growEvery, maxObjects, minRate, os.Getenv}
	if o.Attempts > 0 {
		s.attempts = o.Attempts
	}
	if o.Backoff > 0 {
		s.backoff = o.Backoff
	}
	if o.Stall > 0 {
		s.stall, s.complete = o.Stall, max(o.Stall, s.complete)
	}
	if o.MinRate != 0 {
		s.minRate = max(o.MinRate, 0)
	}
	if o.MaxObjects > 0 {
		s.maxObjects = o.MaxObjects
	}
	if o.InFlight > 0 {
		s.inFlight = o.InFlight
	}
	if o.MergeGap != 0 {
		s.mergeGap = max(o.MergeGap, 0)
	}
	if o.PieceSize > 0 {
		s.pieceSize = o.PieceSize
	}
	if o.PartSize > 0 {
		s.partSize = min(max(o.PartSize, s.minPart), maxPart)
	}
	if o.Getenv != nil {
		s.getenv = o.Getenv
	}
	return s
}

// Client talks to one store. Making it sends no request; the first
// request determines what the options leave open. It is safe for concurrent
// use.
type Client struct {
	opts  s3.Options
	set   settings
	stats stats
	own   *http.Transport // nil in tests that answer requests themselves
	http  *transport

	lock    chan struct{} // held while configuration and credentials are looked up
	conf    *config
	keys    *keys
	mu      sync.Mutex
	cores   map[string]*minio.Core // by region
	regions map[string]string      // of buckets that the store reported in another region
}

// New returns a client with these options. It does no input or output.
func New(o s3.Options) *Client {
	set := settingsOf(&o)
	return newClient(o, newTransport(set.inFlight))
}

// newClient is New with what sends requests.
func newClient(o s3.Options, base http.RoundTripper) *Client {
	c := &Client{opts: o, set: settingsOf(&o), lock: make(chan struct{}, 1),
		cores: map[string]*minio.Core{}, regions: map[string]string{}}
	c.own, _ = base.(*http.Transport)
	c.http = &transport{base: base, stall: c.set.stall, complete: c.set.complete, minRate: c.set.minRate, stats: &c.stats}
	return c
}

func init() { s3.Linked.Provide(func(o s3.Options) s3.Client { return New(o) }) }

// Close closes connections that are idle, which would else stay for half a
// minute. The client can still be used.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// core returns a connection for requests to the bucket, with credentials that
// haven't expired, and its region.
func (c *Client) core(ctx context.Context, q request) (*minio.Core, string, error) {
	select {
	case c.lock <- struct{}{}:
		defer func() { <-c.lock }()
	case <-ctx.Done():
		return nil, "", ended(ctx)
	}
	if c.conf == nil {
		conf, err := findConfig(&c.opts, c.set.getenv)
		if err != nil {
			return nil, "", configError(q, err)
		}
		if conf.authorities != nil && c.own != nil { // no request was sent yet
			c.own.TLSClientConfig = &tls.Config{RootCAs: conf.authorities, MinVersion: tls.VersionTLS12}
		}
		c.conf, c.keys = conf, newKeys(&c.opts, conf, &c.set)
	}
	if err := c.keys.fresh(ctx); err != nil {
		if e := ended(ctx); e != nil {
			return nil, "", e
		}
		return nil, "", configError(q, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	region := c.conf.region
	if r := c.regions[q.bucket]; r != "" {
		region = r
	}
	if core := c.cores[region]; core != nil {
		return core, region, nil
	}
	core, err := minio.NewCore(c.conf.endpoint.Host, &minio.Options{
		Creds:      credentials.New(c.keys),
		Secure:     c.conf.endpoint.Scheme == "https",
		Transport:  c.http,
		Region:     region,
		MaxRetries: 1, // Client.do is the one that retries
	})
	if err != nil {
		return nil, "", configError(q, fmt.Errorf("endpoint %s: %w", location.RedactAddress(c.conf.endpoint.String()), err))
	}
	c.cores[region] = core
	return core, region, nil
}

// moved records that a bucket is in another region than the one that the request went to,
// and reports whether to retry there. A second redirection isn't
// followed.
func (c *Client) moved(bucket, region string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.regions[bucket]; ok {
		return known == region // another request learned of it meanwhile
	}
	c.regions[bucket] = region
	return true
}

func configError(q request, err error) error {
	return &s3.Error{Op: q.op, Path: q.path, Kind: s3.ErrConfig, Err: err}
}

// config is the store's address and region.
type config struct {
	endpoint *url.URL
	region   string
	profile  *profile
	// authorities are the trusted certificate authorities; nil for the system's.
	authorities *x509.CertPool
}

func findConfig(o *s3.Options, getenv func(string) string) (*config, error) {
	p, err := findProfile(o, getenv)
	if err != nil {
		return nil, err
	}
	c := &config{profile: p, region: first(o.Region, getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), p.region, "us-east-1")}
	where, from := o.Endpoint, "the option Endpoint"
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"} {
		if where == "" {
			where, from = getenv(name), name
		}
	}
	if where == "" {
		where, from = p.endpoint, "endpoint_url of "+p.name
	}
	if where == "" {
		where = "https://s3.amazonaws.com"
		if strings.HasPrefix(c.region, "cn-") {
			where = "https://s3." + c.region + ".amazonaws.com.cn"
		}
	}
	u, err := url.Parse(where)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		why := ""
		if strings.Contains(where, "@") {
			why = ", and keys as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
		}
		return nil, fmt.Errorf("%s is %q: write it as http://host:port or https://host%s", from, location.RedactAddress(where), why)
	}
	c.endpoint = u
	c.authorities, err = readBundle(getenv, p)
	return c, err
}

// readBundle reads the certificates that AWS_CA_BUNDLE, or ca_bundle in ~/.aws/config, names.
func readBundle(getenv func(string) string, p *profile) (*x509.CertPool, error) {
	name, from := getenv("AWS_CA_BUNDLE"), "AWS_CA_BUNDLE"
	if name == "" {
		name, from = p.bundle, "ca_bundle of "+p.name
	}
	if name == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: %s has no certificate in PEM form", from, name)
	}
	return pool, nil
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
