// This file tests what exported functions do with a context that is nil.

package rules

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
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
	"github.com/foray-graph/foray/algos/reach"
	"github.com/foray-graph/foray/algos/similar"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/topo"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/algos/walks"
	"github.com/foray-graph/foray/bench"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/graph/gen"
	"github.com/foray-graph/foray/internal/engine/budget"
	"github.com/foray-graph/foray/internal/host"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/graphar"
	"github.com/foray-graph/foray/io/edgelist"
	"github.com/foray-graph/foray/io/s3"
	"github.com/foray-graph/foray/traverse"
)

// withContext is every exported function and method that takes a context.
var withContext = []any{
	bc.Run, bench.Run, bridges.Run, cc.Prepare, cc.Run, cc.Strong, closeness.Bound, closeness.Run, color.Run, degree.Run, dobfs.Run, dobfs.RunMultiSource, eigenvector.Run, hits.Run, katz.Run, leiden.Run, louvain.Run,
	bfs.Run, bfs.RunMultiSource, kclique.Run, kcore.Prepare, kcore.Run, ktruss.Run, lpa.Run, mis.Run, msbfs.Each, msbfs.Run, msbfs.Reach, msf.Run, order.ByDegree, pagerank.Run, pagerank.RunEach, paths.Run, reach.Arrivals, reach.Match, reach.ValidateArrivals, reach.ValidateMatch, similar.Run,
	sssp.Prepare, sssp.Run, sssp.RunMultiSource, topo.Run, triangles.Prepare, triangles.Run, walks.Each,
	(*bfs.Pool).Do, (*bfs.Pool).Run, (*bfs.Pool).Shutdown, (*bfs.Result).Metadata,
	(*bfs.Searcher).Batch, (*bfs.Searcher).Run,
	(*sssp.Searcher).Batch, (*sssp.Searcher).Run, (*traverse.Pool[int, int]).Do, (*traverse.Pool[int, int]).Run, (*traverse.Pool[int, int]).Shutdown,
	traverse.New, traverse.Run[int, int],
	(*budget.Budget).Reuse, (*host.Device).NewStream, (*host.Device).Stream, (*host.Stream).Rebind,
	graph.TwoPass, (*graph.CSR).Combine, (*graph.Builder).Build, (*graph.Graph).Append, (*graph.Graph).Contract, (*graph.Placed).Contract, (*graph.Graph).FilterEdges, (*graph.Graph).Checksum, (*graph.Graph).Reorder, (*graph.Graph).RemoveEdges,
	gen.Build, gen.Edges, gen.Ordered,
	arrow.Check, arrow.DescribeColumn, arrow.FilterEdges, arrow.IDs, arrow.Load, arrow.LoadProperties, arrow.LoadRecords, arrow.Open, arrow.OpenGraph, arrow.OpenTables, arrow.ReadProperties,
	arrow.EdgeRecords, arrow.PathRecords, arrow.Records, arrow.TableRecords, arrow.Write, arrow.WriteBatches, arrow.WriteEdges, arrow.WriteGraph, arrow.WritePaths, arrow.WriteSources, arrow.WriteTable,
	(*arrow.Dataset).Batches, (*arrow.Dataset).Load, (*arrow.Dataset).Properties, (*arrow.Dataset).Read, (*arrow.Properties).Column, (*arrow.Properties).Gather,
	graphar.Load,
	edgelist.Load, edgelist.Read, edgelist.ReadFile, edgelist.Detect, edgelist.VertexColumns, edgelist.Write,
}

// otherwise are functions that aren't called: they take the context of the object that ends them, need a GPU or cgo,
// or return no error.
var otherwise = []string{"traverse.Searcher.Bind", "bfs.Searcher.Bind", "cdata.ExportStream"}

// TestNoContext: a nil context is an error that wraps graph.ErrOptions, in every exported function, whatever else it
// is given. Here that is nothing: zeros of all types.
func TestNoContext(t *testing.T) {
	var none context.Context
	contexts := reflect.TypeFor[context.Context]()
	listed := map[string]bool{}
	for _, name := range otherwise {
		listed[name] = true
	}
	for _, f := range withContext {
		v := reflect.ValueOf(f)
		name := nameOf(v)
		listed[name] = true
		var in []reflect.Value
		taken := false
		for i := range v.Type().NumIn() {
			typ := v.Type().In(i)
			switch {
			case v.Type().IsVariadic() && i == v.Type().NumIn()-1:
				continue
			case typ == contexts:
				taken = true
				in = append(in, reflect.Zero(contexts))
			case i == 0 && typ.Kind() == reflect.Pointer: // a receiver
				in = append(in, reflect.New(typ.Elem()))
			case typ.Kind() == reflect.Func:
				in = append(in, reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
					t.Errorf("%s calls back", name)
					panic("called")
				}))
			default:
				in = append(in, reflect.Zero(typ))
			}
		}
		if !taken {
			t.Errorf("%s takes no context", name)
			continue
		}
		if name == "host.Stream.Rebind" {
			in[0] = reflect.ValueOf(host.New(1).Stream(context.Background()))
		}
		err := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s panics: %v", name, p)
				}
			}()
			out := v.Call(in)
			if len(out) > 0 && out[len(out)-1].Type() == reflect.TypeFor[error]() {
				err, _ = out[len(out)-1].Interface().(error)
				return err
			}
			if len(out) == 1 && out[0].Kind() == reflect.Func { // an iterator, whose last pair has the error
				yield := reflect.MakeFunc(out[0].Type().In(0), func(pair []reflect.Value) []reflect.Value {
					err, _ = pair[1].Interface().(error)
					return []reflect.Value{reflect.ValueOf(true)}
				})
				out[0].Call([]reflect.Value{yield})
				return err
			}
			what := in[0].Interface()
			if len(out) > 0 {
				what = out[0].Interface()
			}
			return what.(interface{ Err() error }).Err()
		}()
		if !errors.Is(err, graph.ErrOptions) || !strings.Contains(err.Error(), "the context is nil; give context.Background()") {
			t.Errorf("%s returns %v", name, err)
		}
	}
	if _, err := (*host.Device)(host.New(1)).NewStream(none); !errors.Is(err, graph.ErrOptions) {
		t.Error(err)
	}
	if s3.WithTransport(none, nil) != nil {
		t.Error("s3.WithTransport makes a context of nil, which the call that takes it would refuse")
	}
	listed["s3.WithTransport"] = true
	// None is left out.
	for _, name := range exportedWithContext(t) {
		if !listed[name] {
			t.Errorf("%s takes a context, and isn't tested: add it to withContext", name)
		}
	}
}

// nameOf is the name of a function or method, as exportedWithContext has it.
func nameOf(v reflect.Value) string {
	name := runtime.FuncForPC(v.Pointer()).Name()
	name = name[strings.LastIndex(name, "/")+1:]
	if i := strings.Index(name, "["); i >= 0 {
		name = name[:i] + name[strings.LastIndex(name, "]")+1:]
	}
	return strings.NewReplacer("(*", "", ")", "").Replace(name)
}

// exportedWithContext lists the exported functions and methods that take a context, of the packages that users
// import and of those whose types are aliases there.
func exportedWithContext(t *testing.T) (names []string) {
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, root))
		rel = strings.TrimPrefix(rel, "/")
		if d.IsDir() {
			inside := !strings.HasPrefix(rel, "internal/") && !strings.Contains(rel, "/internal")
			if !inside || slices.Contains([]string{".git", "cmd", "examples", "tools", "shared", "io/arrow18", "io/duckdb", "metrics/prometheus", "libforay", "testdata"}, rel) || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		if f.Name.Name == "main" {
			return nil
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			takes := slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
				sel, ok := p.Type.(*ast.SelectorExpr)
				return ok && sel.Sel.Name == "Context" && last(sel.X) == "context"
			})
			if !takes {
				continue
			}
			name := f.Name.Name + "."
			if fn.Recv != nil {
				recv := fn.Recv.List[0].Type
				if star, ok := recv.(*ast.StarExpr); ok {
					recv = star.X
				}
				switch x := recv.(type) {
				case *ast.IndexExpr:
					recv = x.X
				case *ast.IndexListExpr:
					recv = x.X
				}
				if !ast.IsExported(last(recv)) {
					continue
				}
				if f.Name.Name == "search" && !slices.Contains([]string{"Searcher", "Pool", "Result"}, last(recv)) {
					continue // no alias in bfs has it
				}
				name += last(recv) + "."
			} else if f.Name.Name == "search" {
				continue
			}
			names = append(names, name+fn.Name.Name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
