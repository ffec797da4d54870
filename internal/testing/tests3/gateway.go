// This file holds Gateway: a real store.

package tests3

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/testing/testlong"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Gateway is a store that isn't of our making: the one that FORAY_S3_ENDPOINT
// names, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; else a versitygw on
// loopback over a folder, whose binary FORAY_VERSITYGW names or the PATH has.
type Gateway struct {
	Endpoint             string
	AccessKey, SecretKey string
	Bucket               string // empty at first
	Dir                  string // where the bucket's objects are files; empty where that isn't here

	mc   *minio.Client
	stop func()
}

// NewGateway starts a store that ends with the test, and makes a bucket in it.
// Without one the test is skipped.
func NewGateway(t testing.TB) *Gateway {
	t.Helper()
	g := &Gateway{stop: func() {}, Bucket: fmt.Sprintf("foray-test-%d-%d", os.Getpid(), time.Now().UnixNano())}
	if g.Endpoint = os.Getenv("FORAY_S3_ENDPOINT"); g.Endpoint != "" {
		g.AccessKey, g.SecretKey = os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	} else {
		g.AccessKey, g.SecretKey = AccessKey, SecretKey
		g.start(t)
	}
	u, err := url.Parse(g.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		t.Fatal(err)
	}
	transport.DisableKeepAlives = true // tests look for goroutines that are left
	g.mc, err = minio.New(u.Host, &minio.Options{Secure: u.Scheme == "https", Region: "us-east-1", Transport: transport,
		Creds: credentials.NewStaticV4(g.AccessKey, g.SecretKey, "")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := g.mc.MakeBucket(ctx, g.Bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatalf("making a bucket at %s: %v", g.Endpoint, err)
	}
	if g.Dir == "" {
		t.Cleanup(g.clear)
	} else {
		g.Dir = filepath.Join(g.Dir, g.Bucket)
	}
	return g
}

// Binary returns where versitygw is, or skips the test.
func Binary(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("FORAY_VERSITYGW"); path != "" {
		return path
	}
	path, err := exec.LookPath("versitygw")
	if err != nil {
		testlong.Missing(t, "store", "needs a store: set FORAY_S3_ENDPOINT, or FORAY_VERSITYGW to the binary of versitygw (go install github.com/versity/versitygw/cmd/versitygw@latest)")
	}
	return path
}

// start starts versitygw at a free port.
func (g *Gateway) start(t testing.TB) {
	t.Helper()
	binary := Binary(t)
	dir, sidecar := t.TempDir(), t.TempDir()
	var log bytes.Buffer
	for range 5 { // another program may take the port first
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		l.Close()
		log.Reset()
		cmd := exec.Command(binary, "--port", addr, "--quiet", "--keep-alive", "posix", "--sidecar", sidecar, dir)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+g.AccessKey, "ROOT_SECRET_KEY="+g.SecretKey)
		cmd.Stdout, cmd.Stderr = &log, &log
		if err := cmd.Start(); err != nil {
			t.Fatalf("%s: %v", binary, err)
		}
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		stop := sync.OnceFunc(func() { _ = cmd.Process.Kill(); <-ended })
		if answers(addr, ended) {
			g.Endpoint, g.Dir, g.stop = "http://"+addr, dir, stop
			t.Cleanup(stop)
			return
		}
		stop()
	}
	t.Fatalf("%s doesn't answer: %s", binary, log.String())
}

// answers waits until a server listens at addr, as long as ended is open.
func answers(addr string, ended <-chan struct{}) bool {
	for range 600 {
		select {
		case <-ended:
			return false
		case <-time.After(50 * time.Millisecond):
		}
		if c, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			c.Close()
			return true
		}
	}
	return false
}

// Stop kills the store, even while it serves requests. A store that the test
// didn't start stays.
func (g *Gateway) Stop() { g.stop() }

// Env returns variables of the environment with which clients find the store.
func (g *Gateway) Env() map[string]string {
	return map[string]string{"AWS_ENDPOINT_URL": g.Endpoint, "AWS_ACCESS_KEY_ID": g.AccessKey, "AWS_SECRET_ACCESS_KEY": g.SecretKey}
}

// Path returns the path of a key in the bucket.
func (g *Gateway) Path(key string) string { return "s3://" + g.Bucket + "/" + key }

// Put stores an object.
func (g *Gateway) Put(t testing.TB, key string, data []byte) {
	t.Helper()
	if _, err := g.mc.PutObject(context.Background(), g.Bucket, key, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{}); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}

// Get returns the bytes of an object, and whether it is there.
func (g *Gateway) Get(t testing.TB, key string) ([]byte, bool) {
	t.Helper()
	o, err := g.mc.GetObject(context.Background(), g.Bucket, key, minio.GetObjectOptions{})
	var b bytes.Buffer
	if err == nil {
		defer o.Close()
		_, err = b.ReadFrom(o)
	}
	if err != nil {
		if strings.HasPrefix(minio.ToErrorResponse(err).Code, "NoSuch") {
			return nil, false
		}
		t.Fatalf("%s: %v", key, err)
	}
	return b.Bytes(), true
}

// Delete removes an object.
func (g *Gateway) Delete(t testing.TB, key string) {
	t.Helper()
	if err := g.mc.RemoveObject(context.Background(), g.Bucket, key, minio.RemoveObjectOptions{}); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}

// Uploads returns how many multipart uploads were begun and not ended, of all objects or of those below some paths.
func (g *Gateway) Uploads(t testing.TB, below ...string) int {
	t.Helper()
	n := 0
	for u := range g.mc.ListIncompleteUploads(context.Background(), g.Bucket, "", true) {
		if u.Err != nil {
			t.Error(u.Err)
			return n
		}
		if len(below) == 0 || slices.ContainsFunc(below, func(path string) bool { return strings.HasPrefix(g.Path(u.Key), path+"/") }) {
			n++
		}
	}
	return n
}

// clear removes the bucket from a store that stays.
func (g *Gateway) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for o := range g.mc.ListObjects(ctx, g.Bucket, minio.ListObjectsOptions{Recursive: true}) {
		_ = g.mc.RemoveObject(ctx, g.Bucket, o.Key, minio.RemoveObjectOptions{})
	}
	_ = g.mc.RemoveBucket(ctx, g.Bucket)
}
