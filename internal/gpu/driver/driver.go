// This file holds what an implementation of the driver provides: the driver's
// calls, with Go's types and nothing added. Each build has one implementation.

package driver

import (
	"fmt"
	"unsafe"
)

// Ptr is an address in a device's memory, or of host memory as a device sees
// it. The zero Ptr is no memory.
type Ptr uint64

// handle is one of the driver's pointers to its objects: a context, stream,
// event, module, function or pool. Zero is no object.
type handle uintptr

// Version is a version of the driver's interface, as the driver gives it:
// 1000 times the major number plus 10 times the minor one.
type Version int

// String returns the version in the usual form, such as "11.8".
func (v Version) String() string { return fmt.Sprintf("%d.%d", int(v)/1000, int(v)%1000/10) }

// MinVersion is the oldest driver that works: the first with stream-ordered memory
// pools. The kernels need a newer one on some devices; Load reports that.
const MinVersion Version = 11020

// peerAtomics is an attribute of a pair of devices: whether atomic operations reach
// from one to the other.
const peerAtomics = 3

// feature is a part of the driver's interface that drivers may lack.
type feature int

const (
	featureLaunchEx feature = iota // cuLaunchKernelEx, since 11.8
	featureClusters                // cuOccupancyMaxActiveClusters, since 11.8
	featureLink                    // cuLinkCreate and what follows, which stand-ins for the driver lack
	featureShare                   // cuIpcGetMemHandle and what follows, likewise
)

// driver is NVIDIA's driver. The calls on memory, streams, events, modules and
// functions are for the context that bind made current on this thread. Codes
// are the driver's own; 0 is success.
type driver interface {
	has(f feature) bool

	initialize() Code
	version() (Version, Code)
	errorName(c Code) string // empty if the driver has no name for it
	errorText(c Code) string

	deviceCount() (int, Code)
	deviceGet(i int) (int32, Code)
	deviceName(dev int32) (string, Code)
	deviceMemory(dev int32) (uint64, Code)
	deviceAttribute(dev, attr int32) (int32, Code)
	deviceUUID(dev int32) ([16]byte, Code)
	devicePCI(dev int32) (string, Code)
	canAccessPeer(dev, peer int32) (bool, Code)
	peerAttribute(attribute int, dev, peer int32) (int, Code)

	primaryRetain(dev int32) (handle, Code)
	primaryRelease(dev int32) Code
	bind(ctx handle) Code // makes the context current on this thread
	unbind()              // ends what bind began
	synchronize() Code
	enablePeer(peer handle) Code
	disablePeer(peer handle) Code

	memInfo() (free, total uint64, c Code)
	memAlloc(bytes uint64) (Ptr, Code)
	memFree(p Ptr) Code
	memShare(p Ptr) (Shared, Code)
	memMap(h *Shared) (Ptr, Code)
	memUnmap(p Ptr) Code
	memAllocAsync(bytes uint64, s handle) (Ptr, Code)
	memFreeAsync(p Ptr, s handle) Code
	poolDefault(dev int32) (handle, Code)
	poolGet(pool handle, attr int32) (uint64, Code)
	poolSet(pool handle, attr int32, v uint64) Code
	poolTrim(pool handle, keep uint64) Code
	hostAlloc(bytes uint64, flags uint32) (unsafe.Pointer, Code)
	hostFree(p unsafe.Pointer) Code
	hostPointer(p unsafe.Pointer) (Ptr, Code)
	hostRegister(p unsafe.Pointer, bytes uint64, flags uint32) Code
	hostUnregister(p unsafe.Pointer) Code

	memset8(dst Ptr, v byte, n uint64, s handle) Code
	memset32(dst Ptr, v uint32, n uint64, s handle) Code
	toDevice(dst Ptr, src unsafe.Pointer, n uint64) Code
	toHost(dst unsafe.Pointer, src Ptr, n uint64) Code
	copy(dst, src Ptr, n uint64) Code
	copyPeer(dst Ptr, dstCtx handle, src Ptr, srcCtx handle, n uint64) Code
	toDeviceAsync(dst Ptr, src unsafe.Pointer, n uint64, s handle) Code
	toHostAsync(dst unsafe.Pointer, src Ptr, n uint64, s handle) Code
	copyAsync(dst, src Ptr, n uint64, s handle) Code
	copyPeerAsync(dst Ptr, dstCtx handle, src Ptr, srcCtx handle, n uint64, s handle) Code

	streamCreate(flags uint32) (handle, Code)
	streamDestroy(s handle) Code
	streamSync(s handle) Code
	streamQuery(s handle) Code
	streamWait(s, event handle) Code
	eventCreate(flags uint32) (handle, Code)
	eventDestroy(e handle) Code
	eventRecord(e, s handle) Code
	eventSync(e handle) Code
	eventQuery(e handle) Code
	eventElapsed(start, end handle) (milliseconds float32, c Code)

	moduleLoad(image []byte, log []byte) (handle, Code)
	link(ptx []byte) (machineCode []byte, c Code) // of PTX with a zero behind it
	moduleUnload(m handle) Code
	moduleFunction(m handle, name string) (handle, Code)
	moduleGlobal(m handle, name string) (Ptr, uint64, Code)
	funcGet(f handle, attr int32) (int32, Code)
	funcSet(f handle, attr, v int32) Code

	launch(f handle, c *Config, s handle, a *Args) Code
	launchCooperative(f handle, c *Config, s handle, a *Args) Code
	launchCluster(f handle, c *Config, s handle, a *Args) Code
	maxBlocks(f handle, threads int32, shared uint64) (int32, Code)
	maxClusters(f handle, c *Config) (int32, Code)
}

// The driver's constants, as cuda.h has them.
const (
	streamNonBlocking  = 1
	eventBlockingSync  = 1
	eventDisableTiming = 2
	hostPortable       = 1
	hostDeviceMap      = 2
	hostReadOnly       = 8 // of registered memory alone

	poolReleaseThreshold = 4
	poolReservedCurrent  = 5
	poolUsedCurrent      = 7

	attrWarpSize        = 10
	attrMultiprocessors = 16
	attrL2              = 38
	attrThreadsPerSM    = 39
	attrMajor           = 75
	attrMinor           = 76
	attrSharedPerSM     = 81
	attrCooperative     = 95
	attrSharedPerBlock  = 97 // opt-in
	attrBlocksPerSM     = 106
	attrMemoryPools     = 115
	attrClusterLaunch   = 120
	attrThreadsPerBlock = 1
)
