// A driver that does its work in the host's memory, for the tests of package
// cuda. Environment-like switches are plain variables that the tests set.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef uint64_t ptr;

// What the next calls return, where it isn't 0: by function.
int fake_init, fake_count = 2, fake_version = 13000, fake_alloc, fake_launch, fake_query, fake_sync;
uint64_t fake_launches, fake_args[8], fake_current;

#ifndef NO_GET_ERROR_NAME
CUresult cuGetErrorName(CUresult e, const char** s) {
  *s = e == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : e == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : e == 1 ? "CUDA_ERROR_INVALID_VALUE" : 0;
  return *s ? 0 : 1;
}
#endif
CUresult cuInit(unsigned f) { return fake_init; }
CUresult cuDriverGetVersion(int* v) { *v = fake_version; return 0; }
CUresult cuDeviceGet(int* d, int i) { *d = i; return 0; }
CUresult cuDeviceGetCount(int* n) { *n = fake_count; return 0; }
CUresult cuDeviceGetName(char* s, int n, int d) { strncpy(s, d ? "Fake Two" : "Fake One", n); return 0; }
CUresult cuDeviceTotalMem_v2(size_t* b, int d) { *b = 1 << 30; return 0; }
CUresult cuDeviceGetAttribute(int* v, int a, int d) { *v = a == 75 ? 9 : a == 16 ? 132 : a == 39 ? 2048 : 0; return a == 120 ? 1 : 0; }
CUresult cuDevicePrimaryCtxRetain(ptr* c, int d) { *c = 100 + d; return 0; }
CUresult cuDevicePrimaryCtxRelease_v2(int d) { return 0; }
CUresult cuCtxSetCurrent(ptr c) { fake_current = c; return 0; }
CUresult cuCtxSynchronize(void) { return fake_sync; }
CUresult cuMemAlloc_v2(ptr* p, size_t n) {
  if (fake_alloc) return fake_alloc;
  *p = (ptr)malloc(n);
  return 0;
}
CUresult cuMemFree_v2(ptr p) { free((void*)p); return 0; }
CUresult cuMemHostAlloc(void** p, size_t n, unsigned f) { *p = malloc(n); return f == 3 ? 0 : 1; }
CUresult cuMemFreeHost(void* p) { free(p); return 0; }
CUresult cuMemHostGetDevicePointer_v2(ptr* d, void* p, unsigned f) { *d = (ptr)p; return 0; }
CUresult cuMemGetInfo_v2(size_t* f, size_t* t) { *f = 4096; *t = 1 << 30; return 0; }
CUresult cuMemsetD32Async(ptr p, unsigned v, size_t n, ptr s) {
  for (size_t i = 0; i < n; i++) ((unsigned*)p)[i] = v;
  return 0;
}
CUresult cuMemcpyHtoDAsync_v2(ptr d, const void* h, size_t n, ptr s) { memcpy((void*)d, h, n); return 0; }
CUresult cuMemcpyDtoHAsync_v2(void* h, ptr d, size_t n, ptr s) { memcpy(h, (void*)d, n); return 0; }
CUresult cuMemcpyDtoDAsync_v2(ptr d, ptr e, size_t n, ptr s) { memcpy((void*)d, (void*)e, n); return 0; }
CUresult cuStreamCreate(ptr* s, unsigned f) { *s = 7; return f == 1 ? 0 : 1; }
CUresult cuStreamDestroy_v2(ptr s) { return 0; }
CUresult cuStreamSynchronize(ptr s) { return fake_sync; }
CUresult cuStreamQuery(ptr s) { return fake_query; }
CUresult cuEventCreate(ptr* e, unsigned f) { *e = 9; return 0; }
CUresult cuEventDestroy_v2(ptr e) { return 0; }
CUresult cuEventRecord(ptr e, ptr s) { return 0; }
CUresult cuEventSynchronize(ptr e) { return 0; }
CUresult cuEventElapsedTime(float* ms, ptr a, ptr b) { *ms = 1.5f; return 0; }
CUresult cuModuleLoadData(ptr* m, const void* image) { *m = 11; return *(const char*)image == 'F' ? 0 : 1; }
CUresult cuModuleUnload(ptr m) { return 0; }
CUresult cuModuleGetFunction(ptr* f, ptr m, const char* name) { *f = 13; return strcmp(name, "known") ? 1 : 0; }
CUresult cuLaunchKernel(ptr f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, ptr s,
                        void** params, void** extra) {
  if (fake_launch) return fake_launch;
  fake_launches++;
  fake_args[0] = gx;
  fake_args[1] = bx;
  fake_args[2] = shared;
  fake_args[3] = *(uint64_t*)params[0];
  fake_args[4] = *(uint64_t*)params[1];
  fake_args[5] = gy * gz * by * bz;
  fake_args[6] = (uint64_t)extra;
  return 0;
}
CUresult cuLaunchCooperativeKernel(ptr f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                   ptr s, void** params) {
  fake_args[7] = gx;
  return 0;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, ptr f, int threads, size_t shared) { *n = 2048 / threads; return 0; }
