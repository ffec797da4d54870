// This file holds what the README shows of sources that aren't files.

package arrow18_test

import (
	"context"
	"fmt"
	"log"

	v18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow18"
)

func fromRecords(ctx context.Context, records array.RecordReader) (*graph.Graph, error) {
	edges, err := arrow18.FromReader(records) // of github.com/apache/arrow-go/v18
	if err != nil {
		return nil, err
	}
	defer edges.Release()
	return arrow.LoadRecords(ctx, edges, arrow.Options{Source: "src", Target: "dst"})
}

func fromSlices(ctx context.Context, src, dst []int64) (*graph.Graph, error) {
	b := graph.NewBuilder(graph.Options{})
	if err := graph.AddInts(b, src, dst, nil); err != nil { // as often as there are batches
		return nil, err
	}
	return b.Build(ctx)
}

func Example() {
	ctx := context.Background()
	schema := v18.NewSchema([]v18.Field{{Name: "src", Type: v18.PrimitiveTypes.Int64}, {Name: "dst", Type: v18.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	b.Field(1).(*array.Int64Builder).AppendValues([]int64{2, 3, 4}, nil)
	rec := b.NewRecordBatch()
	defer rec.Release()
	records, err := array.NewRecordReader(schema, []v18.RecordBatch{rec})
	check(err)
	defer records.Release()

	g, err := fromRecords(ctx, records)
	check(err)
	fmt.Println(g.NumVertices(), "vertices")
	g, err = fromSlices(ctx, []int64{1, 2, 3}, []int64{2, 3, 4})
	check(err)
	fmt.Println(g.NumVertices(), "vertices")
	// Output:
	// 4 vertices
	// 4 vertices
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
