// This file holds the functions of an emulated libnccl.so.2, for the devices of the emulated
// libcuda.so.1. Groups, streams, communicators that don't block, abort and errors are as in NCCL. In
// particular, calls that don't fit to one another wait for ever, and a rank that is gone is
// waited for. Where communicators block, first calls do so until the other ranks have made theirs, and an abort from
// another thread ends them.
//
//   FORAY_EMULATOR_NCCL_VERSION  what ncclGetVersion says; 22803
//   FORAY_EMULATOR_NCCL_FAIL     what fails: the name of a function, or async, a rank or -1, and
//                                ncclResult_t, such as "ncclSend 1 3"; read at each call. 99 lets
//                                the call wait until the communicator is aborted
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <random>
#include <thread>

#include "comm.h"

using namespace nccl;

// The part of the driver that is used.
namespace {
template <class F>
F driver(const char* name) {
  static void* lib = dlopen("libcuda.so.1", RTLD_NOW);
  void* f = lib ? dlsym(lib, name) : nullptr;
  if (!f) fprintf(stderr, "emulated NCCL: no %s: it needs the emulated driver\n", name), abort();
  return F(f);
}
#define DRIVER(name, ...) driver<int (*)(__VA_ARGS__)>(#name)

struct Config {
  size_t size;
  unsigned magic, version;
  int blocking;
};

std::mutex comms_mu;
std::map<void*, std::shared_ptr<Comm>> comms;

std::shared_ptr<Comm> find(void* c) {
  std::lock_guard<std::mutex> hold(comms_mu);
  auto at = comms.find(c);
  return at == comms.end() ? nullptr : at->second;
}

std::mutex last_mu;
std::string last;
int wrong(int code, const std::string& why) {
  std::lock_guard<std::mutex> hold(last_mu);
  last = why;
  return code;
}

// fault is the code with which a function has to fail.
int fault(const char* function, int rank) {
  const char* what = getenv("FORAY_EMULATOR_NCCL_FAIL");
  char name[64];
  int at, code;
  if (!what || sscanf(what, "%63s %d %d", name, &at, &code) != 3 || strcmp(name, function) || (at >= 0 && at != rank)) return 0;
  return wrong(code, std::string("made to fail: ") + function);
}
// stay is how a call waits inside for an abort.
constexpr int kStays = 99;
int stay(Comm& c) {
  for (u32 waits = 0; !c.stop; pause(waits)) {}
  return wrong(kInternalError, "aborted within a call");
}
#define FAULT(rank) do { if (int emu_f = fault(__func__, rank)) return emu_f; } while (0)

// start runs f in a thread that doesn't receive the program's signals.
void start(std::function<void()> f) {
  sigset_t all, had;
  sigfillset(&all);
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, s);
  pthread_sigmask(SIG_SETMASK, &all, &had);
  std::thread(std::move(f)).detach();
  pthread_sigmask(SIG_SETMASK, &had, nullptr);
}

// A group of this thread.
thread_local int depth;
thread_local int group_error;
thread_local std::vector<std::shared_ptr<Unit>> units;
struct Init {
  std::shared_ptr<Comm> comm;
  std::string path;
};
thread_local std::vector<Init> inits;

void launch(const std::shared_ptr<Unit>& u) {
  auto* mine = new std::shared_ptr<Unit>(u);
  const int code = DRIVER(cuLaunchHostFunc, void*, void (*)(void*), void*)(u->stream, [](void* p) {
    auto* u = (std::shared_ptr<Unit>*)p;
    (*u)->run();
    delete u;
  }, mine);
  if (code) u->comm->async = u->comm->fail(kCudaError, "the driver's error " + std::to_string(code)), delete mine;
}

// connect returns false if a communicator was aborted meanwhile.
bool connect(const std::vector<std::shared_ptr<Unit>>& all) {
  for (auto& u : all) u->offer();
  for (auto& u : all) {
    for (u32 waits = 0; !u->connected(); pause(waits)) {
      if (u->comm->stop) return false;
    }
  }
  return true;
}

int end_group() {
  std::vector<std::shared_ptr<Unit>> all;
  std::vector<Init> some;
  all.swap(units), some.swap(inits);
  if (const int code = group_error) {
    group_error = 0;
    for (auto& i : some) i.comm->async = code;
    return code;
  }
  if (all.empty() && some.empty()) return kSuccess;
  const bool blocking = all.empty() ? some[0].comm->blocking : all[0]->comm->blocking;
  for (auto& u : all) {
    if (u->comm->blocking != blocking) return wrong(kInvalidArgument, "Blocking and nonblocking communicators are not allowed in the same group.");
  }
  for (auto& u : all) u->ticket = u->comm->tickets++;
  for (auto& i : some) {
    i.comm->async = kInProgress;
    i.comm->busy++;
    start([i] {
      i.comm->attach(i.path);
      i.comm->busy--;
    });
  }
  if (blocking) {
    for (auto& i : some) {
      for (u32 waits = 0; i.comm->async == kInProgress; pause(waits)) {}
    }
    for (auto& i : some) {
      if (i.comm->async) return i.comm->async;
    }
    if (!connect(all)) return wrong(kInternalError, "aborted within a call");
    for (auto& u : all) {
      const int code = fault("async", int(u->comm->rank));
      int fine = kSuccess;
      if (code) u->broken = true, u->comm->async.compare_exchange_strong(fine, code);
      void* was;
      DRIVER(cuCtxPushCurrent_v2, void*)(u->comm->context);
      launch(u);
      DRIVER(cuCtxPopCurrent_v2, void**)(&was);
    }
    return kSuccess;
  }
  std::map<Comm*, std::vector<std::shared_ptr<Unit>>> by;
  for (auto& u : all) by[u->comm.get()].push_back(u);
  for (auto& b : by) {
    auto list = b.second;
    Comm* c = b.first;
    c->async = kInProgress;
    c->busy++;
    start([list, c] {
      usleep(std::random_device()() % 300);
      DRIVER(cuCtxPushCurrent_v2, void*)(c->context);
      if (connect(list)) {
        for (auto& u : list) launch(u);
      }
      void* was;
      DRIVER(cuCtxPopCurrent_v2, void**)(&was);
      int in_progress = kInProgress;
      c->async.compare_exchange_strong(in_progress, fault("async", int(c->rank)));
      c->busy--;
    });
  }
  return kInProgress;
}

// enqueue adds to the unit of a communicator and a stream.
int enqueue(const char* name, void* handle, void* stream, const void* buffer, size_t bytes, const std::function<int(Comm&, Unit&)>& add) {
  auto c = find(handle);
  if (!c) return wrong(kInvalidArgument, std::string(name) + ": no such communicator");
  int code = fault(name, int(c->rank));
  if (code == kStays) code = stay(*c);
  if (!code && c->async == kInProgress) code = wrong(kInvalidArgument, "Attempt to use communicator before the previous operation returned ncclSuccess");
  if (!code) code = c->async;
  unsigned long long base = 0;
  size_t room = 0;
  int device = -1;
  if (!code && bytes) {
    const auto at = (unsigned long long)buffer;
    if (DRIVER(cuMemGetAddressRange_v2, unsigned long long*, size_t*, unsigned long long)(&base, &room, at) || at + bytes > base + room ||
        DRIVER(cuPointerGetAttribute, void*, int, unsigned long long)(&device, 9, at) || device != c->device) {
      code = wrong(kInvalidArgument, std::string(name) + ": " + std::to_string(bytes) + " bytes aren't memory of the communicator's device");
    }
  }
  if (!code) {
    std::shared_ptr<Unit> mine;
    for (auto& u : units) {
      if (u->comm == c && u->stream == stream) mine = u;
    }
    if (!mine) {
      mine = std::make_shared<Unit>();
      mine->comm = c, mine->stream = stream;
      units.push_back(mine);
    }
    code = add(*c, *mine);
  }
  if (code) group_error = code;
  if (depth) return code;
  const int ended = end_group();
  return code ? code : ended;
}

size_t size_of(int type) {
  static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type < 0 || type > 9 ? 0 : sizes[type];
}
}  // namespace

#define NCCL extern "C" __attribute__((visibility("default")))

NCCL int ncclGetVersion(int* v) {
  const char* text = getenv("FORAY_EMULATOR_NCCL_VERSION");
  return *v = text ? atoi(text) : 22803, 0;
}
NCCL const char* ncclGetErrorString(int code) {
  static const char* const texts[] = {"no error", "unhandled cuda error", "unhandled system error", "internal error", "invalid argument", "invalid usage", "remote process exited or there was a network error", "NCCL operation in progress"};
  return code < 0 || code > 7 ? "unknown result code" : texts[code];
}
NCCL const char* ncclGetLastError(void* handle) {
  static thread_local std::string text;
  text.clear();
  if (auto c = find(handle)) {
    std::lock_guard<std::mutex> hold(c->mu);
    text = c->said;
  }
  if (text.empty()) {
    std::lock_guard<std::mutex> hold(last_mu);
    text = last;
  }
  return text.c_str();
}

// What this project must never forget.
static int multicast() {
  const char* off = getenv("NCCL_NVLS_ENABLE");
  return off && !strcmp(off, "0") ? 0 : wrong(kInvalidUsage, "NCCL_NVLS_ENABLE isn't 0");
}

NCCL int ncclGetUniqueId(unsigned char* id) {
  FAULT(-1);
  if (int code = multicast()) return code;
  memset(id, 0, 128);
  if (const char* address = getenv("NCCL_COMM_ID")) {  // the same on all ranks
    if (!strrchr(address, ':')) return wrong(kInvalidArgument, "Invalid NCCL_COMM_ID, please use format: <ipv4>:<port>");
    u64 hash = 14695981039346656037ull + u64(getuid());
    for (const char* p = address; *p; p++) hash = (hash ^ u64(*p)) * 1099511628211ull;
    memcpy(id, "address ", 8);
    memcpy(id + 8, &hash, 8);
    return 0;
  }
  std::random_device random;
  for (int i = 0; i < 16; i++) id[i] = (unsigned char)random();
  return 0;
}

NCCL int ncclCommInitRankScalable(void** out, int ranks, int rank, int ids, const unsigned char* id, const Config* config) {
  *out = nullptr;
  if (const int code = fault(__func__, rank)) return group_error = depth ? code : 0, code;
  if (int code = multicast()) return code;
  if (ranks < 1 || ranks > int(kMostRanks) || rank < 0 || rank >= ranks || ids != 1) return wrong(kInvalidArgument, "ranks");
  if (config && (config->magic != 0xcafebeef || config->size < 48)) return wrong(kInvalidArgument, "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
  auto c = std::make_shared<Comm>();
  c->rank = u32(rank), c->ranks = u32(ranks), c->blocking = !config || config->blocking != 0;
  if (DRIVER(cuCtxGetDevice, int*)(&c->device) || DRIVER(cuCtxGetCurrent, void**)(&c->context)) return wrong(kCudaError, "no context");
  {
    std::lock_guard<std::mutex> hold(comms_mu);
    comms[c.get()] = c;
  }
  *out = c.get();
  inits.push_back({c, path_of(id)});
  return depth ? kSuccess : end_group();
}

NCCL int ncclCommGetAsyncError(void* handle, int* code) {
  auto c = find(handle);
  if (!c) return wrong(kInvalidArgument, "no such communicator");
  FAULT(int(c->rank));
  return *code = c->async, 0;
}

static int forget(void* handle, bool stop, const char* name) {
  auto c = find(handle);
  if (!c) return wrong(kInvalidArgument, std::string(name) + ": no such communicator");
  if (stop) c->stop = true;
  // What still waits in streams after an abort ends at once when its turn comes.
  for (u32 waits = 0; c->busy > 0 || (!stop && c->served < c->tickets); pause(waits)) {}
  std::lock_guard<std::mutex> hold(comms_mu);
  comms.erase(handle);
  return 0;
}
NCCL int ncclCommAbort(void* handle) { return forget(handle, true, __func__); }
NCCL int ncclCommDestroy(void* handle) {
  auto c = find(handle);
  if (const int code = fault(__func__, c ? int(c->rank) : -1)) return c && code == kStays ? stay(*c) : code;
  return forget(handle, false, __func__);
}
NCCL int ncclCommFinalize(void* handle) {
  auto c = find(handle);
  if (!c) return wrong(kInvalidArgument, "no such communicator");
  if (const int code = fault(__func__, int(c->rank))) return code == kStays ? stay(*c) : code;
  if (c->async) return wrong(kInvalidArgument, "Attempt to use communicator before the previous operation returned ncclSuccess");
  auto wait = [c] {
    for (u32 waits = 0; c->served < c->tickets && !c->stop; pause(waits)) {}
  };
  if (c->blocking) return wait(), 0;
  c->async = kInProgress;
  c->busy++;
  start([c, wait] {
    wait();
    c->async = kSuccess;
    c->busy--;
  });
  return kInProgress;
}

NCCL int ncclGroupStart() {
  FAULT(-1);
  return depth++, 0;
}
NCCL int ncclGroupEnd() {
  if (!depth) return wrong(kInvalidUsage, "ncclGroupEnd: not in a group call.");
  if (--depth) return 0;
  if (int code = fault(__func__, -1)) group_error = code;
  return end_group();
}

NCCL int ncclSend(const void* p, size_t n, int type, int peer, void* comm, void* stream) {
  const size_t bytes = n * size_of(type);
  return enqueue(__func__, comm, stream, p, bytes, [=](Comm& c, Unit& u) -> int {
    if (!size_of(type) || peer < 0 || peer >= int(c.ranks)) return wrong(kInvalidArgument, "ncclSend");
    u.parts.push_back({true, u32(peer), (char*)p, {kMessage, 0, u32(type), 0, bytes}});
    return 0;
  });
}
NCCL int ncclRecv(void* p, size_t n, int type, int peer, void* comm, void* stream) {
  const size_t bytes = n * size_of(type);
  return enqueue(__func__, comm, stream, p, bytes, [=](Comm& c, Unit& u) -> int {
    if (!size_of(type) || peer < 0 || peer >= int(c.ranks)) return wrong(kInvalidArgument, "ncclRecv");
    u.parts.push_back({false, u32(peer), (char*)p, {kMessage, 0, u32(type), 0, bytes}});
    return 0;
  });
}
NCCL int ncclAllGather(const void* from, void* to, size_t n, int type, void* comm, void* stream) {
  const size_t bytes = n * size_of(type);
  return enqueue(__func__, comm, stream, from, bytes, [=](Comm& c, Unit& u) -> int {
    if (!size_of(type)) return wrong(kInvalidArgument, "ncclAllGather");
    const Label label = {kGather, 0, u32(type), ++c.turn, bytes};
    for (u32 r = 0; r < c.ranks; r++) {
      if (r == c.rank) continue;
      u.parts.push_back({true, r, (char*)from, label});
      u.parts.push_back({false, r, (char*)to + r * bytes, label});
    }
    char* own = (char*)to + c.rank * bytes;
    if (own != from) u.finish.push_back([=] { memmove(own, from, bytes); });
    return 0;
  });
}
NCCL int ncclAllReduce(const void* from, void* to, size_t n, int type, int op, void* comm, void* stream) {
  const size_t bytes = n * size_of(type);
  return enqueue(__func__, comm, stream, from, bytes, [=](Comm& c, Unit& u) -> int {
    if (type != 5 || (op != 0 && op != 2)) return wrong(kInvalidArgument, "emulated are sums and maxima of ncclUint64");
    const Label label = {kReduce, u32(op), u32(type), ++c.turn, bytes};
    auto room = std::make_shared<std::vector<u64>>(n * c.ranks);
    for (u32 r = 0; r < c.ranks; r++) {
      if (r == c.rank) continue;
      u.parts.push_back({true, r, (char*)from, label});
      u.parts.push_back({false, r, (char*)(room->data() + r * n), label});
    }
    const u32 rank = c.rank, ranks = c.ranks;
    u.finish.push_back([=] {
      memcpy(room->data() + rank * n, from, bytes);
      for (size_t i = 0; i < n; i++) {
        u64 x = room->at(i);
        for (u32 r = 1; r < ranks; r++) {
          const u64 y = room->at(r * n + i);
          x = op == 0 ? x + y : std::max(x, y);
        }
        ((u64*)to)[i] = x;
      }
    });
    return 0;
  });
}
