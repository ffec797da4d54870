//go:build linux && (amd64 || arm64) && !gorgonia && !nocuda

// This file opens the driver's library at run time and looks its functions up.

package driver

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// openDriver opens the driver where the system's loader finds it.
func openDriver() (driver, error) { return openLibrary("libcuda.so.1") }

// canOpenPath returns nil: a library can be opened by its path.
func canOpenPath() error { return nil }

func openPath(path string) (driver, error) { return openLibrary(path) }

// symbol is a function of the driver.
type symbol int

const (
	symInit symbol = iota
	symDriverGetVersion
	symGetErrorName
	symGetErrorString
	symDeviceGetCount
	symDeviceGet
	symDeviceGetName
	symDeviceTotalMem
	symDeviceGetAttribute
	symDeviceGetUUID
	symDeviceGetPCIBusID
	symDeviceCanAccessPeer
	symDeviceGetP2PAttribute
	symDevicePrimaryCtxRetain
	symDevicePrimaryCtxRelease
	symCtxPushCurrent
	symCtxPopCurrent
	symCtxSynchronize
	symCtxEnablePeerAccess
	symCtxDisablePeerAccess
	symMemGetInfo
	symMemAlloc
	symMemFree
	symIpcGetMemHandle
	symIpcOpenMemHandle
	symIpcCloseMemHandle
	symMemAllocAsync
	symMemFreeAsync
	symDeviceGetDefaultMemPool
	symMemPoolGetAttribute
	symMemPoolSetAttribute
	symMemPoolTrimTo
	symMemHostAlloc
	symMemFreeHost
	symMemHostGetDevicePointer
	symMemHostRegister
	symMemHostUnregister
	symMemsetD8Async
	symMemsetD32Async
	symMemcpyHtoD
	symMemcpyDtoH
	symMemcpyDtoD
	symMemcpyPeer
	symMemcpyHtoDAsync
	symMemcpyDtoHAsync
	symMemcpyDtoDAsync
	symMemcpyPeerAsync
	symStreamCreate
	symStreamDestroy
	symStreamSynchronize
	symStreamQuery
	symStreamWaitEvent
	symEventCreate
	symEventDestroy
	symEventRecord
	symEventSynchronize
	symEventQuery
	symEventElapsedTime
	symModuleLoadDataEx
	symLinkCreate
	symLinkAddData
	symLinkComplete
	symLinkDestroy
	symModuleUnload
	symModuleGetFunction
	symModuleGetGlobal
	symFuncGetAttribute
	symFuncSetAttribute
	symLaunchKernel
	symLaunchCooperativeKernel
	symLaunchKernelEx
	symOccupancyMaxActiveBlocks
	symOccupancyMaxActiveClusters
	symbolCount
)

// symbols are the names under which the library exports the functions. A suffix is
// the version whose parameters this package passes; the header hides
// suffixes. Names without one are older functions. If a function has two
// names, the first one that exists is taken.
var symbols = [symbolCount]string{
	symInit:                       "cuInit",
	symDriverGetVersion:           "cuDriverGetVersion",
	symGetErrorName:               "cuGetErrorName",
	symGetErrorString:             "cuGetErrorString",
	symDeviceGetCount:             "cuDeviceGetCount",
	symDeviceGet:                  "cuDeviceGet",
	symDeviceGetName:              "cuDeviceGetName",
	symDeviceTotalMem:             "cuDeviceTotalMem_v2",
	symDeviceGetAttribute:         "cuDeviceGetAttribute",
	symDeviceGetUUID:              "cuDeviceGetUuid_v2 cuDeviceGetUuid",
	symDeviceGetPCIBusID:          "cuDeviceGetPCIBusId",
	symDeviceCanAccessPeer:        "cuDeviceCanAccessPeer",
	symDeviceGetP2PAttribute:      "cuDeviceGetP2PAttribute",
	symDevicePrimaryCtxRetain:     "cuDevicePrimaryCtxRetain",
	symDevicePrimaryCtxRelease:    "cuDevicePrimaryCtxRelease_v2",
	symCtxPushCurrent:             "cuCtxPushCurrent_v2",
	symCtxPopCurrent:              "cuCtxPopCurrent_v2",
	symCtxSynchronize:             "cuCtxSynchronize",
	symCtxEnablePeerAccess:        "cuCtxEnablePeerAccess",
	symCtxDisablePeerAccess:       "cuCtxDisablePeerAccess",
	symMemGetInfo:                 "cuMemGetInfo_v2",
	symMemAlloc:                   "cuMemAlloc_v2",
	symMemFree:                    "cuMemFree_v2",
	symIpcGetMemHandle:            "cuIpcGetMemHandle",
	symIpcOpenMemHandle:           "cuIpcOpenMemHandle_v2",
	symIpcCloseMemHandle:          "cuIpcCloseMemHandle",
	symMemAllocAsync:              "cuMemAllocAsync",
	symMemFreeAsync:               "cuMemFreeAsync",
	symDeviceGetDefaultMemPool:    "cuDeviceGetDefaultMemPool",
	symMemPoolGetAttribute:        "cuMemPoolGetAttribute",
	symMemPoolSetAttribute:        "cuMemPoolSetAttribute",
	symMemPoolTrimTo:              "cuMemPoolTrimTo",
	symMemHostAlloc:               "cuMemHostAlloc",
	symMemFreeHost:                "cuMemFreeHost",
	symMemHostGetDevicePointer:    "cuMemHostGetDevicePointer_v2",
	symMemHostRegister:            "cuMemHostRegister_v2",
	symMemHostUnregister:          "cuMemHostUnregister",
	symMemsetD8Async:              "cuMemsetD8Async",
	symMemsetD32Async:             "cuMemsetD32Async",
	symMemcpyHtoD:                 "cuMemcpyHtoD_v2",
	symMemcpyDtoH:                 "cuMemcpyDtoH_v2",
	symMemcpyDtoD:                 "cuMemcpyDtoD_v2",
	symMemcpyPeer:                 "cuMemcpyPeer",
	symMemcpyHtoDAsync:            "cuMemcpyHtoDAsync_v2",
	symMemcpyDtoHAsync:            "cuMemcpyDtoHAsync_v2",
	symMemcpyDtoDAsync:            "cuMemcpyDtoDAsync_v2",
	symMemcpyPeerAsync:            "cuMemcpyPeerAsync",
	symStreamCreate:               "cuStreamCreate",
	symStreamDestroy:              "cuStreamDestroy_v2",
	symStreamSynchronize:          "cuStreamSynchronize",
	symStreamQuery:                "cuStreamQuery",
	symStreamWaitEvent:            "cuStreamWaitEvent",
	symEventCreate:                "cuEventCreate",
	symEventDestroy:               "cuEventDestroy_v2",
	symEventRecord:                "cuEventRecord",
	symEventSynchronize:           "cuEventSynchronize",
	symEventQuery:                 "cuEventQuery",
	symEventElapsedTime:           "cuEventElapsedTime",
	symModuleLoadDataEx:           "cuModuleLoadDataEx",
	symLinkCreate:                 "cuLinkCreate_v2",
	symLinkAddData:                "cuLinkAddData_v2",
	symLinkComplete:               "cuLinkComplete",
	symLinkDestroy:                "cuLinkDestroy",
	symModuleUnload:               "cuModuleUnload",
	symModuleGetFunction:          "cuModuleGetFunction",
	symModuleGetGlobal:            "cuModuleGetGlobal_v2",
	symFuncGetAttribute:           "cuFuncGetAttribute",
	symFuncSetAttribute:           "cuFuncSetAttribute",
	symLaunchKernel:               "cuLaunchKernel",
	symLaunchCooperativeKernel:    "cuLaunchCooperativeKernel",
	symLaunchKernelEx:             "cuLaunchKernelEx",
	symOccupancyMaxActiveBlocks:   "cuOccupancyMaxActiveBlocksPerMultiprocessor",
	symOccupancyMaxActiveClusters: "cuOccupancyMaxActiveClusters",
}

// optional are the functions that a driver may lack.
func (s symbol) optional() bool {
	switch s {
	case symLaunchKernelEx, symOccupancyMaxActiveClusters, symLinkCreate, symLinkAddData, symLinkComplete, symLinkDestroy,
		symIpcGetMemHandle, symIpcOpenMemHandle, symIpcCloseMemHandle, symMemHostRegister, symMemHostUnregister:
		return true
	}
	return false
}

// library is the driver's library.
type library struct {
	fn     [symbolCount]uintptr
	popped *uintptr // where the driver writes contexts that are popped; never read
}

// openLibrary opens the library at a path, or where the loader finds it. It
// stays open: the driver can't be unloaded.
func openLibrary(path string) (driver, error) {
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("no driver library: %w", err)
	}
	l := &library{popped: new(uintptr)}
	var missing []string
	for s := range symbolCount {
		for name := range strings.FieldsSeq(symbols[s]) {
			if l.fn[s], err = purego.Dlsym(lib, name); err == nil {
				break
			}
		}
		if err != nil && !s.optional() {
			missing = append(missing, symbols[s])
		}
	}
	if missing == nil {
		return l, nil
	}
	have := ""
	if l.fn[symDriverGetVersion] != 0 {
		if v, c := l.version(); c == codeOK {
			have = fmt.Sprintf(" offers CUDA %v and", v)
		}
	}
	return nil, fmt.Errorf("driver too old: it%s lacks %s; this needs CUDA %v", have, strings.Join(missing, ", "), MinVersion)
}

// frames hold the arguments of calls under way: a list made for each call would
// be allocated.
var frames = sync.Pool{New: func() any { return new([11]uintptr) }}

func (l *library) do(s symbol, f *[11]uintptr, n int) Code {
	r, _, _ := purego.SyscallN(l.fn[s], f[:n]...)
	frames.Put(f)
	return Code(uint32(r))
}

// The calls of the driver by their number of arguments. What pointers among
// them point at stays alive and in its place during the call.

//go:uintptrescapes
func (l *library) call1(s symbol, a uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0] = a
	return l.do(s, x, 1)
}

//go:uintptrescapes
func (l *library) call2(s symbol, a, b uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0], x[1] = a, b
	return l.do(s, x, 2)
}

//go:uintptrescapes
func (l *library) call3(s symbol, a, b, c uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0], x[1], x[2] = a, b, c
	return l.do(s, x, 3)
}

//go:uintptrescapes
func (l *library) call4(s symbol, a, b, c, d uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0], x[1], x[2], x[3] = a, b, c, d
	return l.do(s, x, 4)
}

//go:uintptrescapes
func (l *library) call5(s symbol, a, b, c, d, e uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0], x[1], x[2], x[3], x[4] = a, b, c, d, e
	return l.do(s, x, 5)
}

//go:uintptrescapes
func (l *library) call6(s symbol, a, b, c, d, e, f uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0], x[1], x[2], x[3], x[4], x[5] = a, b, c, d, e, f
	return l.do(s, x, 6)
}

//go:uintptrescapes
func (l *library) call8(s symbol, a, b, c, d, e, f, g, h uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7] = a, b, c, d, e, f, g, h
	return l.do(s, x, 8)
}

//go:uintptrescapes
func (l *library) call11(s symbol, a, b, c, d, e, f, g, h, i, j, k uintptr) Code {
	x := frames.Get().(*[11]uintptr)
	x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10] = a, b, c, d, e, f, g, h, i, j, k
	return l.do(s, x, 11)
}

// call14 passes two arguments in registers, and from the seventh on those of x.
//
//go:uintptrescapes
func (l *library) call14(s symbol, a, b uintptr, x *[14]uintptr) Code {
	x[0], x[1] = a, b
	r, _, _ := purego.SyscallN(l.fn[s], x[:]...)
	return Code(uint32(r))
}

func (l *library) has(f feature) bool {
	switch f {
	case featureLaunchEx:
		return l.fn[symLaunchKernelEx] != 0
	case featureClusters:
		return l.fn[symOccupancyMaxActiveClusters] != 0
	case featureShare:
		return l.fn[symIpcGetMemHandle] != 0 && l.fn[symIpcOpenMemHandle] != 0 && l.fn[symIpcCloseMemHandle] != 0
	case featureLink:
		return l.fn[symLinkCreate] != 0 && l.fn[symLinkAddData] != 0 && l.fn[symLinkComplete] != 0 && l.fn[symLinkDestroy] != 0
	}
	return false
}

func (l *library) initialize() Code { return l.call1(symInit, 0) }

func (l *library) version() (Version, Code) {
	var v int32
	c := l.call1(symDriverGetVersion, uintptr(unsafe.Pointer(&v)))
	return Version(v), c
}

func (l *library) errorName(code Code) string { return l.errorWords(symGetErrorName, code) }
func (l *library) errorText(code Code) string { return l.errorWords(symGetErrorString, code) }

func (l *library) errorWords(s symbol, code Code) string {
	var p *byte // the driver's own, never freed
	if c := l.call2(s, uintptr(code), uintptr(unsafe.Pointer(&p))); c != codeOK || p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
