//go:build linux && (amd64 || arm64) && !gorgonia && !nocuda

package conformance_test

import (
	"testing"

	"github.com/ebitengine/purego"

	"github.com/foray-graph/foray/internal/testing/conformance"
)

// failOnDemand returns what has a call of the emulated driver fail.
func failOnDemand(t *testing.T) conformance.Fail {
	library, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		t.Fatal(err)
	}
	var fail func(nth uint64, breaks int32) uint64
	purego.RegisterLibFunc(&fail, library, "foray_emulator_fail")
	var failed func() string
	purego.RegisterLibFunc(&failed, library, "foray_emulator_failed")
	return func(nth uint64, breaks bool) (calls uint64, call string) {
		if breaks {
			calls = fail(nth, 1)
		} else {
			calls = fail(nth, 0)
		}
		return calls, failed()
	}
}
