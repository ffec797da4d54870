package edgelist

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/tests3"
	_ "github.com/foray-graph/foray/io/s3"
)

// TestStore: an object comes from the store that Options.S3 names.
func TestStore(t *testing.T) {
	f := tests3.NewFake(t, "lake")
	f.Put("lake", "e.el", []byte("1 2\n2 3\n"))
	g, err := Load(t.Context(), "s3://lake/e.el", Options{S3: S3Options{Endpoint: f.Endpoint, Region: "us-east-1", AccessKey: tests3.AccessKey, SecretKey: tests3.SecretKey}})
	if err != nil || g.NumVertices() != 3 {
		t.Error(g, err)
	}
}
