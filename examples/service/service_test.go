package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/oracle"
	"github.com/foray-graph/foray/io/arrow"
)

func start(t *testing.T, most int) (*handler, *graph.Graph, *httptest.Server) {
	t.Helper()
	g, err := arrow.Load(context.Background(), "../../testdata/karate.parquet", arrow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.On(host.New(2))
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(p, most, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.Close()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		p.Close()
	})
	return h, g, server
}

func get(server *httptest.Server, path string) (int, string, error) {
	r, err := server.Client().Get(server.URL + path)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return r.StatusCode, string(body), err
}

// The neighborhoods of all vertices equal the results of a search with a queue.
func TestNear(t *testing.T) {
	_, g, server := start(t, 2)
	for from := range uint32(g.NumVertices()) {
		want := oracle.Depths(g.Out(), from)
		for hops := range int32(4) {
			status, body, err := get(server, fmt.Sprintf("/near?from=%s&hops=%d", g.IDs().Format(from), hops))
			if hops == 0 {
				if err != nil || status != http.StatusBadRequest {
					t.Errorf("status %d, %v: %s", status, err, body)
				}
				continue
			}
			var list []neighbor
			if err == nil {
				err = json.Unmarshal([]byte(body), &list)
			}
			if err != nil || status != http.StatusOK {
				t.Fatalf("status %d, %v: %s", status, err, body)
			}
			near := 0
			for _, d := range want {
				if d > 0 && d <= hops {
					near++
				}
			}
			if len(list) != near {
				t.Errorf("from %d within %d: %d vertices, want %d", from, hops, len(list), near)
			}
			for _, x := range list {
				if v, err := g.ParseVertex(x.ID); err != nil || want[v] != x.Distance {
					t.Errorf("from %d: %+v, want distance %d (%v)", from, x, want[v], err)
				}
			}
		}
	}
}

// Every pair of vertices is asked for, by many clients at once, and every path
// is checked edge by edge.
func TestAllPairs(t *testing.T) {
	_, g, server := start(t, 3)
	var wg sync.WaitGroup
	for from := range uint32(g.NumVertices()) {
		want := oracle.Depths(g.Out(), from)
		wg.Add(1)
		go func() {
			defer wg.Done()
			for to := range uint32(g.NumVertices()) {
				status, body, err := get(server, fmt.Sprintf("/path?from=%s&to=%s", g.IDs().Format(from), g.IDs().Format(to)))
				var a answer
				if err == nil {
					err = json.Unmarshal([]byte(body), &a)
				}
				if err != nil || status != http.StatusOK {
					t.Errorf("status %d, %v: %s", status, err, body)
					return
				}
				if a.Reached != (want[to] >= 0) || int32(a.Distance) != max(want[to], 0) || len(a.Path) != a.Distance+1 {
					t.Errorf("from %d to %d: %+v, want distance %d", from, to, a, want[to])
				}
				for i := range a.Path[1:] {
					if !joined(g, a.Path[i], a.Path[i+1]) {
						t.Errorf("%s and %s aren't joined", a.Path[i], a.Path[i+1])
					}
				}
			}
		}()
	}
	wg.Wait()
}

func joined(g *graph.Graph, a, b string) bool {
	id := func(s string) uint32 {
		n, _ := strconv.ParseInt(s, 10, 64)
		v, _ := g.Vertex(n)
		return v
	}
	for _, v := range g.Out().Neighbors(id(a)) {
		if v == id(b) {
			return true
		}
	}
	return false
}

func TestWrongRequests(t *testing.T) {
	_, _, server := start(t, 1)
	for path, want := range map[string]int{
		"/path?from=1&to=34": http.StatusOK, "/path?from=1&to=99": http.StatusNotFound,
		"/path?from=x&to=1": http.StatusBadRequest, "/path": http.StatusBadRequest, "/": http.StatusNotFound,
	} {
		if status, body, err := get(server, path); err != nil || status != want {
			t.Errorf("%s: status %d, %v, want %d: %s", path, status, err, want, body)
		}
	}
}

// While another has the only place, a request waits; one that gives up gets its
// answer, and the place isn't lost.
func TestWaiting(t *testing.T) {
	h, _, server := start(t, 1)
	has, done := make(chan bool), make(chan bool)
	go h.pool.Do(context.Background(), func(*bfs.Searcher) error {
		close(has)
		<-done
		return nil
	})
	<-has
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/path?from=1&to=2", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d while the only place is taken: %s", w.Code, w.Body)
	}
	close(done)
	if status, body, err := get(server, "/path?from=1&to=2"); err != nil || status != http.StatusOK {
		t.Errorf("afterwards: status %d, %v: %s", status, err, body)
	}
}
