// This file holds what makes GPUs known to device.Open.

package gpu

import (
	"github.com/foray-graph/foray/device"
)

// Kind is the kind of these devices.
const Kind device.Kind = "cuda"

// Registering is all that happens at start-up; the driver is looked for on
// first use.
func init() {
	device.Register(device.Driver{Kind: Kind, Rank: 10, Probe: probe, Open: func(i int) (device.Device, error) { return Open(i) }})
}

func probe() ([]device.Info, error) {
	d, err := Open(0)
	if err != nil {
		return nil, err
	}
	return []device.Info{d.Info()}, nil
}
