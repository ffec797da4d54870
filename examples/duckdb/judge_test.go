// This file tests Foray's searches against DuckDB's. It writes random graphs,
// and Foray searches them. DuckDB computes the depths by recursive SQL, reads
// Foray's output and returns the differences.

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/algos/bfs"
	"github.com/foray-graph/foray/algos/dobfs"
	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

// ids are SQL that makes an id of the number n.
var ids = []struct{ typ, sql string }{
	{"INTEGER", "n"},
	{"BIGINT", "n * 1000000007 - 5000000000"},
	{"UBIGINT", "18446744073709551615 - n"},
	{"VARCHAR", "'user ' || n"},
	{"BLOB", "unhex('00' || printf('%02x', n))"},
}

// outputs are the forms in which Foray writes what it found.
var outputs = []struct {
	name string
	o    arrow.WriteOptions
}{
	{"found.parquet", arrow.WriteOptions{}},
	{"found.parquet", arrow.WriteOptions{Compression: "snappy", RowGroup: 7}},
	{"found.parquet", arrow.WriteOptions{Compression: "gzip"}},
	{"found.parquet", arrow.WriteOptions{Compression: "brotli", ReachedOnly: true}},
	{"found.parquet", arrow.WriteOptions{Compression: "none"}},
}

func TestDuckDBJudges(t *testing.T) {
	d := open(t)
	dev, err := device.Open("auto")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		id, out := ids[seed%5], outputs[rng.IntN(len(outputs))]
		directed := rng.IntN(2) == 0
		n := 2 + rng.IntN(40)
		m := 1 + rng.IntN(3*n)
		what := fmt.Sprintf("seed %d: %d vertices, %d edges of %s, directed %v, %+v", seed, n, m, id.typ, directed, out)
		dir := t.TempDir()

		d.exec("CREATE OR REPLACE TABLE v AS SELECT n, (%s)::%s AS id FROM range(%d) r(n)", id.sql, id.typ, n)
		var pairs []string
		for range m {
			pairs = append(pairs, fmt.Sprintf("(%d, %d, %d)", rng.IntN(n), rng.IntN(n), rng.IntN(3)))
		}
		d.exec(`CREATE OR REPLACE TABLE e AS SELECT a.id AS src, b.id AS dst, part
			FROM (VALUES %s) AS p(s, t, part) JOIN v a ON a.n = s JOIN v b ON b.n = t`, strings.Join(pairs, ", "))
		d.exec("COPY e TO '%s/edges' (FORMAT parquet, CODEC zstd, PARTITION_BY (part))", dir)
		d.exec("CREATE OR REPLACE VIEW step AS SELECT src, dst FROM e %s", map[bool]string{false: "UNION ALL SELECT dst, src FROM e"}[directed])

		ctx := context.Background()
		g, err := arrow.Load(ctx, filepath.Join(dir, "edges"), arrow.Options{Source: "src", Target: "dst",
			Graph: graph.Options{Directed: directed, Reverse: directed}})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		placed, err := g.On(dev)
		if err != nil {
			t.Fatal(err)
		}
		source := uint32(rng.IntN(g.NumVertices()))
		found := filepath.Join(dir, out.name)
		var r *bfs.Result
		if seed%2 == 0 {
			r, err = bfs.Run(ctx, placed, source, bfs.Options{Outputs: bfs.Depths | bfs.Parents})
		} else {
			r, err = dobfs.Run(ctx, placed, source, dobfs.Options{Outputs: bfs.Depths | bfs.Parents})
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := arrow.Write(ctx, found, g, arrow.ResultColumns(r), out.o); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		d.judge(what, found, r.Reached, out.o.ReachedOnly)
		r.Close()
		if err := placed.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// judge compares a file of depths and parents with what DuckDB finds by
// itself. The source is the vertex of depth 0, of which there must be one.
func (d duck) judge(what, found string, reached int, reachedOnly bool) {
	d.t.Helper()
	d.exec("CREATE OR REPLACE VIEW found AS FROM '%s'", found)
	// All walks of less than as many steps as there are vertices: the shortest
	// to each vertex is its depth.
	d.exec(`CREATE OR REPLACE TABLE want AS
		WITH RECURSIVE walk(id, steps) AS (
			SELECT vertex, 0 FROM found WHERE depth = 0
			UNION
			SELECT dst, steps + 1 FROM walk JOIN step ON src = id WHERE steps < (SELECT count(*) FROM v))
		SELECT id, min(steps) AS depth FROM walk GROUP BY id`)
	if n := d.count("SELECT count(*) FROM found WHERE depth = 0"); n != 1 {
		d.t.Fatalf("%s: %d vertices of depth 0", what, n)
	}
	if n := d.count("SELECT count(*) FROM want"); n != reached {
		d.t.Fatalf("%s: %d were reached, DuckDB reaches %d", what, reached, n)
	}
	for _, q := range []string{
		// Depths that one has and the other hasn't.
		"SELECT count(*) FROM (FROM want EXCEPT SELECT vertex, depth FROM found)",
		"SELECT count(*) FROM (SELECT vertex, depth FROM found WHERE depth IS NOT NULL EXCEPT FROM want)",
		// Parents that aren't a level above, or without an edge.
		`SELECT count(*) FROM found c JOIN want w ON w.id = c.vertex
			WHERE c.depth > 0 AND NOT EXISTS (FROM want p JOIN step ON src = p.id WHERE p.id = c.parent AND dst = c.vertex AND p.depth + 1 = w.depth)`,
		"SELECT count(*) FROM found WHERE depth = 0 AND parent <> vertex",
		"SELECT count(*) FROM found WHERE (depth IS NULL) <> (parent IS NULL)",
	} {
		if n := d.count("%s", q); n != 0 {
			d.t.Errorf("%s: %d rows of %s", what, n, q)
		}
	}
	all := d.count("SELECT count(DISTINCT x) FROM (SELECT src AS x FROM e UNION SELECT dst FROM e)")
	if reachedOnly {
		all = reached
	}
	if n := d.count("SELECT count(*) FROM found"); n != all {
		d.t.Errorf("%s: %d rows, want %d", what, n, all)
	}
}
