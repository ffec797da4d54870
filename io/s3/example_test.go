package s3_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"

	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/s3"
)

// counting counts the requests that it passes on.
type counting struct{ requests atomic.Int64 }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

// A Parquet file is read from a store, here a server that has it as the object lake/karate.parquet.
// The caller's transport sees every request.
func Example() {
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, err := os.Open("../../testdata/karate.parquet")
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil || r.URL.Path != "/lake/karate.parquet" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", info.ModTime(), file)
	}))
	defer store.Close()

	seen := &counting{}
	ctx := s3.WithTransport(context.Background(), seen)
	g, err := arrow.Load(ctx, "s3://lake/karate.parquet", arrow.Options{
		Source: "src", Target: "dst",
		S3: arrow.S3Options{Endpoint: store.URL, Region: "us-east-1", Anonymous: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.NumEdges(), "edges; requests were seen:", seen.requests.Load() > 0)
	// Output: 78 edges; requests were seen: true
}
