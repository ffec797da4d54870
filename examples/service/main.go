// This program is a service: it loads a graph once and answers, over HTTP, how
// far one vertex is from another and by which way, and which vertices are near one. All
// requests share the graph.
//
//	go run ./examples/service -edges testdata/karate.parquet
//	curl 'localhost:8080/path?from=1&to=34'
//	curl 'localhost:8080/near?from=1&hops=2'
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	edges := flag.String("edges", "testdata/karate.parquet", "the edges: a file, a directory or a pattern")
	addr := flag.String("addr", "localhost:8080", "where to listen")
	most := flag.Int("searches", 8, "the most searches at once")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, log, *edges, *addr, *most); err != nil {
		log.Error("service", "error", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, log *slog.Logger, edges, addr string, most int) error {
	g, err := arrow.Load(ctx, edges, arrow.Options{})
	if err != nil {
		return err
	}
	dev, err := device.Open("auto")
	if err != nil {
		return err
	}
	defer dev.Close()
	placed, err := g.On(dev)
	if err != nil {
		return err
	}
	defer placed.Close()
	h, err := newHandler(placed, most, log)
	if err != nil {
		return err
	}
	defer h.Close()
	server := &http.Server{Addr: addr, Handler: h, ReadHeaderTimeout: time.Second}
	context.AfterFunc(ctx, func() { server.Close() }) // which cancels requests
	log.Info("listening", "addr", addr, "vertices", g.NumVertices(), "device", dev.Info().Name)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
