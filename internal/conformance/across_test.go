package conformance_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/conformance"
)

// onSeveral is onGPU for tests of several GPUs that reach one another's memory.
func onSeveral(t *testing.T) conformance.Suite {
	s := onGPU(t) // which says why not
	names := []string{}
	for _, info := range device.List() {
		if info.Kind == s.Device.Info().Kind {
			names = append(names, info.Name)
		}
	}
	if len(names) < 2 {
		t.Skip("needs several GPUs, or FORAY_EMULATOR_DEVICES")
	}
	dev, err := device.Open(strings.Join(names, ","))
	if errors.Is(err, device.ErrNotSupported) {
		t.Skip("needs GPUs that reach one another's memory:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Device = dev
	return s
}

func TestGPUAcross(t *testing.T)          { onSeveral(t).Across(t) }
func TestGPUAcrossCancelled(t *testing.T) { onSeveral(t).AcrossCancelled(t) }
func TestGPUAcrossTogether(t *testing.T)  { onSeveral(t).AcrossTogether(t) }
func TestGPUAcrossBuilds(t *testing.T)    { onSeveral(t).AcrossBuilds(t) }
func TestGPUAcrossInMemory(t *testing.T)  { onSeveral(t).AcrossInMemory(t) }
func TestGPUAcrossJudge(t *testing.T)     { onSeveral(t).AcrossJudge(t) }
