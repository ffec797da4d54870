// This file holds OpenGraph.

package arrow

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
	"github.com/foray-graph/foray/io/arrow/internal/ipcfile"
)

// OpenGraphOptions say how a prepared graph is opened. The zero value maps the
// file and checks all of it.
type OpenGraphOptions struct {
	// Trust skips the pass over the arrays. Opening a file then takes a millisecond however large the graph
	// is, since it reads only the metadata. It is for files that were checked before, in their current
	// location: if an array is damaged, searches may give wrong results, panic in another goroutine, which
	// ends the process, fault on a GPU, or never end.
	Trust bool
	// InMemory reads the file into memory, in huge pages where the system has
	// them, instead of mapping it. That takes the file's size in memory, and
	// what becomes of the file is then of no matter. Systems without mapped
	// files (Windows) do so always, and objects of stores are read so.
	InMemory bool
	// MemoryLimit is the most bytes that a graph may take that isn't mapped;
	// more is graph.ErrMemory, before the memory is taken. 0 means what the
	// machine, its control group and GOMEMLIMIT leave.
	MemoryLimit uint64
	// S3 configures access to the store if the path is s3://bucket/key.
	S3 S3Options
	// Workers is the number of goroutines that read and check; 0 means
	// GOMAXPROCS, less is graph.ErrOptions.
	Workers int
	// Progress, if not nil, is called now and then with the bytes of the arrays
	// that were checked and how many there are; of an object, those that came,
	// with what lies between the arrays. Calls don't overlap.
	Progress func(done, total uint64)
	// Stats, if not nil, receives Files, Bytes and BytesRead once the graph is open. Mapped bytes count as
	// read.
	Stats *Stats
	// WeightType is the type of the weights: WeightsAuto keeps the file's type, WeightsFloat32 rounds
	// weights, and WeightsFloat64 converts integers to floats.
	WeightType graph.WeightType
	// Tables, if not nil, receives the value of WriteGraphOptions.Tables, once the graph is open.
	Tables *[]TableSnapshot
}

// OpenGraph opens a graph that WriteGraph wrote. The arrays stay where they are in the file, which is mapped
// into memory: they are read from disk when they are needed and shared with other processes that have it
// open. Graph.Close unmaps it; without Close the process keeps address space, not memory, until it ends.
//
// Before the graph is returned the file is checked, by all workers: the metadata of the graph, the checksum
// of every array, and, even for a malicious file, that no search can access memory outside the arrays. With
// OpenGraphOptions.Trust only metadata is checked. OpenGraph doesn't check whether a forged file with valid
// checksums makes sense, such as whether an undirected graph's edges have their opposites, as graph.FromCSR
// doesn't either.
//
// An object of a store (s3://bucket/key) is fetched into memory by ranges, side by
// side, pinned to the version that was there when it was opened: one that is
// changed meanwhile is ErrChanged. Checksums are made while it comes. Its memory
// is the garbage collector's, as with InMemory.
//
// The file must not be written to or truncated while the graph is open: reading a missing part ends the
// process. Replacing it by renaming another over it, as WriteGraph does, is fine.
//
// An invalid file is a *FileError: ErrDamaged, graph.ErrMalformed if the checksums are right but the contents
// aren't a graph, ErrFormat if it isn't a prepared graph, ErrUnsupported for a later version of the format,
// graph.ErrMemory. Errors of the operating system, the store (ErrStore, fs.ErrNotExist and so on) and ctx are
// returned unchanged.
func OpenGraph(ctx context.Context, path string, o OpenGraphOptions) (_ *graph.Graph, failed error) {
	defer location.Shown(&failed)
	if err := callctx.Check(ctx, "arrow"); err != nil {
		return nil, err
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("arrow: %w: OpenGraphOptions.Workers is %d; want a number of goroutines, or 0 for GOMAXPROCS", graph.ErrOptions, o.Workers)
	}
	if err := stopped(ctx); err != nil {
		return nil, stoppedAt(ctx, path, err)
	}
	path, err := localPath(path)
	if err != nil {
		return nil, err
	}
	if s3.Is(path) {
		return openStoredObject(ctx, path, o)
	}
	f, info, err := openRegular(ctx, path)
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
		return nil, stoppedAt(ctx, path, err)
	}
	if err != nil {
		return nil, fileError(path, "", err)
	}
	if o.Stats != nil {
		*o.Stats = Stats{Files: 1, Bytes: info.Size(), BytesRead: info.Size()}
	}
	return g, nil
}

// IsGraph reports whether the file is a prepared graph, for OpenGraph, rather than a table of edges, for
// Open. It reads the file's metadata. A file whose metadata is damaged, or that isn't an Arrow file, is not a
// prepared graph. The error is the operating system's, or ErrUnsupported for anything but a regular file,
// such as an object of a store: OpenGraph checks these, and returns ErrFormat if they aren't prepared graphs.
func IsGraph(path string) (_ bool, failed error) {
	defer location.Shown(&failed)
	if s3.Is(path) {
		return false, fileError(path, "", fmt.Errorf("%w: IsGraph looks at files, and this is an object of a store; OpenGraph tells", ErrUnsupported))
	}
	f, info, err := openRegular(context.Background(), path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [len(ipcfile.Magic)]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:]) != ipcfile.Magic {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	is := false
	err = columnar.Guard(func() error {
		file, err := ipcfile.Open(f, info.Size(), columnar.Limits{})
		if err == nil {
			is = isGraph(file.Metadata())
		}
		return err
	})
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrUnsupported) {
		err = nil
	}
	return is, err
}

// errIsGraph is for a prepared graph where edges are wanted.
func errIsGraph() error {
	return fmt.Errorf("%w: it is a prepared graph, not a table of edges; OpenGraph opens it", ErrFormat)
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
		pass := storedPass{arrays: arrays, workers: o.Workers, progress: o.Progress}
		sums, err := pass.run(ctx)
		// A wrong value in a damaged array is damage.
		for i, sum := range sums {
			if damaged := arrays[i].checkSum(sum); damaged != nil && !errors.Is(err, ErrDamaged) {
				return nil, damaged
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return s.assemble(ctx, release, o.WeightType)
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
	return s.assemble(ctx, release, o.WeightType)
}

// assemble builds the graph once the arrays are checked.
func (s *storedGraph) assemble(ctx context.Context, release func() error, as graph.WeightType) (*graph.Graph, error) {
	if err := s.checkEnds(); err != nil {
		return nil, err
	}
	return s.graph(ctx, release, as)
}

// checkLittleEndian refuses machines on which arrays lie otherwise in memory.
func checkLittleEndian() error {
	if cpu.IsBigEndian {
		return columnar.Unsupported("prepared graphs are little-endian, and this machine isn't")
	}
	return nil
}

// graph puts the graph together.
func (s *storedGraph) graph(ctx context.Context, release func() error, as graph.WeightType) (*graph.Graph, error) {
	values := func(name string) []byte { return s.column(name).array("values").data }
	ids := &graph.IDs{Type: s.idType, Len: int(s.vertices), Logical: s.logical}
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
		var byID []uint32
		if s.column(columnByID) != nil {
			byID = arrayOf[uint32](values(columnByID))
		}
		ids.SetByID(byID)
	}
	out, p := s.csr(columnOut), graph.CSROptions{Directed: s.directed, IDs: ids, Order: s.order, Stats: s.stats, WeightType: s.weights}
	p.Stored = graph.Stored{Checked: true, Release: release}
	if s.column(columnIn) != nil {
		in := s.csr(columnIn)
		p.In = &in
	}
	if s.column(columnFirst) != nil {
		p.Stored.First, p.Stored.NoIn = arrayOf[uint32](values(columnFirst)), arrayOf[uint64](values(columnNoIn))
	}
	if s.column(columnFours) != nil {
		p.Stored.Rows = arrayOf[[4]uint32](values(columnFours))
	}
	if s.column(columnLong) != nil {
		p.Stored.Long = arrayOf[uint64](values(columnLong))
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
