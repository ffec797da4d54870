package prometheus_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"strings"

	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/io/arrow"
	foray "github.com/foray-graph/foray/metrics/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A service answers searches, and /metrics.
func Example() {
	ctx := context.Background()
	recorder := foray.New()
	registry := prometheus.NewRegistry()
	registry.MustRegister(recorder)
	g, err := arrow.Load(ctx, "../../testdata/karate.parquet", arrow.Options{Metrics: recorder})
	if err != nil {
		log.Fatal(err)
	}
	placed, err := g.On(host.New(0))
	if err != nil {
		log.Fatal(err)
	}
	defer placed.Close()
	for source := range uint32(3) {
		r, err := dobfs.Run(ctx, placed, source, dobfs.Options{Metrics: recorder})
		if err != nil {
			log.Fatal(err)
		}
		r.Close()
	}

	// A real service passes promhttp.HandlerFor to http.Handle; here one request is enough.
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text, err := io.ReadAll(w.Body)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "foray_searches_total") || strings.HasPrefix(line, "foray_load_rows_total") {
			fmt.Print(line)
		}
	}
	// Output:
	// foray_load_rows_total{phase="build"} 156
	// foray_load_rows_total{phase="read"} 78
	// foray_searches_total{algorithm="dobfs",device="host",result="ok"} 3
}
