// This file tests what becomes of package driver's errors; it needs no GPU.

package gpu

import (
	"errors"
	"fmt"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/gpu/driver"
)

func TestUnsupported(t *testing.T) {
	why := &driver.Error{Call: "cuInit", Code: 100, Name: "CUDA_ERROR_NO_DEVICE"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("cuda: %w: no device", driver.ErrNotSupported), "device not supported here: no device"},
		{fmt.Errorf("cuda: %w: driver too old", driver.ErrNotSupported), "device not supported here: driver too old"},
		{why, "device not supported here: cuInit: CUDA_ERROR_NO_DEVICE (100)"},
	} {
		err := unsupported(c.err)
		if err.Error() != c.want {
			t.Errorf("got %q, want %q", err, c.want)
		}
		if !errors.Is(err, device.ErrNotSupported) || !errors.Is(err, driver.ErrNotSupported) || !errors.Is(err, c.err) {
			t.Errorf("%v: a sentinel is lost", err)
		}
	}
	if full := (&driver.Error{Call: "cuMemAlloc", Code: 2}); !errors.Is(full, device.ErrMemory) || !errors.Is(full, driver.ErrOutOfMemory) {
		t.Errorf("%v: a sentinel is lost", full)
	}
	if err := unsupported(driver.ErrInUse); err != driver.ErrInUse {
		t.Errorf("another error became %v", err)
	}
}

// TestOpenNil: with an error there is no Device, not even a nil *Device, which isn't nil.
func TestOpenNil(t *testing.T) {
	if d, err := open(-1); err == nil || d != nil {
		t.Errorf("%v, %v", d, err)
	}
}
