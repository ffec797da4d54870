package device_test

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/host" // makes the CPU known
)

// A program that imports an algorithm has the host's driver already; others
// import it for its registration.
func ExampleOpen() {
	dev, err := device.Open("host")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	fmt.Println(dev.Info().Kind, dev.Info().Units > 0)

	_, err = device.Open("tpu")
	fmt.Println(errors.Is(err, device.ErrUnknown), err)
	// Output:
	// host true
	// true device "tpu": unknown device (auto, host, cuda, cuda:N, several as in cuda:0,cuda:1, all)
}

func ExampleNewBuffer() {
	dev, err := device.Open("host")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	depths, err := device.NewBuffer[int32](dev, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer depths.Close()
	depths.Host()[2] = 7 // nil on a GPU
	fmt.Println(depths.Len(), depths.Host())
	// Output: 4 [0 0 7 0]
}
