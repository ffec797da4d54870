// This file tests what is said of one column.

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/foray-graph/foray/io/arrow/internal/input"
	"github.com/foray-graph/foray/io/arrow/internal/samples"
)

// TestDescribeColumn: of random files with columns of several physical types, the numbers are
// those of the values, and the bounds hold for all of them.
func TestDescribeColumn(t *testing.T) {
	bounded, counted, several := 0, 0, 0
	for seed := range seeds(40) {
		r := rand.New(rand.NewPCG(seed, 98))
		rows := 5 + r.IntN(300)
		all := logicalColumns(r, rows)
		dir := t.TempDir()
		files := 0
		for from := 0; from < rows; files++ {
			to := min(rows, from+1+r.IntN(1+rows/2))
			samples.WriteTo(t, filepath.Join(dir, fmt.Sprintf("%03d.parquet", files)), physicalFile(t, r, all, from, to, nil))
			from = to
		}
		for _, c := range all {
			info, err := DescribeColumn(context.Background(), []string{dir}, strings.ToUpper(c.name), Options{})
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, c.name, err)
			}
			nulls, typed := int64(0), 0
			for _, ok := range c.Valid {
				if !ok {
					nulls++
				}
			}
			for _, typ := range info.Types {
				typed += typ.Files
			}
			if info.Name != c.name || info.Files != files || info.FilesWithout != 0 || info.Rows != int64(rows) || info.Chunks != files || typed != files {
				t.Fatalf("seed %d, %s: %+v, want %d rows in %d files", seed, c.name, info, rows, files)
			}
			if len(info.Types) > 1 {
				several++
			}
			if info.NullsUnknown == 0 {
				counted++
			}
			if info.Nulls > nulls || info.Nulls+info.NullsUnknown < nulls {
				t.Fatalf("seed %d, %s: %d nulls and %d unknown, want %d", seed, c.name, info.Nulls, info.NullsUnknown, nulls)
			}
			if !info.Bounded || info.Unbound > 0 || !info.Where {
				continue
			}
			bounded++
			// All values lie between the bounds, as conditions say too.
			for where, want := range map[string]int64{info.WhereExample: int64(rows) - nulls, c.name + " > " + info.Max: 0, c.name + " < " + info.Min: 0} {
				d, err := Open(context.Background(), []string{dir}, Options{Where: where})
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, where, err)
				}
				if got := rowsWhere(t, d); int64(len(got)) != want {
					t.Fatalf("seed %d: %s: %d rows, want %d", seed, where, len(got), want)
				}
			}
		}
	}
	if bounded == 0 || counted == 0 || several == 0 {
		t.Errorf("%d columns have bounds, %d numbers of nulls, %d several types", bounded, counted, several)
	}
}

// TestDescribeColumnKinds: columns of directories, of Arrow files, and those that files lack.
func TestDescribeColumnKinds(t *testing.T) {
	dir := t.TempDir()
	ints := func(name string, values ...int64) samples.ParquetColumn {
		return samples.ParquetColumn{Node: samples.Node(t, name, false, nil, parquet.Types.Int64, 0), Values: values}
	}
	for _, name := range []string{"k=1", "k=22"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	samples.WriteTo(t, filepath.Join(dir, "k=1", "a.parquet"), samples.WriteParquet(t, 3, 2, []samples.ParquetColumn{ints("src", 1, 2, 3), ints("w", 7, 8, 9)}))
	samples.WriteTo(t, filepath.Join(dir, "k=22", "b.parquet"), samples.WriteParquet(t, 2, 2, []samples.ParquetColumn{ints("src", 1, 2)}))
	schema := arrow.NewSchema([]arrow.Field{{Name: "src", Type: arrow.PrimitiveTypes.Int64}, {Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{5, 6}, nil)
	b.Field(1).AppendNull()
	b.Field(1).AppendNull()
	samples.WriteTo(t, filepath.Join(dir, "c.arrow"), samples.WriteIPC(t, false, schema, []arrow.Record{b.NewRecord()}))
	for column, want := range map[string]string{
		"src":  "int64 INT64 2, int64  1; 7 rows, 0 nulls, 2 unknown, 0 lack it; 1 to 3 (true); true true true",
		"w":    "int64 INT64 1; 7 rows, 4 nulls, 0 unknown, 2 lack it; 7 to 9 (true); true true true",
		"k":    "int64 a directory's name 2; 7 rows, 2 nulls, 0 unknown, 1 lack it; 1 to 22 (true); true true true",
		"list": "list  1; 7 rows, 5 nulls, 2 unknown, 2 lack it;  to  (false); false false false",
	} {
		c, err := DescribeColumn(context.Background(), []string{dir}, column, Options{})
		if err != nil {
			t.Errorf("%s: %v", column, err)
			continue
		}
		var types []string
		for _, typ := range c.Types {
			types = append(types, fmt.Sprint(typ.Type, " ", typ.Physical, " ", typ.Files))
		}
		got := fmt.Sprintf("%s; %d rows, %d nulls, %d unknown, %d lack it; %s to %s (%v); %v %v %v", strings.Join(types, ", "), c.Rows, c.Nulls, c.NullsUnknown, c.FilesWithout,
			c.Min, c.Max, c.Bounded, c.IDs, c.Weights, c.Where)
		if got != want {
			t.Errorf("%s: %s\nwant %s", column, got, want)
		}
	}
	if _, err := DescribeColumn(context.Background(), []string{dir}, "srk", Options{}); !errors.Is(err, input.ErrColumn) || !strings.Contains(err.Error(), `did you mean "src"`) {
		t.Error(err)
	}
	if c, err := DescribeColumn(context.Background(), []string{dir}, "src", Options{Where: "k = 22"}); err != nil || c.Files != 2 || c.Rows != 4 {
		t.Errorf("%+v, %v", c, err)
	}
}
