// This file holds what threads of a kernel wait for: the block's barrier, warp
// intrinsics, the barriers of clusters and of the grid, and atomic operations.
#include "engine.h"

namespace emu {

const char* op_name(u32 op) {
  static const char* const names[] = {
      "nothing", "__syncthreads", "__syncthreads_or", "__syncthreads_and", "__syncthreads_count", "__syncwarp", "__shfl_sync",
      "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync", "__reduce_add_sync",
      "__reduce_or_sync", "__reduce_and_sync", "__reduce_min_sync", "__reduce_max_sync", "the cluster's barrier", "the grid's barrier", "its end"};
  return names[op];
}

static std::string hex(u32 x) {
  char text[16];
  snprintf(text, sizeof text, "0x%08x", x);
  return text;
}

// suspend runs other threads, until this one is woken.
void suspend(Thread& t) {
  Block& b = *t.block;
  Worker& w = *b.worker;
  if (uintptr_t(__builtin_frame_address(0)) % kStack < 16384) give_up(t, kIllegalAddress, "takes more stack than the emulator gives it");
  if (--b.runnable == 0 && b.outside.empty() && b.live > 0) give_up(t, kLaunchFailed, "is the last to wait, and nobody can go on: " + waits(b));
  w.idle = 0;
  if (w.idles() || w.launch->stop.load(std::memory_order_relaxed)) {
    emu_switch(&t.sp, w.main);
    return;
  }
  emu_switch(&t.sp, w.pick()->sp);
}

// yield lets others have a turn; the thread stays ready.
void yield(Thread& t) {
  Worker& w = *t.block->worker;
  if (w.launch->stop.load(std::memory_order_relaxed)) emu_switch(&t.sp, w.main);
  w.put(t, __builtin_frame_address(0));
  if (w.idle && w.idle % 64 == 0) {
    emu_switch(&t.sp, w.main);
    return;
  }
  Thread* next = w.pick();
  if (next != &t) emu_switch(&t.sp, next->sp);
}

void wake(Thread* t, u64 result) {
  t->wait = kNone;
  t->result = result;
  t->block->runnable++;
  t->block->worker->put(*t, t->sp);
}

static void open_barrier(Block& b) {
  for (Thread* t : b.waiting) wake(t, b.sum);
  b.waiting.clear();
  b.barrier = kNone;
}

u64 meet_block(Op op, u64 value) {
  Thread& t = self();
  Block& b = *t.block;
  t.spun = nullptr;
  if (b.barrier == kNone) {
    b.barrier = op;
    b.sum = op == kBarrierAnd;
  } else if (b.barrier != op) {
    give_up(t, kLaunchFailed, std::string("is at ") + op_name(op) + " while others of its block are at " + op_name(b.barrier) + ": " + waits(b));
  }
  b.sum = op == kBarrierAnd ? b.sum & value : op == kBarrierOr ? b.sum | value : b.sum + value;
  b.waiting.push_back(&t);
  t.wait = op;
  if (b.waiting.size() == b.live) {
    b.runnable--;
    open_barrier(b);  // wakes this thread as well
    Thread* next = b.worker->pick();
    if (next != &t) emu_switch(&t.sp, next->sp);
  } else {
    suspend(t);
  }
  return t.result;
}

// reduce returns what a lane learns.
static u64 reduce(Op op, const Block& b, u32 first, u32 lane, u32 mask) {
  const Thread& t = b.thread(first + lane);
  auto of = [&](u32 from) { return mask >> from & 1 ? b.thread(first + from).value : 0xbadbadbadbadbadull; };
  switch (op) {
    case kShfl: return of(t.argument & 31);
    case kShflUp: return lane >= t.argument ? of(lane - u32(t.argument)) : t.value;
    case kShflDown: return lane + t.argument < 32 ? of(lane + u32(t.argument)) : t.value;
    case kShflXor: return of((lane ^ u32(t.argument)) & 31);
    default: break;
  }
  u64 x = op == kReduceAnd || op == kReduceMin || op == kAllOf ? ~u64(0) : 0;
  for (u32 left = mask; left; left &= left - 1) {
    const u32 from = u32(__builtin_ctz(left));
    const u64 y = b.thread(first + from).value;
    switch (op) {
      case kBallot: x |= y << from; break;
      case kAny: case kReduceOr: x |= y; break;
      case kAllOf: case kReduceAnd: x &= y; break;
      case kReduceAdd: x += y; break;
      case kReduceMin: x = std::min(x, y); break;
      case kReduceMax: x = std::max(x, y); break;
      default: break;
    }
  }
  return x;
}

u64 meet_warp(Op op, u32 mask, u64 value, u64 argument) {
  Thread& t = self();
  Block& b = *t.block;
  Warp& w = b.warps[t.index / 32];
  const u32 first = t.index & ~31u, bit = 1u << (t.index & 31);
  t.spun = nullptr;
  if (!(mask & bit)) give_up(t, kLaunchFailed, std::string("calls ") + op_name(op) + " for the lanes " + hex(mask) + ", and isn't one of them");
  if (mask & (w.ended | ~w.exist)) {
    give_up(t, kLaunchFailed, std::string("calls ") + op_name(op) + " for the lanes " + hex(mask) + ", of which " + hex(mask & (w.ended | ~w.exist)) + " have ended or aren't there");
  }
  t.wait = op, t.mask = mask, t.value = value, t.argument = argument;
  w.waiting |= bit;
  bool all = (w.waiting & mask) == mask;
  for (u32 left = all ? mask : 0; left; left &= left - 1) {
    const Thread& o = b.thread(first + u32(__builtin_ctz(left)));
    if (o.mask != mask) {
      all = false;
    } else if (o.wait != op) {
      give_up(t, kLaunchFailed, std::string("is at ") + op_name(op) + " while others of its warp are at " + op_name(o.wait) + ": " + waits(b));
    }
  }
  if (!all) {
    suspend(t);
    return t.result;
  }
  const bool alike = op == kBallot || op == kAny || op == kAllOf || op >= kReduceAdd;  // for all lanes
  const u64 x = alike ? reduce(op, b, first, t.index & 31, mask) : 0;
  for (u32 left = mask; left; left &= left - 1) {
    const u32 lane = u32(__builtin_ctz(left));
    Thread& o = b.thread(first + lane);
    o.result = alike ? x : op == kSyncWarp ? 0 : reduce(op, b, first, lane, mask);
  }
  for (u32 left = mask & ~bit; left; left &= left - 1) {
    Thread& o = b.thread(first + u32(__builtin_ctz(left)));
    wake(&o, o.result);
  }
  t.wait = kNone;
  w.waiting &= ~mask;
  return t.result;
}

// ended takes a thread off its block. It never returns.
void ended(Thread& t) {
  Block& b = *t.block;
  Worker& w = *b.worker;
  Warp& warp = b.warps[t.index / 32];
  const u32 bit = 1u << (t.index & 31);
  t.wait = kDone;
  warp.ended |= bit;
  for (u32 left = warp.waiting; left; left &= left - 1) {
    const Thread& o = b.thread((t.index & ~31u) + u32(__builtin_ctz(left)));
    if (o.mask & bit) give_up(t, kLaunchFailed, "ends while another one of its warp waits for it: " + waits(b));
  }
  b.live--;
  if (b.live > 0 && b.waiting.size() == b.live) open_barrier(b);
  w.idle = 0;
  if (--b.runnable == 0 && b.live > 0 && b.outside.empty()) give_up(t, kLaunchFailed, "ends, and nobody of its block can go on: " + waits(b));
  if (b.live == 0 || w.idles() || w.launch->stop.load(std::memory_order_relaxed)) {
    emu_switch(&t.sp, w.main);
  } else {
    emu_switch(&t.sp, w.pick()->sp);
  }
  __builtin_unreachable();
}

static void arrive(Thread& t, Meeting& m, int which) {
  t.phases[which]++;
  if ((m.arrived.fetch_add(1) + 1) % m.per == 0) t.block->launch->signal();
}

static void stay(Thread& t, Meeting& m, int which) {
  t.spun = nullptr;
  if (m.passed(t.phases[which])) return;
  t.wait = which ? kGrid : kCluster;
  t.block->outside.push_back(&t);
  suspend(t);
}

void cluster_arrive() {
  Thread& t = self();
  if (t.between) give_up(t, kLaunchFailed, "arrives at the cluster's barrier twice without waiting");
  t.between = true;
  arrive(t, *t.block->cluster, 0);
}

void cluster_wait() {
  Thread& t = self();
  if (!t.between) give_up(t, kLaunchFailed, "waits at the cluster's barrier without having arrived");
  t.between = false;
  stay(t, *t.block->cluster, 0);
}

void grid_meet() {
  Thread& t = self();
  if (!t.block->launch->cooperative) give_up(t, kLaunchFailed, "meets the grid in a launch that isn't cooperative");
  arrive(t, t.block->launch->all, 1);
  stay(t, t.block->launch->all, 1);
}

u32 cluster_rank() { return self().block->rank; }
u32 cluster_size() { return u32(self().block->peers->size()); }

template <class T>
static u64 atomically(Atomic op, T* p, T x) {
  switch (op) {
    case kAdd: return __atomic_fetch_add(p, x, __ATOMIC_SEQ_CST);
    case kOr: return __atomic_fetch_or(p, x, __ATOMIC_SEQ_CST);
    case kAnd: return __atomic_fetch_and(p, x, __ATOMIC_SEQ_CST);
    case kXor: return __atomic_fetch_xor(p, x, __ATOMIC_SEQ_CST);
    case kExch: return __atomic_exchange_n(p, x, __ATOMIC_SEQ_CST);
    default: break;
  }
  using S = std::make_signed_t<T>;
  auto changes = [&](T had) { return op == kMin ? x < had : op == kMax ? x > had : op == kMinSigned ? S(x) < S(had) : S(x) > S(had); };
  T had = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  while (changes(had) && !__atomic_compare_exchange_n(p, &had, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return had;
}

u64 atomic(Atomic op, void* p, u64 x, size_t bytes) {
  breathe();
  reach(self(), p);
  if (uintptr_t(p) % bytes) give_up(self(), kMisaligned, "an atomic operation where the address isn't a multiple of the size");
  return bytes == 4 ? atomically(op, (u32*)p, u32(x)) : atomically(op, (u64*)p, x);
}

u64 compare_swap(void* p, u64 expected, u64 x, size_t bytes) {
  breathe();
  reach(self(), p);
  if (bytes == 4) {
    u32 had = u32(expected);
    __atomic_compare_exchange_n((u32*)p, &had, u32(x), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return had;
  }
  u64 had = expected;
  __atomic_compare_exchange_n((u64*)p, &had, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return had;
}

void fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

void fail(const char* what) { give_up(self(), kLaunchFailed, what); }

}  // namespace emu
