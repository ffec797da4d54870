// This file tests where endpoint, region and credentials come from.

package client

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/internal/testing/tests3"
)

// home makes a folder with the files of the AWS tools, and returns an
// environment with it.
func home(t *testing.T, credentials, config string, vars ...string) func(string) string {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".aws"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"credentials": credentials, "config": config} {
		if err := os.WriteFile(filepath.Join(dir, ".aws", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HOME": dir, "AWS_EC2_METADATA_DISABLED": "true"}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return func(name string) string { return env[name] }
}

func TestConfig(t *testing.T) {
	const credentials = "[default]\naws_access_key_id = d\naws_secret_access_key = ds\n[two]\naws_access_key_id=t\naws_secret_access_key=ts\naws_session_token=tt\n[half]\naws_access_key_id=h\n"
	const config = "[default]\nregion = eu-west-1\n[profile two]\nregion=eu-west-2\nendpoint_url = http://127.0.0.1:2\ns3 =\n  max_concurrent_requests = 20\n[profile sso]\nsso_session = x\n[profile keys]\naws_access_key_id=k\naws_secret_access_key=ks\n[profile run]\ncredential_process = /bin/echo {\"Version\":1,\"AccessKeyId\":\"p\",\"SecretAccessKey\":\"ps\",\"Expiration\":\"2100-01-01T00:00:00Z\"}\n[profile fails]\ncredential_process = /bin/false now\n"
	for _, c := range []struct {
		vars                  string
		o                     s3.Options
		access, token         string
		region, endpoint, err string
	}{
		{"", s3.Options{}, "d", "", "eu-west-1", "https://s3.amazonaws.com", ""},
		{"AWS_PROFILE=two", s3.Options{}, "t", "tt", "eu-west-2", "http://127.0.0.1:2", ""},
		{"", s3.Options{Profile: "two"}, "t", "tt", "eu-west-2", "http://127.0.0.1:2", ""},
		{"AWS_PROFILE=keys", s3.Options{}, "k", "", "us-east-1", "https://s3.amazonaws.com", ""},
		{"AWS_PROFILE=run", s3.Options{}, "p", "", "us-east-1", "https://s3.amazonaws.com", ""},
		{"AWS_PROFILE=fails", s3.Options{}, "", "", "", "", "run it by hand"},
		{"AWS_PROFILE=sso", s3.Options{}, "", "", "", "", "export-credentials --profile sso"},
		{"AWS_PROFILE=none", s3.Options{}, "", "", "", "", "no profile \"none\""},
		{"AWS_PROFILE=half", s3.Options{}, "", "", "", "", "set both"},
		{"AWS_ACCESS_KEY_ID=e", s3.Options{}, "", "", "", "", "set both"},
		{"AWS_ACCESS_KEY_ID=e AWS_SECRET_ACCESS_KEY=es AWS_SESSION_TOKEN=et AWS_PROFILE=two", s3.Options{}, "e", "et", "eu-west-2", "http://127.0.0.1:2", ""},
		{"AWS_REGION=r AWS_DEFAULT_REGION=s AWS_ENDPOINT_URL=http://h:1 AWS_ENDPOINT_URL_S3=https://g/", s3.Options{}, "d", "", "r", "https://g/", ""},
		{"AWS_DEFAULT_REGION=s AWS_ENDPOINT_URL=http://h:1", s3.Options{}, "d", "", "s", "http://h:1", ""},
		{"AWS_REGION=cn-north-1", s3.Options{}, "d", "", "cn-north-1", "https://s3.cn-north-1.amazonaws.com.cn", ""},
		{"AWS_ACCESS_KEY_ID=e AWS_SECRET_ACCESS_KEY=es AWS_REGION=r", s3.Options{AccessKey: "o", SecretKey: "os", Region: "q", Endpoint: "http://x:9"}, "o", "", "q", "http://x:9", ""},
		{"", s3.Options{Anonymous: true}, "", "", "eu-west-1", "https://s3.amazonaws.com", ""},
		{"AWS_ENDPOINT_URL=localhost:9000", s3.Options{}, "", "", "", "", "AWS_ENDPOINT_URL is \"localhost:9000\": write it as http"},
		{"AWS_ENDPOINT_URL_S3=ftp://h", s3.Options{}, "", "", "", "", "AWS_ENDPOINT_URL_S3"},
		{"AWS_ENDPOINT_URL=http://h/path", s3.Options{}, "", "", "", "", "http://h/path"},
		{"AWS_SHARED_CREDENTIALS_FILE=/nowhere AWS_CONFIG_FILE=/nowhere", s3.Options{}, "", "", "us-east-1", "https://s3.amazonaws.com", ""},
		{"AWS_SHARED_CREDENTIALS_FILE=/nowhere AWS_CONFIG_FILE=/nowhere AWS_CONTAINER_CREDENTIALS_FULL_URI=http://127.0.0.1:1/x", s3.Options{}, "", "", "", "", "AWS_CONTAINER_CREDENTIALS_FULL_URI is set"},
	} {
		c.o.Getenv = home(t, credentials, config, strings.Fields(c.vars)...)
		// minio-go reads the address of a container's credential service from the environment.
		for _, v := range strings.Fields(c.vars) {
			if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_CONTAINER") {
				t.Setenv(name, value)
			}
		}
		cl := New(c.o)
		_, region, err := cl.core(context.Background(), request{op: "read", path: "s3://b/k", bucket: "b"})
		if c.err != "" {
			if !errors.Is(err, s3.ErrConfig) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.vars, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.vars, err)
			continue
		}
		v := must(cl.keys.Retrieve())
		if v.AccessKeyID != c.access || v.SessionToken != c.token || region != c.region || cl.conf.endpoint.String() != c.endpoint {
			t.Errorf("%s: %+v, %s, %s", c.vars, v, region, cl.conf.endpoint)
		}
	}
}

// TestInstanceRole: credentials of an instance are asked for once, and again when
// they have expired.
func TestInstanceRole(t *testing.T) {
	expires := time.Now().Add(time.Hour)
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			_, _ = w.Write([]byte("token"))
		case strings.HasSuffix(r.URL.Path, "/security-credentials/"):
			_, _ = w.Write([]byte("role"))
		default:
			asked++
			_, _ = w.Write([]byte(`{"Code":"Success","AccessKeyId":"role","SecretAccessKey":"s","Token":"t","Expiration":"` + expires.UTC().Format(time.RFC3339) + `"}`))
		}
	}))
	defer s.Close()
	f := tests3.NewFake(t, "bucket")
	c := client(t, s3.Options{Endpoint: f.Endpoint, Attempts: 2, Backoff: time.Millisecond,
		Getenv: home(t, "", "", "AWS_EC2_METADATA_DISABLED=false", "AWS_EC2_METADATA_SERVICE_ENDPOINT="+s.URL)})
	for range 3 {
		must(c.List(context.Background(), "s3://bucket"))
	}
	if r := f.Requests(); asked != 1 || !strings.Contains(r[2].Header.Get("Authorization"), "Credential=role/") || r[2].Header.Get("X-Amz-Security-Token") != "t" {
		t.Errorf("asked %d times, %v", asked, r[2].Header)
	}
	// The store says that they have expired.
	f.SetFault(func(r tests3.Request) fault {
		if r.N == 3 {
			return fault{Status: 400, Code: "ExpiredToken"}
		}
		return fault{}
	})
	must(c.List(context.Background(), "s3://bucket"))
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	c.keys.expires = time.Now().Add(-time.Second)
	must(c.List(context.Background(), "s3://bucket"))
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

// TestAnonymous: without credentials requests aren't signed, and a metadata
// service that isn't there, or is silent, is asked once.
func TestAnonymous(t *testing.T) {
	asked := make(chan bool, 100)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done()
	}))
	defer silent.Close()
	f := tests3.NewFake(t, "bucket")
	c := client(t, s3.Options{Endpoint: f.Endpoint,
		Getenv: home(t, "", "", "AWS_EC2_METADATA_DISABLED=false", "AWS_EC2_METADATA_SERVICE_ENDPOINT="+silent.URL)})
	c.set.metadata = 100 * time.Millisecond
	for range 3 {
		must(c.List(context.Background(), "s3://bucket"))
	}
	if r := f.Requests(); len(asked) > 2 || r[0].Header.Get("Authorization") != "" {
		t.Errorf("asked %d times, %v", len(asked), r[0].Header)
	}
}

func TestSplit(t *testing.T) {
	for path, want := range map[string][2]string{
		"s3://bucket":            {"bucket", ""},
		"s3://bucket/":           {"bucket", ""},
		"S3://bucket/a":          {"bucket", "a"},
		"s3://bucket/a/b c/":     {"bucket", "a/b c/"},
		"s3://my.bucket-1/*/[a]": {"my.bucket-1", "*/[a]"},
		"s3://bucket//a":         {"bucket", "/a"},
	} {
		b, k, err := s3.Split(path)
		if !s3.Is(path) || err != nil || b != want[0] || k != want[1] {
			t.Errorf("%s: %q, %q, %v", path, b, k, err)
		}
	}
	for path, text := range map[string]string{
		"s3://":            "no bucket",
		"s3:///a":          "no bucket",
		"s3://b*/a":        "pattern",
		"s3://k:s@b/a":     "credentials",
		"s3://host:9000/a": "AWS_ENDPOINT_URL",
		"s3://b/a":         "no bucket",
		"s3://buc ket/a":   "no bucket",
		"s3://bucket/\xff": "UTF-8",
		"dir/a":            "s3://",
	} {
		if _, _, err := s3.Split(path); !errors.Is(err, s3.ErrPath) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"", "s3", "s3:/a", "/s3://a", "gs://a", "s3a"} {
		if s3.Is(path) {
			t.Error(path)
		}
	}
}

// TestNoCredentials: who has none learns where they were looked for, and who asks
// for none, that this is why.
func TestNoCredentials(t *testing.T) {
	f := tests3.NewFake(t, "bucket")
	f.SetFault(func(q tests3.Request) fault {
		if !strings.Contains(q.Header.Get("Authorization"), "Credential=") {
			return fault{Status: 403, Code: "AccessDenied"}
		}
		return fault{Status: 403, Code: "InvalidAccessKeyId"}
	})
	const keys = "AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b"
	for _, c := range []struct {
		vars string
		o    s3.Options
		want []string
	}{
		{"", s3.Options{}, []string{"cannot list s3://bucket/: access denied (AccessDenied, HTTP 403): no credentials were found: not in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
			`not under "default" in `, "/.aws/credentials or ", "/.aws/config, and no role", "AWS_NO_SIGN_REQUEST=true"}},
		{"AWS_PROFILE=two", s3.Options{}, []string{`not under "two" in `}},
		{keys, s3.Options{}, []string{"check AWS_ACCESS_KEY_ID"}},
		{keys + " AWS_NO_SIGN_REQUEST=YES", s3.Options{}, []string{"it was asked without credentials, as AWS_NO_SIGN_REQUEST says"}},
		{keys + " AWS_NO_SIGN_REQUEST=no", s3.Options{}, []string{"check AWS_ACCESS_KEY_ID"}},
		{"AWS_NO_SIGN_REQUEST=1", s3.Options{AccessKey: "a", SecretKey: "b"}, []string{"check AWS_ACCESS_KEY_ID"}},
		{keys, s3.Options{Anonymous: true}, []string{"it was asked without credentials, as S3Options.Anonymous says"}},
	} {
		c.o.Endpoint, c.o.Attempts, c.o.Getenv = f.Endpoint, 1, home(t, "", "[profile two]\nregion=x\n", strings.Fields(c.vars)...)
		cl := client(t, c.o)
		_, list := cl.List(context.Background(), "s3://bucket/")
		_, group := cl.CreateGroup(context.Background(), "s3://bucket", nil)
		for _, err := range []error{list, group} {
			for _, want := range c.want {
				if err == group {
					want = strings.Replace(want, "cannot list", "cannot write", 1)
				}
				if !errors.Is(err, s3.ErrDenied) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v, want %q", c.vars, err, want)
				}
			}
		}
	}
}

// TestAuthorities: AWS_CA_BUNDLE and ca_bundle name the authorities that are trusted.
func TestAuthorities(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotFound) }))
	defer server.Close()
	server.Config.ErrorLog = nil
	dir := t.TempDir()
	bundle, empty := filepath.Join(dir, "bundle.pem"), filepath.Join(dir, "empty.pem")
	if err := os.WriteFile(bundle, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	const keys = "[default]\naws_access_key_id = d\naws_secret_access_key = ds\n"
	for _, c := range []struct {
		config, env string
		want        error
		says        string
	}{
		{"", "AWS_CA_BUNDLE=" + bundle, s3.ErrNotFound, ""},
		{"[default]\nca_bundle = " + bundle + "\n", "", s3.ErrNotFound, ""},
		{"[default]\nca_bundle = " + empty + "\n", "AWS_CA_BUNDLE=" + bundle, s3.ErrNotFound, ""},
		{"", "", s3.ErrUnavailable, "AWS_CA_BUNDLE"},
		{"", "AWS_CA_BUNDLE=" + empty, s3.ErrConfig, "AWS_CA_BUNDLE: " + empty + " has no certificate"},
		{"", "AWS_CA_BUNDLE=" + filepath.Join(dir, "none"), s3.ErrConfig, "AWS_CA_BUNDLE: open "},
	} {
		client := New(s3.Options{Endpoint: server.URL, Attempts: 1, Getenv: home(t, keys, c.config, c.env)})
		_, err := client.Stat(context.Background(), "s3://lake/x")
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q, %q: %v, want %v", c.config, c.env, err, c.want)
		}
		client.Close()
	}
}
