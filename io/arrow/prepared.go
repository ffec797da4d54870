// This file writes and opens prepared graphs.

package arrow

import (
	"context"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/prepared"
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
	// more is device.ErrMemory, before the memory is taken. 0 means what the
	// machine, its control group and GOMEMLIMIT leave.
	MemoryLimit uint64
	// S3 configures access to the store if the path is s3://bucket/key.
	S3 S3Options
	// Workers is the number of goroutines that read and check; 0 means
	// GOMAXPROCS, less is graph.ErrOptions.
	Workers int
	// Progress, if not nil, is called now and then: in phase "check" with the bytes of the arrays that were
	// checked; for an object in phase "fetch" with the bytes of the arrays, and between them, that arrived.
	// Calls don't overlap.
	Progress func(graph.Progress)
	// WeightType is the type of the weights: WeightsAuto keeps the file's type, WeightsFloat32 rounds
	// weights, and WeightsFloat64 converts integers to floats.
	WeightType graph.WeightType
}

// GraphInfo is what is known of a prepared graph besides the graph.
type GraphInfo struct {
	// Tables is the value of WriteGraphOptions.Tables.
	Tables []TableSnapshot
	// Bytes is the size of the file, and BytesRead how many of these were read. Mapped bytes count as read.
	Bytes, BytesRead int64
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
// changed meanwhile is ErrStore. Checksums are made while it comes. Its memory
// is the garbage collector's, as with InMemory.
//
// The file must not be written to or truncated while the graph is open: reading a missing part ends the
// process. Replacing it by renaming another over it, as WriteGraph does, is fine.
//
// An invalid file is a *FileError: ErrDamaged, graph.ErrMalformed if the checksums are right but the contents
// aren't a graph, ErrFormat if it isn't a prepared graph, errors.ErrUnsupported for a later version of the format,
// device.ErrMemory. Errors of the operating system, the store (ErrStore, fs.ErrNotExist and so on) and ctx are
// returned unchanged.
func OpenGraph(ctx context.Context, path string, o OpenGraphOptions) (_ *graph.Graph, _ GraphInfo, failed error) {
	defer shown(&failed)
	var stats prepared.OpenStats
	var tables []input.TableSnapshot
	g, err := prepared.OpenGraph(ctx, path, prepared.OpenGraphOptions{Trust: o.Trust, InMemory: o.InMemory, MemoryLimit: o.MemoryLimit,
		S3: input.S3Options(o.S3), Workers: o.Workers, Progress: o.Progress, WeightType: o.WeightType, Stats: &stats, Tables: &tables})
	if err != nil {
		return nil, GraphInfo{}, err
	}
	info := GraphInfo{Bytes: stats.Bytes, BytesRead: stats.BytesRead}
	for _, t := range tables {
		info.Tables = append(info.Tables, TableSnapshot(t))
	}
	return g, info, nil
}

// IsGraph reports whether the file is a prepared graph, for OpenGraph, rather than a table of edges, for
// Open. It reads the file's metadata. A file whose metadata is damaged, or that isn't an Arrow file, is not a
// prepared graph. The error is the operating system's, or errors.ErrUnsupported for anything but a regular file,
// such as an object of a store: OpenGraph checks these, and returns ErrFormat if they aren't prepared graphs.
func IsGraph(path string) (_ bool, failed error) {
	defer shown(&failed)
	return prepared.IsGraph(path)
}

// WriteGraphOptions say how a graph is written. The zero value works.
type WriteGraphOptions struct {
	// Workers is the number of goroutines that make checksums; 0 means
	// GOMAXPROCS, less is graph.ErrOptions.
	Workers int
	// Progress, if not nil, is called now and then, in phase "write", with bytes: each byte of the arrays counts
	// twice, for its checksum and for being written. Calls don't overlap.
	Progress func(graph.Progress)
	// S3 configures access to the store if the path is s3://bucket/key.
	S3 S3Options
	// Tables are the snapshots of tables whose edges the graph has (see Info.Snapshots), for
	// GraphInfo.Tables: Path, Format, Name, ID, Time and Where are kept.
	Tables []TableSnapshot
}

// WriteGraph writes the graph, ready to be searched, as one Arrow IPC file that OpenGraph maps:
// rows, reverse and weights, external ids and their index, and the data that searches compute
// once per graph (Prepared's arrays, and Ell4 if the graph has them), each with a checksum. It
// has a row for each vertex; the package documentation lists the columns. Any file extension
// works; .foray is usual. The path may be an object, s3://bucket/key, which is uploaded in
// parts. The file or object appears complete, replacing an earlier one, or not at all; a graph
// that was opened from the earlier file keeps it.
//
// It takes memory for the computed data, 4 bytes per vertex and a bit (20 bytes for graphs of
// low degree). The file has the oldest version of the format that supports the graph, so that older builds
// can read as many files as possible. Errors wrap graph.ErrMalformed for an invalid graph, graph.ErrOptions,
// device.ErrClosed for a closed graph, errors.ErrUnsupported on a big-endian machine, ctx's error, or
// the operating system's. g is only read.
func WriteGraph(ctx context.Context, path string, g *graph.Graph, o WriteGraphOptions) (failed error) {
	defer shown(&failed)
	inside := prepared.WriteGraphOptions{Workers: o.Workers, Progress: o.Progress, S3: input.S3Options(o.S3)}
	for _, t := range o.Tables {
		inside.Tables = append(inside.Tables, input.TableSnapshot(t))
	}
	return prepared.WriteGraph(ctx, path, g, inside)
}
