// This file holds a call of every exported function that takes a context, for tests that cancel it.

package rules

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/bridges"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/algos/kclique"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/ktruss"
	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/algos/msbfs"
	"github.com/foray-graph/foray/algos/msf"
	"github.com/foray-graph/foray/algos/order"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/paths"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/edgelist"
)

// canceling is what the calls work on.
type canceling struct {
	t           testing.TB
	workers     int
	spec        gen.Generator
	dev         *host.Device
	budget      *device.Budget
	one, other  *graph.Graph // undirected, weighted
	there       *graph.Graph // directed, weighted, with its reverse
	ordered     *graph.Graph // the edges of there to larger numbers
	unordered   *graph.Graph // one in another order
	placed, way *graph.Placed
	searched    *bfs.Result // of placed, with parents
	table       *arrow.Properties
	in, out     string // directories of inputs and outputs
	sources     []uint32
	edges       uint64 // entries of the rows of one
	kept        bool   // searches are of graphs that were searched before
	bare        bool   // nothing is run after a searcher was canceled, to see how soon it ends
}

// canceled is a call that takes a context.
type canceled struct {
	name string // the function's name in exportedWithContext, and behind a comma how it is called
	// entries is the least number of edges that the call traverses; it checks its context by that number. It is 0 if the
	// call checks the context between steps of a host stream, or works on little.
	entries uint64
	do      func(ctx context.Context) (found []float64, err error)
}

func (c *canceling) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// newCanceling makes a graph of that spec.
func newCanceling(t testing.TB, spec string, workers int) *canceling {
	c := &canceling{t: t, workers: workers, dev: host.New(workers), budget: device.NewBudget(1 << 40), in: t.TempDir(), out: t.TempDir()}
	ctx := t.Context()
	var err error
	c.spec, err = gen.Parse(spec)
	c.must(err)
	second, err := gen.Parse(spec + ",seed=5")
	c.must(err)
	c.one, err = gen.Build(ctx, c.spec, graph.Options{Weights: true})
	c.must(err)
	c.other, err = gen.Build(ctx, second, graph.Options{Weights: true})
	c.must(err)
	c.there, err = gen.Build(ctx, c.spec, graph.Options{Weights: true, Directed: true, Reverse: true})
	c.must(err)
	c.ordered, err = upwards(c.there)
	c.must(err)
	c.unordered, err = c.one.Reorder(ctx, graph.ReorderOptions{Order: graph.OrderGiven})
	c.must(err)
	c.edges = c.one.NumDirectedEdges()
	for i := range uint32(32) {
		c.sources = append(c.sources, i*uint32(c.one.NumVertices()/40))
	}
	c.placed, err = c.one.On(c.dev)
	c.must(err)
	t.Cleanup(func() { c.must(c.placed.Close()) })
	c.way, err = c.there.On(c.dev)
	c.must(err)
	t.Cleanup(func() { c.must(c.way.Close()) })
	c.searched, err = dobfs.Run(ctx, c.placed, c.source(), dobfs.Options{Outputs: bfs.Depths | bfs.Parents})
	c.must(err)
	t.Cleanup(func() { c.must(c.searched.Close()) })
	return c
}

// upwards returns the edges to larger numbers, which have no cycle.
func upwards(g *graph.Graph) (*graph.Graph, error) {
	c, to := g.Out(), graph.CSR{Offsets: []uint64{0}, Weights: []float32{}}
	for v := range uint32(g.NumVertices()) {
		for e := c.Offsets[v]; e < c.Offsets[v+1]; e++ {
			if c.Targets[e] > v {
				to.Targets, to.Weights = append(to.Targets, c.Targets[e]), append(to.Weights, c.Weights[e])
			}
		}
		to.Offsets = append(to.Offsets, uint64(len(to.Targets)))
	}
	return graph.FromCSR(to, graph.CSROptions{Directed: true})
}

// write writes files of the graph in every format.
func (c *canceling) write() {
	ctx := c.t.Context()
	for _, name := range []string{"e.parquet", "e.arrow", "e.arrows"} {
		c.must(arrow.WriteEdges(ctx, c.input(name), c.one, arrow.WriteOptions{}))
	}
	for _, name := range []string{"e.csv", "e.tsv", "e.wel", "e.csv.gz", "e.csv.zst"} {
		c.must(edgelist.Write(ctx, c.input(name), c.one, edgelist.WriteOptions{}))
	}
	for _, name := range []string{"e.wsg", "e.sg"} {
		c.must(edgelist.Write(ctx, c.input(name), c.one, edgelist.WriteOptions{}))
	}
	c.must(arrow.WriteGraph(ctx, c.input("e.foray"), c.one, arrow.WriteGraphOptions{}))
	for _, name := range []string{"v.parquet", "v.csv"} {
		c.must(arrow.Write(ctx, c.input(name), c.one, c.columns(), arrow.WriteOptions{}))
	}
	c.texts()
	var err error
	c.table, err = arrow.LoadProperties(ctx, c.one, c.vertices(), arrow.Options{})
	c.must(err)
}

// source is a vertex of the highest degree, since others may be isolated.
func (c *canceling) source() uint32 { return c.one.DegreeHistogram().MaxVertex }

func (c *canceling) input(name string) string  { return filepath.Join(c.in, name) }
func (c *canceling) output(name string) string { return filepath.Join(c.out, name) }

func (c *canceling) columns() []arrow.Column {
	values := make([]int64, c.one.NumVertices())
	for i := range values {
		values[i] = int64(i) * 7
	}
	return []arrow.Column{arrow.NewColumn("x", values)}
}

func (c *canceling) vertices() arrow.VertexTable {
	return arrow.VertexTable{Paths: []string{c.input("v.parquet")}, ID: "vertex", Properties: []string{"x"}}
}

// texts writes the edges in the formats of text that package edgelist reads and doesn't write.
func (c *canceling) texts() {
	g := c.one
	write := func(name, head string, row func(w *bufio.Writer, v uint32, to []uint32)) {
		f, err := os.Create(c.input(name))
		c.must(err)
		w := bufio.NewWriter(f)
		_, err = w.WriteString(head)
		c.must(err)
		for v := range uint32(g.NumVertices()) {
			row(w, v, g.Out().Neighbors(v))
		}
		c.must(errors.Join(w.Flush(), f.Close()))
	}
	n, half := g.NumVertices(), g.NumEdges()
	edge := func(format string, both bool) func(w *bufio.Writer, v uint32, to []uint32) {
		return func(w *bufio.Writer, v uint32, to []uint32) {
			for _, u := range to {
				if both || v > u {
					fmt.Fprintf(w, format, v+1, u+1)
				}
			}
		}
	}
	write("e.mtx", fmt.Sprintf("%%%%MatrixMarket matrix coordinate pattern symmetric\n%d %d %d\n", n, n, half), edge("%d %d\n", false))
	write("e.gr", fmt.Sprintf("p sp %d %d\n", n, 2*half), edge("a %d %d 1\n", true))
	write("e.jsonl", "", edge("{\"source\":%d,\"target\":%d}\n", false))
	write("e.metis", fmt.Sprintf("%d %d\n", n, half), func(w *bufio.Writer, _ uint32, to []uint32) {
		for _, u := range to {
			fmt.Fprintf(w, "%d ", u+1)
		}
		w.WriteByte('\n')
	})
	write("v.txt", "", func(w *bufio.Writer, v uint32, _ []uint32) { fmt.Fprintln(w, v) })
}

// of is what values are, of an algorithm whose result is freed then.
func of[T device.Elem](values interface{ Slice() ([]T, error) }, free func() error) (found []float64, err error) {
	all, err := values.Slice()
	for _, x := range all {
		found = append(found, float64(x))
	}
	return found, errors.Join(err, free())
}

func depths(r *bfs.Result, err error) (found []float64, _ error) {
	if err != nil {
		return nil, err
	}
	defer r.Close()
	depths, err := r.Depths()
	for _, d := range depths {
		found = append(found, float64(d))
	}
	return found, err
}

func distances(r *sssp.Result, err error) (found []float64, _ error) {
	if err != nil {
		return nil, err
	}
	all, err := r.Distances.Slice()
	found = append(found, all...)
	return found, errors.Join(err, r.Close())
}

// hashed is what graph it is.
func (c *canceling) hashed(g *graph.Graph, err error) (found []float64, _ error) {
	if err != nil || c.bare {
		return nil, err
	}
	sum, err := g.Checksum(context.Background())
	for _, b := range sum {
		found = append(found, float64(b))
	}
	return found, err
}

// written is what is in a file, which is removed.
func written(path string, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return []float64{float64(len(data)), float64(crc32.ChecksumIEEE(data))}, os.Remove(path)
}

// again places a graph again, so that cached state of a placed graph is rebuilt, unless kept is set.
func (c *canceling) again(g *graph.Graph, do func(p *graph.Placed) ([]float64, error)) ([]float64, error) {
	switch {
	case c.kept && g == c.one:
		return do(c.placed)
	case c.kept && g == c.there:
		return do(c.way)
	}
	p, err := g.On(c.dev)
	if err != nil {
		return nil, err
	}
	found, err := do(p)
	return found, errors.Join(err, p.Close())
}

// algorithms are the calls that run one.
func (c *canceling) algorithms() (all []canceled) {
	add := func(name string, g *graph.Graph, run func(ctx context.Context, p *graph.Placed) ([]float64, error)) {
		all = append(all, canceled{name, 0, func(ctx context.Context) ([]float64, error) {
			return c.again(g, func(p *graph.Placed) ([]float64, error) { return run(ctx, p) })
		}})
	}
	prepare := func(name string, g *graph.Graph, prepare func(ctx context.Context, p *graph.Placed) error) {
		add(name, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) { return nil, prepare(ctx, p) })
	}
	prepare("cc.Prepare", c.there, cc.Prepare)
	prepare("kcore.Prepare", c.there, kcore.Prepare)
	prepare("triangles.Prepare", c.there, triangles.Prepare)
	byWeight := func(ctx context.Context, p *graph.Placed) error {
		_, err := sssp.Prepare(ctx, p)
		return err
	}
	prepare("sssp.Prepare", c.one, byWeight)
	add("order.ByDegree", c.unordered, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		q, err := order.ByDegree(ctx, p)
		if err != nil {
			return nil, err
		}
		found := []float64{float64(q.State().MaxDegree())}
		if q == p { // it is in that order
			return found, nil
		}
		return found, q.Close()
	})
	add("bench.Run", c.one, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		_, err := bench.Run(ctx, p, bench.Options{Sources: 2, Trials: 1, Batch: 4})
		return nil, err
	})
	add("closeness.Bound", c.one, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := closeness.Bound(ctx, p, 4, 1, closeness.Options{})
		if err != nil {
			return nil, err
		}
		return of(r.Least, r.Close)
	})
	add("msbfs.Reach", c.one, func(ctx context.Context, p *graph.Placed) (found []float64, err error) {
		var pairs []msbfs.Pair
		for i, v := range c.sources {
			pairs = append(pairs, msbfs.Pair{From: c.source(), To: v}, msbfs.Pair{From: v, To: c.sources[len(c.sources)-1-i]})
		}
		d, err := msbfs.Reach(ctx, p, pairs, msbfs.Options{})
		for _, x := range d {
			found = append(found, float64(x))
		}
		return found, err
	})
	add("walks.Each", c.one, func(ctx context.Context, p *graph.Placed) (found []float64, err error) {
		for b, err := range walks.Each(ctx, p, walks.Options{Length: 3}) {
			if err != nil {
				return nil, err
			}
			for _, v := range b.Vertices {
				found = append(found, float64(v))
			}
		}
		return found, nil
	})
	add("paths.Run", c.one, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := paths.Run(ctx, p, paths.Options{Pairs: [][2]uint32{{c.source(), c.sources[0]}, {c.sources[0], c.source()}}, K: 3})
		if err != nil {
			return nil, err
		}
		return r.Length, nil
	})
	add("similar.Run", c.one, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := similar.Run(ctx, p, similar.Options{Sources: c.sources})
		if err != nil {
			return nil, err
		}
		return r.Score, nil
	})
	add("topo.Run", c.ordered, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
		r, err := topo.Run(ctx, p, topo.Options{Weighted: true})
		if err != nil {
			return nil, err
		}
		return of(r.Length, r.Close)
	})
	for how, g := range map[string]*graph.Graph{"": c.one, ", directed": c.there, ", in another order": c.unordered} {
		ranks := func(name string, o pagerank.Options) {
			add(name+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
				r, err := pagerank.Run(ctx, p, o)
				if err != nil {
					return nil, err
				}
				return of(r.Ranks, r.Close)
			})
		}
		add("pagerank.RunEach"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			to := make([]float64, p.NumVertices())
			to[0] = 1
			all, err := pagerank.RunEach(ctx, p, pagerank.Options{}, [][]float64{to, to})
			if err != nil {
				return nil, err
			}
			return of(all[1].Ranks, func() error { return errors.Join(all[0].Close(), all[1].Close()) })
		})
		ranks("pagerank.Run", pagerank.Options{})
		ranks("pagerank.Run, weighted", pagerank.Options{Weighted: true})
		parts := func(name string, run func(context.Context, *graph.Placed, cc.Options) (*cc.Result, error)) {
			add(name+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
				r, err := run(ctx, p, cc.Options{})
				if err != nil {
					return nil, err
				}
				return of(r.Component, r.Close)
			})
		}
		parts("cc.Run", cc.Run)
		parts("cc.Strong", cc.Strong)
		between := func(name string, run func(ctx context.Context, p *graph.Placed) (*bc.Result, error)) {
			add(name+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
				r, err := run(ctx, p)
				if err != nil {
					return nil, err
				}
				return of(r.Betweenness, r.Close)
			})
		}
		between("bc.Run", func(ctx context.Context, p *graph.Placed) (*bc.Result, error) {
			return bc.Run(ctx, p, bc.Options{Samples: 4})
		})
		between("bc.Run, some sources", func(ctx context.Context, p *graph.Placed) (*bc.Result, error) {
			return bc.Run(ctx, p, bc.Options{Sources: c.sources[:8]})
		})
		between("bc.Run, edges", func(ctx context.Context, p *graph.Placed) (*bc.Result, error) {
			return bc.Run(ctx, p, bc.Options{Samples: 4, Edges: true})
		})
		near := func(name string, o closeness.Options) {
			add(name+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
				r, err := closeness.Run(ctx, p, o)
				if err != nil {
					return nil, err
				}
				return of(r.Closeness, r.Close)
			})
		}
		near("closeness.Run", closeness.Options{})
		near("closeness.Run, of some", closeness.Options{Of: c.sources})
		search := func(name string, run func(ctx context.Context, p *graph.Placed) (*bfs.Result, error)) {
			add(name+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) { return depths(run(ctx, p)) })
		}
		search("bfs.Run", func(ctx context.Context, p *graph.Placed) (*bfs.Result, error) {
			return bfs.Run(ctx, p, c.source(), bfs.Options{Outputs: bfs.Depths | bfs.Parents})
		})
		search("bfs.RunMultiSource", func(ctx context.Context, p *graph.Placed) (*bfs.Result, error) {
			return bfs.RunMultiSource(ctx, p, c.sources, bfs.Options{})
		})
		search("dobfs.Run", func(ctx context.Context, p *graph.Placed) (*bfs.Result, error) {
			return dobfs.Run(ctx, p, c.source(), dobfs.Options{Outputs: bfs.Depths | bfs.Parents, ByID: true})
		})
		search("dobfs.RunMultiSource", func(ctx context.Context, p *graph.Placed) (*bfs.Result, error) {
			return dobfs.RunMultiSource(ctx, p, c.sources, dobfs.Options{})
		})
		add("kcore.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := kcore.Run(ctx, p, kcore.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Core, r.Close)
		})
		add("degree.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := degree.Run(ctx, p, degree.Options{Weighted: true})
			if err != nil {
				return nil, err
			}
			return of(r.Degree, r.Close)
		})
		add("eigenvector.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := eigenvector.Run(ctx, p, eigenvector.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Centrality, r.Close)
		})
		add("hits.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := hits.Run(ctx, p, hits.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Hubs, r.Close)
		})
		add("katz.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := katz.Run(ctx, p, katz.Options{Alpha: 1e-5})
			if err != nil {
				return nil, err
			}
			return of(r.Centrality, r.Close)
		})
		add("lpa.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := lpa.Run(ctx, p, lpa.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Labels, r.Close)
		})
		add("mis.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := mis.Run(ctx, p, mis.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Member, r.Close)
		})
		add("bridges.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := bridges.Run(ctx, p, bridges.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Component, r.Close)
		})
		add("ktruss.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := ktruss.Run(ctx, p, ktruss.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Trussness, r.Close)
		})
		add("kclique.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := kclique.Run(ctx, p, kclique.Options{K: 4})
			if err != nil {
				return nil, err
			}
			return of(r.Cliques, r.Close)
		})
		add("msf.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := msf.Run(ctx, p, msf.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Tree, r.Close)
		})
		add("louvain.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := louvain.Run(ctx, p, louvain.Options{Levels: true})
			if err != nil {
				return nil, err
			}
			return of(r.Community, r.Close)
		})
		add("leiden.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := leiden.Run(ctx, p, leiden.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Community, r.Close)
		})
		add("color.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := color.Run(ctx, p, color.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Color, r.Close)
		})
		add("triangles.Run"+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) {
			r, err := triangles.Run(ctx, p, triangles.Options{})
			if err != nil {
				return nil, err
			}
			return of(r.Triangles, r.Close)
		})
		for with, parents := range map[string]bool{"": false, ", parents": true} {
			add("msbfs.Each"+with+how, g, func(ctx context.Context, p *graph.Placed) (found []float64, err error) {
				for f, err := range msbfs.Each(ctx, p, c.sources, msbfs.EachOptions{Parents: parents}) {
					if err != nil {
						return found, err
					}
					sum := 0.0
					for i, v := range f.Vertices {
						sum += float64(v) * float64(f.Depths[i])
					}
					found = append(found, float64(f.Source), sum)
				}
				return found, nil
			})
		}
		add("msbfs.Run"+how, g, func(ctx context.Context, p *graph.Placed) (found []float64, err error) {
			r, err := msbfs.Run(ctx, p, c.sources, msbfs.Options{})
			if err != nil {
				return nil, err
			}
			for i := range c.sources {
				found = append(found, float64(len(r.Counts[i])))
			}
			return found, nil
		})
		paths := func(name string, run func(ctx context.Context, p *graph.Placed) (*sssp.Result, error)) {
			add(name+how, g, func(ctx context.Context, p *graph.Placed) ([]float64, error) { return distances(run(ctx, p)) })
		}
		paths("sssp.Run", func(ctx context.Context, p *graph.Placed) (*sssp.Result, error) {
			return sssp.Run(ctx, p, c.source(), sssp.Options{})
		})
		paths("sssp.Run, float32", func(ctx context.Context, p *graph.Placed) (*sssp.Result, error) {
			return sssp.Run(ctx, p, c.source(), sssp.Options{Float32: true, Parents: true})
		})
		paths("sssp.Run, prepared", func(ctx context.Context, p *graph.Placed) (*sssp.Result, error) {
			if err := byWeight(ctx, p); err != nil {
				return nil, err
			}
			return sssp.Run(ctx, p, c.source(), sssp.Options{Parents: true})
		})
		paths("sssp.RunMultiSource", func(ctx context.Context, p *graph.Placed) (*sssp.Result, error) {
			return sssp.RunMultiSource(ctx, p, c.sources, sssp.Options{})
		})
	}
	return all
}
