// This file holds the properties of a device.

package driver

import "fmt"

// Device describes a device. Sizes are in bytes.
type Device struct {
	Index         int    // as Open takes it
	Name          string // the maker's, such as "NVIDIA H200"
	Driver        Version
	Memory        uint64 // in total
	Major, Minor  int    // compute capability
	SMs           int    // multiprocessors
	L2            int    // level 2 cache
	Warp          int    // threads per warp
	ThreadsPerSM  int    // at once
	BlocksPerSM   int    // at once
	MaxThreads    int    // per block
	SharedPerSM   int    // shared memory
	SharedMax     int    // shared memory per block, for a function with a raised limit (SetMaxShared)
	Cooperative   bool   // launches whose blocks wait for each other
	Clusters      bool   // launches of clusters of blocks
	Pools         bool   // memory in stream order
	UUID          string // as nvidia-smi writes it
	PCI           string // bus id, as "0000:17:00.0"
	number        int32  // the driver's own
	clusterLaunch bool   // the driver has the calls for them
}

// String names the device for messages.
func (d Device) String() string { return fmt.Sprintf("device %d (%s)", d.Index, d.Name) }

func (s *system) device(i int) (Device, error) {
	dev, err := s.number(i)
	if err != nil {
		return Device{}, err
	}
	return s.describe(i, dev)
}

func (s *system) describe(i int, dev int32) (Device, error) {
	d := Device{Index: i, Driver: s.found.Driver, number: dev}
	d.clusterLaunch = s.drv.has(featureLaunchEx) && s.drv.has(featureClusters)
	fail := func(call string, c Code) (Device, error) {
		return Device{}, newError(s.drv, call, c, fmt.Sprintf("device %d", i))
	}
	var c Code
	if d.Name, c = s.drv.deviceName(dev); c != codeOK {
		return fail("cuDeviceGetName", c)
	}
	if d.Memory, c = s.drv.deviceMemory(dev); c != codeOK {
		return fail("cuDeviceTotalMem", c)
	}
	uuid, c := s.drv.deviceUUID(dev)
	if c != codeOK {
		return fail("cuDeviceGetUuid", c)
	}
	d.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", uuid[:4], uuid[4:6], uuid[6:8], uuid[8:10], uuid[10:])
	if d.PCI, c = s.drv.devicePCI(dev); c != codeOK {
		return fail("cuDeviceGetPCIBusId", c)
	}
	var cooperative, clusters, pools int
	for _, a := range [...]struct {
		attr    int32
		to      *int
		lacking bool // older drivers lack the attribute
	}{
		{attrMajor, &d.Major, false}, {attrMinor, &d.Minor, false},
		{attrMultiprocessors, &d.SMs, false}, {attrL2, &d.L2, false},
		{attrWarpSize, &d.Warp, false}, {attrThreadsPerSM, &d.ThreadsPerSM, false},
		{attrBlocksPerSM, &d.BlocksPerSM, false}, {attrThreadsPerBlock, &d.MaxThreads, false},
		{attrSharedPerSM, &d.SharedPerSM, false}, {attrSharedPerBlock, &d.SharedMax, false},
		{attrCooperative, &cooperative, false}, {attrMemoryPools, &pools, false},
		{attrClusterLaunch, &clusters, true},
	} {
		v, c := s.drv.deviceAttribute(dev, a.attr)
		if c == codeInvalidValue && a.lacking {
			continue
		}
		if c != codeOK {
			return fail(fmt.Sprintf("cuDeviceGetAttribute(%d)", a.attr), c)
		}
		*a.to = int(v)
	}
	d.Cooperative, d.Pools = cooperative != 0, pools != 0
	d.Clusters = clusters != 0 && d.clusterLaunch
	return d, nil
}
