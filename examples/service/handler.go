// This file holds the handler: one graph, many searches at once, a limited
// number of which run while the others wait.

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
)

// handler answers GET /path?from=&to= and GET /near?from=&hops=.
type handler struct {
	*http.ServeMux
	g     *graph.Graph
	pool  *bfs.Pool // of searches for paths
	hoods *bfs.Pool // of searches for the vertices near one
}

// newHandler returns a handler that searches at most so many times at once,
// each in its own memory, which Close frees.
func newHandler(p *graph.Placed, most int, log *slog.Logger) (*handler, error) {
	o := dobfs.Options{Outputs: bfs.Parents, Logger: log}
	one, err := dobfs.NewSearcher(p, o)
	if err != nil {
		return nil, err
	}
	pool, err := dobfs.NewPool(p, o, device.NewBudget(uint64(most)*one.Bytes()))
	if err != nil {
		return nil, err
	}
	near := bfs.Options{Logger: log}
	if one, err = bfs.NewSearcher(p, near); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	hoods, err := bfs.NewPool(p, near, device.NewBudget(uint64(most)*one.Bytes()))
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	h := &handler{http.NewServeMux(), p.Graph(), pool, hoods}
	h.HandleFunc("GET /path", h.path)
	h.HandleFunc("GET /near", h.near)
	return h, nil
}

// Close waits for searches and gives their memory back.
func (h *handler) Close() error { return errors.Join(h.pool.Close(), h.hoods.Close()) }

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
	q := bfs.Query{Sources: []uint32{from}, Targets: []uint32{to}} // ends once to is reached
	err = h.pool.Run(r.Context(), q, func(found *bfs.Result) error {
		parents, err := found.Parents() // of the search: read while it is ours
		if err != nil {
			return err
		}
		a = h.follow(parents, from, to)
		return nil
	})
	reply(w, a, err)
}

// mostHops bounds the neighborhood that a request may ask for, and mostNear how much of it is returned.
const (
	mostHops = 8
	mostNear = 1000
)

// neighbor is a vertex near another one.
type neighbor struct {
	ID       string `json:"id"`
	Distance int32  `json:"distance"`
}

// near lists vertices by distance. The time of a small search is proportional to the vertices it reaches, whatever
// the size of the graph.
func (h *handler) near(w http.ResponseWriter, r *http.Request) {
	from, err := h.vertex(r, "from")
	if err != nil {
		http.Error(w, err.Error(), status(err))
		return
	}
	hops, err := strconv.Atoi(r.FormValue("hops"))
	if err != nil || hops < 1 || hops > mostHops {
		http.Error(w, fmt.Sprintf("hops is %q; want 1 to %d", r.FormValue("hops"), mostHops), http.StatusBadRequest)
		return
	}
	list := []neighbor{}
	q := bfs.Query{Sources: []uint32{from}, DepthLimit: hops}
	err = h.hoods.Run(r.Context(), q, func(found *bfs.Result) error {
		for v, depth := range found.Visited() {
			if len(list) == mostNear {
				break
			}
			if depth > 0 {
				list = append(list, neighbor{h.g.IDs().Format(v), depth})
			}
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b neighbor) int { return cmp.Compare(a.Distance, b.Distance) })
	reply(w, list, err)
}

// reply sends what was found, or what went wrong.
func reply(w http.ResponseWriter, found any, err error) {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, device.ErrClosed):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(found) // fails only where the client has gone
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
