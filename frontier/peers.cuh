// This file holds the barrier of kernels that stay on several GPUs of one machine, which load
// and store each other's memory. Blocks of a GPU meet as in grid.cuh; the first block of each
// tells those of the others, and learns what they brought.
#pragma once

#include "frontier/ptx.cuh"
#include "frontier/queue.cuh"

namespace foray {

// kMostPeers is how many GPUs there may be.
constexpr u32 kMostPeers = 8;

// PeerMail is what one GPU tells another at a barrier. stamp is written last.
struct PeerMail {
  u64 tail;     // of its queue
  u64 brought;  // by its blocks
  u32 sent;     // entries in the receiver's inbox
  u32 flags;
  u64 stamp;
};
static_assert(sizeof(PeerMail) == 32, "the host has the same layout");

// PeerState is a GPU's own part of the barrier. All of it is zero before the first launch; a
// launch leaves it as the next one needs it.
struct PeerState {
  PeerMail mail[2][kMostPeers];  // from each GPU, used in turn; others write it
  u64 words[4];                  // arrivals of this GPU's blocks, as in GridState
  Slot slots[4];                 // of the queues, likewise
  u64 count, edges, brought;     // of all GPUs, at the last barrier
  u32 received[kMostPeers];      // entries that came into each inbox then
  u32 sent[kMostPeers];          // entries sent since
  u32 flags;                     // of all GPUs, at the last barrier
  u32 go;                        // barriers that are open
  u32 round;                     // barriers of all launches
  u32 late;                      // somebody waited longer than he would: all must end
  u32 pad[6];
};
static_assert(sizeof(PeerState) == 1184, "the host has the same layout");

// kPeerStops is the flag of a host's wish for an end.
constexpr u32 kPeerStops = 1;

// PeersArgs say who the GPUs are.
struct PeersArgs {
  PeerState* state[kMostPeers];  // of each
  const volatile u32* stop;      // in the host's memory: not 0 ends the traversal
  u32 count;
  u32 me;
  u32 patience;  // at a barrier, in 2^20 ticks of a multiprocessor
  u32 pad;
};

struct PeersShared {
  u64 count, edges, brought;
  u32 received[kMostPeers];
  u32 flags;
  u32 late;
};

// Peers is a block's view of it. Threads hold the same in registers.
struct Peers {
  const PeersArgs& a;
  PeersShared& sh;
  PeerState* own;
  u32 round;  // the barrier to come
  bool late;  // the same for all threads of the block

  // All threads of the block make one together.
  __device__ Peers(const PeersArgs& args, PeersShared& shared) : a(args), sh(shared), own(args.state[args.me]), round(ptx::load_acquire(&own->round)) {
    late = __syncthreads_or(*(volatile u32*)&own->late);
  }

  __device__ __forceinline__ bool first() const { return blockIdx.x == 0 && threadIdx.x == 0; }

  // filling is the slot of the queue that is filled before the next barrier, filled that of
  // the queue that was filled before the last.
  __device__ __forceinline__ Slot* filling() const { return &own->slots[round & 3]; }
  __device__ __forceinline__ const Slot* filled() const { return &own->slots[(round - 1) & 3]; }

  // give_up ends the traversal on all GPUs.
  __device__ __forceinline__ void give_up() const {
    for (u32 j = 0; j < a.count; j++) *(volatile u32*)&a.state[j]->late = 1;
    __threadfence_system();
  }

  // waits reports whether to look once more for what a thread waits for.
  __device__ __forceinline__ bool waits(u64 since, u32& looks, bool at_peer) const {
    if (++looks % 256) return true;
    if (*(volatile u32*)&own->late) return false;
    const u64 waited = clock64() - since;
    if (waited > u64(a.patience) << 20 || (at_peer && looks % 65536 == 0 && *a.stop)) {
      give_up();
      return false;
    }
    return true;
  }

  // meet waits for all blocks of all GPUs. What was written before is visible after, wherever
  // it is. shift is that of the queue whose size the GPUs add up; the next one goes on behind
  // its end where carry says so. The first thread may bring kPeerStops.
  __device__ __forceinline__ void meet(u64 brought, u32 flags, u32 shift, bool carry) {
    __syncthreads();
    if (late) return;
    u64* word = &own->words[round & 3];
    if (threadIdx.x == 0) {
      if (blockIdx.x == 0) {  // those of the barrier after the next one
        own->words[(round + 2) & 3] = 0;
        own->slots[(round + 2) & 3].tail = 0;
        own->slots[(round + 2) & 3].visited = 0;
      }
      __threadfence_system();  // what this block stored in the memory of others
      ptx::add_release(word, (u64(1) << kPeerArrivals) + (u64(flags) << kPeerFlags) + brought);
      sh.late = 0;
    }
    __syncthreads();
    if (blockIdx.x == 0) {
      if (warp() == 0) tell(word, shift, carry);
    } else if (threadIdx.x == 0) {
      const u64 since = clock64();
      u32 looks = 0;
      while (ptx::load_acquire(&own->go) != round + 1) {
        if (waits(since, looks, false)) continue;
        sh.late = 1;
        break;
      }
      const volatile PeerState* s = own;
      sh.count = s->count, sh.edges = s->edges, sh.brought = s->brought, sh.flags = s->flags;
      for (u32 j = 0; j < a.count; j++) sh.received[j] = s->received[j];
    }
    __syncthreads();
    late = *(volatile u32*)&sh.late;
    round++;
  }

  // The words of a barrier: blocks that arrived, the flag, and the sum of what they brought.
  static constexpr u32 kPeerArrivals = 48;
  static constexpr u32 kPeerFlags = 47;
  static constexpr u64 kPeerSum = (u64(1) << kPeerFlags) - 1;

  // tell is what the first warp of a GPU does once its blocks have arrived: a lane for each
  // other GPU.
  __device__ __forceinline__ void tell(const u64* word, u32 shift, bool carry) {
    const u64 since = clock64();
    u32 looks = 0;
    bool there = true;
    u64 x = ptx::load_acquire(word);
    while (x >> kPeerArrivals < gridDim.x) {
      if (!waits(since, looks, false)) {
        there = false;
        break;
      }
      x = ptx::load_acquire(word);
    }
    there = __all_sync(kAll, there);
    const u32 j = lane();
    const bool mine = j < a.count;
    const u64 tail = *(const volatile u64*)&filling()->tail;
    u64 count = 0, edges = 0, brought = 0;
    u32 flags = 0;
    if (there && mine) {
      const u32 sent = j == a.me ? 0 : *(volatile u32*)&own->sent[j];
      own->sent[j] = 0;
      PeerMail* to = &a.state[j]->mail[round & 1][a.me];
      volatile PeerMail* v = to;
      v->tail = tail, v->brought = x & kPeerSum, v->sent = sent, v->flags = u32(x >> kPeerFlags & 1);
      ptx::store_release_system(&to->stamp, u64(round) + 1);
      const PeerMail* from = &own->mail[round & 1][j];
      while (ptx::load_acquire_system(&from->stamp) != u64(round) + 1) {
        if (waits(since, looks, true)) continue;
        there = false;
        break;
      }
      const volatile PeerMail* w = from;
      count = w->tail >> shift, edges = w->tail & ((u64(1) << shift) - 1), brought = w->brought, flags = w->flags;
      own->received[j] = w->sent;
      sh.received[j] = w->sent;
    }
    there = __all_sync(kAll, there);
#pragma unroll
    for (u32 d = 1; d < kMostPeers; d *= 2) {
      count += __shfl_xor_sync(kAll, count, d);
      edges += __shfl_xor_sync(kAll, edges, d);
      brought += __shfl_xor_sync(kAll, brought, d);
      flags |= __shfl_xor_sync(kAll, flags, d);
    }
    __syncwarp();
    if (j != 0) return;
    if (!there) {
      sh.late = 1;
      return;
    }
    own->count = sh.count = count, own->edges = sh.edges = edges, own->brought = sh.brought = brought;
    own->flags = sh.flags = flags;
    if (carry) own->slots[(round + 1) & 3].tail = tail;
    __threadfence();
    *(volatile u32*)&own->go = round + 1;
  }

  // leave notes the rounds for the next launch, after the last barrier.
  __device__ __forceinline__ void leave() {
    if (first()) own->round = round;
  }
};

}  // namespace foray
