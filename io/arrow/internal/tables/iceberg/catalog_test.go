// This file reads tables of a REST catalog that runs in the test.

package iceberg_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/foray-graph/foray/internal/testing/tests3"
	"github.com/foray-graph/foray/io/arrow"
	craft "github.com/foray-graph/foray/io/arrow/internal/crafticeberg"
	"github.com/foray-graph/foray/io/arrow/internal/tables/iceberg"
)

// server is a catalog with one table, a.b.t of the warehouse w, whose prefix is w%1F1.
type server struct {
	*httptest.Server
	metadata json.RawMessage
	config   map[string]string
	storage  []any
	token    string
	busy     int // answers that are 503 before one that isn't
	asked    []string
}

func newServer(t *testing.T, metadata []byte) *server {
	s := &server{metadata: metadata}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked = append(s.asked, r.URL.EscapedPath())
	answer := func(code int, v any) {
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(v)
	}
	fail := func(code int, message string) {
		answer(code, map[string]any{"error": map[string]any{"message": message, "type": "X", "code": code}})
	}
	switch {
	case s.busy > 0:
		s.busy--
		fail(503, "busy")
	case s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token:
		fail(401, "not with "+r.Header.Get("Authorization"))
	case r.URL.Path == "/base/v1/config" && r.URL.Query().Get("warehouse") == "w":
		answer(200, map[string]any{"defaults": map[string]string{"prefix": "other"}, "overrides": map[string]string{"prefix": "w/1"}})
	case r.URL.EscapedPath() == "/base/v1/w/1/namespaces/a%1Fb.c/tables/t":
		answer(200, map[string]any{"metadata-location": "s3://nowhere/v1.metadata.json", "metadata": s.metadata, "config": s.config, "storage-credentials": s.storage})
	default:
		fail(404, "no such thing")
	}
}

// path names the table.
func (s *server) path() string {
	return strings.Replace(s.URL, "http://", "iceberg://", 1) + "/base/a.b%2Ec/t?warehouse=w"
}

// metadataOf returns the newest metadata of a table, plain.
func metadataOf(t *testing.T, w *craft.Table) []byte {
	names, err := filepath.Glob(filepath.Join(w.Dir, "metadata", "*.metadata.json"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, _ := os.Stat(a)
		y, _ := os.Stat(b)
		return x.ModTime().Compare(y.ModTime())
	})
	b, err := os.ReadFile(names[len(names)-1])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func catalogTable(t *testing.T, location string) *craft.Table {
	dir := t.TempDir()
	return craft.Random(rand.New(rand.NewPCG(3, 5)), dir, craft.Options{Version: 2, Location: location, Plain: true, Hash: iceberg.Murmur3})
}

// TestCatalog: a table is read by its name, with the token of the environment.
func TestCatalog(t *testing.T) {
	w := catalogTable(t, "")
	s := newServer(t, metadataOf(t, w))
	last := w.Snapshots[len(w.Snapshots)-1]
	t.Setenv("ICEBERG_TOKEN", "se-cret")
	s.token, s.busy = "se-cret", 2
	got, d, err := read(t.Context(), s.path(), w.Schemas[last.Schema], arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := expected(last.Rows, nil); !slices.Equal(got, want) {
		t.Fatalf("%v\nwant %v", got, want)
	}
	if snap := d.Info().Snapshots[0]; snap.Name != "a.b.c.t" || snap.Path != s.path() {
		t.Errorf("%+v", snap)
	}
}

// TestCatalogErrors: what a catalog refuses is told without the token.
func TestCatalogErrors(t *testing.T) {
	w := catalogTable(t, "")
	s := newServer(t, metadataOf(t, w))
	s.token = "right"
	for _, c := range []struct {
		token, from, to string
		is              error
		says            string
	}{
		{"", "", "", fs.ErrPermission, "set ICEBERG_TOKEN"},
		{"wr-ong", "", "", fs.ErrPermission, "doesn't let the token of ICEBERG_TOKEN"},
		{"right", "/t?", "/u?", fs.ErrNotExist, `the table "u" in the namespace "a.b.c"`},
		{"right", "warehouse=w", "warehouse=x", fs.ErrNotExist, "no such thing"},
		{"right", "?warehouse=w", "?token=x", nil, `it has "token" after the ?`},
		{"right", "iceberg://", "iceberg://me:secret@", nil, "ICEBERG_TOKEN"},
		{"right", "/base/a.b%2Ec/t", "/t", nil, "it lacks the namespace"},
		{"right", "/a.b%2Ec/", "/a..b/", nil, "a level of its namespace is empty"},
	} {
		t.Setenv("ICEBERG_TOKEN", c.token)
		path := s.path()
		if c.from != "" {
			path = strings.Replace(path, c.from, c.to, 1)
		}
		_, err := arrow.Open(t.Context(), []string{path}, arrow.Options{})
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", path, err, c.says)
		} else if c.token != "" && c.token != "right" && strings.Contains(err.Error(), c.token) {
			t.Errorf("the token is in %v", err)
		}
	}
	// Redirects stay in the catalog.
	other := newServer(t, nil)
	from := httptest.NewServer(http.RedirectHandler(other.URL+"/base/v1/config", http.StatusFound))
	defer from.Close()
	t.Setenv("ICEBERG_TOKEN", "right")
	_, err := arrow.Open(t.Context(), []string{strings.Replace(from.URL, "http", "iceberg", 1) + "/n/t"}, arrow.Options{})
	if err == nil || !strings.Contains(err.Error(), "another host") || len(other.asked) > 0 {
		t.Errorf("%v, asked %v", err, other.asked)
	}
}

// TestCatalogKeys: objects are read with the credentials that the catalog gives.
func TestCatalogKeys(t *testing.T) {
	w := catalogTable(t, "s3://lake/warehouse/t")
	last := w.Snapshots[len(w.Snapshots)-1]
	for _, how := range []string{"config", "storage"} {
		store := tests3.NewFake(t, "lake")
		for k, v := range store.Env() {
			t.Setenv(k, v)
		}
		t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
		t.Setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
		err := filepath.WalkDir(w.Dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			rel, _ := filepath.Rel(w.Dir, p)
			store.Put("lake", "warehouse/t/"+filepath.ToSlash(rel), b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s := newServer(t, metadataOf(t, w))
		keys := map[string]string{"s3.access-key-id": "vended-id", "s3.secret-access-key": "vended-secret", "s3.session-token": "vended-session"}
		if how == "config" {
			keys["s3.endpoint"] = store.Endpoint
			s.config = keys
		} else {
			s.config = map[string]string{"s3.endpoint": store.Endpoint, "s3.access-key-id": "wrong", "s3.secret-access-key": "wrong"}
			s.storage = []any{map[string]any{"prefix": "s3://lake/", "config": map[string]string{"s3.access-key-id": "x", "s3.secret-access-key": "x"}},
				map[string]any{"prefix": "s3://lake/warehouse", "config": keys}, map[string]any{"prefix": "s3://other/warehouse/t", "config": nil}}
		}
		got, _, err := read(t.Context(), s.path(), w.Schemas[last.Schema], arrow.Options{})
		if err != nil {
			t.Fatal(how, err)
		}
		if want := expected(last.Rows, nil); !slices.Equal(got, want) {
			t.Fatalf("%s: %v\nwant %v", how, got, want)
		}
		for _, r := range store.Requests() {
			if auth := r.Header.Get("Authorization"); !strings.Contains(auth, "Credential=vended-id/") {
				t.Fatalf("%s: a request of %s has %q", how, r.Key, auth)
			}
		}
	}
}
