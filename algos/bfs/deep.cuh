// This file holds the levels of a search whose frontier is small, in one cluster
// of blocks: a level costs a barrier of the cluster and the latency of one load.
//
// Every vertex belongs to a block, which has its visited bit in shared memory. A
// block that expands a vertex sends its neighbours to their owners, each with
// the vertex as its parent, into inboxes in shared memory; after the barrier the
// owners claim what came, label it and expand it. Vertices of long rows, and
// those whose neighbours found an inbox full, are put on a list that all blocks
// go through after the barrier, each for the neighbours that are its own.
#pragma once

#include "algos/bfs/fused.cuh"
#include "algos/bfs/heads.cuh"
#include "frontier/cluster.cuh"
#include "frontier/ptx.cuh"

namespace foray {

// Tuning: entries of an inbox from another block and from the block itself, which
// sends more to itself where neighbours have ids nearby, and the longest
// row that a thread walks alone.
constexpr u32 kInbox = 256;
constexpr u32 kOwnInbox = 2048;
constexpr u32 kLongRow = 32;

// DeepArgs is what deep takes beside FusedArgs.
struct DeepArgs {
  const uint4* heads;
  u32 local;  // words of visited bits that a block keeps in shared memory; 0: none
  u32 pad;
};

struct DeepShared {
  u64 inbox[2][kClusterBlocks * kInbox + kOwnInbox];  // parent above, vertex below
  u64 mail[2][kClusterBlocks];  // from each block: entries in 16 bits, targets in 16, the rest above
  u32 sent[2][kClusterBlocks];
  u32 accepted[2];
  u32 flags[2];
  u32 hits[2];  // targets among those accepted
  u32 pad[2];
  Stage stage;
};

static_assert(sizeof(DeepShared) == 102928, "the host knows the size");

// What comes with the number of vertices that a block accepted.
constexpr u32 kHubs = 1u << 30;  // the list isn't empty
constexpr u32 kStop = 1u << 31;  // the host wants an end

// With kTargets it looks for targets, which costs searches without any 3%.
template <class Offset, bool kTargets>
struct Deep {
  const FusedArgs<Offset>& a;
  const DeepArgs& d;
  DeepShared& sh;
  u32* local;   // visited bits of this block's vertices, in shared memory, if d.local
  u32* plane;   // else those of all, in the search's bitmap
  u32 *even, *odd; // lists of vertices that all blocks expand, made in such steps
  u32 rank, size, bits_of_size, box;  // box: which inboxes are written
  u32 step;     // since the kernel began
  i32 depth;    // that is being assigned

  __device__ __forceinline__ u32 owner(u32 v) const { return v >> 5 & (size - 1); }

  // claim marks a vertex of this block's visited and says whether it wasn't.
  __device__ __forceinline__ bool claim_own(u32 v) const {
    const u32 bit = 1u << (v & 31);
    if (d.local) return !(atomicOr(local + (v >> 5 >> bits_of_size), bit) & bit);
    if (atomicOr(plane + (v >> 5), bit) & bit) return false;
    atomicOr(a.written + (v >> 5), bit);
    return true;
  }

  __device__ __forceinline__ void label(u32 v, u32 parent) const {
    if (a.depths) a.depths[v] = depth;
    if (a.parents) a.parents[v] = parent;
  }

  // hit counts v if it is a target.
  __device__ __forceinline__ void hit(u32 v) const {
#pragma unroll 1
    for (u32 i = 0; i < a.targets; i++) {
      if (a.target[i] == v) atomicAdd(&sh.hits[box], 1u);
    }
  }

  // send sends up to N neighbours of v to their owners and says whether all found
  // room. The places are asked for together: they take as long as one.
  template <u32 N>
  __device__ __forceinline__ bool send(const u32 (&t)[N], const bool (&want)[N], u32 v) const {
    u32 at[N];
#pragma unroll
    for (u32 j = 0; j < N; j++) {
      at[j] = ptx::count_if(want[j], &sh.sent[box][owner(t[j])]);
      ptx::prefetch(d.heads + (want[j] ? t[j] : v));
    }
    bool all = true;
#pragma unroll
    for (u32 j = 0; j < N; j++) {
      const u32 to = owner(t[j]);
      const bool room = at[j] < (to == rank ? kOwnInbox : kInbox);
      cluster_put_if(want[j] && room, &sh.inbox[box][(to == rank ? kClusterBlocks * kInbox : rank * kInbox) + at[j]], to, u64(v) << 32 | t[j]);
      all = all && (room || !want[j]);
    }
    return all;
  }

  // aside puts a vertex on the list.
  __device__ __forceinline__ void aside(u32 v) const {
    (step & 1 ? odd : even)[atomicAdd(&a.state->hubs[step % 3], 1u)] = v;
    atomicOr(&sh.flags[box], kHubs);
    __threadfence();
  }

  // expand sends the neighbours of a vertex to their owners.
  __device__ __forceinline__ void expand(u32 v, u32 parent, const uint4& h) const {
    bool all;
    if (h.w != kElsewhere) {
      const u32 t[4] = {h.x, h.y, h.z, h.w};
      bool want[4];
#pragma unroll
      for (u32 j = 0; j < 4; j++) want[j] = t[j] != kNoVertex && t[j] != parent;
      all = send(t, want, v);
    } else {
      all = h.z <= kLongRow;
      const u32* row = a.out.targets + (u64(h.y) << 32 | h.x);
#pragma unroll 1
      for (u32 j = 0; all && j < h.z; j++) {
        const u32 t[1] = {row[j]};
        const bool want[1] = {t[0] != parent};
        all = send(t, want, v);
      }
    }
    if (!all) aside(v);
  }

  // end ends a step: every block tells every other one how much it sent, and how
  // many vertices it accepted. Nobody waits for what meanwhile writes until the
  // step after.
  template <class Meanwhile>
  __device__ __forceinline__ void end(Meanwhile&& meanwhile) {
    __syncthreads();
    if (threadIdx.x < size) {
      const u32 to = threadIdx.x, n = min(sh.sent[box][to], to == rank ? kOwnInbox : kInbox);
      cluster_put(&sh.mail[box][rank], to, u64(sh.accepted[box] | sh.flags[box]) << 32 | (kTargets ? sh.hits[box] << 16 : 0) | n);
      sh.sent[box][to] = 0;  // for the step after the next one
    }
    cluster_arrive();
    meanwhile();
    cluster_wait();
    box ^= 1;
    step++;
  }
};

template <bool kTargets, class Offset>
__device__ void deep(const FusedArgs<Offset>& a, const DeepArgs& d, DeepShared& sh, u32* local) {
  volatile FusedState* state = a.state;
  if (state->next != kOneCluster) return;
  const u32 blocks = cluster_size();
  Deep<Offset, kTargets> x{a, d, sh, local, nullptr, nullptr, nullptr, cluster_rank(), blocks, u32(__ffs(blocks)) - 1, 0, 0, 0};
  const u32 rank = x.rank, size = x.size, words = (a.out.n + 31) / 32, k = state->k, q = state->q;
  u32 level = state->level;  // of the frontier that was expanded last
  u32* plane = a.planes + u64(k) * a.stride;
  x.even = a.items[q ^ 1], x.odd = (u32*)a.prefix[q ^ 1];
  x.plane = plane;
  if (d.local) {
    for (u32 w = threadIdx.x * size + rank; w < words; w += kBlock * size) local[w / size] = plane[w];
  }
  if (threadIdx.x < kClusterBlocks) sh.sent[0][threadIdx.x] = sh.sent[1][threadIdx.x] = 0;
  if (threadIdx.x < 2) sh.accepted[threadIdx.x] = sh.flags[threadIdx.x] = 0;
  if (kTargets && threadIdx.x < 2) sh.hits[threadIdx.x] = 0;
  u32 targets = 0;  // that were reached
  for (u32 i = 0; kTargets && i < a.targets; i++) targets += *(const volatile u32*)(plane + (a.target[i] >> 5)) >> (a.target[i] & 31) & 1;
  if (rank == 0 && threadIdx.x < 3) a.state->hubs[threadIdx.x] = 0;
  Slot* slot = &a.engine.grid->slots[(*(volatile u32*)&a.engine.grid->round - 1) & 3];
  const u64 tail = *(volatile u64*)&slot->tail, edges = tail & ((u64(1) << a.shift) - 1);
  const u32 count = u32(tail >> a.shift);
  __threadfence();
  cluster_meet();  // all are ready for what is sent to them, and have read the count
  if (rank == 0 && threadIdx.x == 0) *(volatile u64*)&slot->tail = 0;
  __threadfence();

  for (u32 i = rank * kBlock + threadIdx.x; i < count; i += size * kBlock) {
    const u32 v = a.items[q][i];
    x.expand(v, kNoVertex, d.heads[v]);
  }
  if (rank == 0 && threadIdx.x == 0) sh.accepted[0] = count;
  if (a.engine.levels && rank == 0 && threadIdx.x == 0 && level < a.engine.room) {
    a.engine.levels[level] = LevelNote{count, edges, ptx::globaltimer(), 0, 0};
  }
  x.end([] {});

  Emitter<Offset> out(Queue<Offset>{a.items[q], a.prefix[q], a.out.offsets, a.shift, 0}, slot, sh.stage);
  bool leaving = false;
  u32 last = count;  // accepted in the level before
  u64 looked = clock64(), visited = state->visited - count;
  for (;;) {
    // What came, from whom: the same in every warp.
    const u64 mail = lane() < size ? sh.mail[x.box ^ 1][lane()] : 0;
    const u32 came = kTargets ? u32(mail) & 0xffff : u32(mail), note = u32(mail >> 32);
    // Of what came the part before each block's, and all.
    const u32 before = warp_inclusive(came) - came, total = warp_sum(came);
    if (threadIdx.x == 0) sh.accepted[x.box ^ 1] = sh.flags[x.box ^ 1] = 0;  // told; of the step to come after this one
    if (kTargets && threadIdx.x == 0) sh.hits[x.box ^ 1] = 0;
    const u32 accepted = warp_sum(note & (kHubs - 1));
    const u32 flags = warp_or(note & (kHubs | kStop));
    visited += accepted;
    if (accepted == 0 || leaving) break;
    if (kTargets) {
      targets += warp_sum(u32(mail) >> 16);
      if (targets == a.targets) {
        // The whole grid ends the search: nobody expands the frontier, which needn't be listed.
        if (rank == 0 && threadIdx.x == 0) *(volatile u64*)&slot->tail = u64(accepted) << a.shift;
        break;
      }
    }
    // Leave while there is room for what the next level sends.
    leaving = accepted > a.leave || level + 1 >= a.limit || (flags & kStop) ||
              u64(accepted) * accepted > u64(last) * a.sends;
    last = accepted;
    level++;
    x.depth = i32(level);
    u32 mine = 0;
    u64 degrees = 0;
    // Labels are written one step late, behind the barrier, which waits for all
    // that was written before.
    u32 late = kNoVertex, late_parent = 0;
    auto write_late = [&] {
      if (late != kNoVertex) x.label(late, late_parent);
    };
    auto take = [&](bool have, u32 v, u32 parent) {
      uint4 h;
      if (have) h = d.heads[v];  // on its way while the claim is
      const bool fresh = have && x.claim_own(v);
      if (fresh) {
        write_late();
        late = v;
        late_parent = parent;
        mine++;
        if (kTargets) x.hit(v);
        if (a.engine.levels) degrees += a.out.offsets[v + 1] - a.out.offsets[v];
        if (!leaving) x.expand(v, parent, h);
      }
      if (leaving) out.put(fresh, v);
    };
    for (u32 base = 0; base < total; base += kBlock) {
      const u32 i = base + threadIdx.x;
      u32 from = 0;  // the last block whose entries begin at or before i
#pragma unroll
      for (u32 s = kClusterBlocks / 2; s > 0; s /= 2) {
        if (__shfl_sync(kAll, before, from + s) <= i) from += s;
      }
      const u32 at = i - __shfl_sync(kAll, before, from);
      const u32 place = from == rank ? kClusterBlocks * kInbox : from * kInbox;
      const bool have = i < total;
      const u64 entry = have ? sh.inbox[x.box ^ 1][place + at] : 0;
      take(have, u32(entry), u32(entry >> 32));
      if (leaving) out.relieve();
    }
    if (flags & kHubs) {
      const u32 hubs = *(volatile u32*)&a.state->hubs[(x.step - 1) % 3];
      volatile u32* list = x.step & 1 ? x.even : x.odd;
      // Rows of middling length by warps, then long ones by the block.
#pragma unroll 1
      for (u32 pass = 0; pass < 2; pass++) {
        const u32 step = pass ? kBlock : 32, from = pass ? threadIdx.x : lane();
#pragma unroll 1
        for (u32 h = pass ? 0 : warp(); h < hubs; h += pass ? 1 : kWarps) {
          const u32 v = list[h];
          const u64 b = a.out.offsets[v], e = a.out.offsets[v + 1];
          if ((e - b >= kBlock) != (pass != 0)) continue;
#pragma unroll 1
          for (u64 base = b; base < e; base += step) {
            const u64 i = base + from;
            const u32 u = i < e ? a.out.targets[i] : 0;
            take(i < e && x.owner(u) == rank, u, v);
          }
        }
        __syncwarp();
      }
    }
    if (rank == 0 && threadIdx.x == 0) *(volatile u32*)&a.state->hubs[(x.step + 1) % 3] = 0;
    if (leaving) out.flush();
    mine = warp_sum(mine);
    if (lane() == 0 && mine) atomicAdd(&sh.accepted[x.box], mine);
    if (a.engine.levels && level < a.engine.room) {
      if (lane() == 0 && mine) atomicAdd(&a.engine.levels[level].frontier, u64(mine));
      if (degrees) atomicAdd(&a.engine.levels[level].edges, degrees);
      if (rank == 0 && threadIdx.x == 0) a.engine.levels[level].began = ptx::globaltimer();
    }
    // One thread looks, and tells it with the rest: were several to look, one block
    // might be told and another one not.
    if (rank == 0 && threadIdx.x == 0) {
      const u64 now = clock64();
      if (now - looked > kLookEvery) {
        looked = now;
        if (*a.engine.stop) atomicOr(&sh.flags[x.box], kStop);
      }
    }
    x.end(write_late);
  }

  if (d.local) {
    for (u32 w = threadIdx.x * size + rank; w < words; w += kBlock * size) {
      const u32 now = local[w / size], fresh = now & ~plane[w];
      if (fresh) {
        plane[w] = now;
        a.written[w] |= fresh;
      }
    }
  }
  if (rank == 0 && threadIdx.x == 0) {
    state->next = kWholeGrid;
    state->level = level;
    state->visited = visited;
    state->levels = level;  // those before it; whether it has a vertex the queue says
  }
}

}  // namespace foray
