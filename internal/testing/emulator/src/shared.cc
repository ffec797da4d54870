// This file holds the memory of blocks, and what messages say about threads.
#include <sys/mman.h>

#include <cstring>

#include "engine.h"
#include "ptx.h"

namespace emu {

static std::mutex slots_mu;
static std::vector<Slot*> slots;

constexpr size_t kHuge = 2 << 20;  // stacks are in pages of this size, if the system has such pages

Slot* take_slot() {
  {
    std::lock_guard<std::mutex> hold(slots_mu);
    if (!slots.empty()) {
      Slot* s = slots.back();
      slots.pop_back();
      return s;
    }
  }
  const size_t stacks = 1024 * kStack, dynamic = (kSharedMax + 4095) / 4096 * 4096, page = 4096;
  const size_t all = kHuge + stacks + page + kStaticShared + page + dynamic + page;
  char* at = (char*)mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) abort();
  at = (char*)((uintptr_t(at) + kHuge - 1) & ~(kHuge - 1));
  Slot* s = new Slot;
  s->stacks = at;
  s->shared = at + stacks + page;
  char* dynamic_at = s->shared + kStaticShared + page;
  s->dynamic_end = dynamic_at + dynamic;
  mprotect(s->stacks, stacks, PROT_READ | PROT_WRITE);
  madvise(s->stacks, stacks, MADV_HUGEPAGE);
  mprotect(s->shared, kStaticShared, PROT_READ | PROT_WRITE);
  memset(s->shared, kUnknown, kStaticShared);
  mprotect(dynamic_at, dynamic, PROT_READ | PROT_WRITE);
  return s;
}

void give_slot(Slot* s) {
  std::lock_guard<std::mutex> hold(slots_mu);
  slots.push_back(s);
}

// shared_static returns where an object lies that a kernel declares as shared.
// Its place is found when a thread gets there for the first time.
void* shared_static(const void* which, size_t bytes, const char* name) {
  Thread& t = self();
  Block& b = *t.block;
  Compiled& c = *b.launch->code;
  auto find = [&]() -> const Object* {
    for (u32 i = 0, n = c.count.load(std::memory_order_acquire); i < n; i++) {
      if (c.objects[i].which == which) return &c.objects[i];
    }
    return nullptr;
  };
  const Object* o = find();
  if (!o) {
    std::unique_lock<std::mutex> hold(c.mu);
    if (!(o = find())) {
      if (c.shared + bytes + 64 > kStaticShared || c.count == 16) {
        hold.unlock();
        give_up(t, kLaunchFailed, std::string("declares more shared memory than there is: ") + name);
      }
      o = &c.objects[c.count];
      c.objects[c.count] = {which, c.shared, bytes, name};
      c.shared += (bytes + 16 + 63) / 64 * 64;
      c.count.store(c.count + 1, std::memory_order_release);
    }
  }
  return b.slot->shared + o->at;
}

void* shared_dynamic() { return self().block->dynamic; }

// in_cluster is the same place in the shared memory of another block.
void* in_cluster(const void* p, u32 rank) {
  Thread& t = self();
  Block& b = *t.block;
  if (rank >= b.peers->size()) give_up(t, kIllegalAddress, "reaches for block " + std::to_string(rank) + " of a cluster of " + std::to_string(b.peers->size()));
  Block* o = (*b.peers)[rank];
  if (!o) give_up(t, kIllegalAddress, "reaches into the shared memory of block " + std::to_string(rank) + " of its cluster, which has ended or hasn't begun");
  const char* at = (const char*)p;
  if (at >= b.dynamic && at < b.slot->dynamic_end) return o->dynamic + (at - b.dynamic);
  if (at >= b.slot->shared && at < b.slot->shared + kStaticShared) return o->slot->shared + (at - b.slot->shared);
  give_up(t, kIllegalAddress, "reaches into a cluster's shared memory by an address that isn't in its own");
}

static std::string dims(const Dim& d) {
  std::string s = std::to_string(d.x);
  if (d.y || d.z) s += "," + std::to_string(d.y) + "," + std::to_string(d.z);
  return s;
}

std::string where(const Thread& t) {
  const Block& b = *t.block;
  return "kernel " + std::string(b.launch->code->kernel->name) + ", block " + dims(b.shape.block_idx) + ", thread " + dims(t.idx) + (t.text ? ", " + where_in(*t.text, t.step) + "," : "");
}

// waits lists what the threads of a block are at, runs of them together.
std::string waits(const Block& b) {
  std::string s;
  int runs = 0;
  for (u32 i = 0; i < b.threads;) {
    const Thread& t = b.thread(i);
    u32 j = i + 1;
    while (j < b.threads && b.thread(j).wait == t.wait) j++;
    if (++runs > 8) return s + ", and so on";
    s += i ? ", " : "";
    s += j == i + 1 ? "thread " + std::to_string(i) : "threads " + std::to_string(i) + " to " + std::to_string(j - 1);
    s += t.wait == kDone ? " ended" : t.wait ? " at " + std::string(op_name(t.wait)) : " under way";
    i = j;
  }
  return s;
}

}  // namespace emu
