// This file holds the example of columns, and tests that a traversal's values are written
// as they are handed over.

package arrow_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/examples/components"
	"github.com/foray-graph/foray/graph"
	"github.com/foray-graph/foray/io/arrow"
	"github.com/foray-graph/foray/traverse"
)

// friends is a graph of two components.
func friends() (*graph.Graph, error) {
	b := graph.NewBuilder(graph.Options{Order: graph.OrderGiven})
	if err := graph.AddInts(b, []int64{100, 101, 7}, []int64{101, 102, 9}, nil); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

// The result of a traversal for every vertex is written with the vertices' ids: here the
// component of each, as the id of one of its vertices, and its degree.
func ExampleWrite() {
	ctx := context.Background()
	g, err := friends()
	if err != nil {
		log.Fatal(err)
	}
	dev, err := device.Open("host")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	placed, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer placed.Close()
	labels, err := components.Run(ctx, placed, traverse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer labels.Close()

	err = arrow.Write(ctx, "-", g, []arrow.Column{
		arrow.ValuesColumn("component", labels).Vertices(),
		arrow.DegreeColumn("degree"),
	}, arrow.WriteOptions{})
	fmt.Println(err)
	// Output:
	// vertex,component,degree
	// 7,7,1
	// 9,7,1
	// 100,100,1
	// 101,100,2
	// 102,100,1
	// <nil>
}

func TestWriteHandedOver(t *testing.T) {
	ctx := context.Background()
	g, err := friends()
	if err != nil {
		t.Fatal(err)
	}
	dev, err := device.Open("host")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	placed, err := g.On(dev)
	if err != nil {
		t.Fatal(err)
	}
	defer placed.Close()
	labels, err := components.Run(ctx, placed, traverse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := g.Reorder(ctx, graph.ReorderOptions{Order: graph.OrderDegree})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "labels.parquet")
	columns := []arrow.Column{arrow.ValuesColumn("label", labels).Vertices()}
	if err := arrow.Write(ctx, path, other, columns, arrow.WriteOptions{}); !errors.Is(err, arrow.ErrResult) || !strings.Contains(err.Error(), `column "label"`) {
		t.Errorf("of another order: %v", err)
	}
	if err := arrow.Write(ctx, path, g, columns, arrow.WriteOptions{}); err != nil {
		t.Error(err)
	}
	if err := labels.Close(); err != nil {
		t.Fatal(err)
	}
	if err := arrow.Write(ctx, path, g, columns, arrow.WriteOptions{}); !errors.Is(err, device.ErrClosed) || !strings.Contains(err.Error(), `column "label"`) {
		t.Errorf("after Close: %v", err)
	}
}
