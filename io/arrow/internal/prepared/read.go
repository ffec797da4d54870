// This file reads the metadata of a prepared graph's file, and matches what the
// file has with what a graph needs.

package prepared

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow/internal/columnar"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/ipc"
)

// readStored reads the metadata, and returns where in the file the body begins.
func readStored(f io.ReaderAt, size int64) (*storedGraph, int64, error) {
	var head [8]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if begin := string(head[:n]); begin != ipc.Magic+"\x00\x00" {
		if n == len(head) && strings.HasPrefix(begin, "PAR1") {
			err = fmt.Errorf("%w: it is a Parquet file, not a prepared graph; Load makes a graph of it, WriteGraph prepares it", input.ErrFormat)
		} else if n == 0 {
			err = input.ErrEmptyFile
		} else {
			err = fmt.Errorf("%w: no prepared graph; it begins with %q", input.Unknown(begin), begin)
		}
		return nil, 0, err
	}
	s := &storedGraph{}
	var refused error
	l, err := ipc.ReadLayout(f, size, func(kv map[string]string) bool {
		if input.IsGraph(kv) {
			s.storedHead, refused = readHead(kv)
		} else {
			refused = fmt.Errorf("%w: an Arrow file, but no prepared graph; Load makes a graph of its edges, WriteGraph prepares it", input.ErrFormat)
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
	s.length = l.Length
	return s, l.Body, nil
}

// readColumns matches what the file has with what a graph needs.
func (s *storedGraph) readColumns(l *ipc.Layout) error {
	nodes, buffers := l.Nodes, l.Buffers
	for _, f := range l.Fields {
		kind, ok := s.kindOf(f)
		if !ok || f.Nullable || s.column(f.Name) != nil {
			return columnar.Corrupt("column %.100q of type %.100q doesn't belong to the graph that the metadata describes", f.Name, f.Type)
		}
		c := s.addRead(f.Name, kind)
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
func (s *storedGraph) kindOf(f ipc.Field) (kind storedKind, ok bool) {
	for kind = range storedKind(len(storedTypes)) {
		if storedTypes[kind] == f.Type {
			break
		}
	}
	if storedTypes[kind] != f.Type {
		return 0, false
	}
	if name, ok := strings.CutPrefix(f.Name, columnEdge); ok {
		for kind = storedEdgeInt32; kind.isEdges(); kind++ {
			if e := info(s.edges, name); storedTypes[kind] == f.Type {
				return kind, e != nil && (e.Strings < 0 || kind == storedEdgeUint32)
			}
		}
		return 0, false
	}
	if name, ok := strings.CutPrefix(f.Name, columnValue); ok {
		for kind = storedVertexInt32; kind.isVertices(); kind++ {
			if e := info(s.values, name); storedTypes[kind] == f.Type {
				return kind, e != nil && (e.Strings < 0 || kind == storedVertexUint32)
			}
		}
		return 0, false
	}
	if name, ok := strings.CutPrefix(f.Name, columnCodes); ok {
		e := s.coded(name)
		return storedDictionary, kind == storedDictionary && e != nil && e.Strings >= 0
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
		return kind, kind.isRows() && s.allows(kind)
	case columnIn:
		return kind, s.directed && kind.isRows() && s.allows(kind)
	case columnByID, columnFirst:
		return kind, kind == storedUint32
	case columnNoIn, columnLong, columnSide:
		return kind, kind == storedBits
	case columnEll4:
		return kind, kind == storedEll4
	}
	return kind, false
}

// allows reports whether columns of that kind are there in the file's version.
func (s *storedGraph) allows(kind storedKind) bool {
	return (s.version >= versionEdgeIDs || !kind.hasEdgeIDs()) && (s.version >= versionWideWeights || !kind.hasWideWeights())
}

// complete reports columns that are missing.
func (s *storedGraph) complete() error {
	has := func(name string) bool { return s.column(name) != nil }
	switch {
	case !has(columnOut):
		return columnar.Corrupt("it has no column %s", columnOut)
	case !s.idType.Integer() && !has(columnID), has(columnByID) && !has(columnID), has(columnSide) && !has(columnID):
		return columnar.Corrupt("it has no column %s, and ids are of type %v", columnID, s.idType)
	case has(columnFirst) != has(columnNoIn), has(columnFirst) && s.directed && !has(columnIn), has(columnLong) && !has(columnEll4):
		return columnar.Corrupt("it lacks one of two columns that go together")
	}
	return s.completeColumns()
}

// addRead adds a column of the file.
func (s *storedGraph) addRead(name string, kind storedKind) *storedColumn {
	if kind != storedDictionary {
		return s.add(name, kind)
	}
	c := newStoredColumn(name, kind, int64(s.vertices), s.coded(strings.TrimPrefix(name, columnCodes)).Strings)
	s.columns = append(s.columns, c)
	return c
}
