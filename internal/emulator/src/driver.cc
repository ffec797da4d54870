// This file holds the driver's functions for the device, its context, memory and
// copies.
#include <fcntl.h>
#include <unistd.h>

#include "driver.h"

using namespace emu;

static bool initialised;
static EmuContext primary;
static EmuPool pool;
static thread_local CUcontext stack[32];
static thread_local int depth;

void emu::note(const char* file, const std::string& line) {
  const int fd = open(file, O_WRONLY | O_APPEND | O_CREAT, 0644);
  const std::string text = line + "\n";
  if (fd < 0 || write(fd, text.data(), text.size()) < 0) perror(file);
  if (fd >= 0) close(fd);
}

CUresult emu::enter(bool bound, const char* call) {
  if (initialised && settings().calls) note(settings().calls, call);
  if (!initialised && bound) return 3;
  if (bound && !depth) return 201;
  return bound ? broken() : 0;
}

CU cuInit(unsigned flags) {
  static std::once_flag once;
  std::call_once(once, [] {
    settings();
    watch_faults();
    initialised = true;
  });
  return flags ? 1 : 0;
}
CU cuDriverGetVersion(int* v) { return *v = 12040, 0; }

static const struct {
  int code;
  const char *name, *text;
} errors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "the emulator was built from other sources than this fatbin"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster size is invalid"},
};
CU cuGetErrorName(CUresult c, const char** out) {
  *out = nullptr;
  for (auto& e : errors) {
    if (e.code == c) return *out = e.name, 0;
  }
  return 1;
}
// An error of a kernel comes with what the emulator found out about it.
CU cuGetErrorString(CUresult c, const char** out) {
  *out = nullptr;
  for (auto& e : errors) {
    if (e.code != c) continue;
    *out = e.text;
    if (c == broken()) *out = strdup((std::string(e.text) + ": " + broken_why()).c_str());
    return 0;
  }
  return 1;
}

CU cuDeviceGetCount(int* n) { return *n = 1, 0; }
CU cuDeviceGet(CUdevice* d, int i) { return i ? 101 : (*d = 0, 0); }
CU cuDeviceGetName(char* name, int n, CUdevice) { return snprintf(name, n, "Emulated GPU (CPU)"), 0; }
CU cuDeviceTotalMem_v2(size_t* n, CUdevice) { return *n = settings().memory, 0; }
CU cuDeviceGetUuid_v2(char* id, CUdevice) { return memcpy(id, "emulated on cpu", 16), 0; }
CU cuDeviceGetUuid(char* id, CUdevice d) { return cuDeviceGetUuid_v2(id, d); }
CU cuDeviceGetPCIBusId(char* id, int n, CUdevice) { return snprintf(id, n, "0000:ff:00.0"), 0; }
CU cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) { return *can = 0, 0; }
CU cuDeviceGetAttribute(int* v, int a, CUdevice) {
  switch (a) {
    case 1: return *v = 1024, 0;
    case 10: return *v = 32, 0;
    case 16: return *v = int(settings().sms), 0;
    case 38: return *v = 1 << 20, 0;
    case 39: return *v = int(kThreadsSM), 0;
    case 75: return *v = int(settings().arch / 100), 0;
    case 76: return *v = int(settings().arch / 10 % 10), 0;
    case 81: return *v = int(kSharedSM), 0;
    case 95: case 115: return *v = 1, 0;
    case 97: return *v = int(kSharedMax), 0;
    case 106: return *v = int(kBlocksSM), 0;
    case 120: return *v = settings().arch >= 900, 0;
  }
  return 1;
}

CU cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice) { return primary.retained++, *c = &primary, 0; }
CU cuDevicePrimaryCtxRelease_v2(CUdevice) { return primary.retained > 0 ? (primary.retained--, 0) : 201; }
CU cuCtxPushCurrent_v2(CUcontext c) {
  if (c != &primary || primary.retained < 1 || depth == 32) return 201;
  return stack[depth++] = c, 0;
}
CU cuCtxPopCurrent_v2(CUcontext* c) { return depth ? (*c = stack[--depth], 0) : 201; }
CU cuCtxGetDevice(CUdevice* d) {
  ENTER(true);
  return *d = 0, 0;
}
CU cuCtxSynchronize() {
  ENTER(true);
  drain();
  return broken();
}
CU cuCtxEnablePeerAccess(CUcontext, unsigned) { return 217; }
CU cuCtxDisablePeerAccess(CUcontext) { return 705; }

CU cuMemGetInfo_v2(size_t* left, size_t* total) {
  ENTER(true);
  return *total = settings().memory, *left = *total - used(), 0;
}
CU cuMemAlloc_v2(CUdeviceptr* p, size_t n) {
  ENTER(true);
  return n ? ((*p = get(n, Kind::device)) ? 0 : 2) : 1;
}
CU cuMemFree_v2(CUdeviceptr p) {
  ENTER(true);
  drain();
  const int r = put(p, false);
  return r ? r : broken();
}
CU cuMemHostAlloc(void** p, size_t n, unsigned) {
  ENTER(true);
  return n ? ((*p = (void*)get(n, Kind::host)) ? 0 : 2) : 1;
}
CU cuMemFreeHost(void* p) {
  ENTER(true);
  drain();
  return put(uintptr_t(p), true);
}
CU cuMemHostGetDevicePointer_v2(CUdeviceptr* d, void* p, unsigned) {
  ENTER(true);
  return known(uintptr_t(p), 1) ? (*d = CUdeviceptr(p), 0) : 1;
}

CU cuMemAllocAsync(CUdeviceptr* p, size_t n, CUstream s) {
  ENTER(true);
  STREAM(s);
  return n ? ((*p = get(n, Kind::pool)) ? 0 : 2) : 1;
}
CU cuMemFreeAsync(CUdeviceptr p, CUstream s) {
  ENTER(true);
  STREAM(s);
  if (!known(p, 1)) return 1;
  s->enqueue([p] { put(p, false); });
  return 0;
}
CU cuDeviceGetDefaultMemPool(CUmemoryPool* p, CUdevice) { return *p = &pool, 0; }
CU cuMemPoolSetAttribute(CUmemoryPool p, int a, void* v) { return a == 4 ? (p->keep = *(size_t*)v, 0) : 1; }
CU cuMemPoolGetAttribute(CUmemoryPool p, int a, void* v) {
  if (a != 4 && a != 5 && a != 7) return 1;
  return *(size_t*)v = a == 4 ? p->keep : used_of_pool(), 0;
}
CU cuMemPoolTrimTo(CUmemoryPool, size_t) { return 0; }

// copy is done in the stream's order. Memory of the host's that isn't pinned may
// change as soon as the call returns, so the call waits.
static CUresult copy(CUdeviceptr to, bool to_device, CUdeviceptr from, bool from_device, size_t n, CUstream s) {
  if (!n) return 0;
  if ((to_device && !known(to, n)) || (from_device && !known(from, n))) return 1;
  auto move = [=] { memmove((void*)to, (void*)from, n); };
  if (!s) {
    move();
    return 0;
  }
  const bool waits = !known(to, n) || !known(from, n);
  s->enqueue(move);
  if (waits) s->wait();
  return broken();
}
#define PTR(p) CUdeviceptr(p)
CU cuMemcpyHtoD_v2(CUdeviceptr d, const void* s, size_t n) { ENTER(true); return copy(d, true, PTR(s), false, n, nullptr); }
CU cuMemcpyDtoH_v2(void* d, CUdeviceptr s, size_t n) { ENTER(true); return copy(PTR(d), false, s, true, n, nullptr); }
CU cuMemcpyDtoD_v2(CUdeviceptr d, CUdeviceptr s, size_t n) { ENTER(true); return copy(d, true, s, true, n, nullptr); }
CU cuMemcpyHtoDAsync_v2(CUdeviceptr d, const void* s, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy(d, true, PTR(s), false, n, t); }
CU cuMemcpyDtoHAsync_v2(void* d, CUdeviceptr s, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy(PTR(d), false, s, true, n, t); }
CU cuMemcpyDtoDAsync_v2(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy(d, true, s, true, n, t); }
CU cuMemcpyPeer(CUdeviceptr d, CUcontext, CUdeviceptr s, CUcontext, size_t n) { ENTER(true); return copy(d, true, s, true, n, nullptr); }
CU cuMemcpyPeerAsync(CUdeviceptr d, CUcontext, CUdeviceptr s, CUcontext, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy(d, true, s, true, n, t); }
CU cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, CUstream t) {
  ENTER(true);
  STREAM(t);
  if (!known(d, n)) return 1;
  t->enqueue([=] { memset((void*)d, v, n); });
  return 0;
}
CU cuMemsetD32Async(CUdeviceptr d, unsigned v, size_t n, CUstream t) {
  ENTER(true);
  STREAM(t);
  if (d % 4 || !known(d, 4 * n)) return 1;
  t->enqueue([=] { std::fill_n((unsigned*)d, n, v); });
  return 0;
}
