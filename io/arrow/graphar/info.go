// This file reads the YAML files: of the graph, of vertices and of edges.

package graphar

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/foray-graph/foray/internal/files/pathglob"
	"github.com/foray-graph/foray/internal/text"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/tables"
)

// maxPadding is how many offsets more than it needs a chunk has at most, so that
// a few bytes can't ask for gigabytes; chunks are of some 100,000 vertices.
const maxPadding = 1 << 22

// maxInfo is the longest YAML file that is read; they have a few lines a
// property.
const maxInfo = 4 << 20

// rowsPerCheck is how many rows of CSV are counted between two looks at the context.
const rowsPerCheck = 1 << 12

type graphInfo struct {
	Prefix   string   `yaml:"prefix"`
	Vertices []string `yaml:"vertices"`
	Edges    []string `yaml:"edges"`
	Version  string   `yaml:"version"`
}

type vertexInfo struct {
	path      string
	Type      string          `yaml:"type"`
	Label     string          `yaml:"label"` // what Type was called before
	ChunkSize int64           `yaml:"chunk_size"`
	Prefix    string          `yaml:"prefix"`
	Groups    []propertyGroup `yaml:"property_groups"`
	Version   string          `yaml:"version"`
}

type adjList struct {
	Ordered   bool   `yaml:"ordered"`
	AlignedBy string `yaml:"aligned_by"`
	FileType  string `yaml:"file_type"`
	Prefix    string `yaml:"prefix"`
}

type edgeInfo struct {
	path         string
	Source       string          `yaml:"src_type"`
	SourceLabel  string          `yaml:"src_label"`
	Edge         string          `yaml:"edge_type"`
	EdgeLabel    string          `yaml:"edge_label"`
	Target       string          `yaml:"dst_type"`
	TargetLabel  string          `yaml:"dst_label"`
	ChunkSize    int64           `yaml:"chunk_size"`
	SourceChunks int64           `yaml:"src_chunk_size"`
	TargetChunks int64           `yaml:"dst_chunk_size"`
	Directed     bool            `yaml:"directed"`
	Prefix       string          `yaml:"prefix"`
	AdjLists     []adjList       `yaml:"adj_lists"`
	Groups       []propertyGroup `yaml:"property_groups"`
	Version      string          `yaml:"version"`
}

// name is what GraphAr calls the kind of edges.
func (e *edgeInfo) name() string { return e.Source + "_" + e.Edge + "_" + e.Target }

// readYAML reads a file into x.
func readYAML(path string, x any, budget *tables.Budget) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("graphar: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxInfo {
		return fmt.Errorf("%s: %w: not a regular file of at most %d bytes", path, errInfo, maxInfo)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("graphar: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInfo))
	if err != nil {
		return fmt.Errorf("graphar: %w", err)
	}
	if err := budget.Take(int64(len(data))); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := decode(data, x); err != nil {
		return fmt.Errorf("%s: %w: %s", path, errInfo, strings.ReplaceAll(text.Plainly(err).Error(), "\n", ";"))
	}
	return nil
}

// decode is yaml.Unmarshal, which panics on some input that isn't YAML.
func decode(data []byte, x any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoding failed: %v", p)
		}
	}()
	return yaml.Unmarshal(data, x)
}

// checkVersion refuses versions of the format other than the first.
func checkVersion(path, version string) error {
	if version == "" || version == "gar/v1" || strings.HasPrefix(version, "gar/v1 ") {
		return nil
	}
	return unsupported(path, "version %.40q; gar/v1 is read", version)
}

func readVertex(path string, budget *tables.Budget) (*vertexInfo, error) {
	v := &vertexInfo{path: path}
	if err := readYAML(path, v, budget); err != nil {
		return nil, err
	}
	if v.Type == "" {
		v.Type = v.Label
	}
	if v.Prefix == "" {
		v.Prefix = v.Type + "/"
	}
	if v.Type == "" || v.ChunkSize <= 0 {
		return nil, fmt.Errorf("%s: %w: vertices have a type and a chunk_size; it has %q and %d", path, errInfo, v.Type, v.ChunkSize)
	}
	if err := settleGroups(path, v.Groups); err != nil {
		return nil, err
	}
	return v, checkVersion(path, v.Version)
}

func readEdge(path string, budget *tables.Budget) (*edgeInfo, error) {
	e := &edgeInfo{path: path}
	if err := readYAML(path, e, budget); err != nil {
		return nil, err
	}
	for _, x := range [][2]*string{{&e.Source, &e.SourceLabel}, {&e.Edge, &e.EdgeLabel}, {&e.Target, &e.TargetLabel}} {
		if *x[0] == "" {
			*x[0] = *x[1]
		}
	}
	if e.Source == "" || e.Edge == "" || e.Target == "" || e.ChunkSize <= 0 || e.SourceChunks <= 0 || e.TargetChunks <= 0 || len(e.AdjLists) == 0 {
		return nil, fmt.Errorf("%s: %w: edges have src_type, edge_type, dst_type, chunk_size, src_chunk_size, dst_chunk_size and adj_lists", path, errInfo)
	}
	if e.Prefix == "" {
		e.Prefix = e.name() + "/"
	}
	for i := range e.AdjLists {
		l := &e.AdjLists[i]
		if l.AlignedBy != "src" && l.AlignedBy != "dst" {
			return nil, fmt.Errorf("%s: %w: an adjacency list aligned by %.40q; want src or dst", path, errInfo, l.AlignedBy)
		}
		if l.Prefix == "" {
			l.Prefix = l.name() + "/"
		}
	}
	if err := settleGroups(path, e.Groups); err != nil {
		return nil, err
	}
	return e, checkVersion(path, e.Version)
}

// name is what GraphAr calls the kind of adjacency list.
func (l *adjList) name() string {
	name := "unordered_by_"
	if l.Ordered {
		name = "ordered_by_"
	}
	if l.AlignedBy == "src" {
		return name + "source"
	}
	return name + "dest"
}

// IsInfo reports whether a path is named like a YAML file.
func IsInfo(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".yml" || ext == ".yaml"
}

// Edges returns the kinds of edges, by the names that Options.Edge takes, that a
// YAML file of a graph or of edges has.
func Edges(path string) (_ []string, failed error) {
	defer shown(&failed)
	_, _, edges, err := readInfo(path, boundsOf(path, false, false), tables.NewBudget(0))
	var names []string
	for _, e := range edges {
		names = append(names, e.name())
	}
	return names, err
}

// readInfo reads the file of a graph or of edges, and those that it names. root
// is the directory that prefixes are relative to. Everything that they name is within bounds.
func readInfo(path string, bounds *pathglob.Bounds, budget *tables.Budget) (root string, vertices []*vertexInfo, edges []*edgeInfo, err error) {
	dir := filepath.Dir(path)
	var g graphInfo
	if err := readYAML(path, &g, budget); err != nil {
		return "", nil, nil, err
	}
	if g.Edges == nil && g.Vertices == nil {
		e, err := readEdge(path, budget)
		if err != nil {
			if errors.Is(err, errInfo) {
				err = fmt.Errorf("%w; name the YAML file of a graph or of edges", err)
			}
			return "", nil, nil, err
		}
		vertices, err = verticesBeside(dir, e, bounds, budget)
		return dir, vertices, []*edgeInfo{e}, err
	}
	if err := checkVersion(path, g.Version); err != nil {
		return "", nil, nil, err
	}
	if root, err = rootOf(path, g.Prefix); err != nil {
		return "", nil, nil, err
	}
	if err := checkIn(bounds, path, root); err != nil {
		return "", nil, nil, err
	}
	for _, name := range g.Vertices {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := checkIn(bounds, path, file); err != nil {
			return "", nil, nil, err
		}
		v, err := readVertex(file, budget)
		if err != nil {
			return "", nil, nil, err
		}
		vertices = append(vertices, v)
	}
	for _, name := range g.Edges {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := checkIn(bounds, path, file); err != nil {
			return "", nil, nil, err
		}
		e, err := readEdge(file, budget)
		if err != nil {
			return "", nil, nil, err
		}
		edges = append(edges, e)
	}
	return root, vertices, edges, nil
}

// rootOf returns where the prefix of a graph leads.
func rootOf(path, prefix string) (string, error) {
	dir := filepath.Dir(path)
	local, isFile := strings.CutPrefix(prefix, "file://")
	switch {
	case prefix == "":
		return dir, nil
	case !isFile && strings.Contains(prefix, "://"):
		return "", unsupported(path, "its data is at %.200q; copy it to this machine, and take the prefix away", prefix)
	case filepath.IsAbs(local):
		return local, nil
	}
	return filepath.Join(dir, filepath.FromSlash(local)), nil
}

// verticesBeside reads the vertices of edges, from the YAML files that lie
// beside theirs.
func verticesBeside(dir string, e *edgeInfo, bounds *pathglob.Bounds, budget *tables.Budget) (vertices []*vertexInfo, err error) {
	for _, name := range []string{e.Source, e.Target} {
		if len(vertices) == 1 && e.Source == e.Target {
			break
		}
		var v *vertexInfo
		for _, ext := range []string{".vertex.yml", ".vertex.yaml"} {
			file := filepath.Join(dir, name+ext)
			if err := checkIn(bounds, e.path, file); err != nil {
				return nil, err
			}
			if v, err = readVertex(file, budget); !errors.Is(err, os.ErrNotExist) {
				break
			}
		}
		if err != nil {
			return nil, fmt.Errorf("vertices of type %q, which %s has: %w", name, e.path, err)
		}
		vertices = append(vertices, v)
	}
	return vertices, nil
}

// boundsOf returns the bounds of the files that a YAML file names: the file's directory.
func boundsOf(path string, links, outside bool) *pathglob.Bounds {
	return pathglob.NewBounds(filepath.Dir(path), links, outside)
}

// checkIn reports a path out of bounds, which a file names.
func checkIn(bounds *pathglob.Bounds, file, path string) error {
	if err := bounds.Check(path); err != nil {
		return fmt.Errorf("%s: %w: %w", file, input.ErrUnsupported, err)
	}
	return nil
}
