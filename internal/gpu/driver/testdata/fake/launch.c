// This file holds the fake's streams, events, modules and launches.

#include "fake.h"

int is_busy(void);
struct fake_launch last;
uint64_t ticks;
static struct fake_function *functions;
static uint32_t global_words[4] = {1, 2, 3, 4};

CUresult check_stream(CUstream s) {
  if (s && (s->magic != MAGIC_STREAM || s->dev != current()->dev)) return 400;
  return 0;
}
#define STREAM(s) do { CUresult fake_s = !(s) ? 400 : check_stream(s); if (fake_s) return fake_s; } while (0)
#define EVENT(e) do { if (!(e) || (e)->magic != MAGIC_EVENT) return 400; } while (0)

CUresult cuStreamCreate(CUstream *s, unsigned flags) {
  ENTER(1);
  if (flags != 1) return 1;
  *s = calloc(1, sizeof **s);
  (*s)->magic = MAGIC_STREAM, (*s)->dev = current()->dev, (*s)->flags = flags;
  return 0;
}
CUresult cuStreamDestroy_v2(CUstream s) { ENTER(1); STREAM(s); s->magic = 0; free(s); return 0; }
CUresult cuStreamSynchronize(CUstream s) { ENTER(1); return check_stream(s); }
CUresult cuStreamQuery(CUstream s) { ENTER(1); STREAM(s); return is_busy() ? 600 : 0; }
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) { ENTER(1); STREAM(s); EVENT(e); return flags ? 1 : 0; }

CUresult cuEventCreate(CUevent *e, unsigned flags) {
  ENTER(1);
  if (flags > 3) return 1;
  *e = calloc(1, sizeof **e);
  (*e)->magic = MAGIC_EVENT, (*e)->dev = current()->dev, (*e)->flags = flags;
  return 0;
}
CUresult cuEventDestroy_v2(CUevent e) { ENTER(1); EVENT(e); e->magic = 0; free(e); return 0; }
CUresult cuEventRecord(CUevent e, CUstream s) { ENTER(1); STREAM(s); EVENT(e); if (e->dev != s->dev) return 400; e->recorded = 1, e->at = ++ticks; return 0; }
CUresult cuEventSynchronize(CUevent e) { ENTER(1); EVENT(e); return 0; }
CUresult cuEventQuery(CUevent e) { ENTER(1); EVENT(e); return is_busy() ? 600 : 0; }
CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b) {
  ENTER(1);
  EVENT(a);
  EVENT(b);
  if (!a->recorded || !b->recorded || (a->flags | b->flags) & 2) return 400;
  *ms = (float)(int64_t)(b->at - a->at);
  return 0;
}

CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, int *keys, void **values) {
  ENTER(1);
  if ((uintptr_t)image % 8) return 716;
  char *log = NULL;
  size_t room = 0;
  for (unsigned i = 0; i < n; i++) {
    if (keys[i] == 5) log = values[i];
    if (keys[i] == 6) room = (size_t)values[i];
  }
  if (!strncmp(image, "NOCODE", 6)) return 209;
  if (!strncmp(image, "NEWPTX", 6)) {
    if (log) snprintf(log, room, "Unsupported .version 9.9; current version is '8.4'\n");
    return 222;
  }
  if (*(const uint32_t *)image != 0xba55ed50) return 200;
  *m = calloc(1, sizeof **m);
  (*m)->magic = MAGIC_MODULE, (*m)->dev = current()->dev;
  return 0;
}
CUresult cuModuleLoadData(CUmodule *m, const void *image) { return cuModuleLoadDataEx(m, image, 0, NULL, NULL); }
CUresult cuModuleUnload(CUmodule m) { ENTER(1); if (!m || m->magic != MAGIC_MODULE) return 400; m->magic = 0; free(m); return 0; }
CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *n, CUmodule m, const char *name) {
  ENTER(1);
  if (!m || m->magic != MAGIC_MODULE) return 400;
  if (strcmp(name, "global_words")) return 500;
  *p = (CUdeviceptr)global_words, *n = sizeof global_words;
  return 0;
}
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
  ENTER(1);
  if (!m || m->magic != MAGIC_MODULE) return 400;
  if (kernel_by_name(name) < 0) return 500;
  *f = calloc(1, sizeof **f); // until the process ends
  (*f)->magic = MAGIC_FUNCTION, (*f)->mod = m, (*f)->kernel = kernel_by_name(name), (*f)->next = functions;
  (*f)->attr[0] = 1024, (*f)->attr[4] = 16, (*f)->attr[5] = 70, (*f)->attr[6] = 90, (*f)->attr[8] = 49152, (*f)->attr[9] = -1;
  functions = *f;
  return 0;
}

CUresult check_function(CUfunction f) { return !f || f->magic != MAGIC_FUNCTION || f->mod->dev != current()->dev ? 400 : 0; }
#define FUNCTION(f) do { CUresult fake_f = check_function(f); if (fake_f) return fake_f; } while (0)

CUresult cuFuncGetAttribute(int *v, int a, CUfunction f) { ENTER(1); FUNCTION(f); if (a < 0 || a > 15) return 1; *v = f->attr[a]; return 0; }
CUresult cuFuncSetAttribute(CUfunction f, int a, int v) {
  ENTER(1);
  FUNCTION(f);
  if ((a != 8 && a != 9 && a != 14) || (a == 8 && (v < 0 || v > 232448)) || (a == 9 && (v < -1 || v > 100))) return 1;
  f->attr[a] = v;
  return 0;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int threads, size_t shared) {
  ENTER(1);
  FUNCTION(f);
  if (threads < 1 || threads > 1024) return 1;
  *n = 2048 / threads;
  if (shared && *n > (int)(233472 / shared)) *n = 233472 / shared;
  return 0;
}

static CUresult launch(CUfunction f, const struct fake_launch *l, CUstream s, void **args) {
  FUNCTION(f);
  STREAM(s);
  for (int i = 0; i < 3; i++)
    if (!l->grid[i] || !l->block[i]) return 1;
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  if (threads > 1024 || l->shared > (unsigned)f->attr[8]) return threads > 1024 ? 1 : 701;
  if (l->cooperative && blocks > 8 * (2048 / threads)) return 720;
  if (l->cluster[0] && (l->grid[0] % l->cluster[0] || (l->cluster[0] > 8 && !f->attr[14]))) return 912;
  last = *l;
  ticks += 10;
  return run(f->kernel, l, args);
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream s, void **args, void **extra) {
  ENTER(1);
  struct fake_launch l = {0, {gx, gy, gz}, {bx, by, bz}, shared, {0}, 0};
  return extra ? 1 : launch(f, &l, s, args);
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared, CUstream s, void **args) {
  ENTER(1);
  struct fake_launch l = {1, {gx, gy, gz}, {bx, by, bz}, shared, {0}, 1};
  return current()->dev == 2 ? 801 : launch(f, &l, s, args);
}

#ifndef FAKE_LACKS_EX
typedef struct { int id; char pad[4]; union { char pad[64]; int i; unsigned dim[3]; } value; } CUlaunchAttribute;
typedef struct {
  unsigned grid[3], block[3], shared;
  CUstream stream;
  CUlaunchAttribute *attrs;
  unsigned count;
} CUlaunchConfig;

static CUresult unpack(const CUlaunchConfig *c, struct fake_launch *l) {
  memset(l, 0, sizeof *l);
  l->kind = 2, l->shared = c->shared;
  memcpy(l->grid, c->grid, sizeof l->grid);
  memcpy(l->block, c->block, sizeof l->block);
  for (unsigned i = 0; i < c->count; i++) switch (c->attrs[i].id) {
    case 2: l->cooperative = c->attrs[i].value.i; break;
    case 4: memcpy(l->cluster, c->attrs[i].value.dim, sizeof l->cluster); break;
    default: return 1;
    }
  return 0;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **args, void **extra) {
  ENTER(1);
  struct fake_launch l;
  if (unpack(c, &l) || extra) return 1;
  return launch(f, &l, c->stream, args);
}
CUresult cuOccupancyMaxActiveClusters(int *n, CUfunction f, const CUlaunchConfig *c) {
  ENTER(1);
  FUNCTION(f);
  struct fake_launch l;
  if (unpack(c, &l)) return 1;
  unsigned size = l.cluster[0] * l.cluster[1] * l.cluster[2];
  if (!size) return 912;
  *n = 8 / size;
  return 0;
}
#endif
