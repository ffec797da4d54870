// Command duckdb compares how fast Foray and DuckDB read two columns of
// Parquet files: both add up all values of both, alternating, on the same
// files and the same number of threads.
//
//	go run . edges.parquet                  # columns src and dst
//	go run . -rounds 15 'part-*.parquet'
//	go run . -convert dict.parquet -copy 'ROW_GROUP_SIZE 1048576, DICTIONARY_SIZE_LIMIT 1048576' edges.parquet
//	go run . -convert names.parquet -select "printf('vertex-%013d', src) src, printf('vertex-%013d', dst) dst" edges.parquet
//
// With -convert DuckDB writes the edges again, with snappy and what -copy says.
// Strings are compared by their number and the sum of their lengths.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
)

func main() {
	rounds := flag.Int("rounds", 9, "how often each reads the files")
	threads := flag.Int("threads", 2, "threads of either")
	source := flag.String("src", "src", "the column of sources")
	target := flag.String("dst", "dst", "the column of targets")
	convert := flag.String("convert", "", "write the edges to this file, and end")
	columns := flag.String("select", "src, dst", "with -convert: the columns to write, as SQL")
	options := flag.String("copy", "PARQUET_VERSION v1", "with -convert: further options of DuckDB's COPY")
	flag.Parse()
	var err error
	if *convert != "" {
		err = write(*threads, *columns, *convert, *options, flag.Args())
	} else {
		err = run(*rounds, *threads, *source, *target, flag.Args())
	}
	if err != nil {
		log.Fatal(err)
	}
}

// open returns a database, and how a query names the files.
func open(threads int, paths []string) (*sql.DB, string, error) {
	runtime.GOMAXPROCS(threads)
	db, err := sql.Open("duckdb", fmt.Sprintf("?threads=%d", threads))
	return db, fmt.Sprintf("read_parquet(['%s'])", strings.Join(paths, "', '")), err
}

// write writes the files' edges to a new file by DuckDB.
func write(threads int, columns, to, options string, paths []string) error {
	db, from, err := open(threads, paths)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(fmt.Sprintf("COPY (SELECT %s FROM %s) TO '%s' (FORMAT parquet, COMPRESSION snappy, %s)", columns, from, to, options))
	return err
}

// run reads the files by both in turn and prints how long each took.
func run(rounds, threads int, source, target string, patterns []string) error {
	ctx := context.Background()
	var paths []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	db, from, err := open(threads, paths)
	if err != nil {
		return err
	}
	defer db.Close()
	data, err := arrow.Open(ctx, paths, arrow.Options{Source: source, Target: target, Workers: threads})
	if err != nil {
		return err
	}
	query := fmt.Sprintf("SELECT count(*), sum(%s), sum(%s) FROM %s", source, target, from)
	if !data.Info().IDType.Integer() {
		query = fmt.Sprintf("SELECT count(*), sum(strlen(%s)), sum(strlen(%s)) FROM %s", source, target, from)
	}
	var duck, foray []time.Duration
	for range rounds {
		start := time.Now()
		want, err := sumDuckDB(ctx, db, query)
		duck = append(duck, time.Since(start))
		if err != nil {
			return err
		}
		start = time.Now()
		got, err := sumForay(ctx, data)
		foray = append(foray, time.Since(start))
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("DuckDB adds up to %v, Foray to %v", want, got)
		}
	}
	fmt.Printf("%d rows, %d rounds, %d threads\n", data.Info().Rows, rounds, threads)
	report("DuckDB", duck)
	report("Foray", foray)
	fmt.Printf("ratio   median %.2f, least %.2f\n",
		median(foray).Seconds()/median(duck).Seconds(), slices.Min(foray).Seconds()/slices.Min(duck).Seconds())
	return nil
}

// sums are the number of rows and what both columns add up to.
type sums struct{ rows, src, dst int64 }

func sumDuckDB(ctx context.Context, db *sql.DB, query string) (s sums, err error) {
	// A sum of BIGINT is a HUGEINT, which fits unless ids are very large.
	query = "SELECT c0, c1::BIGINT, c2::BIGINT FROM (" + query + ") t(c0, c1, c2)"
	err = db.QueryRowContext(ctx, query).Scan(&s.rows, &s.src, &s.dst)
	return s, err
}

func sumForay(ctx context.Context, data *arrow.Dataset) (sums, error) {
	var rows, src, dst atomic.Int64
	err := data.Read(ctx, func(b graph.Batch) error {
		if b.SrcStrings != nil {
			rows.Add(int64(b.SrcStrings.Len()))
			src.Add(lengths(b.SrcStrings))
			dst.Add(lengths(b.DstStrings))
			return nil
		}
		rows.Add(int64(len(b.Src)))
		src.Add(sum(b.Src))
		dst.Add(sum(b.Dst))
		return nil
	})
	return sums{rows.Load(), src.Load(), dst.Load()}, err
}

func sum(values []int64) (s int64) {
	for _, v := range values {
		s += v
	}
	return s
}

func lengths(s *graph.Strings) (n int64) {
	for i := range s.Len() {
		n += s.Offsets[i+1] - s.Offsets[i]
	}
	return n
}

func median(t []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[len(sorted)/2]
}

func report(name string, t []time.Duration) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Printf("%-7s median %.1f ms, %.1f to %.1f\n", name, ms(median(t)), ms(slices.Min(t)), ms(slices.Max(t)))
}
