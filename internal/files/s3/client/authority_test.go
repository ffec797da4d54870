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

	"github.com/foray-graph/foray/internal/files/s3"
)

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
