// This file holds what runs a kernel: launches, the workers that share one out
// between them, and blocks whose threads are fibers.
#pragma once

#include <setjmp.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emu.h"

namespace emu {

constexpr u32 kDevices = 8;  // at most

// Settings come from the environment, once. See settings.cc for the names.
struct Settings {
  u64 seed, memory;
  u32 arch, sms, devices, workers, limit_s, watch_s, turn, clock;
  bool apart, peers, link;
  const char *counts, *calls;
};
const Settings& settings();

struct Random {
  u64 state;
  u32 below(u32 n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return u32((state >> 32) * n >> 32);
  }
};

// Meeting is a barrier past one block: per threads arrive at it in each phase.
struct Meeting {
  std::atomic<u64> arrived{0};
  u64 per = 0;
  bool passed(u64 phase) const { return arrived.load() >= phase * per; }
};

// Object is what a kernel declares as shared memory.
struct Object {
  const void* which;
  size_t at, bytes;
  const char* name;
};

constexpr size_t kStaticShared = 48 << 10;      // the most that a kernel may declare
constexpr size_t kSharedMax = 232448;           // that a block may have
constexpr size_t kSharedSM = 233472;            // that a multiprocessor has
constexpr u32 kThreadsSM = 1024, kRegistersSM = 65536, kBlocksSM = 32;

// Slot is the memory of a block that runs: the stacks of its threads and its
// shared memory, the dynamic one with its end at a page that can't be touched.
struct Slot {
  char* stacks;
  char* shared;
  char* dynamic_end;
  size_t dirty = 0;  // bytes of declared shared memory that may not be kUnknown
};
constexpr int kUnknown = 0xE5;  // what shared memory holds at the beginning
constexpr u64 kUnset = 0xbadbadbadbadbadb;  // and the result of a text
Slot* take_slot();
void give_slot(Slot* s);

struct Launch;
struct Spliced;
struct Worker;

struct Warp {
  u32 exist, ended, waiting;
};

struct Block {
  Shape shape;
  u32 number, threads, live, runnable;
  Launch* launch;
  Worker* worker;
  Slot* slot;
  char* dynamic;
  u32 barrier = kNone;  // what those who wait for the block wait for
  u64 sum = 0;
  std::vector<Thread*> waiting;  // for the block
  std::vector<Thread*> outside;  // for the cluster or the grid
  Warp warps[32] = {};
  Meeting* cluster = nullptr;
  std::vector<Block*>* peers = nullptr;  // blocks of the cluster, by rank
  u32 rank = 0;
  std::unique_ptr<u64[]> registers;  // of texts in holes, made when there is a first one

  Thread& thread(u32 i) const {
    const uintptr_t base = uintptr_t(slot->stacks) + i * kStack;
    return *(Thread*)(base + (base / kStack % kLines) * 64);
  }
};

// Compiled is a kernel of a loaded module, and what is learned of it.
struct Compiled {
  const Kernel* kernel;
  std::mutex mu;  // for adding to the fields below
  Object objects[16];  // its shared memory
  std::atomic<u32> count{0};
  size_t shared = 0;
};

struct Launch {
  u32 reach;  // the stretches of memory that it may use: see stretch_of
  Compiled* code;
  std::shared_ptr<const Spliced> spliced;  // the texts of the kernel's module, if it has any
  Dim grid, block, cluster;
  u32 dynamic;
  bool cooperative;
  std::vector<u64> bytes;  // of the arguments
  std::vector<char*> args;

  u64 blocks;
  u32 threads, unit;  // unit: blocks that a worker takes together
  bool together;      // all blocks run at once
  u64 seed, began;
  std::vector<u32> order;  // of units; empty: ascending
  std::atomic<u64> next{0};
  std::vector<Meeting> clusters;
  std::vector<std::vector<Block*>> peers;
  Meeting all;

  std::mutex mu;
  std::condition_variable changed;
  u64 generation = 0;
  u32 active = 0, stuck = 0;
  std::vector<Worker>* crewed = nullptr;
  std::atomic<bool> stop{false};
  int error = 0;
  std::string why;

  void run();  // returns when all blocks are done
  void signal();
  void tell();
  void fail(int code, const std::string& why);
};

// Ready is a thread that can continue, and what it must do before it does. The descriptors of threads
// are far from each other: this needs no access to them.
struct Ready {
  Thread* thread;
  const void* sp;  // about where its stack ends
  Ready(Thread& t, const void* sp) : thread(&t), sp(sp) {}
};

// Fields that two workers write are in different cache lines.
struct alignas(128) Worker {
  Launch* launch;
  u32 number;
  Random random;
  void* main = nullptr;
  Thread* now = nullptr;
  std::vector<Ready> ready[2];  // those that have their turn alike, and the slow ones
  u32 next = 0, next_slow = 0;  // which of them has its turn next, if there are as many
  std::vector<std::unique_ptr<Block>> blocks;
  u32 idle = 0;
  sigjmp_buf escape;
  const void* fault = nullptr;
  bool wrote = false;

  void run();
  bool admit();
  void begin(u32 number);
  void reap();
  void wait();
  bool release();

  // Some threads wait for long while others are ready, and then continue: a block, a
  // warp or a thread, or all others. If all had equal turns, no thread would
  // ever be far behind.
  uintptr_t slow = 0;  // where the stacks of its block begin
  u32 slow_mask = 0, slow_index = 0, picks = 1;
  bool others = false;
  void choose_slow();
  bool is_slow(const Thread* t) const {
    const uintptr_t index = (uintptr_t(t) - slow) / kStack;
    return (index < 1024 && (index & slow_mask) == slow_index) != others;
  }
  bool idles() const { return ready[0].empty() && ready[1].empty(); }
  void put(Thread& t, const void* sp) { ready[is_slow(&t)].emplace_back(t, sp); }

  // A slow one has its turn if nine draws of all hit slow ones.
  u32 draw_slow() {
    const u64 even = ready[0].size(), slow_ones = ready[1].size();
    if (!slow_ones || !even) return slow_ones != 0;
    const u64 p = (slow_ones << 32) / (slow_ones + even), p2 = p * p >> 32, p4 = p2 * p2 >> 32, p8 = p4 * p4 >> 32;
    return random.below(~0u) < p8 * p >> 32;
  }

  // pick takes one of those that are ready.
  Thread* pick() {
    if (--picks == 0) choose_slow();
    u32 which = next_slow, i = next;
    if (i >= ready[which].size()) {
      which = draw_slow();
      i = random.below(u32(ready[which].size()));
    }
    std::vector<Ready>& from = ready[which];
    Thread* t = from[i].thread;
    from[i] = from.back();
    from.pop_back();
    // The one after it is known now, so that its memory is there when it is its turn: to wait for
    // that took a third of all time.
    if (!idles()) {
      next_slow = draw_slow();
      next = random.below(u32(ready[next_slow].size()));
      const Ready& r = ready[next_slow][next];
      __builtin_prefetch(r.thread);
      __builtin_prefetch(r.sp);
    }
    return now = t;
  }
};

// What threads say about themselves in messages.
std::string where(const Thread& t);
std::string waits(const Block& b);
const char* op_name(u32 op);

// suspend lets another thread continue; switch_to changes stacks.
void suspend(Thread& t);
void yield(Thread& t);
void wake(Thread* t, u64 result);
void ended(Thread& t);
[[noreturn]] void give_up(Thread& t, int code, const std::string& what);
extern "C" void emu_switch(void** save, void* to);
void* first_frame(void* top);

// With several devices, each device's memory is in a separate stretch of addresses, and
// its pool's memory in another one: enabling peer access covers the first only.
constexpr uintptr_t kStretch = uintptr_t(1) << 40, kStretches = 16 * kStretch;
constexpr u32 stretch_of(u32 device, bool pool) { return device + (pool ? kDevices : 0); }
extern bool several;
[[noreturn]] void out_of_reach(Thread& t, const void* p, u32 stretch);

// reach gives a thread up that uses memory of another device which its own has no access to.
inline void reach(Thread& t, const void* p) {
  if (__builtin_expect(!several, 1)) return;
  const uintptr_t n = (uintptr_t(p) - kStretches) / kStretch;
  if (n < 2 * kDevices && !(t.block->launch->reach >> n & 1)) out_of_reach(t, p, u32(n));
}

// crew runs work for 0 to n-1 on new threads, and own on the caller's.
void crew(u32 n, const std::function<void(u32)>& work, const std::function<void()>& own);
void start_thread(std::function<void()> work);
void print_launches();  // what the kernels do that run

// Faults: workers are told apart from the host's threads.
void watch_faults();
void register_worker(Worker* w);
std::string describe_address(const void* p);

enum { kIllegalAddress = 700, kTimeout = 702, kMisaligned = 716, kLaunchFailed = 719 };

}  // namespace emu
