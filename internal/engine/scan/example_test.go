package scan_test

import (
	"context"
	"fmt"
	"log"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/engine/scan"
)

// Degrees become the offsets of compressed sparse rows.
func ExampleExclusive() {
	dev := host.New(2)
	stream, err := dev.NewStream(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	c, err := scan.New(stream)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	degrees, err := device.NewBuffer[uint32](dev, 4)
	if err != nil {
		log.Fatal(err)
	}
	defer degrees.Close()
	offsets, err := device.NewBuffer[uint64](dev, 5)
	if err != nil {
		log.Fatal(err)
	}
	defer offsets.Close()
	if err := degrees.Write(dev, 0, []uint32{3, 0, 2, 5}); err != nil {
		log.Fatal(err)
	}

	edges, err := scan.Exclusive(c, degrees, offsets, 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(edges, "edges", offsets.Host())
	// Output: 10 edges [0 3 3 5 10]
}
