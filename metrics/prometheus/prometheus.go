// Package prometheus reports searches, loads and pools of Foray to Prometheus:
//
//	recorder := prometheus.New()
//	registry.MustRegister(recorder)
//	pool, err := dobfs.NewPool(placed, dobfs.Options{Metrics: recorder}, budget)
//
// The metrics are:
//
//	foray_searches_total{algorithm,device,result}   searches and traversals; result is ok, canceled or error
//	foray_search_seconds{algorithm,device}          histogram of their durations, of successful ones
//	foray_search_reached_total{algorithm,device}    vertices that bfs and dobfs reached
//	foray_loads_total{phase,result}                 phases of loads: read, build
//	foray_load_seconds_total{phase}                 their durations
//	foray_load_rows_total{phase}                    rows read; edges built
//	foray_load_bytes_total                          bytes read
//	foray_pool_waiting{pool,device}                 calls that wait for a searcher
//	foray_pool_running{pool,device}                 calls that have one
//	foray_pool_wait_seconds{pool,device}            histogram of the time until they had one
//	foray_pool_refused_total{pool,device}           calls that got none
//	foray_pool_memory_bytes{pool,device}            bytes of the pool's budget that are held
//	foray_pool_budget_bytes{pool,device}            bytes of the budget
//	foray_device_memory_free_bytes{device}          free memory of devices, for NewDevices
//	foray_device_memory_bytes{device}               their memory
//
// Give pools of the same algorithm and device separate Recorders, registered with different labels by
// prometheus.WrapRegistererWith. Otherwise their gauges overwrite each other.
//
// The package is a separate module, so that Foray doesn't depend on the client of Prometheus.
package prometheus

import (
	"context"
	"errors"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

// Recorder implements metrics.Recorder, and prometheus.Collector.
type Recorder struct {
	searches, reached, loads, loadSeconds, loadRows, loadBytes, refused *prometheus.CounterVec
	searchSeconds, waitSeconds                                          *prometheus.HistogramVec
	waiting, running, used, total                                       *prometheus.GaugeVec
}

var _ metrics.Recorder = (*Recorder)(nil)

// New returns a Recorder. Register it with a registry.
func New() *Recorder {
	search, pool := []string{"algorithm", "device"}, []string{"pool", "device"}
	return &Recorder{
		searches:      counter("searches_total", "Searches and traversals that have ended.", "algorithm", "device", "result"),
		reached:       counter("search_reached_total", "Vertices that searches reached.", search...),
		searchSeconds: histogram("search_seconds", "Duration of successful searches and traversals.", search...),
		loads:         counter("loads_total", "Phases of loads that have ended.", "phase", "result"),
		loadSeconds:   counter("load_seconds_total", "Duration of phases of loads.", "phase"),
		loadRows:      counter("load_rows_total", "Rows that were read, and edges of the graphs that were built.", "phase"),
		loadBytes:     counter("load_bytes_total", "Bytes that were read from files and stores."),
		waiting:       gauge("pool_waiting", "Calls that wait for a searcher.", pool...),
		running:       gauge("pool_running", "Calls that have a searcher.", pool...),
		waitSeconds:   histogram("pool_wait_seconds", "Time that calls waited for a searcher.", pool...),
		refused:       counter("pool_refused_total", "Calls that got no searcher.", pool...),
		used:          gauge("pool_memory_bytes", "Bytes of the budget that are held, idle searchers included.", pool...),
		total:         gauge("pool_budget_bytes", "Bytes of the budget.", pool...),
	}
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "foray", Name: name, Help: help}, labels)
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "foray", Name: name, Help: help}, labels)
}

// histogram has buckets from 10 microseconds to 3 minutes, each four times as large as the one before.
func histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "foray", Name: name, Help: help,
		Buckets: prometheus.ExponentialBuckets(1e-5, 4, 13)}, labels)
}

func (r *Recorder) all() []prometheus.Collector {
	return []prometheus.Collector{r.searches, r.reached, r.searchSeconds, r.loads, r.loadSeconds, r.loadRows, r.loadBytes,
		r.waiting, r.running, r.waitSeconds, r.refused, r.used, r.total}
}

// Describe implements prometheus.Collector.
func (r *Recorder) Describe(to chan<- *prometheus.Desc) {
	for _, c := range r.all() {
		c.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (r *Recorder) Collect(to chan<- prometheus.Metric) {
	for _, c := range r.all() {
		c.Collect(to)
	}
}

// result is the label of how a call ended.
func result(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "canceled"
	}
	return "error"
}

// Search implements metrics.Recorder.
func (r *Recorder) Search(_ context.Context, e metrics.Search) {
	r.searches.WithLabelValues(e.Algorithm, e.Device, result(e.Err)).Inc()
	if e.Err == nil {
		r.searchSeconds.WithLabelValues(e.Algorithm, e.Device).Observe(e.Took.Seconds())
		r.reached.WithLabelValues(e.Algorithm, e.Device).Add(float64(e.Reached))
	}
}

// Load implements metrics.Recorder.
func (r *Recorder) Load(_ context.Context, e metrics.Load) {
	r.loads.WithLabelValues(e.Phase, result(e.Err)).Inc()
	r.loadSeconds.WithLabelValues(e.Phase).Add(e.Took.Seconds())
	r.loadRows.WithLabelValues(e.Phase).Add(float64(e.Rows))
	r.loadBytes.WithLabelValues().Add(float64(e.Bytes))
}

// Pool implements metrics.Recorder.
func (r *Recorder) Pool(_ context.Context, e metrics.Pool) {
	r.waiting.WithLabelValues(e.Name, e.Device).Set(float64(e.Waiting))
	r.running.WithLabelValues(e.Name, e.Device).Set(float64(e.Running))
	r.used.WithLabelValues(e.Name, e.Device).Set(float64(e.Used))
	r.total.WithLabelValues(e.Name, e.Device).Set(float64(e.Total))
	if e.Began {
		r.waitSeconds.WithLabelValues(e.Name, e.Device).Observe(e.Waited.Seconds())
	}
	if e.Err != nil {
		r.refused.WithLabelValues(e.Name, e.Device).Inc()
	}
}

// devices asks devices for their memory.
type devices struct {
	all         []device.Device
	free, total *prometheus.Desc
}

// NewDevices returns a collector of the memory of devices, which it asks at each scrape. A device that
// can't report its memory has none. Unregister it before the devices are closed.
func NewDevices(all ...device.Device) prometheus.Collector {
	return devices{all, prometheus.NewDesc("foray_device_memory_free_bytes", "Free memory of a device.", []string{"device"}, nil),
		prometheus.NewDesc("foray_device_memory_bytes", "Memory of a device.", []string{"device"}, nil)}
}

func (d devices) Describe(to chan<- *prometheus.Desc) {
	to <- d.free
	to <- d.total
}

func (d devices) Collect(to chan<- prometheus.Metric) {
	for _, dev := range d.all {
		info := dev.Info()
		if info.MemoryTotal == 0 {
			continue
		}
		to <- prometheus.MustNewConstMetric(d.free, prometheus.GaugeValue, float64(info.MemoryFree), info.Name)
		to <- prometheus.MustNewConstMetric(d.total, prometheus.GaugeValue, float64(info.MemoryTotal), info.Name)
	}
}
