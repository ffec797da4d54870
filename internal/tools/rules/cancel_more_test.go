// This file holds the calls of searchers, and those that make, read or write graphs.

package rules

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/testing/testgraph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/graphar"
	"github.com/foray-graph/foray/io/edgelist"
	"github.com/foray-graph/foray/traverse"
)

// searchers are the calls that search repeatedly in the same memory.
func (c *canceling) searchers() []canceled {
	searcher := func(do func(s *bfs.Searcher) (found []float64, err error)) ([]float64, error) {
		s, err := bfs.NewSearcher(c.placed, bfs.Options{})
		if err != nil {
			return nil, err
		}
		found, err := do(s)
		if err != nil && !c.bare { // it is usable
			if _, again := s.Run(context.Background(), bfs.Query{Sources: []uint32{c.source()}}); again != nil {
				return nil, fmt.Errorf("the searcher after %w: %v", err, again)
			}
		}
		return found, errors.Join(err, s.Close())
	}
	pool := func(do func(p *bfs.Pool) ([]float64, error)) ([]float64, error) {
		p, err := dobfs.NewPool(c.placed, dobfs.Options{}, c.budget)
		if err != nil {
			return nil, err
		}
		found, err := do(p)
		return found, errors.Join(err, p.Close())
	}
	short := func(do func(s *sssp.Searcher) ([]float64, error)) ([]float64, error) {
		s, err := sssp.NewSearcher(c.placed, sssp.Options{})
		if err != nil {
			return nil, err
		}
		found, err := do(s)
		if err != nil && !c.bare {
			if _, again := s.Run(context.Background(), sssp.Query{Sources: []uint32{c.source()}}); again != nil {
				return nil, fmt.Errorf("the searcher after %w: %v", err, again)
			}
		}
		return found, errors.Join(err, s.Close())
	}
	sums := func(found *[]float64) func(int, *bfs.Result) error {
		return func(i int, r *bfs.Result) error {
			d, err := depths(r, nil)
			*found = append(*found, float64(i), float64(len(d)))
			return err
		}
	}
	rounds := traverse.Algorithm[uint32, *traverse.Values[uint32]]{Name: "rounds", Memory: traverse.Memory{Arrays: []int{4}},
		Run: func(t *traverse.Traversal, _ uint32) (*traverse.Values[uint32], error) {
			a := traverse.Array[uint32](t, 1)
			for range 20 {
				t.Do(t.All())
			}
			return traverse.Result(t, a)
		}}
	return []canceled{
		{"bfs.Searcher.Run", 0, func(ctx context.Context) ([]float64, error) {
			return searcher(func(s *bfs.Searcher) ([]float64, error) { return depths(s.Run(ctx, bfs.Query{Sources: c.sources})) })
		}},

		{"bfs.Searcher.Batch", 0, func(ctx context.Context) (found []float64, err error) {
			return searcher(func(s *bfs.Searcher) ([]float64, error) {
				err := testgraph.Each(s.Batch(ctx, c.sources[:8]), sums(&found))
				return found, err
			})
		}},
		{"bfs.Pool.Do", 0, func(ctx context.Context) ([]float64, error) {
			return pool(func(p *bfs.Pool) (found []float64, err error) {
				err = p.Do(ctx, func(s *bfs.Searcher) error {
					found, err = depths(s.Run(ctx, bfs.Query{Sources: []uint32{c.source()}}))
					return err
				})
				return found, err
			})
		}},

		{"bfs.Pool.Run", 0, func(ctx context.Context) ([]float64, error) {
			return pool(func(p *bfs.Pool) (found []float64, err error) {
				err = p.Run(ctx, bfs.Query{Sources: c.sources}, func(r *bfs.Result) error { return sums(&found)(0, r) })
				return found, err
			})
		}},
		{"bfs.Pool.Shutdown", 0, func(ctx context.Context) ([]float64, error) {
			return pool(func(p *bfs.Pool) ([]float64, error) { return nil, p.Shutdown(ctx) })
		}},
		{"bfs.Result.Metadata", 0, func(ctx context.Context) ([]float64, error) {
			m, err := c.searched.Metadata(ctx)
			return []float64{float64(len(m))}, err
		}},
		{"traverse.Searcher.Run", 0, func(ctx context.Context) ([]float64, error) {
			return short(func(s *sssp.Searcher) ([]float64, error) {
				return distances(s.Run(ctx, sssp.Query{Sources: c.sources[:2]}))
			})
		}},
		{"traverse.Searcher.Batch", 0, func(ctx context.Context) (found []float64, err error) {
			return short(func(s *sssp.Searcher) ([]float64, error) {
				err := testgraph.Each(s.Batch(ctx, []sssp.Query{{Sources: c.sources[:1]}, {Sources: c.sources[1:]}}), func(_ int, r *sssp.Result) error {
					d, err := distances(r, nil)
					found = append(found, d...)
					return err
				})
				return found, err
			})
		}},
		{"traverse.Pool.Do", 0, func(ctx context.Context) (found []float64, err error) {
			p, err := sssp.NewPool(c.placed, sssp.Options{}, c.budget)
			if err != nil {
				return nil, err
			}
			err = p.Do(ctx, func(s *sssp.Searcher) error {
				found, err = distances(s.Run(ctx, sssp.Query{Sources: []uint32{c.source()}}))
				return err
			})
			return found, errors.Join(err, p.Close())
		}},
		{"traverse.Pool.Run", 0, func(ctx context.Context) (found []float64, err error) {
			p, err := sssp.NewPool(c.placed, sssp.Options{}, c.budget)
			if err != nil {
				return nil, err
			}
			err = p.Run(ctx, sssp.Query{Sources: []uint32{c.source()}}, func(r *sssp.Result) error {
				found, err = distances(r, nil)
				return err
			})
			return found, errors.Join(err, p.Close())
		}},
		{"traverse.Pool.Shutdown", 0, func(ctx context.Context) ([]float64, error) {
			p, err := sssp.NewPool(c.placed, sssp.Options{}, c.budget)
			if err != nil {
				return nil, err
			}
			return nil, errors.Join(p.Shutdown(ctx), p.Close())
		}},
		{"traverse.Run", 0, func(ctx context.Context) ([]float64, error) {
			r, err := traverse.Run(ctx, c.placed, rounds, 0, traverse.Options{})
			if err != nil {
				return nil, err
			}
			return of(r, r.Close)
		}},
		{"traverse.New", 0, func(ctx context.Context) ([]float64, error) {
			t := traverse.New(ctx, c.placed)
			traverse.Array[uint32](t, 1)
			for range 20 {
				t.Do(t.All())
			}
			return nil, t.Close()
		}},
		{"budget.Reuse", 0, func(ctx context.Context) ([]float64, error) {
			h, err := c.budget.State().Reuse(ctx, nil, 5, "kind")
			if err == nil {
				h.Release()
			}
			return nil, err
		}},
	}
}

// graphs are the calls that make graphs.
func (c *canceling) graphs() []canceled {
	build := func(o graph.Options) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			o.Workers = c.workers
			return c.hashed(gen.Build(ctx, c.spec, o))
		}
	}
	generate := func(all func(context.Context, gen.Generator, int, func(int, []uint32, []uint32) error) error) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			var mu sync.Mutex
			sum := uint64(0)
			err := all(ctx, c.spec, c.workers, func(_ int, src, dst []uint32) error {
				mu.Lock()
				defer mu.Unlock()
				for i := range src {
					sum += uint64(src[i]) ^ uint64(dst[i])*3
				}
				return nil
			})
			return []float64{float64(sum)}, err
		}
	}
	from := func(name string, o graph.Options) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			o.Workers = c.workers
			b := graph.NewBuilder(o)
			defer b.Close()
			if err := edgelist.ReadFile(ctx, c.input(name), edgelist.Options{Graph: o}, b.Add); err != nil {
				return nil, err
			}
			return c.hashed(b.Build(ctx))
		}
	}
	with := func(g, more *graph.Graph, do func(*graph.Graph, context.Context, *graph.Graph, graph.AppendOptions) (*graph.Graph, error)) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			return c.hashed(do(g, ctx, more, graph.AppendOptions{Workers: c.workers}))
		}
	}
	order := func(g *graph.Graph, o graph.Order) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			return c.hashed(g.Reorder(ctx, graph.ReorderOptions{Order: o, Workers: c.workers}))
		}
	}
	all := c.edges
	return []canceled{
		{"gen.Build", all, build(graph.Options{})}, {"gen.Build, directed", all, build(graph.Options{Directed: true, Reverse: true, Weights: true})},
		{"gen.Build, by degree", all, build(graph.Options{Order: graph.OrderDegree})},
		{"gen.Build, summed", all, build(graph.Options{Weights: true, Combine: graph.CombineSum})},
		{"gen.Edges", 0, generate(gen.Edges)}, {"gen.Ordered", 0, generate(gen.Ordered)},
		{"graph.Builder.Build", all, from("e.wel", graph.Options{})}, {"graph.Builder.Build, directed", all, from("e.wel", graph.Options{Directed: true, Reverse: true, Weights: true, Order: graph.OrderDegree})},
		{"graph.TwoPass", all, func(ctx context.Context) ([]float64, error) {
			return c.hashed(graph.TwoPass(ctx, graph.Options{Workers: c.workers}, func(ctx context.Context, yield func(graph.Batch) error) error {
				return edgelist.ReadFile(ctx, c.input("e.wel"), edgelist.Options{Workers: c.workers}, yield)
			}))
		}},
		{"graph.CSR.Combine", all / 4, func(ctx context.Context) ([]float64, error) {
			rows := *c.one.Out()
			rows.Offsets, rows.Targets, rows.Weights = slices.Clone(rows.Offsets), slices.Clone(rows.Targets), slices.Clone(rows.Weights)
			dropped, err := rows.Combine(ctx, graph.CombineSum, c.one.WeightType(), c.workers)
			return []float64{float64(dropped), float64(len(rows.Targets))}, err
		}},
		{"graph.Graph.Append", all, with(c.one, c.other, (*graph.Graph).Append)}, {"graph.Graph.Append, directed", all, with(c.there, c.there, (*graph.Graph).Append)},
		{"graph.Graph.RemoveEdges", all, with(c.one, c.other, (*graph.Graph).RemoveEdges)}, {"graph.Graph.RemoveEdges, directed", all, with(c.there, c.there, (*graph.Graph).RemoveEdges)},
		{"graph.Graph.Contract", all, func(ctx context.Context) ([]float64, error) {
			labels := make([]uint32, c.one.NumVertices())
			for v := range labels {
				labels[v] = uint32(v / 16)
			}
			return c.hashed(c.one.Contract(ctx, labels, graph.Options{Weights: true, Combine: graph.CombineSum, Workers: c.workers}))
		}},
		{"graph.Placed.Contract", all, func(ctx context.Context) ([]float64, error) {
			labels := make([]uint32, c.one.NumVertices())
			for v := range labels {
				labels[v] = uint32(v / 16)
			}
			return c.hashed(c.placed.Contract(ctx, device.Wrap(labels), graph.Options{Weights: true, Combine: graph.CombineSum, Workers: c.workers}))
		}},
		{"graph.Graph.FilterEdges", all, func(ctx context.Context) ([]float64, error) {
			return c.hashed(c.there.FilterEdges(ctx, func(first uint64, chosen []bool) error {
				for i := range chosen {
					chosen[i] = (first+uint64(i))%3 > 0
				}
				return nil
			}))
		}},
		{"arrow.FilterEdges", all, func(ctx context.Context) ([]float64, error) {
			return c.hashed(arrow.FilterEdges(ctx, c.one, "weight <= 3"))
		}},
		{"graph.Graph.Reorder", all, order(c.one, graph.OrderGiven)}, {"graph.Graph.Reorder, directed", all, order(c.there, graph.OrderGiven)},
		{"graph.Graph.Checksum", 0, func(ctx context.Context) (found []float64, err error) {
			g, err := graph.FromCSR(*c.one.Out(), graph.CSROptions{}) // since a graph keeps it
			if err != nil {
				return nil, err
			}
			sum, err := g.Checksum(ctx)
			return []float64{float64(sum[0])}, err
		}},
	}
}

// files are the calls that read files and write them.
func (c *canceling) files() (all []canceled) {
	add := func(name string, entries uint64, do func(ctx context.Context) ([]float64, error)) {
		all = append(all, canceled{name, entries, do})
	}
	edges, columns := []string{c.input("e.parquet")}, c.columns()
	o := arrow.Options{Workers: c.workers, Graph: graph.Options{Weights: true, Workers: c.workers}}
	targets := make([]uint32, c.one.NumVertices())
	for i := range targets {
		targets[i] = uint32(i)
	}
	for _, name := range []string{"e.parquet", "e.arrow", "e.arrows"} {
		add("arrow.Load, "+name, c.edges, func(ctx context.Context) ([]float64, error) { return c.hashed(arrow.Load(ctx, c.input(name), o)) })
	}
	for _, name := range []string{"e.csv", "e.tsv", "e.wel", "e.csv.gz", "e.csv.zst", "e.wsg", "e.sg", "e.mtx", "e.gr", "e.metis", "e.jsonl"} {
		add("edgelist.Load, "+name, c.edges, func(ctx context.Context) ([]float64, error) {
			return c.hashed(edgelist.Load(ctx, c.input(name), edgelist.Options{Workers: c.workers, Graph: graph.Options{Workers: c.workers}}))
		})
	}
	for _, name := range []string{"e.wsg", "e.sg"} {
		add("edgelist.Load, directed, by degree, "+name, c.edges, func(ctx context.Context) ([]float64, error) {
			return c.hashed(edgelist.Load(ctx, c.input(name), edgelist.Options{Workers: c.workers, Graph: graph.Options{Workers: c.workers, Directed: true, Reverse: true, Order: graph.OrderDegree}}))
		})
	}
	for name, open := range map[string]arrow.OpenGraphOptions{"mapped": {}, "in memory": {InMemory: true}, "trusted": {Trust: true}, "float64": {WeightType: graph.WeightsFloat64}} {
		open.Workers = c.workers
		entries := c.edges
		if open.Trust {
			entries = 0
		}
		add("arrow.OpenGraph, "+name, entries, func(ctx context.Context) ([]float64, error) {
			g, _, err := arrow.OpenGraph(ctx, c.input("e.foray"), open)
			found, err := c.hashed(g, err)
			return found, errors.Join(err, g.Close())
		})
	}
	count := func(n *int) func(graph.Batch) error {
		var mu sync.Mutex
		return func(b graph.Batch) error {
			mu.Lock()
			defer mu.Unlock()
			*n += len(b.Src)
			return nil
		}
	}
	counted := func(read func(ctx context.Context, yield func(graph.Batch) error) error) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			n := 0
			err := read(ctx, count(&n))
			return []float64{float64(n)}, err
		}
	}
	dataset := func(do func(ctx context.Context, d *arrow.Dataset) ([]float64, error)) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			o, v := o, c.vertices()
			o.Vertices = &v
			d, err := arrow.Open(context.Background(), edges, o)
			if err != nil {
				return nil, err
			}
			return do(ctx, d)
		}
	}
	rows := func(do func(r array.RecordReader) ([]float64, error)) ([]float64, error) {
		r, err := arrow.Records(context.Background(), c.one, arrow.ResultColumns(c.searched), arrow.RecordOptions{})
		if err != nil {
			return nil, err
		}
		defer r.Release()
		return do(r)
	}
	through := func(records func(ctx context.Context) (array.RecordReader, error)) func(ctx context.Context) ([]float64, error) {
		return func(ctx context.Context) ([]float64, error) {
			r, err := records(ctx)
			if err != nil {
				return nil, err
			}
			defer r.Release()
			n := int64(0)
			for r.Next() {
				n += r.Record().NumRows()
			}
			return []float64{float64(n)}, r.Err()
		}
	}
	fromRecords := o
	fromRecords.Source, fromRecords.Target, fromRecords.SkipNulls, fromRecords.Graph.Weights = "vertex", "parent", true, false
	tables := []arrow.Table{{Paths: edges, Source: "src", Target: "dst"}}
	unweighted := o
	unweighted.Graph.Weights = false
	names := func(ctx context.Context, do func(ctx context.Context, yield func(string) error) error) ([]float64, error) {
		n := 0
		err := do(ctx, func(id string) error { n += len(id); return nil })
		return []float64{float64(n)}, err
	}
	load := func(ctx context.Context, tables []arrow.Table, o arrow.Options) ([]float64, error) {
		d, err := arrow.OpenTables(ctx, tables, o)
		if err != nil {
			return nil, err
		}
		return c.hashed(d.Load(ctx))
	}
	weighted := []arrow.Table{{Paths: edges}}
	add("arrow.OpenTables, load", c.edges, func(ctx context.Context) ([]float64, error) { return load(ctx, weighted, o) })
	add("arrow.OpenTables, two passes", c.edges, func(ctx context.Context) ([]float64, error) {
		o := o
		o.TwoPass = true
		return load(ctx, weighted, o)
	})
	add("arrow.OpenTables, where", c.edges, func(ctx context.Context) ([]float64, error) {
		return load(ctx, []arrow.Table{{Paths: edges, Where: "src > 5 and dst not in (3, 7)"}}, o)
	})
	add("arrow.OpenTables, without weights", c.edges, func(ctx context.Context) ([]float64, error) { return load(ctx, tables, unweighted) })
	add("arrow.LoadRecords", 0, func(ctx context.Context) ([]float64, error) {
		return rows(func(r array.RecordReader) ([]float64, error) { return c.hashed(arrow.LoadRecords(ctx, r, fromRecords)) })
	})
	add("arrow.Open", 0, func(ctx context.Context) ([]float64, error) {
		d, err := arrow.Open(ctx, edges, o)
		if err != nil {
			return nil, err
		}
		return []float64{float64(d.Info().Rows)}, nil
	})
	add("arrow.OpenTables", 0, func(ctx context.Context) ([]float64, error) {
		d, err := arrow.OpenTables(ctx, tables, unweighted)
		if err != nil {
			return nil, err
		}
		return []float64{float64(d.Info().Rows)}, nil
	})
	add("arrow.Dataset.Read", 0, dataset(func(ctx context.Context, d *arrow.Dataset) ([]float64, error) { return counted(d.Read)(ctx) }))
	add("arrow.Dataset.Batches", 0, dataset(func(ctx context.Context, d *arrow.Dataset) ([]float64, error) {
		n := 0
		for b, err := range d.Batches(ctx) {
			if err != nil {
				return nil, err
			}
			n += len(b.Src)
		}
		return []float64{float64(n)}, nil
	}))
	add("arrow.Dataset.Load", c.edges, dataset(func(ctx context.Context, d *arrow.Dataset) ([]float64, error) { return c.hashed(d.Load(ctx)) }))
	add("arrow.Dataset.Properties", 0, dataset(func(ctx context.Context, d *arrow.Dataset) ([]float64, error) {
		_, err := d.Properties(ctx, c.one)
		return nil, err
	}))
	add("arrow.LoadProperties", 0, func(ctx context.Context) ([]float64, error) {
		p, err := arrow.LoadProperties(ctx, c.one, c.vertices(), arrow.Options{Workers: c.workers})
		if err != nil {
			return nil, err
		}
		return p.Numbers("x", -1)
	})
	add("arrow.ReadProperties", 0, func(ctx context.Context) ([]float64, error) {
		vertices := make([]uint32, c.table.Stats().Rows)
		p, err := arrow.ReadProperties(ctx, c.one, []string{"x"}, []arrow.PropertyFile{{Path: c.input("v.parquet"), Columns: []string{"x"}, Vertices: vertices}})
		if err != nil {
			return nil, err
		}
		return p.Numbers("x", -1)
	})
	add("arrow.Properties.Column", 0, func(ctx context.Context) ([]float64, error) {
		x, err := c.table.Column(ctx, "x")
		if err != nil {
			return nil, err
		}
		return []float64{float64(x.Values.([]int64)[1])}, nil
	})
	add("arrow.Properties.Gather", 0, func(ctx context.Context) ([]float64, error) {
		r, err := c.table.Gather(ctx, []int{0}, targets, memory.DefaultAllocator)
		if err != nil {
			return nil, err
		}
		defer r.Release()
		return []float64{float64(r.NumRows())}, nil
	})
	add("arrow.IDs", 0, func(ctx context.Context) ([]float64, error) {
		return names(ctx, func(ctx context.Context, yield func(string) error) error {
			for id, err := range arrow.IDs(ctx, arrow.VertexTable{Paths: []string{c.input("v.parquet")}, ID: "vertex"}, arrow.Options{}) {
				if err != nil {
					return err
				}
				if err := yield(id); err != nil {
					return err
				}
			}
			return nil
		})
	})
	add("arrow.DescribeColumn", 0, func(ctx context.Context) ([]float64, error) {
		i, err := arrow.DescribeColumn(ctx, edges, "weight", arrow.Options{})
		if err != nil {
			return nil, err
		}
		return []float64{float64(i.Rows)}, nil
	})
	add("arrow.Check", 0, func(ctx context.Context) ([]float64, error) {
		return nil, errors.Join(arrow.Check(ctx, c.output("x.csv"), nil, nil, arrow.WriteOptions{}), arrow.Check(ctx, c.output("x.csv"), c.one, columns, arrow.WriteOptions{}))
	})
	add("arrow.Records", 0, through(func(ctx context.Context) (array.RecordReader, error) {
		return arrow.Records(ctx, c.one, arrow.ResultColumns(c.searched), arrow.RecordOptions{})
	}))
	add("arrow.EdgeRecords", c.edges/8, through(func(ctx context.Context) (array.RecordReader, error) {
		return arrow.EdgeRecords(ctx, c.one, nil, arrow.RecordOptions{})
	}))
	add("arrow.PathRecords", 0, through(func(ctx context.Context) (array.RecordReader, error) {
		return arrow.PathRecords(ctx, c.one, c.searched, targets[:min(len(targets), 20_000)], arrow.RecordOptions{})
	}))
	add("arrow.TableRecords", 0, through(c.tableRecords(targets)))
	for _, end := range []string{"csv", "parquet", "arrow", "jsonl"} {
		path := c.output("x." + end)
		add("arrow.Write, a result, "+end, 0, func(ctx context.Context) ([]float64, error) {
			return written(path, arrow.Write(ctx, path, c.one, arrow.ResultColumns(c.searched), arrow.WriteOptions{}))
		})
		add("arrow.Write, "+end, 0, func(ctx context.Context) ([]float64, error) {
			return written(path, arrow.Write(ctx, path, c.one, columns, arrow.WriteOptions{SortByID: true}))
		})
		add("arrow.WriteEdges, "+end, c.edges/8, func(ctx context.Context) ([]float64, error) {
			return written(path, arrow.WriteEdges(ctx, path, c.one, arrow.WriteOptions{}))
		})
		add("arrow.WriteBatches, "+end, 0, func(ctx context.Context) ([]float64, error) {
			return written(path, arrow.WriteBatches(ctx, path, func(ctx context.Context, yield func(graph.Batch) error) error {
				return edgelist.ReadFile(ctx, c.input("e.wel"), edgelist.Options{Workers: 1}, yield)
			}, arrow.WriteOptions{}))
		})
		add("arrow.WritePaths, "+end, 0, func(ctx context.Context) ([]float64, error) {
			return written(path, arrow.WritePaths(ctx, path, c.one, c.searched, targets[:min(len(targets), 20_000)], arrow.WriteOptions{}))
		})
		add("arrow.WriteSources, "+end, 0, func(ctx context.Context) ([]float64, error) {
			return written(path, arrow.WriteSources(ctx, path, c.one, arrow.SourceTable{Rows: func(yield func(arrow.SourceRows, error) bool) {
				depths, err := c.searched.Depths()
				if err != nil {
					yield(arrow.SourceRows{}, err)
					return
				}
				for _, s := range c.sources[:4] {
					if !yield(arrow.SourceRows{Source: s, Vertices: targets, Depths: depths}, nil) {
						return
					}
				}
			}}, arrow.WriteOptions{SortByID: true}))
		})
		add("arrow.WriteTable, "+end, 0, func(ctx context.Context) ([]float64, error) { return written(path, c.writeTable(ctx, path, targets)) })
	}
	add("arrow.Write, partitioned", 0, func(ctx context.Context) ([]float64, error) {
		path := c.output("parts")
		err := arrow.Write(ctx, path, c.one, arrow.ResultColumns(c.searched), arrow.WriteOptions{PartitionBy: "depth"})
		if err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(path, "*", "*"))
		return []float64{float64(len(files))}, errors.Join(err, os.RemoveAll(path))
	})
	add("arrow.WriteGraph", 0, func(ctx context.Context) ([]float64, error) {
		path := c.output("x.foray")
		return written(path, arrow.WriteGraph(ctx, path, c.there, arrow.WriteGraphOptions{Workers: c.workers}))
	})
	for _, end := range []string{"wel", "csv.gz"} {
		add("edgelist.Write, "+end, c.edges/4, func(ctx context.Context) ([]float64, error) {
			path := c.output("x." + end)
			return written(path, edgelist.Write(ctx, path, c.one, edgelist.WriteOptions{}))
		})
	}
	for name, g := range map[string]*graph.Graph{"x.wsg": c.one, "x.sg": c.there} {
		add("edgelist.Write, "+name, c.edges/4, func(ctx context.Context) ([]float64, error) {
			path := c.output(name)
			return written(path, edgelist.Write(ctx, path, g, edgelist.WriteOptions{}))
		})
	}
	add("edgelist.ReadFile", 0, counted(func(ctx context.Context, yield func(graph.Batch) error) error {
		return edgelist.ReadFile(ctx, c.input("e.wel"), edgelist.Options{Workers: c.workers}, yield)
	}))
	add("edgelist.ReadFile, vertices", 0, counted(func(ctx context.Context, yield func(graph.Batch) error) error {
		return edgelist.ReadFile(ctx, c.input("v.txt"), edgelist.Options{OnlyVertices: true, Workers: c.workers}, yield)
	}))
	add("edgelist.VertexColumns", 0, func(ctx context.Context) ([]float64, error) {
		columns, err := edgelist.VertexColumns(ctx, c.one, []string{c.input("v.csv")}, edgelist.Options{VertexColumns: []string{"x"}, Workers: c.workers})
		if err != nil {
			return nil, err
		}
		sum := int64(0)
		for _, x := range columns[0].Values.([]int64) {
			sum += x
		}
		return []float64{float64(sum)}, nil
	})
	add("edgelist.Read", 0, func(ctx context.Context) ([]float64, error) {
		f, err := os.Open(c.input("e.csv.gz"))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return counted(func(ctx context.Context, yield func(graph.Batch) error) error {
			return edgelist.Read(ctx, f, edgelist.Options{Workers: c.workers, Format: "text"}, yield)
		})(ctx)
	})
	karate := filepath.Join("..", "..", "..", "testdata", "karate.graphar", "it.graph.yml")
	add("graphar.Load", 0, func(ctx context.Context) ([]float64, error) {
		l, err := graphar.Load(ctx, karate, graphar.Options{Properties: []string{"name"}})
		if err != nil {
			return nil, err
		}
		return c.hashed(l.Graph, nil)
	})
	return all
}
