//go:build !linux || (!amd64 && !arm64) || gorgonia || nocuda

package conformance_test

import (
	"testing"

	"github.com/foray-graph/foray/internal/testing/conformance"
)

// failOnDemand skips the test: there is no emulated driver here whose symbols can be looked up.
func failOnDemand(t *testing.T) conformance.Fail {
	t.Skip("needs the emulated GPU, opened without cgo")
	return nil
}
