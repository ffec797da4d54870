// This file finds the chunks of an adjacency list, and compares what the files
// around them say.

package graphar

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/dataset"
)

// The columns of the chunks.
const (
	sourceColumn = "_graphArSrcIndex"
	targetColumn = "_graphArDstIndex"
	vertexColumn = "_graphArVertexIndex"
	offsetColumn = "_graphArOffset"
)

// readCount reads a file that is a number of 8 bytes.
func readCount(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("graphar: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() != 8 {
		return 0, fmt.Errorf("%s: %w: a count is a file of 8 bytes", path, errMismatch)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("graphar: %w", err)
	}
	if len(b) != 8 {
		return 0, fmt.Errorf("%s: %w: a count is a file of 8 bytes", path, errMismatch)
	}
	n := int64(binary.LittleEndian.Uint64(b))
	if n < 0 {
		return 0, fmt.Errorf("%s: %w: it says %d", path, errMismatch, n)
	}
	return n, nil
}

// vertexCount returns how many vertices there are.
func (s *source) vertexCount(v *vertexInfo) (int64, error) {
	path := filepath.Join(s.root, filepath.FromSlash(v.Prefix), "vertex_count")
	if err := s.check(v.path, path); err != nil {
		return 0, err
	}
	n, err := readCount(path)
	if err == nil && n > math.MaxUint32 {
		err = fmt.Errorf("%s: %w: %d", path, graph.ErrTooManyVertices, n)
	}
	return n, err
}

// adjacency is an adjacency list on disk.
type adjacency struct {
	check    func(path string) error // reports one that lies elsewhere than the graph
	dir      string
	list     *adjList
	chunk    int64 // edges in a chunk
	vertices int64 // of the type that it is aligned by
	part     int64 // of these in a part

	files  []string
	groups []*propertyGroup // that are read
	beside [][]string       // their chunks, of each those beside files
	wanted map[string]bool  // the properties of them that are read
	weight string           // the property, or empty
	edges  int64            // in all parts, where known
	known  bool
}

// parts returns how many parts there are.
func (a *adjacency) parts() int64 {
	n := a.vertices / a.part
	if a.vertices%a.part > 0 {
		n++
	}
	return n
}

// find finds the chunks.
func (a *adjacency) find(ctx context.Context) error {
	a.known = true
	for i := range a.parts() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("graphar: loading %s: %w", a.dir, err)
		}
		dir := filepath.Join(a.dir, "adj_list", fmt.Sprintf("part%d", i))
		count := filepath.Join(a.dir, fmt.Sprintf("edge_count%d", i))
		for _, p := range []string{dir, count} {
			if err := a.check(p); err != nil {
				return err
			}
		}
		n, err := readCount(count)
		var chunks int64
		switch {
		case err == nil:
			if chunks = n / a.chunk; n%a.chunk > 0 {
				chunks++
			}
			a.edges += n
		case errors.Is(err, fs.ErrNotExist): // older writers have none
			a.known = false
			if chunks, err = countChunks(dir); err != nil {
				return err
			}
		default:
			return err
		}
		for j := range chunks {
			file := filepath.Join(dir, fmt.Sprintf("chunk%d", j))
			if err := a.check(file); err != nil {
				return err
			}
			if _, err := os.Stat(file); err != nil {
				return fmt.Errorf("graphar: chunk %d of %d of a part: %w", j, chunks, err)
			}
			a.files = append(a.files, file)
			for g := range a.groups {
				file := a.groupChunk(g, i, j)
				if err := a.check(file); err != nil {
					return err
				}
				a.beside[g] = append(a.beside[g], file)
			}
		}
	}
	return nil
}

// groupChunk returns the path of a chunk of the g-th group that is read.
func (a *adjacency) groupChunk(g int, part, chunk int64) string {
	return filepath.Join(a.dir, filepath.FromSlash(a.groups[g].Prefix), fmt.Sprintf("part%d", part), fmt.Sprintf("chunk%d", chunk))
}

// countChunks returns how many chunks a directory has; none may be left out.
func countChunks(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("graphar: %w", err)
	}
	n, last := int64(0), int64(-1)
	for _, e := range entries {
		if text, ok := strings.CutPrefix(e.Name(), "chunk"); ok {
			if k, err := strconv.ParseInt(text, 10, 64); err == nil && k >= 0 {
				n++
				last = max(last, k)
			}
		}
	}
	if last != n-1 {
		return 0, fmt.Errorf("%s: %w: the last chunk is number %d, but there are %d", dir, errMismatch, last, n)
	}
	return n, nil
}

// checkOffsets compares the offsets of an ordered list with its edges: each
// part's begin at 0, don't descend, and end at its number of edges.
func (a *adjacency) checkOffsets(ctx context.Context, edges int64) error {
	sum := int64(0)
	for i := range a.parts() {
		path := filepath.Join(a.dir, "offset", fmt.Sprintf("chunk%d", i))
		if err := a.check(path); err != nil {
			return err
		}
		vertices := min(a.part, a.vertices-i*a.part) // i*part is less than vertices
		// The last chunk may be as long as the others.
		if rows, err := countRows(ctx, path, a.list.FileType); err != nil {
			return err
		} else if rows > min(a.part, vertices+maxPadding)+1 {
			return fmt.Errorf("%s: %w: %d offsets for %d vertices; want one more than there are vertices", path, errMismatch, rows, vertices)
		}
		var c dataset.IDColumn
		if err := readIDs(ctx, path, a.list.FileType, offsetColumn, "int64", &c); err != nil {
			return err
		}
		if int64(len(c.Ints)) < vertices+1 || c.Ints[0] != 0 {
			return fmt.Errorf("%s: %w: %d offsets for %d vertices; want one more than there are vertices, from 0", path, errMismatch, len(c.Ints), vertices)
		}
		last := int64(0)
		for k, x := range c.Ints {
			if x < last {
				return fmt.Errorf("%s: %w: offset %d is %d, after %d", path, errMismatch, k, x, last)
			}
			last = x
		}
		if n, err := readCount(filepath.Join(a.dir, fmt.Sprintf("edge_count%d", i))); err == nil && n != last {
			return fmt.Errorf("%s: %w: the offsets end at %d, but edge_count%d says %d", path, errMismatch, last, i, n)
		}
		if sum += last; sum < 0 {
			break
		}
	}
	if sum != edges {
		return fmt.Errorf("%s: %w: the offsets end at %d edges in all, but the chunks have %d", a.dir, errMismatch, sum, edges)
	}
	return nil
}
