package conformance_test

import (
	"strings"
	"testing"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/internal/testing/conformance"
)

// TestGPUFailures needs a driver whose calls fail on demand.
func TestGPUFailures(t *testing.T) {
	onEmulated(t)
	conformance.Failures(t, func() (device.Device, error) { return device.Open("cuda") }, false, failOnDemand(t))
}

// TestGPUFailuresShards is the same on all GPUs.
func TestGPUFailuresShards(t *testing.T) {
	overShards(t)
	onEmulated(t)
	var names []string
	for _, info := range device.List() {
		if strings.HasPrefix(info.Name, "cuda:") {
			names = append(names, info.Name)
		}
	}
	conformance.Failures(t, func() (device.Device, error) { return device.Open(strings.Join(names, ",")) }, true, failOnDemand(t))
}
