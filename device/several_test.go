package device_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/foray-graph/foray/device"
)

// one is a device of a kind that tests register.
type one struct {
	name   string
	closed *int
}

func (d one) Info() device.Info                              { return device.Info{Kind: "several", Name: d.name} }
func (one) Alloc(uint64) (device.Memory, error)              { return nil, device.ErrNotSupported }
func (one) NewStream(context.Context) (device.Stream, error) { return nil, device.ErrNotSupported }
func (d one) Close() error                                   { *d.closed++; return nil }

func TestOpenSeveral(t *testing.T) {
	closed := 0
	d := device.Driver{Kind: "several", Rank: 100,
		Probe: func() (all []device.Info, err error) {
			for i := range 3 {
				all = append(all, device.Info{Kind: "several", Name: fmt.Sprintf("several:%d", i)})
			}
			return all, nil
		},
		Open: func(i int) (device.Device, error) { return one{fmt.Sprintf("several:%d", i), &closed}, nil },
	}
	device.Register(d)
	defer device.Register(device.Driver{Kind: "several", Rank: -100, Probe: func() ([]device.Info, error) { return nil, device.ErrNotSupported }})
	if _, err := device.Open("several:0,several:1"); !errors.Is(err, device.ErrNotSupported) || closed != 2 {
		t.Errorf("without Join: %v, %d closed", err, closed)
	}
	d.Join = func(devs []device.Device) (device.Device, error) {
		return one{fmt.Sprint(len(devs), " of them"), &closed}, nil
	}
	device.Register(d)
	for name, want := range map[string]string{"several:0,several:2": "2 of them", "all": "3 of them"} {
		dev, err := device.Open(name)
		if err != nil || dev.Info().Name != want {
			t.Errorf("%s: %v, %v", name, dev, err)
		}
	}
	for _, name := range []string{"several:0,several:0", "several:0,several", "several:0,several:3", "several:0,host", "several:0,", ",", "several:0,cuda:0"} {
		closed = 0
		if _, err := device.Open(name); !errors.Is(err, device.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
		if closed > 1 {
			t.Errorf("%s: %d closed", name, closed)
		}
	}
}
