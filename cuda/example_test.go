package cuda_test

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/cuda"
	"github.com/foray-graph/foray/device"
)

// A program opens a context, if there is anything to use; why not is in the error.
func ExampleOpen() {
	c, err := cuda.Open(0)
	switch {
	case errors.Is(err, device.ErrNotSupported):
		// No GPU here: err says why.
	case err != nil:
		// There is one, and it fails.
	default:
		defer c.Close()
	}
	fmt.Println("asked")
	// Output: asked
}
