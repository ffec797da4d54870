//go:build gorgonia && cgo && linux && (amd64 || arm64) && !nocuda

package cuda

import (
	"github.com/foray-graph/foray/internal/gpu/driver"
	"gorgonia.org/cu"
)

// FromCU returns a hold on a context that the caller made with gorgonia.org/cu
// and destroys, after closing what is returned. There is one in builds with the
// tag gorgonia only.
func FromCU(ctx cu.CUContext) (*Context, error) {
	c, err := driver.FromCU(ctx)
	return (*Context)(c), err
}

// CU returns the context as gorgonia.org/cu has it. It isn't current on any thread; within Do it is.
func (c *Context) CU() cu.CUContext { return (*driver.Context)(c).CU() }
