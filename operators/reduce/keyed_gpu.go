package reduce

import (
	"fmt"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/engine/step"
)

// GPU says that there are no kernels yet.
func (s *byKey[T, V]) GPU(*step.Env) error {
	return fmt.Errorf("reduce: %w: a reduce by key runs on the host", device.ErrNotSupported)
}
