// This file holds the driver's functions by name: those versions of them that
// every driver since CUDA 11 has.

package cuda

// symbol is a function of the driver.
type symbol int

const (
	cuInit symbol = iota
	cuDriverGetVersion
	cuGetErrorName
	cuDeviceGet
	cuDeviceGetCount
	cuDeviceGetName
	cuDeviceTotalMem
	cuDeviceGetAttribute
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxSetCurrent
	cuCtxSynchronize
	cuMemAlloc
	cuMemFree
	cuMemHostAlloc
	cuMemFreeHost
	cuMemHostGetDevicePointer
	cuMemGetInfo
	cuMemsetD32Async
	cuMemcpyHtoDAsync
	cuMemcpyDtoHAsync
	cuMemcpyDtoDAsync
	cuStreamCreate
	cuStreamDestroy
	cuStreamSynchronize
	cuStreamQuery
	cuEventCreate
	cuEventDestroy
	cuEventRecord
	cuEventSynchronize
	cuEventElapsedTime
	cuModuleLoadData
	cuModuleUnload
	cuModuleGetFunction
	cuLaunchKernel
	cuLaunchCooperativeKernel
	cuOccupancyMaxActiveBlocksPerMultiprocessor
	symbols
)

// names are what the functions are called in the library; the version is part
// of the name where there is more than one.
var names = [symbols]string{
	cuInit:                    "cuInit",
	cuDriverGetVersion:        "cuDriverGetVersion",
	cuGetErrorName:            "cuGetErrorName",
	cuDeviceGet:               "cuDeviceGet",
	cuDeviceGetCount:          "cuDeviceGetCount",
	cuDeviceGetName:           "cuDeviceGetName",
	cuDeviceTotalMem:          "cuDeviceTotalMem_v2",
	cuDeviceGetAttribute:      "cuDeviceGetAttribute",
	cuDevicePrimaryCtxRetain:  "cuDevicePrimaryCtxRetain",
	cuDevicePrimaryCtxRelease: "cuDevicePrimaryCtxRelease_v2",
	cuCtxSetCurrent:           "cuCtxSetCurrent",
	cuCtxSynchronize:          "cuCtxSynchronize",
	cuMemAlloc:                "cuMemAlloc_v2",
	cuMemFree:                 "cuMemFree_v2",
	cuMemHostAlloc:            "cuMemHostAlloc",
	cuMemFreeHost:             "cuMemFreeHost",
	cuMemHostGetDevicePointer: "cuMemHostGetDevicePointer_v2",
	cuMemGetInfo:              "cuMemGetInfo_v2",
	cuMemsetD32Async:          "cuMemsetD32Async",
	cuMemcpyHtoDAsync:         "cuMemcpyHtoDAsync_v2",
	cuMemcpyDtoHAsync:         "cuMemcpyDtoHAsync_v2",
	cuMemcpyDtoDAsync:         "cuMemcpyDtoDAsync_v2",
	cuStreamCreate:            "cuStreamCreate",
	cuStreamDestroy:           "cuStreamDestroy_v2",
	cuStreamSynchronize:       "cuStreamSynchronize",
	cuStreamQuery:             "cuStreamQuery",
	cuEventCreate:             "cuEventCreate",
	cuEventDestroy:            "cuEventDestroy_v2",
	cuEventRecord:             "cuEventRecord",
	cuEventSynchronize:        "cuEventSynchronize",
	cuEventElapsedTime:        "cuEventElapsedTime",
	cuModuleLoadData:          "cuModuleLoadData",
	cuModuleUnload:            "cuModuleUnload",
	cuModuleGetFunction:       "cuModuleGetFunction",
	cuLaunchKernel:            "cuLaunchKernel",
	cuLaunchCooperativeKernel: "cuLaunchCooperativeKernel",
	cuOccupancyMaxActiveBlocksPerMultiprocessor: "cuOccupancyMaxActiveBlocksPerMultiprocessor",
}
