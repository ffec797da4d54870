// This file holds the driver's functions for the devices, their contexts, memory
// and copies.
#include <fcntl.h>
#include <unistd.h>

#include "driver.h"

using namespace emu;

static bool initialized;
static EmuContext primaries[kDevices];
static EmuPool pools[kDevices];
static thread_local CUcontext stack[32];
static thread_local int depth;

void emu::note(const char* file, const std::string& line) {
  const int fd = open(file, O_WRONLY | O_APPEND | O_CREAT, 0644);
  const std::string text = line + "\n";
  if (fd < 0 || write(fd, text.data(), text.size()) < 0) perror(file);
  if (fd >= 0) close(fd);
}

u32 EmuContext::device() const { return u32(this - primaries); }

CUcontext emu::current() { return stack[depth - 1]; }

static bool there(CUdevice d) { return d >= 0 && u32(d) < settings().devices; }
static bool open(CUcontext c) {
  for (u32 i = 0; i < settings().devices; i++) {
    if (c == &primaries[i]) return c->retained > 0;
  }
  return false;
}
#define DEVICE(d) do { if (!there(d)) return 101; } while (0)

// What foray_emulator_fail asked for: the call that fails, counted from 1, 0 for none; and the calls made since.
static std::atomic<u64> failing{0}, made{0};
static std::atomic<bool> failing_breaks{false};
static std::atomic<u32> failed_devices{0};
static std::atomic<const char*> failed_call{""};

// foray_emulator_fail has a call of those that the process makes from now on fail, the nth of them; 0: none.
// Calls that free aren't counted. If it breaks, the context is broken from there on: all calls for the device fail. What was broken
// so before is whole again. It returns how many calls there were since it was called last.
extern "C" __attribute__((visibility("default"))) unsigned long long foray_emulator_fail(unsigned long long nth, int breaks) {
  if (failed_devices) drain(nullptr);  // what is enqueued there isn't done
  for (u32 i = 0; i < kDevices; i++) {
    if (failed_devices >> i & 1) mend_device(i);
  }
  failed_devices = 0;
  failing = 0;
  const u64 before = made.exchange(0);
  failing_breaks = breaks != 0;
  failing = nth;
  return before;
}

// foray_emulator_failed returns the name of the call that failed last for that reason.
extern "C" __attribute__((visibility("default"))) const char* foray_emulator_failed() { return failed_call; }

// fails returns the code with which a call is to fail, 0 if it isn't.
static int fails(const char* call) {
  if (!failing || strstr(call, "Free") || strstr(call, "Destroy") || strstr(call, "Unload") || strstr(call, "Disable") || strstr(call, "Close")) return 0;
  if (++made != failing) return 0;
  failed_call = call;
  if (failing_breaks) {
    const u32 device = current()->device();
    failed_devices |= 1u << device;
    break_device(device, 700, std::string("a failure that was asked for, in ") + call, false);
    return 700;
  }
  return strstr(call, "Alloc") ? 2 : 1;
}

CUresult emu::enter(bool bound, const char* call) {
  if (initialized && settings().calls) note(settings().calls, call);
  if (!initialized && bound) return 3;
  if (bound && !depth) return 201;
  if (!strstr(call, "Query")) steps++;
  if (!bound) return 0;
  const int code = current()->broken();
  return code ? code : fails(call);
}

CU cuInit(unsigned flags) {
  static std::once_flag once;
  std::call_once(once, [] {
    several = settings().devices > 1;
    watch_faults();
    initialized = true;
    watch();
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
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "the emulator was built from other sources than this fatbin"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
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
    for (u32 i = 0, at = depth ? current()->device() : 0; i < kDevices; i++) {  // the caller's device first
      const u32 device = (at + i) % kDevices;
      if (c != broken(device)) continue;
      *out = strdup((std::string(e.text) + ": " + broken_why(device)).c_str());
      break;
    }
    return 0;
  }
  return 1;
}

CU cuDeviceGetCount(int* n) { return *n = int(settings().devices), 0; }
CU cuDeviceGet(CUdevice* d, int i) {
  DEVICE(i);
  return *d = i, 0;
}
CU cuDeviceGetName(char* name, int n, CUdevice d) {
  DEVICE(d);
  return d ? snprintf(name, n, "Emulated GPU %d (CPU)", d) : snprintf(name, n, "Emulated GPU (CPU)"), 0;
}
CU cuDeviceTotalMem_v2(size_t* n, CUdevice d) {
  DEVICE(d);
  return *n = settings().memory, 0;
}
CU cuDeviceGetUuid_v2(char* id, CUdevice d) {
  DEVICE(d);
  return memcpy(id, "emulated on cpu", 16), id[15] = char(d), 0;
}
CU cuDeviceGetUuid(char* id, CUdevice d) { return cuDeviceGetUuid_v2(id, d); }
CU cuDeviceGetPCIBusId(char* id, int n, CUdevice d) {
  DEVICE(d);
  return snprintf(id, n, "0000:%02x:00.0", 0xffu - unsigned(d)), 0;
}
CU cuDeviceCanAccessPeer(int* can, CUdevice d, CUdevice peer) {
  DEVICE(d);
  DEVICE(peer);
  return *can = d != peer && settings().peers, 0;
}
CU cuDeviceGetP2PAttribute(int* v, int a, CUdevice from, CUdevice to) {
  DEVICE(from);
  DEVICE(to);
  if (from == to) return 101;
  if (a < 1 || a > 4) return 1;
  return *v = (a == 2 || a == 3) && settings().peers, 0;  // access, and its atomic operations
}
CU cuDeviceGetAttribute(int* v, int a, CUdevice d) {
  DEVICE(d);
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

static std::mutex contexts_mu;

CU cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice d) {
  DEVICE(d);
  std::lock_guard<std::mutex> hold(contexts_mu);
  EmuContext& x = primaries[d];
  if (!x.retained++) x.reach = 1u << stretch_of(u32(d), false) | 1u << stretch_of(u32(d), true);
  return *c = &x, 0;
}
CU cuDevicePrimaryCtxRelease_v2(CUdevice d) {
  DEVICE(d);
  std::lock_guard<std::mutex> hold(contexts_mu);
  return primaries[d].retained > 0 ? (primaries[d].retained--, 0) : 201;
}
CU cuCtxPushCurrent_v2(CUcontext c) {
  if (!open(c) || depth == 32) return 201;
  return stack[depth++] = c, 0;
}
CU cuCtxPopCurrent_v2(CUcontext* c) { return depth ? (*c = stack[--depth], 0) : 201; }
CU cuCtxGetDevice(CUdevice* d) {
  ENTER(true);
  return *d = int(current()->device()), 0;
}
CU cuCtxGetCurrent(CUcontext* c) { return *c = depth ? current() : nullptr, 0; }
CU cuCtxSynchronize() {
  ENTER(true);
  drain(current());
  return current()->broken();
}
CU cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  ENTER(true);
  if (flags) return 1;
  std::lock_guard<std::mutex> hold(contexts_mu);
  if (!open(peer) || peer == current()) return 201;
  if (!settings().peers) return 217;
  const u32 bit = 1u << stretch_of(peer->device(), false);
  return current()->reach.fetch_or(bit) & bit ? 704 : 0;
}
CU cuCtxDisablePeerAccess(CUcontext peer) {
  ENTER(true);
  std::lock_guard<std::mutex> hold(contexts_mu);
  if (!open(peer) || peer == current()) return 201;
  const u32 bit = 1u << stretch_of(peer->device(), false);
  return current()->reach.fetch_and(~bit) & bit ? 0 : 705;
}

CU cuMemGetInfo_v2(size_t* left, size_t* total) {
  ENTER(true);
  return *total = settings().memory, *left = *total - used(current()->device()), 0;
}
CU cuMemAlloc_v2(CUdeviceptr* p, size_t n) {
  ENTER(true);
  return n ? ((*p = get(n, Kind::device, current()->device())) ? 0 : 2) : 1;
}
CU cuMemFree_v2(CUdeviceptr p) {
  ENTER_TO_FREE();
  const int device = owner(p);
  if (device < 0) return 1;
  for (EmuContext& c : primaries) {  // all contexts that may use it
    if (c.reach >> device & 1) drain(&c);
  }
  const int r = put(p, false);
  return r ? r : current()->broken();
}
CU cuMemHostAlloc(void** p, size_t n, unsigned) {
  ENTER(true);
  return n ? ((*p = (void*)get(n, Kind::host, current()->device())) ? 0 : 2) : 1;
}
CU cuMemFreeHost(void* p) {
  ENTER_TO_FREE();
  drain(nullptr);
  const int r = put(uintptr_t(p), true);
  return r ? r : emu_broken;
}
CU cuMemHostRegister_v2(void* p, size_t n, unsigned flags) {
  ENTER(true);
  return !n || flags > 15 ? 1 : adopt_host(uintptr_t(p), n) ? 0 : 712;
}
CU cuMemHostUnregister(void* p) {
  ENTER_TO_FREE();
  drain(nullptr);
  return disown_host(uintptr_t(p)) ? emu_broken : 713;
}
CU cuMemHostGetDevicePointer_v2(CUdeviceptr* d, void* p, unsigned) {
  ENTER(true);
  return known(uintptr_t(p), 1) ? (*d = CUdeviceptr(p), 0) : 1;
}

CU cuIpcGetMemHandle(Shared* s, CUdeviceptr p) {
  ENTER(true);
  return share(p, s);
}
CU cuIpcOpenMemHandle_v2(CUdeviceptr* p, Shared s, unsigned flags) {
  ENTER(true);
  uintptr_t at = 0;
  const int r = flags == 1 ? map_shared(s, current()->device(), &at) : 1;
  return *p = at, r;
}
CU cuIpcCloseMemHandle(CUdeviceptr p) {
  ENTER_TO_FREE();
  drain(current());
  const int r = unmap_shared(p);
  return r ? r : emu_broken;
}

CU cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* n, CUdeviceptr p) { return range(p, base, n) ? 0 : 500; }
CU cuPointerGetAttribute(void* v, int a, CUdeviceptr p) {
  if (a != 9 || owner(p) < 0) return 1;  // whose memory it is
  return *(int*)v = owner(p), 0;
}

CU cuMemAllocAsync(CUdeviceptr* p, size_t n, CUstream s) {
  ENTER(true);
  STREAM(s);
  return n ? ((*p = get(n, Kind::pool, s->context->device())) ? 0 : 2) : 1;
}
CU cuMemFreeAsync(CUdeviceptr p, CUstream s) {
  ENTER_TO_FREE();
  STREAM(s);
  if (!known(p, 1)) return 1;
  if (emu_broken) {  // what is enqueued isn't done
    drain(s->context);
    put(p, false);
    return emu_broken;
  }
  s->enqueue([p] { put(p, false); });
  return 0;
}
CU cuDeviceGetDefaultMemPool(CUmemoryPool* p, CUdevice d) {
  DEVICE(d);
  return *p = &pools[d], 0;
}
CU cuMemPoolSetAttribute(CUmemoryPool p, int a, void* v) { return a == 4 ? (p->keep = *(size_t*)v, 0) : 1; }
CU cuMemPoolGetAttribute(CUmemoryPool p, int a, void* v) {
  if (a != 4 && a != 5 && a != 7) return 1;
  return *(size_t*)v = a == 4 ? p->keep : used_of_pool(u32(p - pools)), 0;
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
  return s->context->broken();
}
#define PTR(p) CUdeviceptr(p)
CU cuMemcpyHtoD_v2(CUdeviceptr d, const void* s, size_t n) { ENTER(true); return copy(d, true, PTR(s), false, n, nullptr); }
CU cuMemcpyDtoH_v2(void* d, CUdeviceptr s, size_t n) { ENTER(true); return copy(PTR(d), false, s, true, n, nullptr); }
CU cuMemcpyDtoD_v2(CUdeviceptr d, CUdeviceptr s, size_t n) { ENTER(true); return copy(d, true, s, true, n, nullptr); }
CU cuMemcpyHtoDAsync_v2(CUdeviceptr d, const void* s, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy(d, true, PTR(s), false, n, t); }
CU cuMemcpyDtoHAsync_v2(void* d, CUdeviceptr s, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy(PTR(d), false, s, true, n, t); }
CU cuMemcpyDtoDAsync_v2(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy(d, true, s, true, n, t); }
// Copies between devices need no access from one to the other, but the contexts must be those of
// the memory.
static CUresult copy_peer(CUdeviceptr d, CUcontext to, CUdeviceptr s, CUcontext from, size_t n, CUstream t) {
  if (!open(to) || !open(from)) return 201;
  if (n && (owner(d) != int(to->device()) || owner(s) != int(from->device()))) return 1;
  return copy(d, true, s, true, n, t);
}
CU cuMemcpyPeer(CUdeviceptr d, CUcontext to, CUdeviceptr s, CUcontext from, size_t n) { ENTER(true); return copy_peer(d, to, s, from, n, nullptr); }
CU cuMemcpyPeerAsync(CUdeviceptr d, CUcontext to, CUdeviceptr s, CUcontext from, size_t n, CUstream t) { ENTER(true); STREAM(t); return copy_peer(d, to, s, from, n, t); }
CU cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, CUstream t) {
  ENTER(true);
  STREAM(t);
  if (!known(d, n) || !reachable(d, t->context->reach)) return 1;
  t->enqueue([=] { memset((void*)d, v, n); });
  return 0;
}
CU cuMemsetD32Async(CUdeviceptr d, unsigned v, size_t n, CUstream t) {
  ENTER(true);
  STREAM(t);
  if (d % 4 || !known(d, 4 * n) || !reachable(d, t->context->reach)) return 1;
  t->enqueue([=] { std::fill_n((unsigned*)d, n, v); });
  return 0;
}
