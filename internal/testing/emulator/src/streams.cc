// This file holds the driver's functions for streams, events, modules and
// launches.
#include <signal.h>
#include <unistd.h>

#include <map>
#include <set>
#include <thread>

#include "driver.h"
#include "ptx.h"

using namespace emu;

static std::mutex streams_mu;
static std::set<CUstream> streams;

static CUstream make_stream(CUcontext context) {
  CUstream s = new EmuStream;
  s->magic = kStreamMagic, s->context = context;
  start_thread([s] {
    std::unique_lock<std::mutex> hold(s->mu);
    for (;;) {
      s->more.wait(hold, [s] { return !s->work.empty() || s->closed; });
      if (s->work.empty()) break;
      std::function<void()> f = std::move(s->work.front());
      s->work.pop_front();
      s->busy = true;
      hold.unlock();
      steps++;
      if (!s->context->broken()) f();
      f = nullptr;
      steps++;
      hold.lock();
      s->busy = false;
      s->less.notify_all();
    }
    s->magic = 0;
    s->less.wait(hold, [s] { return !s->watched; });
    hold.unlock();
    delete s;
  });
  std::lock_guard<std::mutex> hold(streams_mu);
  streams.insert(s);
  return s;
}

// enqueue waits where very much is enqueued already, as drivers do. The caller holds no lock then that
// what is enqueued takes.
void EmuStream::enqueue(std::function<void()> f) {
  std::unique_lock<std::mutex> hold(mu);
  less.wait(hold, [this] { return work.size() < 1000; });
  work.push_back(std::move(f));
  more.notify_one();
}
void EmuStream::wait() {
  std::unique_lock<std::mutex> hold(mu);
  less.wait(hold, [this] { return work.empty() && !busy; });
}
bool EmuStream::idle(int within_ms) {
  std::unique_lock<std::mutex> hold(mu);
  return less.wait_for(hold, std::chrono::milliseconds(within_ms), [this] { return work.empty() && !busy; });
}

std::atomic<u64> emu::steps{0};

static void print_streams() {
  std::lock_guard<std::mutex> hold(streams_mu);
  for (CUstream s : streams) {
    std::unique_lock<std::mutex> mine(s->mu, std::try_to_lock);
    if (!mine.owns_lock()) {
      fprintf(stderr, "emulator: stream %p of device %u: its lock is held\n", (void*)s, s->context->device());
      continue;
    }
    fprintf(stderr, "emulator: stream %p of device %u: %s, %zu behind that, %d wait for it%s\n", (void*)s, s->context->device(),
            s->busy ? "at work" : "idle", s->work.size(), s->watched, s->closed ? ", closed" : "");
  }
}

void emu::watch() {
  const u32 seconds = settings().watch_s;
  if (!seconds) return;
  start_thread([seconds] {
    u64 was = steps;
    for (u32 still = 0; still < seconds; still++) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      if (const u64 now = steps; now != was) was = now, still = 0;
    }
    fprintf(stderr, "emulator: nothing has happened for %u s (FORAY_EMULATOR_WATCH), after %llu steps\n", seconds, (unsigned long long)was);
    print_launches();
    print_streams();
    kill(getpid(), SIGQUIT);
  });
}

// Others may enqueue meanwhile, perhaps what is waited for.
void emu::drain(CUcontext c) {
  std::vector<CUstream> all;
  {
    std::lock_guard<std::mutex> hold(streams_mu);
    for (CUstream s : streams) {
      if (c && s->context != c) continue;
      std::lock_guard<std::mutex> hold(s->mu);
      s->watched++;  // it doesn't go meanwhile
      all.push_back(s);
    }
  }
  for (CUstream s : all) {
    std::unique_lock<std::mutex> hold(s->mu);
    s->less.wait(hold, [s] { return s->work.empty() && !s->busy; });
    s->watched--;
    s->less.notify_all();
  }
}

CUresult emu::take_stream(CUstream& s) {
  if (!s) {  // the context's stream for those who name none
    static std::mutex none_mu;
    static std::map<CUcontext, CUstream> none;
    std::lock_guard<std::mutex> hold(none_mu);
    CUstream& mine = none[current()];
    if (!mine) mine = make_stream(current());
    s = mine;
  }
  std::lock_guard<std::mutex> hold(streams_mu);
  return streams.count(s) ? 0 : 400;
}

CU cuStreamCreate(CUstream* s, unsigned flags) {
  ENTER(true);
  return flags > 1 ? 1 : (*s = make_stream(current()), 0);
}
CU cuStreamDestroy_v2(CUstream s) {
  ENTER_TO_FREE();
  if (!s) return 400;
  STREAM(s);
  if (emu_broken) s->wait();  // waits for unfinished work, before the device may be repaired
  {
    std::lock_guard<std::mutex> hold(streams_mu);
    streams.erase(s);
  }
  std::lock_guard<std::mutex> hold(s->mu);
  s->closed = true;
  s->more.notify_one();
  return emu_broken;
}
CU cuLaunchHostFunc(CUstream s, void (*f)(void*), void* data) {
  ENTER(true);
  STREAM(s);
  if (!f) return 1;
  s->enqueue([f, data] { f(data); });
  return 0;
}
CU cuStreamSynchronize(CUstream s) {
  ENTER(true);
  STREAM(s);
  s->wait();
  return s->context->broken();
}
// A thread that asks again and again takes a processor from the kernel that it waits for:
// the answer may come a little late.
CU cuStreamQuery(CUstream s) {
  ENTER(true);
  STREAM(s);
  const bool idle = s->idle(2);
  const int code = s->context->broken();
  return code ? code : idle ? 0 : 600;
}

#define EVENT(e) do { if (!(e) || (e)->magic != kEventMagic) return 400; } while (0)

CU cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags) {
  ENTER(true);
  STREAM(s);
  EVENT(e);
  if (flags) return 1;
  const u64 until = e->newest();
  s->enqueue([s, e, until] {
    std::unique_lock<std::mutex> hold(e->mu);
    while (e->passed < until && !e->context->broken() && !s->context->broken()) e->reached.wait_for(hold, std::chrono::milliseconds(10));
  });
  return 0;
}
CU cuEventCreate(CUevent* e, unsigned flags) {
  ENTER(true);
  if (flags > 3) return 1;
  *e = new EmuEvent;
  (*e)->magic = kEventMagic, (*e)->flags = flags, (*e)->context = current();
  return 0;
}
CU cuEventDestroy_v2(CUevent e) {  // its memory stays: streams may still pass it
  ENTER_TO_FREE();
  EVENT(e);
  return e->magic = 0, emu_broken;
}
CU cuEventRecord(CUevent e, CUstream s) {
  ENTER(true);
  STREAM(s);
  EVENT(e);
  if (e->context != s->context) return 400;
  const u64 number = e->another();
  s->enqueue([e, number] {
    std::lock_guard<std::mutex> hold(e->mu);
    e->passed = std::max(e->passed, number), e->at = clock_ns();
    e->reached.notify_all();
  });
  return 0;
}
CU cuEventSynchronize(CUevent e) {
  ENTER(true);
  EVENT(e);
  std::unique_lock<std::mutex> hold(e->mu);
  const u64 until = e->recorded;
  while (e->passed < until && !e->context->broken()) e->reached.wait_for(hold, std::chrono::milliseconds(10));
  return e->context->broken();
}
CU cuEventQuery(CUevent e) {
  ENTER(true);
  EVENT(e);
  std::lock_guard<std::mutex> hold(e->mu);
  const int code = e->context->broken();
  return code ? code : e->passed < e->recorded ? 600 : 0;
}
CU cuEventElapsedTime(float* ms, CUevent a, CUevent b) {
  ENTER(true);
  EVENT(a);
  EVENT(b);
  if (!a->recorded || !b->recorded || a->context != b->context || (a->flags | b->flags) & 2) return 400;
  if (a->passed < a->recorded || b->passed < b->recorded) return 600;
  return *ms = float(double(int64_t(b->at - a->at)) / 1e6), 0;
}

// newest returns, of several compilations of a source, the newest that the device can run.
static const emu::Module* newest(const std::function<bool(const emu::Module&)>& is) {
  const emu::Module* best = nullptr;
  for (const emu::Module* x = modules; x->name; x++) {
    if (is(*x) && x->arch <= settings().arch && (!best || x->arch > best->arch)) best = x;
  }
  return best;
}

// JitLog is where a caller wants to read why a text isn't valid.
struct JitLog {
  char* text = nullptr;
  void** size = nullptr;  // its value is the size of text, afterwards that of the message
  JitLog(unsigned n, const int* options, void** values) {
    for (unsigned i = 0; i < n; i++) {
      if (options[i] == 5) text = (char*)values[i];
      if (options[i] == 6) size = &values[i];
    }
  }
  void say(const std::string& what) {
    if (!text || !size || !*size) return;
    const size_t n = std::min(what.size(), size_t(*size) - 1);
    memcpy(text, what.data(), n);
    text[n] = 0;
    *size = (void*)(n + 1);
  }
};

// A module made by splicing is the skeleton that it names, and its own texts.
static CUresult load_spliced(CUmodule* m, const char* text, JitLog log) {
  try {
    auto spliced = parse_spliced(text);
    const emu::Module* best = newest([&](const emu::Module& x) { return x.hash == spliced->skeleton || x.packed == spliced->skeleton; });
    if (!best) {
      log.say("the emulator was built from other sources than this module's skeleton");
      return 209;
    }
    *m = new EmuModule{kModuleMagic, current(), best, spliced, {}};
    return 0;
  } catch (const std::string& what) {
    log.say("emulator: " + what);
    return 218;
  }
}

// What linking makes is the name of an architecture, and the PTX that it is made of.
struct EmuLink {
  unsigned magic;
  std::string text, made;
};
constexpr unsigned kLinkMagic = 0x11CC5555;
static std::string link_name() { return "EMU-" + std::to_string(settings().arch) + "\n"; }
#define LINK(l) do { if (!(l) || (l)->magic != kLinkMagic) return 400; } while (0)
CU cuLinkCreate_v2(unsigned n, int*, void**, EmuLink** l) {
  ENTER(true);
  if (!settings().link) return 801;
  if (n) return 1;
  return *l = new EmuLink{kLinkMagic, "", ""}, 0;
}
CU cuLinkAddData_v2(EmuLink* l, int kind, const void* data, size_t bytes, const char*, unsigned n, int*, void**) {
  ENTER(true);
  LINK(l);
  const char* p = (const char*)data;
  if (kind != 1 || n || !l->text.empty() || !bytes || p[bytes - 1]) return 1;
  try {
    parse_spliced(p);
  } catch (const std::string&) {
    return 218;
  }
  return l->text = p, 0;
}
CU cuLinkComplete(EmuLink* l, void** made, size_t* bytes) {
  ENTER(true);
  LINK(l);
  if (l->text.empty()) return 1;
  l->made = link_name() + l->text;
  return *made = (void*)l->made.data(), *bytes = l->made.size(), 0;
}
CU cuLinkDestroy(EmuLink* l) {
  ENTER_TO_FREE();
  LINK(l);
  l->magic = 0;
  delete l;
  return emu_broken;
}

// A fatbin is known by its hash: what runs is what was compiled from the same
// sources.
CU cuModuleLoadDataEx(CUmodule* m, const void* image, unsigned n, int* options, void** values) {
  ENTER(true);
  if (uintptr_t(image) % 8) return 716;
  const u8* p = (const u8*)image;
  if (p[0] == '/' && p[1] == '/') return load_spliced(m, (const char*)image, JitLog(n, options, values));
  if (!memcmp(p, "EMU-", 4)) {  // Load puts a zero behind every image
    const std::string name = link_name();
    if (strncmp((const char*)p, name.c_str(), name.size())) return 209;
    return load_spliced(m, (const char*)p + name.size(), JitLog(n, options, values));
  }
  if (*(const uint32_t*)p != 0xba55ed50) return 200;
  const size_t bytes = *(const uint16_t*)(p + 6) + *(const u64*)(p + 8);
  u64 hash = 14695981039346656037ull;  // FNV-1a
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 1099511628211ull;
  const emu::Module* best = newest([&](const emu::Module& x) { return x.hash == hash; });
  if (!best) return 209;
  *m = new EmuModule{kModuleMagic, current(), best, nullptr, {}};
  return 0;
}
CU cuModuleLoadData(CUmodule* m, const void* image) { return cuModuleLoadDataEx(m, image, 0, nullptr, nullptr); }
#define MODULE(m) do { if (!(m) || (m)->magic != kModuleMagic) return 400; } while (0)
CU cuModuleUnload(CUmodule m) {
  ENTER_TO_FREE();
  MODULE(m);
  drain(m->context);
  for (CUfunction f : m->functions) f->magic = 0;
  m->spliced = nullptr;
  return m->magic = 0, emu_broken;
}
// Variables of a module are one and the same on all devices: no kernel of the project has any.
CU cuModuleGetGlobal_v2(CUdeviceptr* p, size_t* n, CUmodule m, const char* name) {
  ENTER(true);
  MODULE(m);
  for (const Global* g = m->module->globals; g->name; g++) {
    if (strcmp(g->name, name)) continue;
    adopt(uintptr_t(g->at), g->bytes);
    return *p = CUdeviceptr(g->at), *n = g->bytes, 0;
  }
  return 500;
}
CU cuModuleGetFunction(CUfunction* f, CUmodule m, const char* name) {
  ENTER(true);
  MODULE(m);
  for (const Kernel* k = m->module->kernels; k->name; k++) {
    if (strcmp(k->name, name)) continue;
    CUfunction x = *f = new EmuFunction{};
    x->magic = kFunctionMagic, x->module = m, x->code.kernel = k;
    const u32 most = k->most ? k->most : 1024;
    x->attributes[0] = int(most), x->attributes[5] = int(m->module->arch / 10), x->attributes[6] = int(m->module->arch / 10);
    x->attributes[4] = k->least ? int(std::min(255u, kRegistersSM / most / k->least / 8 * 8)) : 32;
    x->attributes[8] = 49152, x->attributes[9] = -1;
    m->functions.push_back(x);
    return 0;
  }
  return 500;
}
#define FUNCTION(f) do { if (!(f) || (f)->magic != kFunctionMagic) return 400; } while (0)
CU cuFuncGetAttribute(int* v, int a, CUfunction f) {
  ENTER(true);
  FUNCTION(f);
  return a < 0 || a > 15 ? 1 : (*v = f->attributes[a], 0);
}
CU cuFuncSetAttribute(CUfunction f, int a, int v) {
  ENTER(true);
  FUNCTION(f);
  if ((a != 8 && a != 9 && a != 14) || (a == 8 && (v < 0 || v > int(kSharedMax))) || (a == 9 && (v < -1 || v > 100))) return 1;
  return f->attributes[a] = v, 0;
}

static u32 blocks_per_sm(CUfunction f, u32 threads, size_t shared) {
  if (threads > u32(f->attributes[0])) return 0;
  u32 n = std::min({kBlocksSM, kThreadsSM / threads, kRegistersSM / (u32(f->attributes[4]) * threads)});
  const size_t all = shared + f->code.shared + 1024;  // the device's own
  return u32(std::min<size_t>(n, kSharedSM / all));
}
CU cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, CUfunction f, int threads, size_t shared) {
  ENTER(true);
  FUNCTION(f);
  if (threads < 1 || threads > 1024) return 1;
  return *n = int(blocks_per_sm(f, u32(threads), shared)), 0;
}

static CUresult launch(CUfunction f, std::shared_ptr<Launch> l, CUstream s, void** args) {
  STREAM(s);
  FUNCTION(f);
  if (s->context != current() || f->module->context != s->context) return 400;
  l->reach = s->context->reach;
  const u64 threads = u64(l->block.x) * l->block.y * l->block.z, blocks = u64(l->grid.x) * l->grid.y * l->grid.z;
  if (!threads || !blocks || threads > 1024) return 1;
  if (threads > u64(f->attributes[0]) || l->dynamic > u32(f->attributes[8])) return 701;
  const u64 room = u64(blocks_per_sm(f, u32(threads), l->dynamic)) * settings().sms;
  if (!room) return 701;
  if (l->cooperative && blocks > room) return 720;
  if (l->cluster.x) {
    const u32 size = l->cluster.x * l->cluster.y * l->cluster.z;
    if (settings().arch < 900) return 801;
    if (!size || l->grid.x % l->cluster.x || l->grid.y % l->cluster.y || l->grid.z % l->cluster.z) return 912;
    if (size > 16 || (size > 8 && !f->attributes[14]) || size > room) return 912;
  } else {
    l->cluster = {1, 1, 1};
  }
  l->code = &f->code, l->spliced = f->module->spliced;
  size_t words = 0;
  for (const u32* n = f->code.kernel->sizes; *n; n++) words += (*n + 15) / 16 * 2;
  l->bytes.resize(words + 1);
  char* at = (char*)((uintptr_t(l->bytes.data()) + 15) & ~uintptr_t(15));
  for (u32 i = 0; f->code.kernel->sizes[i]; i++) {
    memcpy(at, args[i], f->code.kernel->sizes[i]);
    l->args.push_back(at);
    at += (f->code.kernel->sizes[i] + 15) / 16 * 16;
  }
  static std::atomic<u64> launches{0};
  l->seed = settings().seed * 0x9E3779B97F4A7C15ull + launches++ * 0xD1B54A32D192ED03ull;
  l->seed ^= l->seed >> 29;
  const std::string kernel = f->code.kernel->name;
  if (!f->launched && settings().counts) note(settings().counts, std::string(f->module->module->name) + " " + std::to_string(f->module->module->arch) + " " + kernel);
  if (settings().calls) note(settings().calls, "of " + kernel);
  f->launched = true;
  s->enqueue([l, device = s->context->device()] {
    l->run();
    if (l->error) break_device(device, l->error, l->why);
  });
  return 0;
}

static std::shared_ptr<Launch> shape(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared) {
  auto l = std::make_shared<Launch>();
  l->grid = {gx, gy, gz}, l->block = {bx, by, bz}, l->cluster = {0, 0, 0}, l->dynamic = shared, l->cooperative = false;
  return l;
}
CU cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s, void** args, void** extra) {
  ENTER(true);
  return extra ? 1 : launch(f, shape(gx, gy, gz, bx, by, bz, shared), s, args);
}
CU cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s, void** args) {
  ENTER(true);
  auto l = shape(gx, gy, gz, bx, by, bz, shared);
  l->cooperative = true;
  return launch(f, l, s, args);
}

struct Attribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int number;
    unsigned dim[3];
  } value;
};
struct Config {
  unsigned grid[3], block[3], shared;
  CUstream stream;
  Attribute* attributes;
  unsigned count;
};
static std::shared_ptr<Launch> unpack(const Config* c) {
  auto l = shape(c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared);
  for (unsigned i = 0; i < c->count; i++) {
    const Attribute& a = c->attributes[i];
    if (a.id == 2) l->cooperative = a.value.number;
    if (a.id == 4) l->cluster = {a.value.dim[0], a.value.dim[1], a.value.dim[2]};
    if (a.id != 2 && a.id != 4) return nullptr;
  }
  return l;
}
CU cuLaunchKernelEx(const Config* c, CUfunction f, void** args, void** extra) {
  ENTER(true);
  auto l = unpack(c);
  return !l || extra ? 1 : launch(f, l, c->stream, args);
}
CU cuOccupancyMaxActiveClusters(int* n, CUfunction f, const Config* c) {
  ENTER(true);
  FUNCTION(f);
  auto l = unpack(c);
  if (!l) return 1;
  const u32 size = l->cluster.x * l->cluster.y * l->cluster.z, threads = l->block.x * l->block.y * l->block.z;
  if (!size || !threads || size > 16 || (size > 8 && !f->attributes[14])) return 912;
  return *n = int(blocks_per_sm(f, threads, l->dynamic) * settings().sms / size), 0;
}
