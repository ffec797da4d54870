package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/files/s3/client"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// terabyte is a store with an object of 1 TB that ends in end.
type terabyte struct{ begin, end string }

func (s terabyte) RoundTrip(r *http.Request) (*http.Response, error) {
	const size = 1_000_000_000_000
	h := http.Header{"Etag": {`"e"`}, "Last-Modified": {"Mon, 02 Jan 2006 15:04:05 GMT"}, "Content-Type": {"application/octet-stream"}}
	a := &http.Response{StatusCode: http.StatusOK, Header: h, Request: r, Body: http.NoBody, ContentLength: size, ProtoMajor: 1, ProtoMinor: 1}
	if r.Method == http.MethodHead {
		h.Set("Content-Length", fmt.Sprint(size))
		return a, nil
	}
	var from, to int64
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil {
		return nil, err
	}
	a.StatusCode, a.ContentLength = http.StatusPartialContent, to-from+1
	h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, size))
	b := bytes.Repeat([]byte{0}, int(min(to-from+1, 1<<20)))
	if from == 0 {
		copy(b, s.begin)
	}
	if to == size-1 {
		copy(b[len(b)-len(s.end):], s.end)
	}
	a.Body = io.NopCloser(io.LimitReader(io.MultiReader(bytes.NewReader(b), zeros{}), to-from+1))
	return a, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestHugeFooters: a footer of gigabytes isn't fetched because a file of a terabyte
// has that reason.
func TestHugeFooters(t *testing.T) {
	for name, s := range map[string]terabyte{
		"parquet": {"PAR1", "\x00\x00\x00\x80PAR1"},
		"arrow":   {"ARROW1\x00\x00", "\xff\xff\xff\x7fARROW1"},
	} {
		o := Options{S3: input.S3Options{Endpoint: "http://store.invalid", Region: "us-east-1", Anonymous: true}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(client.WithTransport(context.Background(), s), []string{"s3://lake/huge." + name}, o)
		runtime.ReadMemStats(&after)
		check(t, err, input.ErrLimit, `s3://lake/huge\.`+name+`: the footer takes 2\.15 GB; the limit is 268 MB, and Options\.MaxFooter raises it for data that you trust$`)
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("%s took %d bytes", name, took)
		}
	}
}

// TestLimits: limits are met where they are, and raised by options.
func TestLimits(t *testing.T) {
	data, _, _ := edgesFile(t, 100, 50)
	file := tempFile(t, "edges.parquet", data)
	_, err := Load(context.Background(), file, Options{MaxFooter: 10})
	check(t, err, input.ErrLimit, `edges\.parquet: the footer takes \d+ B; the limit is 10 B`)
	if _, err := Load(context.Background(), file, Options{MaxFooter: uint64(len(data))}); err != nil {
		t.Error(err)
	}
	if _, err := Load(context.Background(), file, Options{MaxFooter: math.MaxUint64, MaxMetadata: math.MaxUint64}); err != nil {
		t.Error(err)
	}
	if err := tables.NewBudget(math.MaxUint64).Take(1 << 40); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		l     columnar.Limits
		bytes int64
		most  int64
	}{{columnar.Limits{}, 0, 1 << 30}, {columnar.Limits{}, 1 << 20, 1<<30 + 500<<20}, {columnar.Limits{Expansion: 1000}, 1 << 20, 1<<30 + 1000<<20}, {columnar.Limits{}, math.MaxInt64, math.MaxInt64}} {
		w := columnar.NewWork(c.bytes, c.l)
		if err := w.Add(int(c.most)); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if c.most == math.MaxInt64 {
			continue
		}
		if err := w.Add(1); !errors.Is(err, input.ErrLimit) || !strings.Contains(err.Error(), "Options.MaxExpansion raises it") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, o := range []Options{{MaxExpansion: -1}, {S3: input.S3Options{MaxObjects: -1}}} {
		if _, err := Open(context.Background(), []string{file}, o); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
