// This file holds the barrier of kernels that stay on several GPUs of one machine, which load
// and store each other's memory. The last block of a GPU to arrive tells all GPUs; every block
// waits for the mail of all of them.
#pragma once

#include "frontier/ptx.cuh"
#include "frontier/queue.cuh"

namespace foray {

// kMostPeers is how many GPUs there may be.
constexpr u32 kMostPeers = 8;

// kPeerWords is how many words a GPU tells another one. Each has 32 bits and the barrier's number, so
// that it can be stored and loaded at once, and needs no other word to say that it is there.
constexpr u32 kPeerWords = 4;
static_assert(kPeerWords * kMostPeers == 32, "a lane has one each");

// PeerState is a GPU's own part of the barrier. All of it is zero before the first launch; a
// launch leaves it as the next one needs it.
struct PeerState {
  u64 mail[2][kMostPeers][kPeerWords];  // from each GPU, used in turn; others write it
  u64 words[4];                         // of this GPU's blocks, used in turn: arrivals from bit kPeerArrivals on, the sum below
  Slot slots[4];                        // of queues, used in turn
  u32 sent[kMostPeers];                 // entries sent to each GPU since the last barrier
  u32 round;                            // barriers of all launches
  u32 late;                             // a block waited longer than its patience: all must end
  u32 dealt;                            // parts of some work that blocks have taken; the kernel that counts them leaves 0
  u32 pad[5];
};
static_assert(sizeof(PeerState) == 1120, "the host has the same layout");

// kPeersLookEvery is how often the host's wish for an end is looked for, in ticks of a multiprocessor.
constexpr u64 kPeersLookEvery = 1 << 20;

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
  u64 count, edges;          // of the queue, on all GPUs
  u64 edges_of[kMostPeers];  // of each GPU's queue
  u32 count_of[kMostPeers];
  u64 brought;               // by all blocks
  u32 received[kMostPeers];  // what each GPU has brought or sent to this one
  u32 stopped;               // the host of one of them wishes an end
  u32 last;
  u32 late;
};

// Peers is a block's view of it. Threads hold the same in registers.
struct Peers {
  const PeersArgs& a;
  PeersShared& sh;
  PeerState* own;
  u32 round;  // the barrier to come
  u32 q = 0;  // the slot that queues are filled by
  bool late;  // the same for all threads of the block
  u64 looked; // when this block looked for the host's wish

  // All threads of the block make one together.
  __device__ Peers(const PeersArgs& args, PeersShared& shared) : a(args), sh(shared), own(args.state[args.me]), round(ptx::load_acquire(&own->round)), looked(clock64()) {
    late = __syncthreads_or(*(volatile u32*)&own->late);
  }

  __device__ __forceinline__ bool first() const { return blockIdx.x == 0 && threadIdx.x == 0; }

  // filling is the slot of the queue that is being filled, filled the previous one. turn moves to the next
  // queue; two barriers at least are between one turn and the next but one.
  __device__ __forceinline__ Slot* filling() const { return &own->slots[q & 3]; }
  __device__ __forceinline__ const Slot* filled() const { return &own->slots[(q - 1) & 3]; }
  __device__ __forceinline__ void turn() {
    q++;
    if (first()) {
      own->slots[(q + 1) & 3].tail = 0;
      own->slots[(q + 1) & 3].visited = 0;
    }
  }

  // give_up ends the traversal on all GPUs.
  __device__ __forceinline__ void give_up() const {
    for (u32 j = 0; j < a.count; j++) *(volatile u32*)&a.state[j]->late = 1;
    __threadfence_system();
  }

  static constexpr u32 kPeerArrivals = 48;
  static constexpr u64 kPeerSum = (u64(1) << kPeerArrivals) - 1;

  // meet waits for all blocks of all GPUs. Earlier writes are visible afterwards, wherever
  // they are. shift belongs to the queue whose size the GPUs add up. Blocks bring 32 bits in total on each
  // GPU, or send entries to inboxes.
  __device__ __forceinline__ void meet(u64 brought, u32 shift) {
    __syncthreads();
    if (late) return;
    u64* word = &own->words[round & 3];
    if (threadIdx.x == 0) {
      if (blockIdx.x == 0) own->words[(round + 2) & 3] = 0;  // no block is at that barrier yet, or any more
      __threadfence();
      const u64 was = atomicAdd(word, (u64(1) << kPeerArrivals) + brought);
      sh.last = was >> kPeerArrivals == gridDim.x - 1;
      sh.late = 0;
      if (sh.last) sh.brought = (was & kPeerSum) + brought;
    }
    __syncthreads();
    if (warp() == 0) {
      if (sh.last) tell(u32(sh.brought));
      hear(shift);
    }
    __syncthreads();
    late = *(volatile u32*)&sh.late;
    round++;
  }

  // tell tells all GPUs, a lane for each word of each.
  __device__ __forceinline__ void tell(u32 brought) {
    const u32 j = lane() / kPeerWords, which = lane() % kPeerWords;
    u32 x = 0;
    __threadfence();  // the other blocks' counts
    __syncwarp();
    u32 wish = 0;
    if (lane() == 0 && clock64() - looked > kPeersLookEvery) {
      wish = *a.stop != 0;  // over the bus
      looked = clock64();
    }
    wish = __shfl_sync(kAll, wish, 0);
    if (j < a.count) {
      const u64 tail = *(const volatile u64*)&filling()->tail;
      switch (which) {
        case 0: x = u32(tail); break;
        case 1: x = u32(tail >> 32); break;
        case 2:
          x = brought + *(volatile u32*)&own->sent[j];
          own->sent[j] = 0;
          break;
        default: x = wish;
      }
    }
    __syncwarp();
    __threadfence_system();
    if (j < a.count) *(volatile u64*)&a.state[j]->mail[round & 1][a.me][which] = u64(round + 1) << 32 | x;
  }

  // hear waits for the words of all GPUs, with a lane for each word of each.
  __device__ __forceinline__ void hear(u32 shift) {
    const u32 j = lane() / kPeerWords, which = lane() % kPeerWords;
    const bool mine = j < a.count;
    const volatile u64* at = &own->mail[round & 1][j][which];
    const u64 since = clock64();
    u64 x = 0;
    bool given_up = false;
    for (u32 looks = 1;; looks++) {
      if (mine) x = *at;
      if (__all_sync(kAll, !mine || u32(x >> 32) == round + 1)) break;
      if (looks % 256) continue;
      const bool gone = *(volatile u32*)&own->late;
      if (__any_sync(kAll, gone)) {
        given_up = true;
        break;
      }
      const bool wish = blockIdx.x == 0 && lane() == 0 && *a.stop != 0;
      if (__any_sync(kAll, wish || clock64() - since > u64(a.patience) << 20)) {
        if (lane() == 0) give_up();
        given_up = true;
        break;
      }
    }
    __threadfence_system();
    const u32 said = mine ? u32(x) : 0;
    const u32 high = __shfl_down_sync(kAll, said, 1), third = __shfl_down_sync(kAll, said, 2), fourth = __shfl_down_sync(kAll, said, 3);
    const u64 tail = u64(high) << 32 | said;
    const bool begins = which == 0;
    u64 count = begins ? tail >> shift : 0, edges = begins ? tail & ((u64(1) << shift) - 1) : 0, brought = begins ? third : 0;
    if (begins && mine) sh.received[j] = third, sh.count_of[j] = u32(count), sh.edges_of[j] = edges;
#pragma unroll
    for (u32 d = kPeerWords; d < 32; d *= 2) {
      count += __shfl_xor_sync(kAll, count, d);
      edges += __shfl_xor_sync(kAll, edges, d);
      brought += __shfl_xor_sync(kAll, brought, d);
    }
    const u32 stopped = __ballot_sync(kAll, begins && fourth != 0);
    if (lane() == 0) {
      sh.count = count, sh.edges = edges, sh.brought = brought, sh.stopped = stopped != 0;
      if (given_up) sh.late = 1;
    }
  }

  // leave notes the rounds for the next launch, after the last barrier, and clears slots.
  __device__ __forceinline__ void leave() {
    if (!first()) return;
    own->round = round;
    for (u32 i = 0; i < 4; i++) own->slots[i].tail = 0;
  }
};

}  // namespace foray
