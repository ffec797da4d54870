// This file holds OpenGraph.

// Package prepared writes graphs in their in-memory layout as Arrow IPC files, and maps them back.
package prepared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/sys/cpu"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/internal/calls/callctx"
	"github.com/foray-graph/foray/internal/calls/looks"
	"github.com/foray-graph/foray/internal/files/location"
	"github.com/foray-graph/foray/internal/files/s3"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/ipc"
)

// OpenGraphOptions is arrow.OpenGraphOptions.
type OpenGraphOptions struct {
	Trust       bool
	InMemory    bool
	MemoryLimit uint64
	S3          input.S3Options
	Workers     int
	Progress    func(graph.Progress)
	Stats       *OpenStats
	WeightType  graph.WeightType
	Tables      *[]input.TableSnapshot
}

// OpenGraph is arrow.OpenGraph.
func OpenGraph(ctx context.Context, path string, o OpenGraphOptions) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("arrow: %w: OpenGraphOptions.Workers is %d; want a number of goroutines, or 0 for GOMAXPROCS", graph.ErrOptions, o.Workers)
	}
	if err := input.Stopped(ctx); err != nil {
		return nil, input.StoppedAt(ctx, path, err)
	}
	path, err := input.LocalPath(path)
	if err != nil {
		return nil, err
	}
	if s3.Is(path) {
		return openStoredObject(ctx, path, o)
	}
	f, info, err := input.OpenRegular(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var g *graph.Graph
	// Offsets are looked at in the map, whose file may have been cut since.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = columnar.Guard(func() error {
		g, err = openStored(ctx, f, info.Size(), o)
		return err
	})
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil, input.StoppedAt(ctx, path, err)
	}
	if err != nil {
		return nil, input.InFile(path, "", err)
	}
	if o.Stats != nil {
		*o.Stats = OpenStats{Files: 1, Bytes: info.Size(), BytesRead: info.Size()}
	}
	return g, nil
}

// IsGraph is arrow.IsGraph.
func IsGraph(path string) (_ bool, failed error) {
	defer location.Shown(&failed)
	if s3.Is(path) {
		return false, input.InFile(path, "", fmt.Errorf("%w: IsGraph looks at files, and this is an object of a store; OpenGraph tells", input.ErrUnsupported))
	}
	f, info, err := input.OpenRegular(context.Background(), path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [len(ipc.Magic)]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:]) != ipc.Magic {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	is := false
	err = columnar.Guard(func() error {
		file, err := ipc.Open(f, info.Size(), columnar.Limits{})
		if err == nil {
			is = input.IsGraph(file.Metadata())
		}
		return err
	})
	if errors.Is(err, input.ErrDamaged) || errors.Is(err, input.ErrUnsupported) {
		err = nil
	}
	return is, err
}

func openStored(ctx context.Context, f *os.File, size int64, o OpenGraphOptions) (g *graph.Graph, err error) {
	if err := storedFits(size); err != nil {
		return nil, err
	}
	s, body, err := readStored(f, size)
	if err != nil {
		return nil, err
	}
	data, release, err := load(ctx, f, size, o)
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() { // also where what is looked at can't be read, which is a panic
		if !opened && release != nil {
			err = errors.Join(err, release())
		}
	}()
	g, err = s.open(ctx, data[body:], o, release)
	if opened = err == nil; opened {
		s.tellTables(&o)
	}
	return g, err
}

// load maps the file, or reads it. What it returns is aligned to 8 bytes at least; release is nil if nothing
// must be freed.
func load(ctx context.Context, f *os.File, size int64, o OpenGraphOptions) (data []byte, release func() error, err error) {
	if !o.InMemory {
		data, release, err = mapFile(f, int(size))
		if err == nil || !errors.Is(err, errors.ErrUnsupported) {
			return data, release, err
		}
	}
	if err := graph.CheckMemory(uint64(size), o.MemoryLimit); err != nil {
		return nil, nil, err
	}
	data, err = readFile(ctx, f, int(size), o.Workers)
	return data, nil, err
}

// open makes the graph of the body.
func (s *storedGraph) open(ctx context.Context, body []byte, o OpenGraphOptions, release func() error) (*graph.Graph, error) {
	s.place(body)
	if !o.Trust {
		arrays := s.arrays()
		s.setChecks()
		pass := storedPass{arrays: arrays, workers: o.Workers, phase: "check", progress: o.Progress}
		sums, err := pass.run(ctx)
		// A wrong value in a damaged array is damage.
		for i, sum := range sums {
			if damaged := arrays[i].checkSum(sum); damaged != nil && !errors.Is(err, input.ErrDamaged) {
				return nil, damaged
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return s.assemble(ctx, release, o)
}

// place gives the arrays their places in the body.
func (s *storedGraph) place(body []byte) {
	for _, a := range s.arrays() {
		a.data = body[a.at : a.at+a.size : a.at+a.size]
	}
}

// finish makes the graph of arrays whose checksums are right.
func (s *storedGraph) finish(ctx context.Context, o OpenGraphOptions, release func() error) (*graph.Graph, error) {
	if !o.Trust {
		s.setChecks()
		pass := storedPass{arrays: s.arrays(), workers: o.Workers, hashed: true}
		if _, err := pass.run(ctx); err != nil {
			return nil, err
		}
	}
	return s.assemble(ctx, release, o)
}

// assemble builds the graph once the arrays are checked.
func (s *storedGraph) assemble(ctx context.Context, release func() error, o OpenGraphOptions) (*graph.Graph, error) {
	if err := s.checkEnds(); err != nil {
		return nil, err
	}
	return s.graph(ctx, release, o.WeightType, o.Trust)
}

// checkLittleEndian refuses machines on which arrays lie otherwise in memory.
func checkLittleEndian() error {
	if cpu.IsBigEndian {
		return columnar.Unsupported("prepared graphs are little-endian, and this machine isn't")
	}
	return nil
}

// graph puts the graph together.
func (s *storedGraph) graph(ctx context.Context, release func() error, as graph.WeightType, trust bool) (*graph.Graph, error) {
	values := func(name string) []byte { return s.column(name).array("values").data }
	ids := &graph.IDs{Type: s.idType, Len: int(s.vertices), Logical: s.logical}
	var byID []uint32
	ranked := false
	if c := s.column(columnID); c != nil {
		switch c.kind {
		case storedUint32:
			ids.Dense32 = arrayOf[uint32](values(columnID))
		case storedInt64, storedUint64:
			ids.Ints = arrayOf[int64](values(columnID))
		default:
			ids.StringOffsets, ids.Data = arrayOf[uint64](c.array("offsets").data), c.array("data").data
		}
		if s.column(columnSide) != nil {
			ids.Sides = arrayOf[uint64](values(columnSide))
		}
		ranked = true
		if s.column(columnByID) != nil {
			byID = arrayOf[uint32](values(columnByID))
		}
	}
	out, p := s.csr(columnOut), graph.CSROptions{Directed: s.directed, IDs: ids, Order: s.order, Stats: s.stats, WeightType: s.weights}
	p.Stored = graph.Stored{Checked: true, Release: release, ByID: byID, Ranked: ranked}
	if s.column(columnIn) != nil {
		in := s.csr(columnIn)
		p.In = &in
	}
	if s.column(columnFirst) != nil {
		p.Stored.First, p.Stored.NoIn = arrayOf[uint32](values(columnFirst)), arrayOf[uint64](values(columnNoIn))
	}
	if s.column(columnEll4) != nil {
		p.Stored.Rows = arrayOf[[4]uint32](values(columnEll4))
	}
	if s.column(columnLong) != nil {
		p.Stored.Long = arrayOf[uint64](values(columnLong))
	}
	var err error
	if p.EdgeColumns, err = s.columnsOf(columnEdge, s.edges, trust); err != nil {
		return nil, err
	}
	if p.VertexColumns, err = s.columnsOf(columnValue, s.values, trust); err != nil {
		return nil, err
	}
	if err := retypeWeights(ctx, &out, &p, as); err != nil {
		return nil, err
	}
	return graph.FromCSR(out, p)
}

// retypeWeights gives weights another type, where that is asked for. The arrays of the file stay as they are. The
// error is the context's.
func retypeWeights(ctx context.Context, out *graph.CSR, p *graph.CSROptions, as graph.WeightType) error {
	if out.Weights == nil || as == graph.WeightsAuto || as == p.WeightType {
		return nil
	}
	p.WeightType = as
	for _, c := range []*graph.CSR{out, p.In} {
		switch {
		case c == nil:
		case as == graph.WeightsFloat32:
			c.IntWeights, c.FloatWeights = nil, nil
		case as == graph.WeightsFloat64 && c.IntWeights != nil:
			c.FloatWeights = make([]float64, len(c.IntWeights))
			if err := looks.Pieces(ctx, len(c.IntWeights), func(lo, hi int) {
				for e, x := range c.IntWeights[lo:hi] {
					c.FloatWeights[lo+e] = float64(x)
				}
			}); err != nil {
				return err
			}
			c.IntWeights = nil
		}
	}
	return nil
}

func (s *storedGraph) csr(name string) graph.CSR {
	c := s.column(name)
	csr := graph.CSR{Offsets: arrayOf[uint64](c.array("offsets").data), Targets: arrayOf[uint32](c.array("targets").data)}
	if c.kind.hasWeights() {
		csr.Weights = arrayOf[float32](c.array("weights").data)
	}
	if c.kind.hasIntWeights() {
		csr.IntWeights = arrayOf[int64](c.array("exact_weights").data)
	} else if c.kind.hasWideWeights() {
		csr.FloatWeights = arrayOf[float64](c.array("exact_weights").data)
	}
	if c.kind.hasEdgeIDs() {
		csr.EdgeIDs = arrayOf[uint64](c.array("edge_ids").data)
	}
	return csr
}

// OpenStats counts what was read.
type OpenStats struct {
	Files            int
	Bytes, BytesRead int64
}
