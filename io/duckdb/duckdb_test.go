// This file tests the functions: their results against the library's, and the errors of wrong calls.

package duckdb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	driver "github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/algos/bc"
	"github.com/foray-graph/foray/algos/cc"
	"github.com/foray-graph/foray/algos/closeness"
	"github.com/foray-graph/foray/algos/color"
	"github.com/foray-graph/foray/algos/degree"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/algos/eigenvector"
	"github.com/foray-graph/foray/algos/hits"
	"github.com/foray-graph/foray/algos/katz"
	"github.com/foray-graph/foray/algos/kcore"
	"github.com/foray-graph/foray/algos/leiden"
	"github.com/foray-graph/foray/algos/louvain"
	"github.com/foray-graph/foray/algos/lpa"
	"github.com/foray-graph/foray/algos/mis"
	"github.com/foray-graph/foray/algos/pagerank"
	"github.com/foray-graph/foray/algos/sssp"
	"github.com/foray-graph/foray/algos/triangles"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/graph"
	foray "github.com/foray-graph/foray/io/duckdb"
)

// open returns a database in memory that has the functions.
func open(t *testing.T, options ...foray.Options) *sql.DB {
	t.Helper()
	connector, err := driver.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range append([]foray.Options{{}}, options...) {
		if err := foray.Register(t.Context(), connector, o); err != nil {
			t.Fatal(err)
		}
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func exec(t *testing.T, db *sql.DB, text string) {
	t.Helper()
	if _, err := db.Exec(text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// rows returns the rows of a query as text, sorted.
func rows(db *sql.DB, text string, args ...any) ([]string, error) {
	r, err := db.Query(text, args...)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	columns, err := r.Columns()
	if err != nil {
		return nil, err
	}
	var all []string
	for r.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := r.Scan(cells...); err != nil {
			return nil, err
		}
		var row []string
		for _, c := range cells {
			row = append(row, fmt.Sprint(*c.(*any)))
		}
		all = append(all, strings.Join(row, " "))
	}
	slices.Sort(all)
	return all, r.Err()
}

func mustRows(t *testing.T, db *sql.DB, text string, args ...any) []string {
	t.Helper()
	all, err := rows(db, text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return all
}

// wrong reports a query that has other rows.
func wrong(t *testing.T, db *sql.DB, text string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := mustRows(t, db, text); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", text, got, want)
	}
}

// links are more edges than a chunk of DuckDB has rows: two components with triangles and a self-loop.
const links = `CREATE TABLE links AS SELECT a, b, w FROM (
	SELECT i AS a, (i * i + 1) % 3000 AS b, i % 7 + 1 AS w FROM range(3000) r(i)
	UNION ALL SELECT i, (i + 1) % 3000, i % 5 FROM range(3000) r(i)
	UNION ALL SELECT 5000 + i, 5000 + (i + 1) % 3, 2 FROM range(3) r(i)
	UNION ALL SELECT 7, 7, 1)`

// TestResults: each function has the results of the library, of a directed and an undirected graph.
func TestResults(t *testing.T) {
	db := open(t, foray.Options{Prefix: "directed_", Graph: graph.Options{Directed: true}})
	exec(t, db, links)
	for prefix, directed := range map[string]bool{"foray_": false, "directed_": true} {
		want := library(t, db, directed)
		for _, q := range []struct{ name, more string }{
			{"bfs", ", 3"}, {"sssp", ", 'w', 3"}, {"cc", ""}, {"pagerank", ""}, {"lpa", ""}, {"louvain", ""}, {"leiden", ""}, {"mis", ""}, {"color", ""}, {"kcore", ""}, {"triangles", ""}, {"closeness", ""}, {"bc", ", 10"},
			{"degree", ""}, {"eigenvector", ""}, {"hits", ""}, {"katz", ""},
		} {
			got := mustRows(t, db, fmt.Sprintf("SELECT * FROM %s%s('links', 'a', 'b'%s)", prefix, q.name, q.more))
			if !slices.Equal(got, want[q.name]) {
				t.Errorf("%s%s: %d rows from %q, want %d from %q", prefix, q.name, len(got), got[:min(5, len(got))], len(want[q.name]), want[q.name][:5])
			}
		}
	}
}

// TestForests: rows are edges, each once, with weights of their type.
func TestForests(t *testing.T) {
	db := open(t, foray.Options{Prefix: "forests_"})
	exec(t, db, "CREATE TABLE roads AS SELECT * FROM (VALUES ('a', 'b', 4), ('b', 'c', 1), ('c', 'a', 2), ('x', 'y', 7), ('a', 'b', 9)) v(a, b, km)")
	wrong(t, db, "SELECT * FROM forests_msf('roads', 'a', 'b', 'km')", "a c 2 a", "b c 1 a", "x y 7 x")
	wrong(t, db, "SELECT * FROM forests_spanning('roads', 'a', 'b')", "a b a", "a c a", "x y x")
	wrong(t, db, "SELECT * FROM forests_bridges('roads', 'a', 'b')", "a b b 0", "a c b 0", "b c b 0", "x y y 1")
	wrong(t, db, "SELECT * FROM forests_ktruss('roads', 'a', 'b')", "a b 3", "a c 3", "b c 3", "x y 2")
	wrong(t, db, "SELECT src, dst, betweenness * 20 FROM forests_bc_edges('roads', 'a', 'b', 0)", "a b 2", "a c 2", "b c 2", "x y 2")
	wrong(t, db, "SELECT * FROM forests_similar('roads', 'a', 'b', 1)", "a b 0.3333333333333333", "b a 0.3333333333333333", "c a 0.3333333333333333")
	wrong(t, db, "SELECT step, count(*) FROM forests_walks('roads', 'a', 'b', 2) GROUP BY step", "0 5", "1 5", "2 5")
	wrong(t, db, "SELECT vertex FROM forests_walks('roads', 'a', 'b', 2) WHERE walk = (SELECT walk FROM forests_walks('roads', 'a', 'b', 2) WHERE step = 0 AND vertex = 'x') AND step < 2 ORDER BY step", "x", "y")
	exec(t, db, "CREATE TABLE square AS SELECT * FROM (VALUES (1, 2), (2, 3), (3, 4), (4, 1)) v(a, b)")
	wrong(t, db, "SELECT * FROM forests_paths('square', 'a', 'b', 1, 3)", "1 0 1", "1 1 2", "1 2 3", "2 0 1", "2 1 4", "2 2 3")
	for _, f := range []string{"similar('square', 'a', 'b', 0)", "walks('square', 'a', 'b', 'x')", "paths('square', 'a', 'b', 1, 9)", "bc_edges('square', 'a', 'b', -1)"} {
		if _, err := rows(db, "SELECT * FROM forests_"+f); err == nil {
			t.Errorf("%s: no error", f)
		}
	}
	exec(t, db, "CREATE VIEW halves AS SELECT a, b, km / 2 AS half FROM roads")
	wrong(t, db, "SELECT src, dst, weight FROM forests_msf('halves', 'a', 'b', 'half')", "a c 1", "b c 0.5", "x y 3.5")
	exec(t, db, "CREATE TABLE empty AS SELECT * FROM roads LIMIT 0")
	wrong(t, db, "SELECT * FROM forests_spanning('empty', 'a', 'b')")
	wrong(t, db, "SELECT * FROM forests_walks('empty', 'a', 'b', 3)")
}

// TestLevels: edges are directed, and a cycle is an error that lists it.
func TestLevels(t *testing.T) {
	db := open(t, foray.Options{Prefix: "levels_"})
	exec(t, db, "CREATE TABLE tasks AS SELECT * FROM (VALUES (1, 2), (1, 3), (2, 3)) v(a, b)")
	wrong(t, db, "SELECT * FROM levels_topo('tasks', 'a', 'b')", "1 0", "2 1", "3 2")
	exec(t, db, "INSERT INTO tasks VALUES (3, 1)")
	if _, err := rows(db, "SELECT * FROM levels_topo('tasks', 'a', 'b')"); err == nil || !strings.Contains(err.Error(), "a cycle of 2 vertices: 1 -> 3 -> 1") {
		t.Error(err)
	}
}

// library returns the rows that the functions should have, by name.
func library(t *testing.T, db *sql.DB, directed bool) map[string][]string {
	t.Helper()
	ctx := t.Context()
	r, err := db.Query("SELECT a, b, w FROM links")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var e graph.Batch
	e.Type = graph.Int64
	for r.Next() {
		var a, b, w int64
		if err := r.Scan(&a, &b, &w); err != nil {
			t.Fatal(err)
		}
		e.Src, e.Dst, e.IntWeights = append(e.Src, a), append(e.Dst, b), append(e.IntWeights, w)
	}
	all := map[string][]string{}
	dev := host.New(2)
	defer dev.Close()
	place := func(o graph.Options) *graph.Placed {
		o.Directed, o.Reverse, o.Weights = directed, true, true
		b := graph.NewBuilder(o)
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
		g, err := b.Build(ctx)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.On(dev)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p, loops := place(graph.Options{}), place(graph.Options{KeepSelfLoops: true})
	defer p.Close()
	defer loops.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	three, err := p.Graph().Vertex(3)
	must(err)
	add := func(name string, p *graph.Placed, values ...func(v uint32) any) {
		for v := range uint32(p.NumVertices()) {
			row := fmt.Sprint(p.Graph().IDs().Int(v))
			for _, x := range values {
				row += " " + fmt.Sprint(x(v))
			}
			all[name] = append(all[name], row)
		}
		slices.Sort(all[name])
	}
	found, err := dobfs.Run(ctx, p, three, dobfs.Options{})
	must(err)
	depths, err := found.Depths()
	must(err)
	add("bfs", p, unless(depths, -1))
	paths, err := sssp.Run(ctx, p, three, sssp.Options{})
	must(err)
	add("sssp", p, unless(slice(t, paths.Distances.Int64), -1))
	parts, err := cc.Run(ctx, p, cc.Options{})
	must(err)
	add("cc", p, named(p, slice(t, parts.Component)))
	ranks, err := pagerank.Run(ctx, loops, pagerank.Options{})
	must(err)
	add("pagerank", loops, unless(slice(t, ranks.Ranks), -1))
	labels, err := lpa.Run(ctx, loops, lpa.Options{})
	must(err)
	add("lpa", loops, named(loops, slice(t, labels.Labels)))
	degrees, err := degree.Run(ctx, loops, degree.Options{})
	must(err)
	add("degree", loops, unless(slice(t, degrees.Degree), 1<<63), unless(slice(t, degrees.Centrality), -1))
	central, err := eigenvector.Run(ctx, loops, eigenvector.Options{})
	must(err)
	add("eigenvector", loops, unless(slice(t, central.Centrality), -1))
	hubs, err := hits.Run(ctx, loops, hits.Options{})
	must(err)
	add("hits", loops, unless(slice(t, hubs.Hubs), -1), unless(slice(t, hubs.Authorities), -1))
	walks, err := katz.Run(ctx, loops, katz.Options{})
	must(err)
	add("katz", loops, unless(slice(t, walks.Centrality), -1))
	communities, err := louvain.Run(ctx, loops, louvain.Options{})
	must(err)
	add("louvain", loops, unless(slice(t, communities.Community), 1<<31))
	joined, err := leiden.Run(ctx, loops, leiden.Options{})
	must(err)
	add("leiden", loops, unless(slice(t, joined.Community), 1<<31))
	set, err := mis.Run(ctx, p, mis.Options{})
	must(err)
	add("mis", p, unless(slice(t, set.Member), 2))
	colored, err := color.Run(ctx, p, color.Options{})
	must(err)
	add("color", p, unless(slice(t, colored.Color), 1<<31))
	cores, err := kcore.Run(ctx, p, kcore.Options{})
	must(err)
	add("kcore", p, unless(slice(t, cores.Core), 1<<31))
	three3, err := triangles.Run(ctx, p, triangles.Options{})
	must(err)
	add("triangles", p, unless(slice(t, three3.Triangles), 1<<63), unless(slice(t, three3.Coefficient), -1))
	near, err := closeness.Run(ctx, p, closeness.Options{})
	must(err)
	add("closeness", p, unless(slice(t, near.Closeness), -1), unless(slice(t, near.Harmonic), -1), unless(slice(t, near.Eccentricity), -1))
	between, err := bc.Run(ctx, p, bc.Options{Samples: 10})
	must(err)
	add("bc", p, unless(slice(t, between.Betweenness), -1))
	return all
}

// slice returns the values of a result.
func slice[T any](t *testing.T, from interface{ Slice() ([]T, error) }) []T {
	t.Helper()
	all, err := from.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unless returns values, or nil for one.
func unless[T comparable](all []T, missing T) func(uint32) any {
	return func(v uint32) any {
		if all[v] == missing {
			return nil
		}
		return all[v]
	}
}

// named returns the ids of vertices.
func named(p *graph.Placed, all []uint32) func(uint32) any {
	return func(v uint32) any { return p.Graph().IDs().Int(all[v]) }
}

// TestTypes: ids and weights of all types are read, and the result has the types that the documentation says.
func TestTypes(t *testing.T) {
	db := open(t)
	for typ, as := range map[string]string{"TINYINT": "BIGINT", "UINTEGER": "BIGINT", "UBIGINT": "BIGINT", "VARCHAR": "VARCHAR",
		"ENUM ('1', '2', '3')": "VARCHAR"} {
		exec(t, db, "CREATE OR REPLACE TABLE e AS SELECT a::"+typ+" AS a, b::"+typ+" AS b, 1.5::FLOAT AS w FROM (VALUES ('1', '2'), ('2', '3')) v(a, b)")
		wrong(t, db, "SELECT vertex, distance, typeof(vertex), typeof(distance) FROM foray_sssp('e', 'a', 'b', 'w', '1')",
			"1 0 "+as+" DOUBLE", "2 1.5 "+as+" DOUBLE", "3 3 "+as+" DOUBLE")
		wrong(t, db, "SELECT component, typeof(component) FROM foray_cc('e', 'a', 'b') WHERE vertex = '3'", "1 "+as)
	}
	exec(t, db, "CREATE OR REPLACE TABLE e AS SELECT uuid() AS a, uuid() AS b")
	wrong(t, db, "SELECT count(*) FROM foray_cc('e', 'a', 'b') JOIN e ON vertex IN (a::VARCHAR, b::VARCHAR)", "2")
	exec(t, db, "CREATE OR REPLACE TABLE e AS SELECT 18446744073709551615::UBIGINT AS a, 1 AS b")
	refused(t, db, "SELECT * FROM foray_cc('e', 'a', 'b')", "18446744073709551615")
}

// TestNames: tables and columns have the names that SQL has, and no name is a query.
func TestNames(t *testing.T) {
	db := open(t)
	for table, columns := range map[string][2]string{
		`my "odd".table`: {`the "source"`, `b.c`},
		`x; DROP y`:      {`a"; DROP TABLE y; --`, `'`},
		`straße`:         {"a\nb", "`"},
	} {
		quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		text := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
		exec(t, db, "CREATE TABLE "+quote(table)+" AS SELECT 1 AS "+quote(columns[0])+", 2 AS "+quote(columns[1]))
		for _, name := range []string{quote(table), "main." + quote(table), "memory.main." + quote(table)} {
			wrong(t, db, "SELECT vertex FROM foray_cc("+text(name)+", "+text(columns[0])+", "+text(columns[1])+")", "1", "2")
		}
	}
	exec(t, db, `CREATE SCHEMA s; CREATE TABLE s.e AS SELECT 'u' AS a, 'v' AS b; CREATE VIEW "a view" AS FROM s.e`)
	wrong(t, db, "SELECT * FROM foray_bfs('s.e', 'a', 'b', 'v')", "u 1", "v 0")
	wrong(t, db, "SELECT depth FROM foray_bfs('a view', 'A', 'b', 'u')", "0", "1")
	for name, why := range map[string]string{`"s.e`: "isn't closed", `s."e"x`: "followed by", `s.e"`: "inside a name", `s..e`: "is empty", ``: "is empty",
		`a.b.c.d`: "4 parts"} {
		refused(t, db, "SELECT * FROM foray_cc('"+name+"', 'a', 'b')", why)
	}
}

// refused reports a query that doesn't fail for the reason.
func refused(t *testing.T, db *sql.DB, text string, why ...string) {
	t.Helper()
	_, err := rows(db, text)
	var of *driver.Error
	if !errors.As(err, &of) {
		t.Errorf("%s: %v, want an error of DuckDB's", text, err)
		return
	}
	for _, w := range why {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v, want %q", text, err, w)
		}
	}
}

// TestErrors: the errors of wrong calls are DuckDB's, and say what is wrong.
func TestErrors(t *testing.T) {
	db := open(t, foray.Options{Prefix: "full_", SkipNulls: true})
	exec(t, db, "CREATE TABLE e AS FROM (VALUES (1, 2, 'x', 1.5, DATE '2026-01-01'), (2, 3, 'y', -1, NULL)) t(a, b, s, w, d)")
	exec(t, db, "CREATE TABLE gaps AS FROM (VALUES (1, 2, 3), (2, NULL, 4), (2, 3, NULL)) t(a, b, w)")
	exec(t, db, "CREATE TABLE none (a BIGINT, b BIGINT, w BIGINT)")
	refused(t, db, "SELECT * FROM foray_cc('missing', 'a', 'b')", "foray_cc", "missing")
	refused(t, db, "SELECT * FROM foray_cc('e', 'a', 'c')", "foray_cc", `"c"`)
	refused(t, db, "SELECT * FROM foray_cc('e', 'a', 'd')", `"d" is of type DATE`, "view")
	refused(t, db, "SELECT * FROM foray_cc('e', 'a', 's')", "strings")
	refused(t, db, "SELECT * FROM foray_cc('e', 'a', 7)", "argument 3 is 7")
	refused(t, db, "SELECT * FROM foray_bc('e', 'a', 'b', 'x')", "x samples")
	refused(t, db, "SELECT * FROM foray_bfs('e', 'a', 'b', 77)", "foray_bfs", "77")
	refused(t, db, "SELECT * FROM foray_sssp('e', 'a', 'b', 's', 1)", `"s" is of type VARCHAR`)
	refused(t, db, "SELECT * FROM foray_sssp('e', 'a', 'b', 'w', 1)", "weighs -1")
	refused(t, db, "SELECT * FROM foray_bc('e', 'a', 'b', -1)", "-1 samples")
	refused(t, db, "SELECT * FROM foray_cc('gaps', 'a', 'b')", `"b"`, "NULLs", "SkipNulls")
	wrong(t, db, "SELECT vertex FROM full_cc('gaps', 'a', 'b')", "1", "2", "3")
	wrong(t, db, "SELECT vertex, distance FROM full_sssp('gaps', 'a', 'b', 'w', 1)", "1 0", "2 3")
	for _, f := range []string{"cc('none', 'a', 'b')", "pagerank('none', 'a', 'b')", "bc('none', 'a', 'b', 0)"} {
		wrong(t, db, "SELECT * FROM foray_"+f)
	}
	refused(t, db, "SELECT * FROM foray_bfs('none', 'a', 'b', 1)", "empty")
}

// TestRegister: wrong options and names that exist are refused.
func TestRegister(t *testing.T) {
	connector, err := driver.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer connector.Close()
	if err := foray.Register(t.Context(), nil, foray.Options{}); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("without a connector: %v", err)
	}
	for _, o := range []graph.Options{{Workers: -1}, {EdgeIDs: true}} {
		if err := foray.Register(t.Context(), connector, foray.Options{Graph: o}); !errors.Is(err, graph.ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := foray.Register(t.Context(), connector, foray.Options{}); err != nil {
		t.Error(err)
	}
	if err := foray.Register(t.Context(), connector, foray.Options{Prefix: "Foray_"}); !errors.Is(err, graph.ErrOptions) {
		t.Errorf("the same names are registered twice: %v", err)
	}
}

// TestQueries: calls stand anywhere in queries, twice in one, in prepared statements, with one thread, and in
// several queries at once, also if the pool of the program has one connection.
func TestQueries(t *testing.T) {
	db := open(t)
	db.SetMaxOpenConns(1)
	exec(t, db, "SET threads = 1")
	exec(t, db, links)
	wrong(t, db, "SELECT count(*), sum(p.rank) > 0.999 FROM foray_pagerank('links', 'a', 'b') p JOIN foray_cc('links', 'a', 'b') c USING (vertex)", "3003 true")
	wrong(t, db, "SELECT count(DISTINCT component) FROM foray_cc('links', 'a', 'b')", "2")
	wrong(t, db, "SELECT count(*) FROM foray_cc('links', 'a', 'b')", "3003")
	wrong(t, db, "WITH c AS (FROM foray_cc('links', 'a', 'b')) SELECT count(*) FROM c x JOIN c y USING (vertex)", "3003")
	if got := mustRows(t, db, "SELECT vertex FROM foray_bfs('links', 'a', 'b', ?) WHERE depth = 0", "9"); !slices.Equal(got, []string{"9"}) {
		t.Errorf("with a parameter: %q", got)
	}
	s, err := db.Prepare("SELECT count(*) FROM foray_cc('links', 'a', 'b') LIMIT 5")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var n int
		if err := s.QueryRow().Scan(&n); err != nil || n != 3003 {
			t.Errorf("prepared: %d rows, %v", n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	exec(t, db, "SET threads = 4")
	db.SetMaxOpenConns(4)
	want := mustRows(t, db, "SELECT * FROM foray_pagerank('links', 'a', 'b')")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := rows(db, "SELECT * FROM foray_pagerank('links', 'a', 'b')"); err != nil || !slices.Equal(got, want) {
				t.Errorf("at once: %d rows, want %d, %v", len(got), len(want), err)
			}
		})
	}
	all.Wait()
}

// TestCancel: the context of a query ends a call.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	connector, err := driver.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	// The graph is being built when the context ends.
	o := foray.Options{Graph: graph.Options{Progress: func(graph.Progress) { cancel() }}}
	if err := foray.Register(t.Context(), connector, o); err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	exec(t, db, "CREATE TABLE e AS SELECT i AS a, i * 7919 % 1000003 AS b FROM range(1000003) r(i)")
	if _, err := db.ExecContext(ctx, "SELECT * FROM foray_bc('e', 'a', 'b', 0)"); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if ctx.Err() == nil {
		t.Error("the graph was not built")
	}
	exec(t, db, "SELECT 1")
}

// TestRecursive: a view that reads itself by a function is an error. Without a bound it ended the process.
func TestRecursive(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE t AS SELECT 1 AS src, 2 AS dst")
	exec(t, db, "CREATE VIEW v AS SELECT src, dst FROM t")
	exec(t, db, "CREATE OR REPLACE VIEW v AS SELECT vertex AS src, component AS dst FROM foray_cc('v', 'src', 'dst')")
	if _, err := rows(db, "SELECT * FROM v"); err == nil || !strings.Contains(err.Error(), "read itself") {
		t.Errorf("%v", err)
	}
	if _, err := rows(db, "SELECT * FROM foray_cc('t', 'src', 'dst')"); err != nil {
		t.Errorf("after that: %v", err)
	}
}
