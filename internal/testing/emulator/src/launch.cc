// This file runs a kernel: workers, which are threads of the host's, share the
// blocks out between them, and each lets the threads of its blocks take turns in
// random order.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <set>
#include <thread>

#include "engine.h"

namespace emu {

void Launch::signal() {
  std::lock_guard<std::mutex> hold(mu);
  tell();
}

// tell wakes the workers that wait; mu is held.
void Launch::tell() {
  stuck = 0;
  generation++;
  changed.notify_all();
}

void Launch::fail(int code_, const std::string& why_) {
  std::lock_guard<std::mutex> hold(mu);
  if (!error) error = code_, why = why_;
  stop = true;
  tell();
}

void give_up(Thread& t, int code, const std::string& what) {
  t.block->launch->fail(code, where(t) + " " + what);
  void* dropped;
  emu_switch(&dropped, t.block->worker->main);
  __builtin_unreachable();
}

// begin readies a block's threads.
void Worker::begin(u32 n) {
  Launch& l = *launch;
  std::unique_ptr<Block> owner(new Block);
  Block& b = *owner;
  b.shape = {{n % l.grid.x, n / l.grid.x % l.grid.y, n / l.grid.x / l.grid.y}, l.block, l.grid};
  b.number = n, b.threads = b.live = b.runnable = l.threads;
  b.launch = &l, b.worker = this, b.slot = take_slot();
  b.dynamic = b.slot->dynamic_end - (l.dynamic + 15) / 16 * 16;
  const u32 size = l.cluster.x * l.cluster.y * l.cluster.z;
  b.cluster = &l.clusters[n / size], b.peers = &l.peers[n / size], b.rank = n % size;
  // Shared memory is undefined at the beginning.
  memset(b.slot->shared, kUnknown, b.slot->dirty);
  b.slot->dirty = kStaticShared;
  memset(b.dynamic, kUnknown, (l.dynamic + 15) / 16 * 16);
  for (u32 i = 0; i < l.threads; i++) {
    Thread& t = b.thread(i);
    t = Thread{};
    t.idx = {i % l.block.x, i / l.block.x % l.block.y, i / l.block.x / l.block.y};
    t.index = i, t.shape = &b.shape, t.block = &b;
    t.budget = 1 + random.below(2 * settings().turn);
    t.sp = first_frame(b.slot->stacks + (i + 1) * kStack - 64 - i * 7 % 61 * 64);
    b.warps[i / 32].exist |= 1u << i % 32;
    put(t, t.sp);
  }
  (*b.peers)[b.rank] = &b;
  blocks.push_back(std::move(owner));
}

void Worker::choose_slow() {
  picks = 1 + random.below(4096);
  slow = random.below(4) && !blocks.empty() ? uintptr_t(blocks[random.below(u32(blocks.size()))]->slot->stacks) : 0;
  const u32 masks[] = {0, ~31u, ~0u};
  slow_mask = masks[random.below(3)];
  slow_index = launch->threads ? random.below(launch->threads) & slow_mask : 0;
  others = slow && random.below(3) == 0;
  std::vector<Ready> had;
  for (auto& list : ready) {
    had.insert(had.end(), list.begin(), list.end());
    list.clear();
  }
  for (const Ready& r : had) ready[is_slow(r.thread)].push_back(r);
  next = ~0u;
}

// admit takes blocks, as many as may be at it together. It reports whether there
// is any.
bool Worker::admit() {
  Launch& l = *launch;
  const u32 at_once = 1 + u32(l.seed % 3);
  while (!l.together && blocks.size() < at_once * l.unit) {
    const u64 i = l.next++;
    if (i * l.unit >= l.blocks) break;
    const u32 unit = l.order.empty() ? u32(i) : l.order[i];
    for (u32 j = 0; j < l.unit; j++) begin(unit * l.unit + j);
  }
  return !blocks.empty();
}

// reap takes away the blocks that are done.
void Worker::reap() {
  for (size_t i = 0; i < blocks.size();) {
    const Compiled& c = *launch->code;
    Block& b = *blocks[i];
    if (b.live > 0) {
      i++;
      continue;
    }
    for (u32 j = 0; j < c.count; j++) {
      const Object& o = c.objects[j];
      for (size_t k = 0; k < 16; k++) {
        if (u8(b.slot->shared[o.at + o.bytes + k]) != kUnknown) {
          launch->fail(kIllegalAddress, where(b.thread(0)) + " and its block wrote past the end of shared " + o.name + ", of " + std::to_string(o.bytes) + " bytes");
          return;
        }
      }
    }
    (*b.peers)[b.rank] = nullptr;
    b.slot->dirty = c.shared;
    give_slot(b.slot);
    std::swap(blocks[i], blocks.back());
    blocks.pop_back();
  }
}

// release wakes those whose barrier past the block is open.
bool Worker::release() {
  bool any = false;
  for (auto& b : blocks) {
    size_t kept = 0;
    for (Thread* t : b->outside) {
      const int which = t->wait == kGrid;
      if ((which ? launch->all : *b->cluster).passed(t->phases[which])) {
        wake(t, 0);
        any = true;
      } else {
        b->outside[kept++] = t;
      }
    }
    b->outside.resize(kept);
  }
  return any;
}

// wait waits for other workers to open a barrier.
void Worker::wait() {
  Launch& l = *launch;
  std::unique_lock<std::mutex> hold(l.mu);
  if (release() || l.stop) return;
  if (++l.stuck == l.active) {
    hold.unlock();
    for (auto& b : blocks) {
      if (b->outside.empty()) continue;
      std::string others;
      for (u32 i = 0; i < b->peers->size(); i++) {
        if (!(*b->peers)[i]) others += "; block " + std::to_string(i) + " of its cluster has ended";
      }
      l.fail(kLaunchFailed, where(*b->outside[0]) + " waits, and nobody can go on: " + waits(*b) + others);
      return;
    }
    l.fail(kLaunchFailed, "nobody can go on");
    return;
  }
  const u64 was = l.generation;
  l.changed.wait(hold, [&] { return l.generation != was; });
}

void Worker::run() {
  Launch& l = *launch;
  register_worker(this);
  if (l.together) {
    for (u64 n = number; n < l.blocks; n += l.active) begin(u32(n));
  }
  {  // none begins before all are counted
    std::unique_lock<std::mutex> hold(l.mu);
    l.stuck++;
    if (l.stuck == l.active) {
      l.tell();
    } else {
      const u64 was = l.generation;
      l.changed.wait(hold, [&] { return l.generation != was; });
    }
  }
  if (sigsetjmp(escape, 1)) {
    l.fail(kIllegalAddress, where(*now) + (wrote ? " writes to " : " reads ") + describe_address(fault));
  }
  while (!l.stop && admit()) {
    release();
    if (idles()) {
      wait();
      continue;
    }
    emu_switch(&main, pick()->sp);
    reap();
  }
  for (auto& b : blocks) {
    if (b->slot) give_slot(b->slot);
  }
  register_worker(nullptr);
  std::lock_guard<std::mutex> hold(l.mu);
  l.active--;
  l.tell();
}

static std::mutex running_mu;
static std::set<Launch*> running;

void Launch::run() {
  began = clock_ns();
  threads = block.x * block.y * block.z;
  blocks = u64(grid.x) * grid.y * grid.z;
  const u32 size = cluster.x * cluster.y * cluster.z;
  together = (cooperative && !settings().apart) || (size > 1 && blocks == size);
  unit = together ? 1 : size;
  clusters = std::vector<Meeting>(blocks / size);
  for (Meeting& m : clusters) m.per = u64(threads) * size;
  peers.assign(blocks / size, std::vector<Block*>(size, nullptr));
  all.per = blocks * threads;
  Random random{seed | 1};
  if (!together && blocks <= 1 << 20) {
    order.resize(blocks / unit);
    for (size_t i = 0; i < order.size(); i++) order[i] = u32(i);
    for (size_t i = order.size(); i > 1; i--) std::swap(order[i - 1], order[random.below(u32(i))]);
  }
  const u32 n = active = u32(std::min<u64>(settings().workers, blocks / unit));
  std::vector<Worker> workers(n);
  for (u32 i = 0; i < n; i++) {
    workers[i].launch = this, workers[i].number = i;
    workers[i].random.state = ((seed + 1) * 0x9E3779B97F4A7C15ull + i * 0xBF58476D1CE4E5B9ull) | 1;
  }
  crewed = &workers;
  {
    std::lock_guard<std::mutex> hold(running_mu);
    running.insert(this);
  }
  crew(n - 1, [&](u32 i) { workers[i + 1].run(); }, [&] { workers[0].run(); });
  std::lock_guard<std::mutex> hold(running_mu);
  running.erase(this);
}

// Numbers may be those of a moment ago: nothing is locked that a kernel may hold for long.
void print_launches() {
  std::lock_guard<std::mutex> hold(running_mu);
  for (Launch* l : running) {
    fprintf(stderr, "emulator: kernel %s runs for %.1f s, %llu blocks of %u threads, %llu begun, together %d, %u of %u workers wait, turn %llu, %s\n",
            l->code->kernel->name, double(clock_ns() - l->began) / 1e9, (unsigned long long)l->blocks, l->threads,
            (unsigned long long)l->next.load(), l->together, l->stuck, l->active, (unsigned long long)l->generation, l->stop ? "stops" : "goes on");
    for (Worker& w : *l->crewed) {
      fprintf(stderr, "emulator:   worker %u: %zu blocks, %zu threads ready, %zu of them slow\n", w.number, w.blocks.size(),
              w.ready[0].size() + w.ready[1].size(), w.ready[1].size());
    }
  }
}

// A crew is threads of the host's that wait for work, as many as were ever needed
// at once.
namespace {
struct Hand {
  std::mutex mu;
  std::condition_variable called, through;
  std::function<void()> work;
};
std::mutex hands_mu;
std::vector<Hand*> idle;

void serve(Hand* h) {
  std::unique_lock<std::mutex> hold(h->mu);
  for (;;) {
    h->called.wait(hold, [&] { return bool(h->work); });
    h->work();
    h->work = nullptr;
    h->through.notify_one();
  }
}

Hand* hire() {
  {
    std::lock_guard<std::mutex> hold(hands_mu);
    if (!idle.empty()) {
      Hand* h = idle.back();
      idle.pop_back();
      return h;
    }
  }
  Hand* h = new Hand;
  start_thread([h] { serve(h); });
  return h;
}
}  // namespace

void crew(u32 n, const std::function<void(u32)>& work, const std::function<void()>& own) {
  std::vector<Hand*> hands(n);
  for (u32 i = 0; i < n; i++) {
    Hand* h = hands[i] = hire();
    std::lock_guard<std::mutex> hold(h->mu);
    h->work = [&work, i] { work(i); };
    h->called.notify_one();
  }
  own();
  for (Hand* h : hands) {
    {
      std::unique_lock<std::mutex> hold(h->mu);
      h->through.wait(hold, [&] { return !h->work; });
    }
    std::lock_guard<std::mutex> hold(hands_mu);
    idle.push_back(h);
  }
}

// start_thread starts one that no signal of the host's program reaches.
void start_thread(std::function<void()> work) {
  sigset_t all, had;
  sigfillset(&all);
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, s);
  pthread_sigmask(SIG_SETMASK, &all, &had);
  std::thread(std::move(work)).detach();
  pthread_sigmask(SIG_SETMASK, &had, nullptr);
}

}  // namespace emu
