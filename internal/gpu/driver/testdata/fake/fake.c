// This file holds the fake's devices, contexts, memory and copies, and the
// functions by which tests control it.

#include "fake.h"

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static struct { char name[64]; int code, after; } fails[16];
static long version = 12040, devices = DEVICES, busy_until, total_memory = 1 << 30;
static struct { uintptr_t p; size_t n; int dev, host; } live[4096];
static uint64_t used[DEVICES], calls;
static struct fake_context primary[DEVICES];
static int broken[DEVICES];
static struct fake_pool pools[DEVICES];
static __thread CUcontext stack[32];
static __thread int depth;
static int initialised;

// fake_fail makes a function return code at its after-th call from now on and
// later; 0 ends it. A null name ends all.
void fake_fail(const char *name, int code, int after) {
  pthread_mutex_lock(&mu);
  if (!name) memset(fails, 0, sizeof fails);
  for (int i = 0; name && i < 16; i++)
    if (!fails[i].name[0] || !strcmp(fails[i].name, name)) {
      snprintf(fails[i].name, sizeof fails[i].name, "%s", name);
      fails[i].code = code, fails[i].after = after;
      break;
    }
  pthread_mutex_unlock(&mu);
}

// fake_break makes every call in a device's context fail; 0 ends it.
void fake_break(int dev, int code) { broken[dev] = code; }

void fake_set(const char *key, long v) {
  if (!strcmp(key, "version")) version = v;
  if (!strcmp(key, "devices")) devices = v;
  if (!strcmp(key, "busy")) busy_until = v;
}

// fake_get returns what tests ask about; -1 if there is no such thing.
long fake_get(const char *key) {
  if (!strcmp(key, "calls")) return calls;
  if (!strcmp(key, "kind")) return last.kind;
  if (!strcmp(key, "shared")) return last.shared;
  if (!strcmp(key, "cooperative")) return last.cooperative;
  if (!strncmp(key, "grid", 4)) return last.grid[key[4] - '0'];
  if (!strncmp(key, "block", 5)) return last.block[key[5] - '0'];
  if (!strncmp(key, "cluster", 7)) return last.cluster[key[7] - '0'];
  if (!strncmp(key, "used", 4)) return used[key[4] - '0'];
  if (!strncmp(key, "retained", 8)) return primary[key[8] - '0'].retained;
  if (!strcmp(key, "depth")) return depth;
  if (!strcmp(key, "live")) {
    long n = 0;
    for (int i = 0; i < 4096; i++) n += live[i].p != 0;
    return n;
  }
  return -1;
}

CUresult enter(const char *name, int bound) {
  CUresult r = 0;
  pthread_mutex_lock(&mu);
  calls++;
  if (!initialised && bound) r = 3;
  for (int i = 0; !r && i < 16 && fails[i].name[0]; i++)
    if (fails[i].code && !strcmp(fails[i].name, name) && --fails[i].after <= 0) r = fails[i].code;
  if (!r && bound && !depth) r = 201;
  if (!r && bound && broken[stack[depth - 1]->dev]) r = broken[stack[depth - 1]->dev];
  pthread_mutex_unlock(&mu);
  return r;
}

CUcontext current(void) { return stack[depth - 1]; }

static int find(uintptr_t p) {
  for (int i = 0; i < 4096; i++)
    if (live[i].p && p >= live[i].p && p < live[i].p + live[i].n) return i;
  return -1;
}

int known(CUdeviceptr p, size_t n) {
  pthread_mutex_lock(&mu);
  int i = find(p);
  int ok = i >= 0 && p + n <= live[i].p + live[i].n;
  pthread_mutex_unlock(&mu);
  return ok;
}

static CUresult get(uintptr_t *out, size_t n, int host) {
  CUresult r = 2;
  int dev = current()->dev;
  if (!n) return 1;
  pthread_mutex_lock(&mu);
  void *p = NULL;
  if (n <= (size_t)total_memory && (host || used[dev] + n <= (size_t)total_memory)) p = aligned_alloc(256, (n + 255) / 256 * 256);
  for (int i = 0; p && i < 4096; i++)
    if (!live[i].p) {
      live[i].p = *out = (uintptr_t)p, live[i].n = n, live[i].dev = dev, live[i].host = host;
      if (!host) used[dev] += n;
      memset(p, 0xcd, n);
      r = 0;
      break;
    }
  pthread_mutex_unlock(&mu);
  return r;
}

static CUresult put(uintptr_t p, int host) {
  pthread_mutex_lock(&mu);
  int i = find(p);
  CUresult r = i >= 0 && live[i].p == p && live[i].host == host ? 0 : 1;
  if (!r) {
    if (!host) used[live[i].dev] -= live[i].n;
    live[i].p = 0;
    free((void *)p);
  }
  pthread_mutex_unlock(&mu);
  return r;
}

CUresult cuInit(unsigned flags) { ENTER(0); initialised = 1; return flags ? 1 : 0; }
CUresult cuDriverGetVersion(int *v) { ENTER(0); *v = version; return 0; }

static const struct { int code; const char *name, *text; } errors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"}, {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};
static CUresult words(int code, const char **out, int text) {
  *out = NULL;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) return *out = text ? errors[i].text : errors[i].name, 0;
  return 1;
}
CUresult cuGetErrorName(CUresult c, const char **out) { return words(c, out, 0); }
CUresult cuGetErrorString(CUresult c, const char **out) { return words(c, out, 1); }

CUresult cuDeviceGetCount(int *n) { ENTER(0); *n = devices; return 0; }
CUresult cuDeviceGet(CUdevice *d, int i) { ENTER(0); if (i < 0 || i >= devices) return 101; *d = i; return 0; }
CUresult cuDeviceGetName(char *name, int n, CUdevice d) { ENTER(0); snprintf(name, n, "Fake %d", d); return 0; }
CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) { ENTER(0); (void)d; *n = total_memory; return 0; }
CUresult cuDeviceGetUuid_v2(CUuuid *id, CUdevice d) { ENTER(0); for (int i = 0; i < 16; i++) id->bytes[i] = i * 16 + d; return 0; }
CUresult cuDeviceGetUuid(CUuuid *id, CUdevice d) { return cuDeviceGetUuid_v2(id, d); }
CUresult cuDeviceGetPCIBusId(char *id, int n, CUdevice d) { ENTER(0); snprintf(id, n, "0000:%02x:00.0", 23 + d); return 0; }
CUresult cuDeviceCanAccessPeer(int *can, CUdevice d, CUdevice p) { ENTER(0); *can = d < 2 && p < 2; return 0; }

CUresult cuDeviceGetP2PAttribute(int *v, int a, CUdevice d, CUdevice p) { ENTER(0); *v = (a == 2 || a == 3) && d < 2 && p < 2; return 0; }

CUresult cuDeviceGetAttribute(int *v, int a, CUdevice d) {
  ENTER(0);
  // Device 2 is an old one: no clusters, pools or cooperative launches.
  switch (a) {
  case 1: *v = 1024; break;
  case 10: *v = 32; break;
  case 16: *v = d == 2 ? 4 : 8; break;
  case 38: *v = 1 << 20; break;
  case 39: *v = 2048; break;
  case 75: *v = d == 2 ? 5 : 9; break;
  case 76: *v = d == 2 ? 2 : 0; break;
  case 81: *v = 233472; break;
  case 95: case 115: *v = d != 2; break;
  case 97: *v = d == 2 ? 49152 : 232448; break;
  case 106: *v = 32; break;
  case 120: if (version < 11080) return 1; *v = d != 2; break;
  default: return 1;
  }
  return 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) {
  ENTER(0);
  pthread_mutex_lock(&mu);
  primary[d].dev = d, primary[d].retained++, pools[d].dev = d;
  pthread_mutex_unlock(&mu);
  *c = &primary[d];
  return 0;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) {
  ENTER(0);
  pthread_mutex_lock(&mu);
  CUresult r = primary[d].retained > 0 ? 0 : 201;
  if (!r) primary[d].retained--;
  pthread_mutex_unlock(&mu);
  return r;
}
CUresult cuCtxPushCurrent_v2(CUcontext c) {
  ENTER(0);
  if (!c || c->retained < 1 || depth == 32) return 201;
  stack[depth++] = c;
  return 0;
}
CUresult cuCtxPopCurrent_v2(CUcontext *c) { ENTER(0); if (!depth) return 201; *c = stack[--depth]; return 0; }
CUresult cuCtxGetDevice(CUdevice *d) { ENTER(1); *d = current()->dev; return 0; }
CUresult cuCtxSynchronize(void) { ENTER(1); return 0; }
CUresult cuCtxEnablePeerAccess(CUcontext p, unsigned flags) {
  ENTER(1);
  if (flags || !p) return 1;
  if (p->dev == 2 || current()->dev == 2) return 217;
  if (current()->peers & 1u << p->dev) return 704;
  current()->peers |= 1u << p->dev;
  return 0;
}
CUresult cuCtxDisablePeerAccess(CUcontext p) {
  ENTER(1);
  if (!(current()->peers & 1u << p->dev)) return 705;
  current()->peers &= ~(1u << p->dev);
  return 0;
}

CUresult cuMemGetInfo_v2(size_t *free_, size_t *total) { ENTER(1); *total = total_memory, *free_ = total_memory - used[current()->dev]; return 0; }
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) { ENTER(1); return get((uintptr_t *)p, n, 0); }
CUresult cuMemFree_v2(CUdeviceptr p) { ENTER(1); return put(p, 0); }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags) { ENTER(1); return flags != 3 ? 1 : get((uintptr_t *)p, n, 1); }
CUresult cuMemFreeHost(void *p) { ENTER(1); return put((uintptr_t)p, 1); }
CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned flags) {
  ENTER(1);
  if (!n || (flags & ~8u) != 3) return 1;
  if (n > (size_t)total_memory) return 2;
  CUresult r = 712;
  pthread_mutex_lock(&mu);
  for (int i = 0; find((uintptr_t)p) < 0 && i < 4096; i++)
    if (!live[i].p) {
      live[i].p = (uintptr_t)p, live[i].n = n, live[i].dev = current()->dev, live[i].host = 2;
      r = 0;
      break;
    }
  pthread_mutex_unlock(&mu);
  return r;
}
CUresult cuMemHostUnregister(void *p) {
  ENTER(1);
  pthread_mutex_lock(&mu);
  int i = find((uintptr_t)p);
  CUresult r = i >= 0 && live[i].p == (uintptr_t)p && live[i].host == 2 ? 0 : 713;
  if (!r) live[i].p = 0;
  pthread_mutex_unlock(&mu);
  return r;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *d, void *p, unsigned flags) { ENTER(1); if (flags || !known((CUdeviceptr)p, 1)) return 1; *d = (CUdeviceptr)p; return 0; }

#ifndef FAKE_LACKS_POOLS
CUresult cuMemAllocAsync(CUdeviceptr *p, size_t n, CUstream s) {
  ENTER(1);
  CUresult r = check_stream(s);
  if (!r && current()->dev == 2) r = 801;
  if (!r) r = get((uintptr_t *)p, n, 0);
  if (!r) pools[current()->dev].used += n, pools[current()->dev].reserved += n;
  return r;
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s) {
  ENTER(1);
  int i = find(p);
  if (i >= 0) pools[current()->dev].used -= live[i].n;
  CUresult r = check_stream(s);
  return r ? r : put(p, 0);
}
#endif
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *p, CUdevice d) { ENTER(0); *p = &pools[d]; return d == 2 ? 801 : 0; }
CUresult cuMemPoolSetAttribute(CUmemoryPool p, int a, void *v) { ENTER(0); if (a != 4) return 1; p->keep = *(uint64_t *)v; return 0; }
CUresult cuMemPoolGetAttribute(CUmemoryPool p, int a, void *v) {
  ENTER(0);
  if (a != 4 && a != 5 && a != 7) return 1;
  *(uint64_t *)v = a == 4 ? p->keep : a == 5 ? p->reserved : p->used;
  return 0;
}
CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep) { ENTER(0); p->reserved = p->used > keep ? p->used : keep < p->reserved ? keep : p->reserved; return 0; }

static CUresult move(uintptr_t dst, int dst_known, uintptr_t src, int src_known, size_t n) {
  if ((dst_known && !known(dst, n)) || (src_known && !known(src, n))) return 1;
  memcpy((void *)dst, (void *)src, n);
  return 0;
}
#define ON(s) do { CUresult fake_s = check_stream(s); if (fake_s) return fake_s; } while (0)
#define P(p) ((uintptr_t)(p))
CUresult cuMemcpyHtoD_v2(CUdeviceptr d, const void *s, size_t n) { ENTER(1); return move(d, 1, P(s), 0, n); }
CUresult cuMemcpyDtoH_v2(void *d, CUdeviceptr s, size_t n) { ENTER(1); return move(P(d), 0, s, 1, n); }
CUresult cuMemcpyDtoD_v2(CUdeviceptr d, CUdeviceptr s, size_t n) { ENTER(1); return move(d, 1, s, 1, n); }
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr d, const void *s, size_t n, CUstream t) { ENTER(1); ON(t); return move(d, 1, P(s), 0, n); }
CUresult cuMemcpyDtoHAsync_v2(void *d, CUdeviceptr s, size_t n, CUstream t) { ENTER(1); ON(t); return move(P(d), 0, s, 1, n); }
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream t) { ENTER(1); ON(t); return move(d, 1, s, 1, n); }
CUresult cuMemcpyPeer(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n) { ENTER(1); return !dc || !sc ? 1 : move(d, 1, s, 1, n); }
CUresult cuMemcpyPeerAsync(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n, CUstream t) { ENTER(1); ON(t); return !dc || !sc ? 1 : move(d, 1, s, 1, n); }
CUresult cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, CUstream t) { ENTER(1); ON(t); if (!known(d, n)) return 1; memset((void *)d, v, n); return 0; }
CUresult cuMemsetD32Async(CUdeviceptr d, unsigned v, size_t n, CUstream t) {
  ENTER(1);
  ON(t);
  if (d % 4 || !known(d, 4 * n)) return 1;
  for (size_t i = 0; i < n; i++) ((uint32_t *)d)[i] = v;
  return 0;
}

// is_busy says for how many more queries the streams are at work.
int is_busy(void) { return busy_until > 0 && busy_until-- > 0; }
