package driver_test

import (
	"errors"

	"github.com/foray-graph/foray/internal/gpu/driver"
)

// A kernel's arguments are put together once and launched in a loop, on a
// thread that is locked once.
func ExampleStream_Do() {
	run := func(ctx *driver.Context, step *driver.Function, depths driver.Ptr, n uint32) (err error) {
		s, err := ctx.NewStream()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		args := driver.NewArgs()
		return s.Do(func() error {
			for level := range int32(10) {
				args.Reset().Ptr(depths).U32(n).I32(level)
				shape := driver.Config{Grid: driver.Dim{X: (n + 255) / 256}, Block: driver.Dim{X: 256}}
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
