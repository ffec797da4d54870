package cuda_test

import (
	"errors"
	"fmt"

	"github.com/foray-graph/foray/cuda"
)

// A program asks first whether there is anything to use; why not is in the
// error.
func ExampleProbe() {
	found, err := cuda.Probe()
	switch {
	case errors.Is(err, cuda.ErrNotSupported):
		// No GPU here: err says why.
	case err != nil:
		// There is one, and it fails.
	default:
		_ = found.Devices
	}
	fmt.Println("asked")
	// Output: asked
}
