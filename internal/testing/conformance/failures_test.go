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

// TestGPUKernelCache keeps machine code on disk.
func TestGPUKernelCache(t *testing.T) {
	onGPU(t)
	conformance.KernelCache(t, func() (device.Device, error) { return device.Open("cuda") })
}

// TestGPUKernelCacheFailures is the same with a driver whose calls fail on demand.
func TestGPUKernelCacheFailures(t *testing.T) {
	onEmulated(t)
	conformance.KernelCacheFailures(t, func() (device.Device, error) { return device.Open("cuda") }, failOnDemand(t))
}
