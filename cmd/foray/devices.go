// This file holds the devices command and the opening of a device.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/foray-graph/foray/device"
	"github.com/foray-graph/foray/device/host"
	"github.com/foray-graph/foray/internal/gpu/kernelcache"
	"github.com/foray-graph/foray/internal/text"
)

// otherKinds are the kinds of devices, other than the host, that Foray supports,
// whether they are available or not.
var otherKinds = []device.Kind{"cuda"}

func (a *app) devicesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the devices that can search",
		Long: `Lists the devices that can search, by the names that --device takes, in the
order in which --device auto tries them; then the kinds of devices that can't be
used, and the reasons. The host is the processors of this machine: its hardware
is the platform, its parallel units are the threads that search, and it needs no
driver. Memory is in powers of 1000. The last line is the folder in which machine
code of kernels is kept between processes, and how much it has.`,
		Example:               "  foray devices",
		GroupID:               groupOther,
		DisableFlagsInUseLine: true,
		Args:                  needArgs(0, 0, "devices takes no arguments"),
		RunE:                  func(*cobra.Command, []string) error { return a.devices() },
	}
	setFlags(cmd)
	return cmd
}

func (a *app) devices() error {
	t := text.Table{Align: "llrrrl"}
	t.Row("device", "hardware", "parallel units", "memory", "memory free", "driver")
	found := map[device.Kind]bool{}
	all := &devicesResult{head("devices"), []deviceResult{}, []unavailableResult{}, nil}
	a.result = all
	for _, d := range device.List() {
		found[d.Kind] = true
		if d.MemoryFree == 0 {
			d = opened(d)
		}
		all.Devices = append(all.Devices, describeDevice(d))
		t.Row(d.Name, d.Model, units(d), known(d.MemoryTotal), known(d.MemoryFree), cmp.Or(d.Driver, "none"))
	}
	if err := t.Write(a.stdout, ""); err != nil {
		return err
	}
	for _, k := range otherKinds {
		if found[k] {
			continue
		}
		dev, err := device.Open(string(k)) // the only way to learn the reason
		if err != nil {
			why := oneLine(err)
			for _, p := range []string{fmt.Sprintf("device %q: ", k), device.ErrNotSupported.Error() + ": "} {
				why = strings.TrimPrefix(why, p) // that is what "no" says
			}
			all.Missing = append(all.Missing, unavailableResult{string(k), why})
			_, err = fmt.Fprintf(a.stdout, "no %s: %s\n", k, why)
		} else {
			err = dev.Close()
		}
		if err != nil {
			return err
		}
	}
	if all.Cache = describeCache(kernelcache.Default()); all.Cache != nil {
		if _, err := fmt.Fprintf(a.stdout, "kernel cache: %s\n", all.Cache); err != nil {
			return err
		}
	}
	a.done("these are all devices", "--device NAME runs an algorithm there")
	return nil
}

// describeCache describes the cache of kernels, or returns nil on systems without GPUs.
func describeCache(f kernelcache.Folder) *cacheResult {
	if runtime.GOOS != "linux" {
		return nil
	}
	x := &cacheResult{Folder: f.Path()}
	if x.Folder == "" {
		x.Reason = "it is off"
		return x
	}
	var err error
	if x.Kernels, x.Bytes, err = f.Usage(); err != nil {
		x.Reason = oneLine(err)
	}
	return x
}

// String is the line that devices prints.
func (x *cacheResult) String() string {
	switch {
	case x.Folder == "":
		return x.Reason
	case x.Reason != "":
		return x.Folder + " isn't used: " + strings.TrimPrefix(x.Reason, x.Folder+": ")
	}
	return fmt.Sprintf("%s has %s, %s", x.Folder, text.Plural(x.Kernels, "kernel"), text.Bytes(uint64(x.Bytes)))
}

// opened describes a device again once it is open, when it can say more, or as
// before if it can't be opened.
func opened(d device.Info) device.Info {
	dev, err := device.Open(d.Name)
	if err != nil {
		return d
	}
	d = dev.Info()
	dev.Close()
	return d
}

// units describes a device's parallel units.
func units(d device.Info) string {
	if d.Kind == device.Host {
		return text.Plural(d.Units, "worker")
	}
	return text.Plural(d.Units, "multiprocessor")
}

func known(bytes uint64) string {
	if bytes == 0 {
		return "unknown"
	}
	return text.Bytes(bytes)
}

// openDevice opens the device of that name. On the host workers is the number of
// goroutines that search, 0 means one per CPU.
func openDevice(name string, workers int) (device.Device, error) {
	dev, err := device.Open(name)
	if err != nil {
		if errors.Is(err, device.ErrUnknown) || errors.Is(err, device.ErrNotSupported) {
			err = hint(err, "foray devices lists what there is")
		}
		if errors.Is(err, device.ErrUnknown) {
			err = &usageError{err: err}
		}
		return nil, err
	}
	if dev.Info().Kind == device.Host {
		return host.New(workers), nil
	}
	return dev, nil
}

// deviceName is what --device says, or the host where auto stands for it: a
// strategy is for the host alone, and so no other device is opened.
func (f *bfsFlags) deviceName() string {
	if f.device.value == "auto" && f.strategy.value != "auto" {
		return host.Name
	}
	return f.device.value
}

// checkOn refuses what the device doesn't have, before a graph is loaded.
func (f *bfsFlags) checkOn(dev device.Device) error {
	if info := dev.Info(); info.Kind != device.Host && f.strategy.value != "auto" {
		return strategyError(info)
	}
	return nil
}

// strategyError is the error of --strategy on a GPU.
func strategyError(info device.Info) error {
	return usagef("--strategy is for the host; the device is %s; --device host takes it", info.Name)
}
