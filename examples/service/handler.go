// This file holds the handler: one graph, many searches at once, of which so
// many run and the others wait.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// handler answers GET /path?from=&to=.
type handler struct {
	*http.ServeMux
	g    *graph.Graph
	pool *bfs.Pool
}

// newHandler returns a handler that searches at most so many times at once,
// each with memory of its own, which Close gives back.
func newHandler(p *graph.Placed, most int, log *slog.Logger) (*handler, error) {
	o := dobfs.Options{Parents: true, NoDepths: true, Logger: log}
	one, err := dobfs.NewSearcher(p, o)
	if err != nil {
		return nil, err
	}
	pool, err := dobfs.NewPool(p, o, device.NewBudget(uint64(most)*one.Bytes()))
	if err != nil {
		return nil, err
	}
	h := &handler{http.NewServeMux(), p.Graph(), pool}
	h.HandleFunc("GET /path", h.path)
	return h, nil
}

// Close waits for searches and gives their memory back.
func (h *handler) Close() error { return h.pool.Close() }

// answer is what a request gets.
type answer struct {
	Reached  bool     `json:"reached"`
	Distance int      `json:"distance,omitempty"`
	Path     []string `json:"path,omitempty"`
}

func (h *handler) path(w http.ResponseWriter, r *http.Request) {
	from, err := h.vertex(r, "from")
	if err != nil {
		http.Error(w, err.Error(), status(err))
		return
	}
	to, err := h.vertex(r, "to")
	if err != nil {
		http.Error(w, err.Error(), status(err))
		return
	}
	var a answer
	// A client that goes away, and a server that closes, cancel the context: a
	// search that waits isn't begun, one that runs ends with its level.
	err = h.pool.Search(r.Context(), from, func(found *bfs.Result) error {
		parents := found.Parents() // of the search: read while it is ours
		if parents == nil {
			return found.Err()
		}
		a = h.follow(parents, from, to)
		return nil
	})
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, device.ErrClosed):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(a) // fails only where the client has gone
	}
}

// status tells a malformed id from one that no vertex has.
func status(err error) int {
	if errors.Is(err, graph.ErrIDType) {
		return http.StatusBadRequest
	}
	return http.StatusNotFound
}

// vertex finds the vertex that a parameter names by its external id.
func (h *handler) vertex(r *http.Request, name string) (uint32, error) {
	id := r.FormValue(name)
	if id == "" {
		return 0, fmt.Errorf("%w: %s is missing", graph.ErrIDType, name)
	}
	return h.g.ParseVertex(id) // of any type
}

// follow goes from parent to parent, from to back to from.
func (h *handler) follow(parents []uint32, from, to uint32) answer {
	if parents[to] == graph.NoVertex {
		return answer{}
	}
	a := answer{Reached: true, Path: []string{h.g.IDs().Format(to)}}
	for v := to; v != from; a.Distance++ {
		v = parents[v]
		a.Path = append(a.Path, h.g.IDs().Format(v))
	}
	slices.Reverse(a.Path)
	return a
}
