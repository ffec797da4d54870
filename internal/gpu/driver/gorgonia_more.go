//go:build gorgonia && cgo && linux && (amd64 || arm64) && !nocuda

// This file holds the driver's calls that gorgonia.org/cu has not: pools,
// mapped memory, cooperative and cluster launches. Plain launches are here too,
// since cu's allocate, and loading modules, since cu's has no room for the log.

package driver

/*
#cgo CFLAGS: -Wno-deprecated-declarations
#cgo LDFLAGS: -ldl
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// Addresses and handles are passed as integers, so that none of them is a Go pointer to
// a Go pointer.

static int foray_module(uintptr_t *m, const void *image, char *log, size_t room) {
	CUjit_option keys[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)room};
	return cuModuleLoadDataEx((CUmodule *)m, image, 2, keys, values);
}

// The calls that make machine code of PTX are looked up, as stand-ins for the driver lack them. The result belongs to
// the state.
typedef CUresult (*foray_link_create)(unsigned, CUjit_option *, void **, CUlinkState *);
typedef CUresult (*foray_link_add)(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned, CUjit_option *, void **);
typedef CUresult (*foray_link_complete)(CUlinkState, void **, size_t *);
typedef CUresult (*foray_link_destroy)(CUlinkState);

static int foray_link(void **calls, uintptr_t *state, void *ptx, size_t bytes, void **code, size_t *n) {
	CUlinkState s;
	int r = ((foray_link_create)calls[0])(0, NULL, NULL, &s);
	if (r) return r;
	*state = (uintptr_t)s;
	r = ((foray_link_add)calls[1])(s, CU_JIT_INPUT_PTX, ptx, bytes, "", 0, NULL, NULL);
	return r ? r : ((foray_link_complete)calls[2])(s, code, n);
}

static void foray_unlink(void **calls, uintptr_t state) { ((foray_link_destroy)calls[3])((CUlinkState)state); }

// So are those that share memory between processes.
typedef CUresult (*foray_ipc_get)(CUipcMemHandle *, CUdeviceptr);
typedef CUresult (*foray_ipc_open)(CUdeviceptr *, CUipcMemHandle, unsigned);
typedef CUresult (*foray_ipc_close)(CUdeviceptr);

static int foray_share(void *get, void *h, uint64_t p) { return ((foray_ipc_get)get)((CUipcMemHandle *)h, (CUdeviceptr)p); }
static int foray_map(void *open, uint64_t *p, const void *h) {
	return ((foray_ipc_open)open)((CUdeviceptr *)p, *(const CUipcMemHandle *)h, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}
static int foray_unmap(void *close, uint64_t p) { return ((foray_ipc_close)close)((CUdeviceptr)p); }

enum { FORAY_MAX_ARGS = 48 };

static uint64_t foray_zeros[512]; // for parameters without an argument

static void foray_args(void **args, uint64_t *slots, const uint16_t *at, int n) {
	for (int i = 0; i < FORAY_MAX_ARGS; i++) args[i] = i < n ? slots + at[i] : foray_zeros;
}

static int foray_launch(uintptr_t f, const unsigned *grid, const unsigned *block, unsigned shared, uintptr_t s,
		uint64_t *slots, const uint16_t *at, int n, int cooperative) {
	void *args[FORAY_MAX_ARGS];
	foray_args(args, slots, at, n);
	if (cooperative)
		return cuLaunchCooperativeKernel((CUfunction)f, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, (CUstream)s, args);
	return cuLaunchKernel((CUfunction)f, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, (CUstream)s, args, NULL);
}

// Functions that older drivers lack are looked up; linking to them would keep
// the program from starting there.
typedef CUresult (*foray_launch_ex)(const CUlaunchConfig *, CUfunction, void **, void **);
typedef CUresult (*foray_max_clusters)(int *, CUfunction, const CUlaunchConfig *);

static void *foray_symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

static void foray_config(CUlaunchConfig *c, CUlaunchAttribute *attrs, const unsigned *grid, const unsigned *block,
		const unsigned *cluster, unsigned shared, uintptr_t s, int cooperative) {
	c->gridDimX = grid[0], c->gridDimY = grid[1], c->gridDimZ = grid[2];
	c->blockDimX = block[0], c->blockDimY = block[1], c->blockDimZ = block[2];
	c->sharedMemBytes = shared, c->hStream = (CUstream)s, c->attrs = attrs, c->numAttrs = 0;
	if (cluster[0]) {
		CUlaunchAttribute *a = &attrs[c->numAttrs++];
		a->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
		a->value.clusterDim.x = cluster[0], a->value.clusterDim.y = cluster[1], a->value.clusterDim.z = cluster[2];
	}
	if (cooperative) {
		CUlaunchAttribute *a = &attrs[c->numAttrs++];
		a->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
		a->value.cooperative = 1;
	}
}

static int foray_cluster(void *launch, uintptr_t f, const unsigned *grid, const unsigned *block, const unsigned *cluster,
		unsigned shared, uintptr_t s, uint64_t *slots, const uint16_t *at, int n, int cooperative) {
	void *args[FORAY_MAX_ARGS];
	CUlaunchAttribute attrs[2] = {0};
	CUlaunchConfig c = {0};
	foray_args(args, slots, at, n);
	foray_config(&c, attrs, grid, block, cluster, shared, s, cooperative);
	return ((foray_launch_ex)launch)(&c, (CUfunction)f, args, NULL);
}

static int foray_clusters(void *max, int *n, uintptr_t f, const unsigned *grid, const unsigned *block, const unsigned *cluster,
		unsigned shared, int cooperative) {
	CUlaunchAttribute attrs[2] = {0};
	CUlaunchConfig c = {0};
	foray_config(&c, attrs, grid, block, cluster, shared, 0, cooperative);
	return ((foray_max_clusters)max)(n, (CUfunction)f, &c);
}

static int foray_alloc_async(uint64_t *p, size_t n, uintptr_t s) { return cuMemAllocAsync((CUdeviceptr *)p, n, (CUstream)s); }
static int foray_free_async(uint64_t p, uintptr_t s) { return cuMemFreeAsync(p, (CUstream)s); }
static int foray_pool(uintptr_t *pool, int dev) { return cuDeviceGetDefaultMemPool((CUmemoryPool *)pool, dev); }
static int foray_pool_get(uintptr_t pool, int attr, uint64_t *v) { return cuMemPoolGetAttribute((CUmemoryPool)pool, attr, v); }
static int foray_pool_set(uintptr_t pool, int attr, uint64_t v) { return cuMemPoolSetAttribute((CUmemoryPool)pool, attr, &v); }
static int foray_pool_trim(uintptr_t pool, size_t keep) { return cuMemPoolTrimTo((CUmemoryPool)pool, keep); }
static void foray_pop(void) { CUcontext popped; cuCtxPopCurrent(&popped); }
static int foray_func_set(uintptr_t f, int attr, int v) { return cuFuncSetAttribute((CUfunction)f, attr, v); }
static int foray_host_register(void *p, size_t n, unsigned flags) { return cuMemHostRegister(p, n, flags); }
static int foray_host_pointer(uint64_t *p, void *host) { return cuMemHostGetDevicePointer((CUdeviceptr *)p, host, 0); }
*/
import "C"

import (
	"sync"
	"unsafe"
)

func (linked) initialize() Code { return Code(C.cuInit(0)) }

// late are the functions that older drivers lack.
var late struct {
	once                sync.Once
	launch, maxClusters unsafe.Pointer
	link                [4]unsafe.Pointer // create, add, complete, destroy
	share, open, unmap  unsafe.Pointer
}

func lookUp() {
	symbol := func(name string) unsafe.Pointer {
		s := C.CString(name)
		defer C.free(unsafe.Pointer(s))
		return C.foray_symbol(s)
	}
	late.launch = symbol("cuLaunchKernelEx")
	late.maxClusters = symbol("cuOccupancyMaxActiveClusters")
	late.share, late.unmap = symbol("cuIpcGetMemHandle"), symbol("cuIpcCloseMemHandle")
	late.open = symbol("cuIpcOpenMemHandle_v2")
	for i, name := range []string{"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete", "cuLinkDestroy"} {
		late.link[i] = symbol(name)
	}
}

// version calls the driver directly, since cu's function hides the code of a failure.
func (linked) version() (Version, Code) {
	var v C.int
	c := C.cuDriverGetVersion(&v)
	return Version(v), Code(c)
}

func (linked) unbind() { C.foray_pop() }

func (linked) has(f feature) bool {
	late.once.Do(lookUp)
	switch f {
	case featureLaunchEx:
		return late.launch != nil
	case featureClusters:
		return late.maxClusters != nil
	case featureShare:
		return late.share != nil && late.open != nil && late.unmap != nil
	case featureLink:
		return late.link[0] != nil && late.link[1] != nil && late.link[2] != nil && late.link[3] != nil
	}
	return false
}

func (linked) errorName(c Code) string {
	var p *C.char
	if C.cuGetErrorName(C.CUresult(c), &p) != 0 || p == nil {
		return ""
	}
	return C.GoString(p)
}

func (linked) errorText(c Code) string {
	var p *C.char
	if C.cuGetErrorString(C.CUresult(c), &p) != 0 || p == nil {
		return ""
	}
	return C.GoString(p)
}

func (linked) devicePCI(dev int32) (string, Code) {
	var id [64]C.char
	c := C.cuDeviceGetPCIBusId(&id[0], C.int(len(id)), C.CUdevice(dev))
	return C.GoString(&id[0]), Code(c)
}

func (linked) moduleLoad(image, log []byte) (handle, Code) {
	var h C.uintptr_t
	c := C.foray_module(&h, unsafe.Pointer(unsafe.SliceData(image)), (*C.char)(unsafe.Pointer(unsafe.SliceData(log))), C.size_t(len(log)))
	return handle(h), Code(c)
}

func (linked) link(ptx []byte) ([]byte, Code) {
	var state C.uintptr_t
	var code unsafe.Pointer
	var n C.size_t
	c := C.foray_link(&late.link[0], &state, unsafe.Pointer(unsafe.SliceData(ptx)), C.size_t(len(ptx)), &code, &n)
	if state != 0 {
		defer C.foray_unlink(&late.link[0], state)
	}
	if c != 0 {
		return nil, Code(c)
	}
	return append([]byte(nil), unsafe.Slice((*byte)(code), int(n))...), codeOK
}

func (linked) funcSet(f handle, attr, v int32) Code {
	return Code(C.foray_func_set(C.uintptr_t(f), C.int(attr), C.int(v)))
}

func (linked) memShare(p Ptr) (h Shared, c Code) {
	c = Code(C.foray_share(late.share, unsafe.Pointer(&h), C.uint64_t(p)))
	return h, c
}

func (linked) memMap(h *Shared) (Ptr, Code) {
	var p C.uint64_t
	c := C.foray_map(late.open, &p, unsafe.Pointer(h))
	return Ptr(p), Code(c)
}

func (linked) memUnmap(p Ptr) Code { return Code(C.foray_unmap(late.unmap, C.uint64_t(p))) }

func (linked) memAllocAsync(n uint64, s handle) (Ptr, Code) {
	var p C.uint64_t
	c := C.foray_alloc_async(&p, C.size_t(n), C.uintptr_t(s))
	return Ptr(p), Code(c)
}

func (linked) memFreeAsync(p Ptr, s handle) Code {
	return Code(C.foray_free_async(C.uint64_t(p), C.uintptr_t(s)))
}

func (linked) poolDefault(dev int32) (handle, Code) {
	var h C.uintptr_t
	c := C.foray_pool(&h, C.int(dev))
	return handle(h), Code(c)
}

func (linked) poolGet(pool handle, attr int32) (uint64, Code) {
	var v C.uint64_t
	c := C.foray_pool_get(C.uintptr_t(pool), C.int(attr), &v)
	return uint64(v), Code(c)
}

func (linked) poolSet(pool handle, attr int32, v uint64) Code {
	return Code(C.foray_pool_set(C.uintptr_t(pool), C.int(attr), C.uint64_t(v)))
}

func (linked) poolTrim(pool handle, keep uint64) Code {
	return Code(C.foray_pool_trim(C.uintptr_t(pool), C.size_t(keep)))
}

func (linked) hostAlloc(n uint64, flags uint32) (unsafe.Pointer, Code) {
	var p unsafe.Pointer
	c := C.cuMemHostAlloc(&p, C.size_t(n), C.uint(flags))
	return p, Code(c)
}

func (linked) hostRegister(p unsafe.Pointer, n uint64, flags uint32) Code {
	return Code(C.foray_host_register(p, C.size_t(n), C.uint(flags)))
}

func (linked) hostUnregister(p unsafe.Pointer) Code { return Code(C.cuMemHostUnregister(p)) }

func (linked) hostPointer(host unsafe.Pointer) (Ptr, Code) {
	var p C.uint64_t
	c := C.foray_host_pointer(&p, host)
	return Ptr(p), Code(c)
}

func dim(d *Dim) *C.uint { return (*C.uint)(unsafe.Pointer(d)) }

func slots(a *Args) *C.uint64_t { return (*C.uint64_t)(unsafe.Pointer(&a.slots)) }

func at(a *Args) *C.uint16_t { return (*C.uint16_t)(unsafe.Pointer(&a.at)) }

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (linked) launch(f handle, c *Config, s handle, a *Args) Code {
	return Code(C.foray_launch(C.uintptr_t(f), dim(&c.Grid), dim(&c.Block), C.uint(c.Shared), C.uintptr_t(s), slots(a), at(a), C.int(a.n), 0))
}

func (linked) launchCooperative(f handle, c *Config, s handle, a *Args) Code {
	return Code(C.foray_launch(C.uintptr_t(f), dim(&c.Grid), dim(&c.Block), C.uint(c.Shared), C.uintptr_t(s), slots(a), at(a), C.int(a.n), 1))
}

func (linked) launchCluster(f handle, c *Config, s handle, a *Args) Code {
	return Code(C.foray_cluster(late.launch, C.uintptr_t(f), dim(&c.Grid), dim(&c.Block), dim(&c.Cluster),
		C.uint(c.Shared), C.uintptr_t(s), slots(a), at(a), C.int(a.n), flag(c.Cooperative)))
}

func (linked) maxClusters(f handle, c *Config) (int32, Code) {
	var n C.int
	r := C.foray_clusters(late.maxClusters, &n, C.uintptr_t(f), dim(&c.Grid), dim(&c.Block), dim(&c.Cluster), C.uint(c.Shared), flag(c.Cooperative))
	return int32(n), Code(r)
}
