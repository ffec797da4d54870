//go:build cdata && cgo

package cdata_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"unsafe"

	aarrow "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/io/arrow/cdata"
)

// A stream of edges goes through the C stream interface into a graph. Usually another library or language
// exports it.
func Example() {
	ctx := context.Background()
	schema := aarrow.NewSchema([]aarrow.Field{{Name: "src", Type: aarrow.PrimitiveTypes.Int64}, {Name: "dst", Type: aarrow.PrimitiveTypes.Int64}}, nil)
	rec, _, err := array.RecordFromJSON(mem, schema, strings.NewReader(`[{"src": 1, "dst": 2}, {"src": 2, "dst": 3}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()
	edges, err := array.NewRecordReader(schema, []aarrow.Record{rec})
	if err != nil {
		log.Fatal(err)
	}
	defer edges.Release()

	var stream [5]uintptr // an ArrowArrayStream has five pointers
	if err := cdata.ExportStream(ctx, edges, unsafe.Pointer(&stream)); err != nil {
		log.Fatal(err)
	}
	imported, err := cdata.ImportStream(unsafe.Pointer(&stream))
	if err != nil {
		log.Fatal(err)
	}
	defer imported.Release()
	g, err := arrow.LoadRecords(ctx, imported, arrow.Options{Source: "src", Target: "dst"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.NumVertices(), "vertices,", g.NumEdges(), "edges")
	// Output: 3 vertices, 2 edges
}
