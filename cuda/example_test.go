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

// A kernel's arguments are put together once and launched in a loop, on a
// thread that is locked once.
func ExampleStream_Do() {
	run := func(ctx *cuda.Context, step *cuda.Function, depths cuda.Ptr, n uint32) (err error) {
		s, err := ctx.NewStream()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		args := cuda.NewArgs()
		return s.Do(func() error {
			for level := range int32(10) {
				args.Reset().Ptr(depths).U32(n).I32(level)
				shape := cuda.Config{Grid: cuda.Dim{X: (n + 255) / 256}, Block: cuda.Dim{X: 256}}
				if err := s.Launch(step, shape, args); err != nil {
					return err
				}
			}
			return s.Sync()
		})
	}
	_ = run
	// Output:
}
