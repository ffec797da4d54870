// This file holds the device's memory: every allocation ends where a page ends
// that nobody may touch after it, so that reads and writes past the end are
// found where they happen; those before its begin in part, when it is freed.
#include "memory.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <deque>
#include <map>

namespace emu {
namespace {

constexpr size_t kPage = 4096, kAlign = 256;
constexpr int kFresh = 0xCD, kGuard = 0xA7;

struct Piece {
  size_t bytes, room;  // room: as rounded up to kAlign
  char* map;
  size_t mapped;
  Kind kind;
};
std::mutex mu;
std::map<uintptr_t, Piece> live, freed;  // freed: still mapped, out of reach
std::deque<uintptr_t> oldest;
size_t in_use, in_pool;

int broken_code;
std::string broken_text;

}  // namespace

uintptr_t get(size_t bytes, Kind kind) {
  std::lock_guard<std::mutex> hold(mu);
  const bool host = kind == Kind::host;
  const size_t most = host ? size_t(1) << 36 : settings().memory - in_use;
  if (!bytes || bytes > most) return 0;
  const size_t room = (bytes + kAlign - 1) / kAlign * kAlign, pages = (room + kPage - 1) / kPage * kPage;
  char* map = (char*)mmap(nullptr, pages + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return 0;
  char* at = map + kPage;
  mprotect(at, pages, PROT_READ | PROT_WRITE);
  memset(at, kGuard, pages - room);
  memset(at + pages - room, kFresh, bytes);
  memset(at + pages - room + bytes, kGuard, room - bytes);
  const uintptr_t p = uintptr_t(at + pages - room);
  live[p] = {bytes, room, map, pages + 2 * kPage, kind};
  if (!host) in_use += bytes;
  if (kind == Kind::pool) in_pool += bytes;
  return p;
}

int put(uintptr_t p, bool host) {
  std::string wrong;
  {
    std::lock_guard<std::mutex> hold(mu);
    auto i = live.find(p);
    if (i == live.end() || (i->second.kind == Kind::host) != host) return 1;
    const Piece piece = i->second;
    for (const char* c = piece.map + kPage; c < (char*)p && wrong.empty(); c++) {
      if (u8(*c) != kGuard) wrong = "somebody wrote " + std::to_string((char*)p - c) + " bytes before";
    }
    for (size_t k = piece.bytes; k < piece.room && wrong.empty(); k++) {
      if (((u8*)p)[k] != kGuard) wrong = "somebody wrote " + std::to_string(k - piece.bytes) + " bytes past the end of";
    }
    if (!wrong.empty()) wrong += " an allocation of " + std::to_string(piece.bytes) + " bytes, found when it was freed";
    if (!host) in_use -= piece.bytes;
    if (piece.kind == Kind::pool) in_pool -= piece.bytes;
    live.erase(i);
    mmap(piece.map, piece.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    freed[p] = piece;
    oldest.push_back(p);
    if (oldest.size() > 1000) {
      const Piece& old = freed[oldest.front()];
      munmap(old.map, old.mapped);
      freed.erase(oldest.front());
      oldest.pop_front();
    }
  }
  if (!wrong.empty()) break_device(kIllegalAddress, wrong);
  return 0;
}

void adopt(uintptr_t p, size_t bytes) {
  std::lock_guard<std::mutex> hold(mu);
  live[p] = {bytes, bytes, (char*)p, bytes, Kind::host};
}

bool known(uintptr_t p, size_t bytes) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.upper_bound(p);
  if (i == live.begin()) return false;
  --i;
  return p + bytes <= i->first + i->second.bytes && p + bytes >= p;
}

size_t used() {
  std::lock_guard<std::mutex> hold(mu);
  return in_use;
}

size_t used_of_pool() {
  std::lock_guard<std::mutex> hold(mu);
  return in_pool;
}

void break_device(int code, const std::string& why) {
  std::lock_guard<std::mutex> hold(mu);
  if (broken_code) return;
  broken_code = code, broken_text = why;
  fprintf(stderr, "emulator: %s\n", why.c_str());
}

int broken() { return __atomic_load_n(&broken_code, __ATOMIC_ACQUIRE); }

std::string broken_why() {
  std::lock_guard<std::mutex> hold(mu);
  return broken_text;
}

// describe_address says of an address that can't be touched what it is near to.
std::string describe_address(const void* address) {
  const uintptr_t p = uintptr_t(address);
  char text[200];
  std::unique_lock<std::mutex> hold(mu, std::try_to_lock);
  snprintf(text, sizeof text, "%p, which is no memory of the device", address);
  if (!hold.owns_lock()) return text;
  for (auto* all : {&live, &freed}) {
    for (auto& [at, piece] : *all) {
      if (p < uintptr_t(piece.map) || p >= uintptr_t(piece.map) + piece.mapped) continue;
      if (all == &freed) {
        snprintf(text, sizeof text, "byte %ld of an allocation of %zu bytes that was freed", long(p - at), piece.bytes);
      } else if (p < at) {
        snprintf(text, sizeof text, "%zu bytes before an allocation of %zu bytes", size_t(at - p), piece.bytes);
      } else {
        snprintf(text, sizeof text, "%zu bytes past the end of an allocation of %zu bytes", size_t(p - at - piece.bytes), piece.bytes);
      }
      return text;
    }
  }
  return text;
}

namespace {

// Workers by thread, for the handler, which can't look into thread-local memory.
struct Watched {
  std::atomic<pthread_t> thread;
  std::atomic<Worker*> worker;
};
Watched watched[1024];
struct sigaction before[65];

void handler(int sig, siginfo_t* info, void* context) {
  const pthread_t me = pthread_self();
  for (Watched& w : watched) {
    if (w.thread.load() != me) continue;
    Worker* worker = w.worker.load();
    if (!worker || !worker->now) break;
    worker->fault = info->si_addr;
#if defined(__x86_64__)
    worker->wrote = ((ucontext_t*)context)->uc_mcontext.gregs[REG_ERR] & 2;
#endif
    siglongjmp(worker->escape, 1);
  }
  const struct sigaction& old = before[sig];
  if (old.sa_flags & SA_SIGINFO) {
    old.sa_sigaction(sig, info, context);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(sig);
  } else {
    sigaction(sig, &old, nullptr);  // it happens again
  }
}

// Place is a thread's own in the list, with a stack for the handler.
struct Place {
  Watched* mine = nullptr;
  stack_t stack = {};
  Place() {
    for (Watched& w : watched) {
      pthread_t nobody = 0;
      if (w.thread.compare_exchange_strong(nobody, pthread_self())) {
        mine = &w;
        break;
      }
    }
    if (!mine) {
      fprintf(stderr, "emulator: more than 1024 kernels at once\n");
      abort();
    }
    stack.ss_size = 1 << 16;
    stack.ss_sp = mmap(nullptr, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&stack, nullptr);
  }
  ~Place() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(stack.ss_sp, stack.ss_size);
    mine->worker = nullptr;
    mine->thread = 0;
  }
};

}  // namespace

void watch_faults() {
  struct sigaction a = {};
  a.sa_sigaction = handler;
  a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&a.sa_mask);
  for (int sig : {SIGSEGV, SIGBUS}) sigaction(sig, &a, &before[sig]);
}

void register_worker(Worker* worker) {
  static thread_local Place place;
  place.mine->worker = worker;
}

}  // namespace emu
