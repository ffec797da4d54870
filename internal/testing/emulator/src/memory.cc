// This file holds the devices' memory. Every allocation ends where a page ends, and the
// page after it can't be accessed, so that reads and writes past the end are
// found where they happen; some of those before its begin are found when it is freed.
#include "memory.h"

#include <fcntl.h>
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
  u32 device;
  int file;  // that other processes map, or -1
};
std::mutex mu;
std::map<uintptr_t, Piece> live, freed;  // freed: still mapped, out of reach
std::deque<uintptr_t> oldest;
size_t in_use[kDevices], in_pool[kDevices];
uintptr_t next_at[2 * kDevices];  // where a stretch has room, probably

int broken_code[kDevices];
std::string broken_text[kDevices];

// reserve reserves addresses that can't be accessed yet: in one of the stretches, or, if stretch is
// negative, anywhere.
char* reserve(size_t bytes, int stretch) {
  const auto map = [bytes](uintptr_t at) {
    const int fixed = at ? MAP_FIXED_NOREPLACE : 0;
    return mmap((void*)at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  };
  if (stretch < 0) {
    void* p = map(0);
    return p == MAP_FAILED ? nullptr : (char*)p;
  }
  for (int tries = 0; tries < 10000; tries++) {
    uintptr_t& next = next_at[stretch];
    if (next + bytes > kStretch) next = 0;
    const uintptr_t want = kStretches + u32(stretch) * kStretch + next;
    next += bytes;
    void* p = map(want);
    if (p == (void*)want) return (char*)p;
    if (p != MAP_FAILED) munmap(p, bytes);
  }
  return nullptr;
}

}  // namespace

bool several;

uintptr_t get(size_t bytes, Kind kind, u32 device) {
  std::lock_guard<std::mutex> hold(mu);
  const bool host = kind == Kind::host;
  const size_t most = host ? size_t(1) << 36 : settings().memory - in_use[device];
  if (!bytes || bytes > most) return 0;
  const size_t room = (bytes + kAlign - 1) / kAlign * kAlign, pages = (room + kPage - 1) / kPage * kPage;
  char* map = reserve(pages + 2 * kPage, several && !host ? int(stretch_of(device, kind == Kind::pool)) : -1);
  if (!map) return 0;
  char* at = map + kPage;
  mprotect(at, pages, PROT_READ | PROT_WRITE);
  memset(at, kGuard, pages - room);
  memset(at + pages - room, kFresh, bytes);
  memset(at + pages - room + bytes, kGuard, room - bytes);
  const uintptr_t p = uintptr_t(at + pages - room);
  live[p] = {bytes, room, map, pages + 2 * kPage, kind, device, -1};
  if (!host) in_use[device] += bytes;
  if (kind == Kind::pool) in_pool[device] += bytes;
  return p;
}

int put(uintptr_t p, bool host) {
  std::string wrong;
  u32 device;
  {
    std::lock_guard<std::mutex> hold(mu);
    auto i = live.find(p);
    if (i == live.end() || i->second.kind == Kind::mapped || (i->second.kind == Kind::host) != host || !i->second.map) return 1;
    const Piece piece = i->second;
    for (const char* c = piece.map + kPage; c < (char*)p && wrong.empty(); c++) {
      if (u8(*c) != kGuard) wrong = "somebody wrote " + std::to_string((char*)p - c) + " bytes before";
    }
    for (size_t k = piece.bytes; k < piece.room && wrong.empty(); k++) {
      if (((u8*)p)[k] != kGuard) wrong = "somebody wrote " + std::to_string(k - piece.bytes) + " bytes past the end of";
    }
    if (!wrong.empty()) wrong += " an allocation of " + std::to_string(piece.bytes) + " bytes, found when it was freed";
    device = piece.device;
    if (!host) in_use[device] -= piece.bytes;
    if (piece.kind == Kind::pool) in_pool[device] -= piece.bytes;
    if (piece.file >= 0) close(piece.file);
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
  if (!wrong.empty()) break_device(device, kIllegalAddress, wrong);
  return 0;
}

constexpr u32 kSharedMagic = 0x5AA5E666;

// share moves the memory to a file that has no name, which other processes open by this one's number for it.
int share(uintptr_t p, Shared* s) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.find(p);
  if (i == live.end() || i->second.kind != Kind::device) return 1;
  Piece& piece = i->second;
  char* at = piece.map + kPage;
  const size_t pages = piece.mapped - 2 * kPage;
  if (piece.file < 0) {
    const int file = memfd_create("emulated", MFD_CLOEXEC);
    if (file < 0) return 304;
    for (size_t done = 0; done < pages;) {
      const ssize_t n = write(file, at + done, pages - done);
      if (n <= 0) return close(file), 304;
      done += size_t(n);
    }
    if (mmap(at, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) abort();
    piece.file = file;
  }
  *s = {kSharedMagic, getpid(), piece.file, piece.device, piece.bytes, piece.room, pages, {}};
  return 0;
}

int map_shared(const Shared& s, u32 device, uintptr_t* p) {
  if (s.magic != kSharedMagic) return 1;
  if (s.process == getpid()) return 201;
  if (s.device != device && !settings().peers) return 217;
  const int file = open(("/proc/" + std::to_string(s.process) + "/fd/" + std::to_string(s.file)).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return 304;
  std::lock_guard<std::mutex> hold(mu);
  char* map = reserve(s.pages + 2 * kPage, several ? int(stretch_of(device, false)) : -1);
  void* at = map ? mmap(map + kPage, s.pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) : MAP_FAILED;
  close(file);
  if (at == MAP_FAILED) return 2;
  *p = uintptr_t(at) + s.pages - s.room;
  live[*p] = {s.bytes, s.room, map, s.pages + 2 * kPage, Kind::mapped, device, -1};
  return 0;
}

int unmap_shared(uintptr_t p) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.find(p);
  if (i == live.end() || i->second.kind != Kind::mapped) return 1;
  munmap(i->second.map, i->second.mapped);
  live.erase(i);
  return 0;
}

void adopt(uintptr_t p, size_t bytes) {
  std::lock_guard<std::mutex> hold(mu);
  live[p] = {bytes, bytes, (char*)p, bytes, Kind::host, 0, -1};
}

bool adopt_host(uintptr_t p, size_t bytes) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.upper_bound(p);
  if (i != live.end() && i->first < p + bytes) return false;
  if (i != live.begin() && std::prev(i)->first + std::prev(i)->second.bytes > p) return false;
  live[p] = {bytes, bytes, nullptr, 0, Kind::host, 0, -1};
  return true;
}

bool disown_host(uintptr_t p) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.find(p);
  if (i == live.end() || i->second.kind != Kind::host || i->second.map) return false;
  live.erase(i);
  return true;
}

bool known(uintptr_t p, size_t bytes) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.upper_bound(p);
  if (i == live.begin()) return false;
  --i;
  return p + bytes <= i->first + i->second.bytes && p + bytes >= p;
}

bool range(uintptr_t p, unsigned long long* base, size_t* bytes) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.upper_bound(p);
  if (i == live.begin()) return false;
  --i;
  *base = i->first, *bytes = i->second.bytes;
  return p < i->first + i->second.bytes;
}

int owner(uintptr_t p) {
  std::lock_guard<std::mutex> hold(mu);
  auto i = live.upper_bound(p);
  if (i == live.begin()) return -1;
  const Piece& piece = (--i)->second;
  return p < i->first + piece.bytes && piece.kind != Kind::host ? int(piece.device) : -1;
}

bool reachable(uintptr_t p, u32 reach) {
  const uintptr_t n = (p - kStretches) / kStretch;
  return !several || n >= 2 * kDevices || (reach >> n & 1);
}

void out_of_reach(Thread& t, const void* p, u32 stretch) {
  char text[160];
  snprintf(text, sizeof text, "reads or writes %p, which is memory of device %u%s, without access to it", p, stretch % kDevices, stretch < kDevices ? "" : " out of its pool");
  give_up(t, kIllegalAddress, text);
}

size_t used(u32 device) {
  std::lock_guard<std::mutex> hold(mu);
  return in_use[device];
}

size_t used_of_pool(u32 device) {
  std::lock_guard<std::mutex> hold(mu);
  return in_pool[device];
}

void break_device(u32 device, int code, const std::string& why, bool tell) {
  std::lock_guard<std::mutex> hold(mu);
  if (broken_code[device]) return;
  broken_text[device] = why;
  __atomic_store_n(&broken_code[device], code, __ATOMIC_RELEASE);
  if (tell) fprintf(stderr, "emulator: %s\n", why.c_str());
}

void mend_device(u32 device) { __atomic_store_n(&broken_code[device], 0, __ATOMIC_RELEASE); }

int broken(u32 device) { return __atomic_load_n(&broken_code[device], __ATOMIC_ACQUIRE); }

std::string broken_why(u32 device) {
  std::lock_guard<std::mutex> hold(mu);
  return broken_text[device];
}

// describe_address describes what an inaccessible address is near to.
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
