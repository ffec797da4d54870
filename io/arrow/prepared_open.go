// This file holds OpenGraph.

package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/ipcfile"
)

// OpenGraphOptions say how a prepared graph is opened. The zero value maps the
// file and checks all of it.
type OpenGraphOptions struct {
	// Trust leaves out the pass over the arrays. Opening then takes a
	// millisecond however large the graph is, for it reads the metadata alone.
	// It is for files that were checked before, where they are now: if an array
	// is damaged, searches give wrong results, panic in a goroutine of their
	// own, which ends the process, or fault on a GPU.
	Trust bool
	// InMemory reads the file into memory, in huge pages where the system has
	// them, instead of mapping it. That takes the file's size in memory, and
	// what becomes of the file is then of no matter. Systems without mapped
	// files (Windows) do so always.
	InMemory bool
	// Workers is the number of goroutines that read and check; 0 means
	// GOMAXPROCS, less is graph.ErrOptions.
	Workers int
	// Progress, if not nil, is called now and then with the bytes of the arrays
	// that were checked and how many there are. Calls don't overlap.
	Progress func(done, total uint64)
}

// OpenGraph opens a graph that WriteGraph wrote. The arrays stay where they are
// in the file, which is mapped into memory: they are read from disk when they
// are needed and shared with other processes that have it open. Graph.Close
// gives the mapping back; whoever doesn't call it keeps address space, not
// memory, until the process ends.
//
// Before the graph is returned all of the file is checked, by all workers:
// metadata, the checksum of every array, and that no value leads outside of the
// graph, whoever made the file. Options.Trust leaves out what isn't metadata.
// The file must not be written to or cut afterwards, as long as the graph is
// open: reading what is no longer there ends the process. Replacing it by
// renaming another over it, as WriteGraph does, is fine.
//
// What is wrong with a file is a *FileError: ErrDamaged, graph.ErrMalformed for
// one whose checksums are right and its contents are no graph, ErrFormat for
// one that is no prepared graph, ErrUnsupported for a later version of the
// format. The operating system's errors and ctx's are themselves.
func OpenGraph(ctx context.Context, path string, o OpenGraphOptions) (*graph.Graph, error) {
	if o.Workers < 0 {
		return nil, fmt.Errorf("arrow: %w: OpenGraphOptions.Workers is %d; want a number of goroutines, or 0 for GOMAXPROCS", graph.ErrOptions, o.Workers)
	}
	if err := stopped(ctx); err != nil {
		return nil, err
	}
	f, info, err := openRegular(path)
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
		return nil, stopped(ctx)
	}
	if err != nil {
		return nil, fileError(path, "", err)
	}
	return g, nil
}

// IsGraph reports whether the file is a prepared graph, for OpenGraph, and no
// table of edges, for Open. It reads the file's metadata. A file that is
// damaged there, or isn't Arrow's at all, is none; the error is the operating
// system's, or ErrUnsupported for what isn't a regular file.
func IsGraph(path string) (bool, error) {
	f, info, err := openRegular(path)
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
		file, err := ipcfile.Open(f, info.Size())
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

func openStored(ctx context.Context, f *os.File, size int64, o OpenGraphOptions) (*graph.Graph, error) {
	if cpu.IsBigEndian {
		return nil, columnar.Unsupported("prepared graphs are little-endian, and this machine isn't")
	}
	if size > math.MaxInt {
		return nil, columnar.Unsupported("a file of %d bytes, on a machine of 32 bits", size)
	}
	s, body, err := readStored(f, size)
	if err != nil {
		return nil, err
	}
	data, release, err := load(ctx, f, size, o)
	if err != nil {
		return nil, err
	}
	g, err := s.open(ctx, data[body:], o, release)
	if err != nil && release != nil {
		err = errors.Join(err, release())
	}
	return g, err
}

// load maps the file, or reads it. What it returns is aligned to 8 bytes at
// least; release is nil where nothing need be given back.
func load(ctx context.Context, f *os.File, size int64, o OpenGraphOptions) (data []byte, release func() error, err error) {
	if !o.InMemory {
		data, release, err = mapFile(f, int(size))
		if err == nil || !errors.Is(err, errors.ErrUnsupported) {
			return data, release, err
		}
	}
	data, err = readFile(ctx, f, int(size), o.Workers)
	return data, nil, err
}

// readStored reads the metadata, and returns where in the file the body begins.
func readStored(f io.ReaderAt, size int64) (*storedGraph, int64, error) {
	var head [8]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if begin := string(head[:n]); begin != ipcfile.Magic+"\x00\x00" {
		if n == len(head) && strings.HasPrefix(begin, "PAR1") {
			err = fmt.Errorf("%w: it is a Parquet file, not a prepared graph; Load makes a graph of it, WriteGraph prepares it", ErrFormat)
		} else if n == 0 {
			err = fmt.Errorf("%w: the file is empty; check what wrote it", ErrFormat)
		} else {
			err = fmt.Errorf("%w: no prepared graph; it begins with %q", ErrFormat, begin)
		}
		return nil, 0, err
	}
	s := &storedGraph{}
	var refused error
	l, err := ipcfile.ReadLayout(f, size, func(kv map[string]string) bool {
		if isGraph(kv) {
			s.storedHead, refused = readHead(kv)
		} else {
			refused = fmt.Errorf("%w: an Arrow file, but no prepared graph; Load makes a graph of its edges, WriteGraph prepares it", ErrFormat)
		}
		return refused == nil
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, 0, err
	}
	if l.Rows != int64(s.vertices) {
		return nil, 0, columnar.Corrupt("%d rows for %d vertices", l.Rows, s.vertices)
	}
	if err := s.readColumns(l); err != nil {
		return nil, 0, err
	}
	if got := s.check(l.Metadata); got != l.Metadata[keyCheck] {
		return nil, 0, columnar.Corrupt("the metadata's checksum is %.100q, but what it says has %s; restore the file, or prepare the graph again", l.Metadata[keyCheck], got)
	}
	return s, l.Body, nil
}

// readColumns matches what the file has with what a graph needs.
func (s *storedGraph) readColumns(l *ipcfile.Layout) error {
	nodes, buffers := l.Nodes, l.Buffers
	for _, f := range l.Fields {
		kind, ok := s.kindOf(f)
		if !ok || f.Nullable || s.column(f.Name) != nil {
			return columnar.Corrupt("column %.100q of type %.100q doesn't belong to the graph that the metadata describes", f.Name, f.Type)
		}
		c := s.add(f.Name, kind)
		if len(nodes) < len(c.nodes) || len(buffers) < len(c.arrays) {
			return columnar.Corrupt("%d nodes and %d buffers are too few", len(l.Nodes), len(l.Buffers))
		}
		for i, n := range c.nodes {
			if nodes[i] != [2]int64{n, 0} {
				return columnar.Corrupt("column %q has %d values and %d nulls, want %d and none", f.Name, nodes[i][0], nodes[i][1], n)
			}
		}
		for i, a := range c.arrays {
			at, size := buffers[i][0], buffers[i][1]
			switch {
			case a.name == "" && size != 0, a.name != "" && a.size >= 0 && size != a.size:
				return columnar.Corrupt("column %q: a buffer of %d bytes, want %d", f.Name, size, a.size)
			case (l.Body+at)%8 != 0:
				return columnar.Corrupt("column %q: a buffer at byte %d, which isn't aligned", f.Name, l.Body+at)
			}
			a.at, a.size = at, size
			if a.name == "" {
				continue
			}
			// The sum is compared as text, so that no two texts mean the same.
			if _, err := fmt.Sscanf(l.Metadata[keySum+a.name], "%x", &a.sum); err != nil || sumText(a.sum) != l.Metadata[keySum+a.name] {
				return columnar.Corrupt("metadata %s%s is %.100q", keySum, a.name, l.Metadata[keySum+a.name])
			}
		}
		nodes, buffers = nodes[len(c.nodes):], buffers[len(c.arrays):]
	}
	if len(nodes) > 0 || len(buffers) > 0 {
		return columnar.Corrupt("%d nodes and %d buffers are too many", len(l.Nodes), len(l.Buffers))
	}
	return s.complete()
}

// kindOf returns what a column is, and whether a graph has such a one.
func (s *storedGraph) kindOf(f ipcfile.Field) (kind storedKind, ok bool) {
	for kind = range storedKind(len(storedTypes)) {
		if storedTypes[kind] == f.Type {
			break
		}
	}
	if storedTypes[kind] != f.Type {
		return 0, false
	}
	switch f.Name {
	case columnID:
		switch kind {
		case storedUint32:
			return kind, s.idType.Integer()
		case storedInt64:
			return kind, s.idType.Integer() && s.idType != graph.Uint64
		case storedUint64:
			return kind, s.idType == graph.Uint64
		case storedStrings:
			return kind, s.idType == graph.String
		case storedBinary:
			return kind, !s.idType.Integer()
		}
		return kind, false
	case columnOut:
		return kind, kind == storedRows || kind == storedWeights
	case columnIn:
		return kind, s.directed && (kind == storedRows || kind == storedWeights)
	case columnByID, columnFirst:
		return kind, kind == storedUint32
	case columnNoIn, columnLong, columnSide:
		return kind, kind == storedBits
	case columnFours:
		return kind, kind == storedFours
	}
	return kind, false
}

// complete reports columns that are missing.
func (s *storedGraph) complete() error {
	has := func(name string) bool { return s.column(name) != nil }
	switch {
	case !has(columnOut):
		return columnar.Corrupt("it has no column %s", columnOut)
	case !s.idType.Integer() && !has(columnID), has(columnByID) && !has(columnID), has(columnSide) && !has(columnID):
		return columnar.Corrupt("it has no column %s, and ids are of type %v", columnID, s.idType)
	case has(columnFirst) != has(columnNoIn), has(columnFirst) && s.directed && !has(columnIn), has(columnLong) && !has(columnFours):
		return columnar.Corrupt("it lacks one of two columns that go together")
	}
	return nil
}

// open makes the graph of the body.
func (s *storedGraph) open(ctx context.Context, body []byte, o OpenGraphOptions, release func() error) (*graph.Graph, error) {
	arrays := s.arrays()
	for _, a := range arrays {
		a.data = body[a.at : a.at+a.size : a.at+a.size]
	}
	if !o.Trust {
		s.setChecks()
		pass := storedPass{arrays: arrays, workers: o.Workers, progress: o.Progress}
		sums, err := pass.run(ctx)
		// A wrong value in a damaged array is damage.
		for i, sum := range sums {
			if a := arrays[i]; sum != a.sum && !errors.Is(err, ErrDamaged) {
				return nil, columnar.PlaceAt(-1, a.name, columnar.Corrupt("its checksum is %s, but when it was written it was %s; restore the file, or prepare the graph again", sumText(sum), sumText(a.sum)))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.checkEnds(); err != nil {
		return nil, err
	}
	return s.graph(release)
}

// graph puts the graph together.
func (s *storedGraph) graph(release func() error) (*graph.Graph, error) {
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
	p := graph.Parts{Out: s.csr(columnOut), Directed: s.directed, IDs: ids, Order: s.order, Stats: s.stats}
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
	return graph.New(p)
}

func (s *storedGraph) csr(name string) graph.CSR {
	c := s.column(name)
	csr := graph.CSR{Offsets: arrayOf[uint64](c.array("offsets").data), Targets: arrayOf[uint32](c.array("targets").data)}
	if c.kind == storedWeights {
		csr.Weights = arrayOf[float32](c.array("weights").data)
	}
	return csr
}
