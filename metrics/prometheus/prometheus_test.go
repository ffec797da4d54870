package prometheus_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/io/arrow"
	foray "github.com/foray-graph/foray/metrics/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// sized is a device that reports its memory.
type sized struct{ device.Device }

func (sized) Info() device.Info {
	return device.Info{Name: "sized", MemoryFree: 3, MemoryTotal: 4}
}

// TestScrape: a scrape has the searches, loads, pools and devices of a program.
func TestScrape(t *testing.T) {
	ctx := context.Background()
	recorder, registry := foray.New(), prometheus.NewPedanticRegistry()
	registry.MustRegister(recorder, foray.NewDevices(sized{}, host.New(1)))
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}))
	defer server.Close()

	g, err := arrow.Load(ctx, "../../testdata/karate.parquet", arrow.Options{Metrics: recorder})
	if err != nil {
		t.Fatal(err)
	}
	dev := host.New(2)
	defer dev.Close()
	p, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pool, err := bfs.NewPool(p, bfs.Options{Metrics: recorder}, device.NewBudget(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	query := bfs.Query{Sources: []uint32{0}}
	if err := pool.Run(ctx, query, func(*bfs.Result) error { return nil }); err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := pool.Run(canceled, query, func(*bfs.Result) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := cc.Run(canceled, p, cc.Options{Metrics: recorder}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}

	answer, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%v, %d: %s", err, answer.StatusCode, text)
	}
	for line := range strings.FieldsSeq(`
		foray_searches_total{algorithm="bfs",device="host",result="ok"}_1
		foray_search_seconds_count{algorithm="bfs",device="host"}_1
		foray_search_reached_total{algorithm="bfs",device="host"}_34
		foray_loads_total{phase="read",result="ok"}_1
		foray_loads_total{phase="build",result="ok"}_1
		foray_load_rows_total{phase="read"}_78
		foray_load_rows_total{phase="build"}_156
		foray_pool_waiting{device="host",pool="bfs"}_0
		foray_pool_running{device="host",pool="bfs"}_0
		foray_pool_wait_seconds_count{device="host",pool="bfs"}_1
		foray_pool_refused_total{device="host",pool="bfs"}_1
		foray_pool_budget_bytes{device="host",pool="bfs"}_1.048576e+06
		foray_device_memory_free_bytes{device="sized"}_3
		foray_device_memory_bytes{device="sized"}_4`) {
		name, value, _ := strings.Cut(line, "}_")
		if want := name + "} " + value + "\n"; !strings.Contains(string(text), want) {
			t.Errorf("the scrape lacks %q", want)
		}
	}
	if want := `foray_searches_total{algorithm="cc`; !strings.Contains(string(text), want) || !strings.Contains(string(text), `result="canceled"} 1`) {
		t.Errorf("the scrape lacks %q, canceled", want)
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}
