//go:build !linux || (!amd64 && !arm64) || gorgonia || nocuda

package conformance_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/conformance"
)

// failOnDemand skips the test: there is no emulated driver here whose symbols can be looked up.
func failOnDemand(t *testing.T) conformance.Fail {
	t.Skip("needs the emulated GPU, and a build with CGO_ENABLED=0 (scripts/gpu-test emulate)")
	return nil
}
