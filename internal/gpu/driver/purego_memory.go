//go:build linux && (amd64 || arm64) && !gorgonia && !nocuda

// This file holds the driver's calls on memory and its launches, through the
// library opened at run time.

package driver

import (
	"runtime"
	"sync"
	"unsafe"
)

func (l *library) memInfo() (free, total uint64, c Code) {
	c = l.call2(symMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return free, total, c
}

func (l *library) memAlloc(n uint64) (p Ptr, c Code) {
	c = l.call2(symMemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n))
	return p, c
}

func (l *library) memFree(p Ptr) Code { return l.call1(symMemFree, uintptr(p)) }

func (l *library) memShare(p Ptr) (h Shared, c Code) {
	c = l.call2(symIpcGetMemHandle, uintptr(unsafe.Pointer(&h)), uintptr(p))
	return h, c
}

// memMap passes the handle by value. On amd64 its words are on the stack, after six registers of which
// two have arguments. On arm64 the caller passes the address of a copy.
func (l *library) memMap(h *Shared) (p Ptr, c Code) {
	const lazyPeerAccess = 1
	if runtime.GOARCH == "arm64" {
		x := *h
		c = l.call3(symIpcOpenMemHandle, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&x)), lazyPeerAccess)
		return p, c
	}
	var x [14]uintptr
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&x[6])), len(h)), h[:])
	c = l.call14(symIpcOpenMemHandle, uintptr(unsafe.Pointer(&p)), lazyPeerAccess, &x)
	return p, c
}

func (l *library) memUnmap(p Ptr) Code { return l.call1(symIpcCloseMemHandle, uintptr(p)) }

func (l *library) memAllocAsync(n uint64, s handle) (p Ptr, c Code) {
	c = l.call3(symMemAllocAsync, uintptr(unsafe.Pointer(&p)), uintptr(n), uintptr(s))
	return p, c
}

func (l *library) memFreeAsync(p Ptr, s handle) Code {
	return l.call2(symMemFreeAsync, uintptr(p), uintptr(s))
}

func (l *library) poolDefault(dev int32) (h handle, c Code) {
	c = l.call2(symDeviceGetDefaultMemPool, uintptr(unsafe.Pointer(&h)), uintptr(dev))
	return h, c
}

func (l *library) poolGet(pool handle, attr int32) (v uint64, c Code) {
	c = l.call3(symMemPoolGetAttribute, uintptr(pool), uintptr(attr), uintptr(unsafe.Pointer(&v)))
	return v, c
}

func (l *library) poolSet(pool handle, attr int32, v uint64) Code {
	return l.call3(symMemPoolSetAttribute, uintptr(pool), uintptr(attr), uintptr(unsafe.Pointer(&v)))
}

func (l *library) poolTrim(pool handle, keep uint64) Code {
	return l.call2(symMemPoolTrimTo, uintptr(pool), uintptr(keep))
}

func (l *library) hostAlloc(n uint64, flags uint32) (p unsafe.Pointer, c Code) {
	c = l.call3(symMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(n), uintptr(flags))
	return p, c
}

func (l *library) hostFree(p unsafe.Pointer) Code { return l.call1(symMemFreeHost, uintptr(p)) }

func (l *library) hostPointer(host unsafe.Pointer) (p Ptr, c Code) {
	c = l.call3(symMemHostGetDevicePointer, uintptr(unsafe.Pointer(&p)), uintptr(host), 0)
	return p, c
}

func (l *library) hostRegister(p unsafe.Pointer, n uint64, flags uint32) Code {
	if l.fn[symMemHostRegister] == 0 || l.fn[symMemHostUnregister] == 0 {
		return codeNotSupported
	}
	return l.call3(symMemHostRegister, uintptr(p), uintptr(n), uintptr(flags))
}

func (l *library) hostUnregister(p unsafe.Pointer) Code {
	return l.call1(symMemHostUnregister, uintptr(p))
}

func (l *library) memset8(dst Ptr, v byte, n uint64, s handle) Code {
	return l.call4(symMemsetD8Async, uintptr(dst), uintptr(v), uintptr(n), uintptr(s))
}

func (l *library) memset32(dst Ptr, v uint32, n uint64, s handle) Code {
	return l.call4(symMemsetD32Async, uintptr(dst), uintptr(v), uintptr(n), uintptr(s))
}

func (l *library) toDevice(dst Ptr, src unsafe.Pointer, n uint64) Code {
	return l.call3(symMemcpyHtoD, uintptr(dst), uintptr(src), uintptr(n))
}

func (l *library) toHost(dst unsafe.Pointer, src Ptr, n uint64) Code {
	return l.call3(symMemcpyDtoH, uintptr(dst), uintptr(src), uintptr(n))
}

func (l *library) copy(dst, src Ptr, n uint64) Code {
	return l.call3(symMemcpyDtoD, uintptr(dst), uintptr(src), uintptr(n))
}

func (l *library) copyPeer(dst Ptr, dstCtx handle, src Ptr, srcCtx handle, n uint64) Code {
	return l.call5(symMemcpyPeer, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(n))
}

func (l *library) toDeviceAsync(dst Ptr, src unsafe.Pointer, n uint64, s handle) Code {
	return l.call4(symMemcpyHtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
}

func (l *library) toHostAsync(dst unsafe.Pointer, src Ptr, n uint64, s handle) Code {
	return l.call4(symMemcpyDtoHAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
}

func (l *library) copyAsync(dst, src Ptr, n uint64, s handle) Code {
	return l.call4(symMemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(n), uintptr(s))
}

func (l *library) copyPeerAsync(dst Ptr, dstCtx handle, src Ptr, srcCtx handle, n uint64, s handle) Code {
	return l.call6(symMemcpyPeerAsync, uintptr(dst), uintptr(dstCtx), uintptr(src), uintptr(srcCtx), uintptr(n), uintptr(s))
}

// The attributes of a launch that this package uses.
const (
	launchAttrCooperative = 2
	launchAttrCluster     = 4
)

// launchEx is what cuLaunchKernelEx takes, laid out as CUlaunchConfig and
// CUlaunchAttribute on 64-bit systems.
type launchEx struct {
	grid, block [3]uint32
	shared      uint32
	stream      handle
	attrs       *launchAttr
	count       uint32
	room        [2]launchAttr
}

type launchAttr struct {
	id    uint32
	_     uint32
	value [16]uint32
}

var launches = sync.Pool{New: func() any { return new(launchEx) }}

// set fills the structure in for a launch. It must not move afterwards.
func (x *launchEx) set(c *Config, s handle) {
	x.grid = [3]uint32{c.Grid.X, c.Grid.Y, c.Grid.Z}
	x.block = [3]uint32{c.Block.X, c.Block.Y, c.Block.Z}
	x.shared, x.stream, x.attrs, x.count = c.Shared, s, &x.room[0], 0
	if c.Cluster.X != 0 {
		a := &x.room[x.count]
		a.id, x.count = launchAttrCluster, x.count+1
		a.value[0], a.value[1], a.value[2] = c.Cluster.X, c.Cluster.Y, c.Cluster.Z
	}
	if c.Cooperative {
		a := &x.room[x.count]
		a.id, x.count = launchAttrCooperative, x.count+1
		a.value[0] = 1
	}
}

func (l *library) launch(f handle, c *Config, s handle, a *Args) Code {
	return l.call11(symLaunchKernel, uintptr(f), uintptr(c.Grid.X), uintptr(c.Grid.Y), uintptr(c.Grid.Z),
		uintptr(c.Block.X), uintptr(c.Block.Y), uintptr(c.Block.Z), uintptr(c.Shared), uintptr(s),
		uintptr(unsafe.Pointer(&a.ptrs)), 0)
}

func (l *library) launchCooperative(f handle, c *Config, s handle, a *Args) Code {
	return l.call11(symLaunchCooperativeKernel, uintptr(f), uintptr(c.Grid.X), uintptr(c.Grid.Y), uintptr(c.Grid.Z),
		uintptr(c.Block.X), uintptr(c.Block.Y), uintptr(c.Block.Z), uintptr(c.Shared), uintptr(s),
		uintptr(unsafe.Pointer(&a.ptrs)), 0)
}

func (l *library) launchCluster(f handle, c *Config, s handle, a *Args) Code {
	x := launches.Get().(*launchEx)
	defer launches.Put(x)
	x.set(c, s)
	return l.call4(symLaunchKernelEx, uintptr(unsafe.Pointer(x)), uintptr(f), uintptr(unsafe.Pointer(&a.ptrs)), 0)
}

func (l *library) maxBlocks(f handle, threads int32, shared uint64) (n int32, c Code) {
	c = l.call4(symOccupancyMaxActiveBlocks, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(threads), uintptr(shared))
	return n, c
}

func (l *library) maxClusters(f handle, c *Config) (n int32, code Code) {
	x := new(launchEx)
	x.set(c, 0)
	code = l.call3(symOccupancyMaxActiveClusters, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(unsafe.Pointer(x)))
	return n, code
}
