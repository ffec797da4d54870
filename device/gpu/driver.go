package gpu

// TEMPORARY: a thin binding, to be replaced by package cuda.

import (
	"fmt"

	"github.com/ebitengine/purego"
)

var sym = map[string]uintptr{}

func loadDriver() error {
	h, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return err
	}
	for _, n := range []string{"cuInit", "cuDeviceGet", "cuDeviceGetCount", "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2", "cuCtxSetCurrent", "cuCtxSynchronize", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost", "cuMemHostGetDevicePointer_v2", "cuMemGetInfo_v2", "cuMemsetD8_v2", "cuMemsetD32Async", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoH_v2", "cuStreamCreate", "cuStreamDestroy_v2", "cuStreamSynchronize", "cuStreamQuery", "cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel", "cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime", "cuEventDestroy_v2", "cuGetErrorName"} {
		p, err := purego.Dlsym(h, n)
		if err != nil {
			return err
		}
		sym[n] = p
	}
	return nil
}

//go:uintptrescapes
func call(name string, args ...uintptr) error {
	r, _, _ := purego.SyscallN(sym[name], args...)
	return check(name, r)
}

func check(name string, r uintptr) error {
	if r == 0 {
		return nil
	}
	return fmt.Errorf("%s: error %d", name, uint32(r))
}

//go:uintptrescapes
func syscallN(name string, args ...uintptr) (uintptr, uintptr, uintptr) {
	return purego.SyscallN(sym[name], args...)
}
