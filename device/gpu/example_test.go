package gpu_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
	"github.com/foray-graph/foray/graph"
)

// A program that imports no algorithm imports this package for its name alone. It opens a GPU,
// or the host on a machine without one.
func Example() {
	dev, err := device.Open("cuda:0")
	if errors.Is(err, device.ErrNotSupported) {
		dev, err = device.Open("host")
	}
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	g, err := graph.FromCSR(graph.CSR{Offsets: []uint64{0, 1, 2}, Targets: []uint32{1, 0}}, graph.CSROptions{})
	if err != nil {
		log.Fatal(err)
	}
	placed, err := g.On(dev)
	if err != nil {
		log.Fatal(err)
	}
	defer placed.Close()
	fmt.Println("placed a graph of", placed.NumVertices(), "vertices")
	// Output: placed a graph of 2 vertices
}
