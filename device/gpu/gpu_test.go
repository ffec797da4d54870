package gpu_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/cuda"
	"github.com/foray-graph/foray/device"
	_ "github.com/foray-graph/foray/device/gpu"
)

// TestRegistered checks that an import of the package is enough for device.Open to
// know the driver, and that cuda.Open says the same of a GPU that isn't there.
func TestRegistered(t *testing.T) {
	dev, err := device.Open("cuda:9999")
	if err == nil {
		dev.Close()
		t.Skip("needs a machine with fewer than 10,000 GPUs")
	}
	if _, other := cuda.Open(9999); other == nil || errors.Is(err, device.ErrNotSupported) != errors.Is(other, device.ErrNotSupported) {
		t.Errorf("device.Open: %v; cuda.Open: %v", err, other)
	}
	if err != nil && strings.Contains(err.Error(), "no driver for it is linked") {
		t.Errorf("device.Open doesn't know cuda: %v", err)
	}
}
