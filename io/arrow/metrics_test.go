// This file tests what loads report to Options.Metrics.

package arrow_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/metrics"
)

// loads keeps the events of loads.
type loads struct {
	metrics.Recorder
	all []metrics.Load
}

func (l *loads) Load(_ context.Context, e metrics.Load) { l.all = append(l.all, e) }

// TestMetrics: each phase of a load is reported once, a failure with its error.
func TestMetrics(t *testing.T) {
	const path = "../../testdata/karate.parquet"
	for name, c := range map[string]struct {
		o    arrow.Options
		want []metrics.Load
	}{
		"a load":     {arrow.Options{}, []metrics.Load{{Phase: "read", Rows: 78}, {Phase: "build", Rows: 156}}},
		"two passes": {arrow.Options{TwoPass: true}, []metrics.Load{{Phase: "read", Rows: 78}, {Phase: "read", Rows: 78}}},
	} {
		var l loads
		c.o.Metrics = &l
		if _, err := arrow.Load(t.Context(), path, c.o); err != nil {
			t.Fatal(err)
		}
		if len(l.all) != len(c.want) {
			t.Errorf("%s: %+v", name, l.all)
			continue
		}
		for i, e := range l.all {
			if w := c.want[i]; e.Phase != w.Phase || e.Rows != w.Rows || (e.Bytes > 0) != (w.Phase == "read") || e.Took <= 0 || e.Err != nil {
				t.Errorf("%s: event %d: %+v, want %+v", name, i, e, w)
			}
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	var l loads
	d, err := arrow.Open(t.Context(), []string{path}, arrow.Options{Metrics: &l})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if len(l.all) != 1 || !errors.Is(l.all[0].Err, context.Canceled) {
		t.Errorf("canceled: %+v", l.all)
	}
	// A load that fails before it reads is reported, too.
	for name, do := range map[string]func(o arrow.Options) error{
		"no file": func(o arrow.Options) error {
			_, err := arrow.Load(t.Context(), "none.parquet", o)
			return err
		},
		"condition": func(o arrow.Options) error {
			o.Where = "src >"
			_, err := arrow.Load(t.Context(), path, o)
			return err
		},
		"column": func(o arrow.Options) error {
			o.Source = "none"
			_, err := arrow.Open(t.Context(), []string{path}, o)
			return err
		},
		"tables": func(o arrow.Options) error {
			_, err := arrow.OpenTables(t.Context(), []arrow.Table{{Paths: []string{"none.parquet"}}}, o)
			return err
		},
		"canceled": func(o arrow.Options) error {
			_, err := arrow.Load(canceled, path, o)
			return err
		},
	} {
		var l loads
		var log strings.Builder
		err := do(arrow.Options{Metrics: &l, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err == nil || len(l.all) != 1 || l.all[0].Phase != "read" || l.all[0].Err == nil {
			t.Errorf("%s: %v: %+v", name, err, l.all)
		}
		if strings.Count(log.String(), "error=") != 1 {
			t.Errorf("%s: the log has %q", name, log.String())
		}
	}
}
