//go:build linux && (amd64 || arm64) && !gorgonia && !nocuda

package conformance_test

import (
	"testing"

	"github.com/ebitengine/purego"

	"github.com/foray-graph/foray/internal/conformance"
)

// failOnDemand returns what has a call of the emulated driver fail.
func failOnDemand(t *testing.T) conformance.Fail {
	library, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		t.Fatal(err)
	}
	var fail func(nth uint64, breaks int32) uint64
	purego.RegisterLibFunc(&fail, library, "foray_emulator_fail")
	return func(nth uint64, breaks bool) uint64 {
		if breaks {
			return fail(nth, 1)
		}
		return fail(nth, 0)
	}
}
