// This file holds the search on several GPUs of one machine, as one kernel on each, which stay until it ends. Over
// rows by rising weight it goes by windows of distance, then sweeps over in-edges, as light.go does on one device. Over
// other rows it goes by stages of distance: what is beyond a stage waits, and is found by its distance.
//
// A vertex belongs to one GPU, which has its rows. Each GPU has a copy of all distances. In a push a GPU lowers its own
// copy. It sends the vertices of others that it found, each once, to the GPUs that they belong to, with the distances
// that it has. So an owner has the least distance of a vertex, and others have one that is as large at least. Before
// sweeps, and after each, owners store what they have to the copies of all.
#pragma once

#include "algos/sssp/across_args.cuh"

namespace foray {

// Tuning: a frontier of more than one own vertex in kPathsInOrder is put in order, and how many vertices of a pass a
// thread has under way.
constexpr u32 kPathsInOrder = 16;
constexpr u32 kPathsSeveral = 8;

constexpr u32 kTaken = 4;  // likewise, of messages
constexpr u32 kPathsFew = 4;  // stages get wider once a kPathsFew-th of the edges is left

constexpr float kFarthest = 3.402823466e38f;  // the largest finite number

// Paths is a search's view of a block. All blocks of all GPUs decide alike.
template <class Offset>
struct Paths {
  const PathsArgs<Offset>& a;
  PathsShared<Offset>& sh;
  Peers peers;
  u32 round;            // the barrier to come among this GPU's blocks
  u32 level = 0;        // rounds and sweeps
  u32 q = 0;            // the queue that holds the frontier
  u32 count = 0;        // of this GPU's frontier
  u32 turn = 0;         // the bitmap that is marked next, and the inbox
  bool marked = false;  // the other bitmap has the frontier
  bool any = true;      // there may be a frontier on some GPU
  float stage;          // of whole rows: vertices beyond it wait
  float width;          // of the next stage

  __device__ Paths(const PathsArgs<Offset>& args, PathsShared<Offset>& shared) : a(args), sh(shared), peers(args.peers, shared.peers), round(ptx::load_acquire(&board()->round)) {}

  __device__ __forceinline__ Board* board() const { return a.board[a.peers.me]; }
  __device__ __forceinline__ float* dist() const { return a.dist[a.peers.me]; }
  __device__ __forceinline__ Slot* filling() const { return &board()->slots[round & 3]; }
  __device__ __forceinline__ u32 filled() const { return u32(*(const volatile u64*)&board()->slots[(round - 1) & 3].tail); }
  __device__ __forceinline__ Queue<Offset> queue(u32* items) const { return Queue<Offset>{items, nullptr, nullptr, 0, 0}; }
  __device__ __forceinline__ bool ends() const { return peers.late || sh.peers.stopped; }

  // local waits for all blocks of this GPU, as Grid::meet does.
  __device__ __forceinline__ void local() {
    __syncthreads();
    if (peers.late) return;
    Board* b = board();
    if (threadIdx.x == 0) {
      u64* word = &b->words[round & 3];
      if (blockIdx.x == 0) {  // no block is at that barrier yet, or any more
        b->words[(round + 2) & 3] = 0;
        b->slots[(round + 2) & 3].tail = 0;
      }
      ptx::add_release(word, 1);
      sh.gone = 0;
      const u64 since = clock64();
      for (u32 looks = 1; ptx::load_acquire(word) < gridDim.x; looks++) {
        if (looks % 256) continue;
        if (*(const volatile u32*)&peers.own->late || clock64() - since > u64(a.peers.patience) << 20) {
          peers.give_up();
          sh.gone = 1;
          break;
        }
      }
    }
    __syncthreads();
    peers.late = *(const volatile u32*)&sh.gone;
    round++;
  }

  // all waits for all blocks of all GPUs. Blocks add to said before; sh.peers.count is the sum over all GPUs. The first
  // thread calls quiet earlier, between two barriers of its GPU.
  __device__ __forceinline__ void all() { peers.meet(0, 0); }
  __device__ __forceinline__ u64* said() const { return (u64*)&peers.filling()->tail; }
  __device__ __forceinline__ void quiet() const { *(volatile u64*)said() = 0; }

  // tell stores a word to all GPUs, by the first thread of this one.
  template <class T, class At>
  __device__ __forceinline__ void tell(T x, At at) const {
    for (u32 j = 0; j < a.peers.count; j++) *(volatile T*)at(a.board[j]) = x;
  }

  // leasts returns the least key that a GPU told.
  __device__ __forceinline__ u32 leasts(u32 slot) const {
    u32 x = kExhausted;
    for (u32 j = 0; j < a.peers.count; j++) x = min(x, *(const volatile u32*)&board()->least[slot][j]);
    return x;
  }

  __device__ __forceinline__ void begin() {
    width = a.width;
    stage = min(width, a.most);
    if (peers.first()) {
      const u32 none = kExhausted;
      *a.window = Window{0, -1, a.whole ? kFarthest : stage, a.width, a.most, a.full, a.cost, 0, {none, none, none, none}, {0, 0}, a.edges, 0, a.notes - a.base, a.aside};
      board()->lowest = none;
    }
    for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < a.count; i += gridDim.x * kBlock) a.notes[i] = kUntouched;
    if (blockIdx.x == 0) {
      Emitter<Offset> out(queue(a.items[0]), filling(), sh.stage);
      for (u32 base = 0; base < a.sources; base += kBlock) {
        const u32 i = base + threadIdx.x, s = i < a.sources && a.source ? a.source[i] : a.only;
        out.put(i < a.sources && s - a.base < a.stride, s);
        out.relieve();
      }
      out.flush();
    }
    local();
    count = filled();
  }

  // unmark clears the bits of the frontier.
  __device__ __forceinline__ void unmark() {
    if (!marked) return;
    for (u32 i = blockIdx.x * kBlock + threadIdx.x; i < count; i += gridDim.x * kBlock) a.marks[turn ^ 1][a.items[q][i] >> 5] = 0;
    marked = false;
  }

  // push pushes the frontier along the edges of the window under way: all GPUs tell each other what they found.
  __device__ __forceinline__ void push() {
    unmark();
    level++;
    if (peers.first()) quiet();
    u32* seen = a.marks[turn];
    const In<Offset> in{a.items[q], nullptr, nullptr, 0, count, 0};
    Nearer at{dist(), a.weights, seen, a.most};
    u32 n = 0;
    {
      Emitter<Offset> out(queue(a.found), filling(), sh.stage);
      Light<Offset, Nearer> light(a.out, a.weights, dist(), a.window, level & 1, at, out, sh.pending[warp()]);
      light.rows(in);
      light.count(sh.totals);
      out.flush();
    }
    if (a.aside) {
      local();
      if (peers.late) return;
      n = filled();
      if (peers.first()) a.window->parts[(level & 1) ^ 1] = 0;
      Emitter<Offset> more(queue(a.found + n), filling(), sh.stage);
      Light<Offset, Nearer> rest(a.out, a.weights, dist(), a.window, level & 1, at, more, sh.pending[warp()]);
      rest.rest();
      more.flush();
    }
    local();
    if (peers.late) return;
    n += filled();
    send(n, seen);
    all();
    if (ends()) return;
    any = sh.peers.count != 0;
    take(seen);
    marked = true;
    turn ^= 1;
  }

  // send makes the own vertices among those that were found the next frontier, and sends the others.
  __device__ __forceinline__ void send(u32 n, u32* seen) {
    if (peers.first()) {
      const u64 settled = *(const volatile u64*)&a.window->settled;
      tell(settled, [&](Board* b) { return &b->settled[a.peers.me]; });
    }
    u64 many = 0;
    Emitter<Offset> out(queue(a.items[q ^ 1]), filling(), sh.stage);
    for (u64 base = u64(blockIdx.x) * kBlock; base < n; base += u64(gridDim.x) * kBlock) {
      const u64 i = base + threadIdx.x;
      const bool have = i < n;
      const u32 t = have ? a.found[i] : a.base;
      const bool mine = t - a.base < a.stride, sends = have && !mine;
      const float d = sends || have && a.whole ? *(const volatile float*)&dist()[t] : 0.0f;
      const bool now = have && mine && !(a.whole && d > stage);
      if (have && mine && !now) atomicAnd(seen + (t >> 5), ~(1u << (t & 31)));
      many += now || sends;
      out.put(now, t);
      if (__any_sync(kAll, sends)) {
        // A lane for each GPU makes room in the inbox there.
        const u32 owner = sends ? t / a.stride : kMostPeers;
        u32 room = 0, rank = 0, at = 0;
        for (u32 j = 0; j < a.peers.count; j++) {
          const u32 some = __ballot_sync(kAll, owner == j);
          if (lane() == j) room = __popc(some);
          if (owner == j) rank = __popc(some & lanes_below());
        }
        if (room) at = atomicAdd(&peers.own->sent[lane()], room);
        at = __shfl_sync(kAll, at, owner & 31) + rank;
        if (sends) {
          a.inbox[turn][owner][at] = u64(__float_as_uint(d)) << 32 | t;
          seen[t >> 5] = 0;
        }
      }
      __syncwarp();
      out.relieve();
    }
    out.flush();
    add_up(many, sh.totals, said());
  }

  // take takes what came into the inboxes: the next frontier is what it found here, and what got nearer by that.
  __device__ __forceinline__ void take(u32* seen) {
    Emitter<Offset> out(queue(a.items[q ^ 1]), filling(), sh.stage);  // behind what was found here
    for (u32 j = 0; j < a.peers.count; j++) {
      const u32 n = sh.peers.received[j];
      for (u64 base = u64(blockIdx.x) * kBlock * kTaken; base < n; base += u64(gridDim.x) * kBlock * kTaken) {
        u64 x[kTaken];
        u32 was[kTaken];
        bool got[kTaken];
#pragma unroll
        for (u32 k = 0; k < kTaken; k++) {
          const u64 i = base + k * kBlock + threadIdx.x;
          got[k] = i < n;
          x[k] = got[k] ? *(const volatile u64*)&a.from[turn][j][i] : 0;
        }
#pragma unroll
        for (u32 k = 0; k < kTaken; k++) was[k] = got[k] ? atomicMin((u32*)&dist()[u32(x[k])], u32(x[k] >> 32)) : 0;
#pragma unroll
        for (u32 k = 0; k < kTaken; k++) {
          const u32 t = u32(x[k]), d = u32(x[k] >> 32), bit = 1u << (t & 31);
          got[k] = d < was[k] && !(a.whole && __uint_as_float(d) > stage);
          if (got[k]) got[k] = !(atomicOr(seen + (t >> 5), bit) & bit);
        }
#pragma unroll
        for (u32 k = 0; k < kTaken; k++) out.put(got[k], u32(x[k]));
        out.relieve();
      }
    }
    out.flush();
    local();
    q ^= 1;
    count = filled();
    if (count > a.count / kPathsInOrder) in_order(seen);
  }

  // in_order makes the own vertices of a bitmap the frontier, in their order: what they have lies side by side.
  __device__ __forceinline__ void in_order(const u32* seen) {
    pass([&](u32 i) { return *(const volatile u32*)&seen[(a.base + i) >> 5]; }, [&](u32 bits, u32 i) { return (bits >> (i & 31) & 1) != 0; });
  }

  // each calls f for so many own vertices, from 0 on: a thread for several, one block apart, whose loads are under way
  // together. All threads of the block make every call.
  template <class F>
  __device__ __forceinline__ void each(u32 n, F f) const {
    for (u64 at = u64(blockIdx.x) * kBlock * kPathsSeveral; at < n; at += u64(gridDim.x) * kBlock * kPathsSeveral) f(u32(at) + threadIdx.x);
  }

  // emit puts what each has found into the next frontier.
  __device__ __forceinline__ void emit(Emitter<Offset>& out, const bool (&in)[kPathsSeveral], u32 first) const {
#pragma unroll
    for (u32 j = 0; j < kPathsSeveral; j++) {
      out.put(in[j], a.base + first + j * kBlock);
      if (j % 4 == 3) out.relieve();
    }
  }

  // pass makes the own vertices that a condition holds for the frontier. It gets what load returns of a vertex.
  template <class Load, class Keep>
  __device__ __forceinline__ void pass(Load load, Keep keep) {
    Emitter<Offset> out(queue(a.items[q]), filling(), sh.stage);
    each(a.count, [&](u32 first) {
      decltype(load(0)) x[kPathsSeveral];
      bool in[kPathsSeveral];
#pragma unroll
      for (u32 j = 0; j < kPathsSeveral; j++) {
        const u32 i = first + j * kBlock;
        if (i < a.count) x[j] = load(i);
      }
#pragma unroll
      for (u32 j = 0; j < kPathsSeveral; j++) {
        const u32 i = first + j * kBlock;
        in[j] = i < a.count && keep(x[j], i);
      }
      emit(out, in, first);
    });
    out.flush();
    local();
    count = filled();
  }

  // window moves on to the next window that has a vertex to visit, as repeat_light.cuh has it, over all GPUs. It
  // reports whether windows end, and leaves where in low: +Inf if nothing is left.
  __device__ __forceinline__ bool window(float& low) {
    Window* w = a.window;
    const volatile Window* is = w;
    const float over = a.whole ? stage : is->high, most = a.most;
    float high = over;
    u32 t = is->turn & 3;
    u64 sum = 0;
    for (u32 j = 0; j < a.peers.count; j++) sum += *(const volatile u64*)&board()->settled[j];
    const float settled = float(sum);
    // Few edges are left: rounds cost more than edges that are relaxed twice.
    if (a.whole && (a.edges - sum) * kPathsFew < a.edges) width *= 2;
    const bool pull = !a.whole && float(a.edges - sum) * min(high / a.full, 1.0f) * a.cost <= settled * min(width / a.full, 1.0f);
    low = pull && high < most ? high : Limits<float>::most();
    if (pull || high >= most) return true;
    for (;;) {
      const float limit = min(high + width > high ? high + width : most, most);
      // The slot of the next look, which no block reads any more: all have met since.
      if (peers.first()) {
        w->least[(t + 1) & 3] = kExhausted;
        quiet();
      }
      due(over, limit, &w->least[t]);
      if (peers.late) return true;
      if (peers.first()) {
        const u32 least = *(const volatile u32*)&w->least[t];
        tell(least, [&](Board* b) { return &b->least[t][a.peers.me]; });
        *(volatile u64*)said() = count;
      }
      all();
      if (ends()) return true;
      if (sh.peers.count != 0) {
        if (peers.first()) {
          w->turn = (t + 1) & 3;
          if (!a.whole) w->above = over, w->high = limit;
        }
        any = true;
        stage = limit;
        local();
        return false;
      }
      const float least = __uint_as_float(leasts(t));
      low = Limits<float>::most();
      if (!(least <= most)) return true;
      high = least;
      t = (t + 1) & 3;
    }
  }

  // due makes the own vertices the frontier that have an edge to visit in the window up to a limit, and notes the
  // least key that one leads to. If rows are whole, these are the vertices beyond over, and their distances.
  __device__ __forceinline__ void due(float over, float limit, u32* least) {
    u32 lowest = kExhausted;
    const u32* keys = a.whole ? (const u32*)dist() + a.base : (const u32*)a.notes;
    const u32 apart = a.whole ? 1 : 2;
    Emitter<Offset> out(queue(a.items[q]), filling(), sh.stage);
    each(a.count, [&](u32 first) {
      u32 key[kPathsSeveral];
      bool in[kPathsSeveral];
#pragma unroll
      for (u32 j = 0; j < kPathsSeveral; j++) {
        const u32 i = first + j * kBlock;
        key[j] = i < a.count ? *(const volatile u32*)&keys[u64(apart) * i] : kUntouched;
      }
#pragma unroll
      for (u32 j = 0; j < kPathsSeveral; j++) {
        if (a.whole && !(__uint_as_float(key[j]) > over)) key[j] = kUntouched;
        lowest = min(lowest, key[j]);
        in[j] = __uint_as_float(key[j]) <= limit;  // no number isn't
      }
      emit(out, in, first);
    });
    lowest = fold_block<u32, kMin>(lowest, sh.totals);
    if (threadIdx.x == 0 && lowest != kExhausted) atomicMin(least, lowest);
    out.flush();
    local();
    count = filled();
  }

  // store stores a distance to the copies of all other GPUs, 32 bytes at a time: where one of eight lanes has to.
  __device__ __forceinline__ void store(u32 bits, u32 v, float d) const {
    if (!(bits >> (lane() & 24) & 0xff)) return;
    const u32 n = a.peers.count;
    for (u32 k = 1; k < n; k++) *(volatile float*)&a.dist[(a.peers.me + k) % n][v] = d;
  }

  // spread_all stores all own distances that are finite to the copies of other GPUs.
  __device__ __forceinline__ void spread_all() const {
    const float* own = dist() + a.base;
    each(a.count, [&](u32 first) {
      float d[kPathsSeveral];
#pragma unroll
      for (u32 j = 0; j < kPathsSeveral; j++) {
        const u32 i = first + j * kBlock;
        d[j] = i < a.count ? *(const volatile float*)&own[i] : Limits<float>::most();
      }
#pragma unroll
      for (u32 j = 0; j < kPathsSeveral; j++) {
        const u32 i = first + j * kBlock, bits = __ballot_sync(kAll, d[j] < Limits<float>::most());
        if (i < a.count) store(bits, a.base + i, d[j]);
      }
    });
  }

  // spread stores the own distances that changed, and clears their bitmap. A warp takes 32 words.
  __device__ __forceinline__ void spread(u32* changed) const {
    constexpr u32 kWords = 4;  // under way together
    const float* own = dist();
    const u32 from = a.base / 32, words = (a.count + 31) / 32;
    for (u32 at = (blockIdx.x * kWarps + warp()) * 32; at < words; at += gridDim.x * kWarps * 32) {
      u32 word = at + lane() < words ? *(const volatile u32*)&changed[from + at + lane()] : 0;
      if (word) changed[from + at + lane()] = 0;
      for (u32 todo = __ballot_sync(kAll, word != 0); todo;) {
        u32 bits[kWords], v[kWords];
        float d[kWords];
#pragma unroll
        for (u32 j = 0; j < kWords; j++) {
          const u32 src = todo ? __ffs(todo) - 1 : 0;
          bits[j] = __shfl_sync(kAll, word, src);
          if (!todo) bits[j] = 0;
          todo &= todo - 1;
          v[j] = (from + at + src) * 32 + lane();
          d[j] = bits[j] ? *(const volatile float*)&own[v[j]] : 0.0f;
        }
#pragma unroll
        for (u32 j = 0; j < kWords; j++) store(bits[j], v[j], d[j]);
      }
    }
  }

  // sweep lowers the own distances that an in-edge lowers, of vertices that one from a vertex at distance bound or
  // beyond may lower. It returns the least distance that changed on any GPU, +Inf for none. lists makes the vertices
  // that changed the frontier.
  __device__ __forceinline__ float sweep(float bound, float least, bool lists) {
    level++;
    float* own = dist();
    u32* changed = a.marks[0];
    q = 0;
    struct Hope {
      float light, dist;
    };
    pass([&](u32 i) { return Hope{a.light[i], *(const volatile float*)&own[a.base + i]}; },
         [&](const Hope& x, u32) { return double(x.light) + double(bound) < double(x.dist); });
    if (peers.late) return 0;
    Board* b = board();
    const Lowest f{own, a.in_weights, changed, a.most};
    const In<Offset> in{a.items[0], nullptr, nullptr, 0, count, 0};
    u32 lowest = reduce_within(in, Rows<Offset>{a.in, true}, f, level, a.in_weights, own, least);
    lowest = fold_block<u32, kMin>(lowest, sh.totals);
    if (threadIdx.x == 0 && lowest < kExhausted) atomicMin(&b->lowest, lowest);
    local();
    if (peers.late) return 0;
    const u32 t = level & 3;
    if (peers.first()) {
      const u32 x = *(const volatile u32*)&b->lowest;
      tell(x, [&](Board* to) { return &to->least[t][a.peers.me]; });
    }
    q = 1;
    if (lists) in_order(changed);
    if (peers.late) return 0;
    spread(changed);
    all();
    if (ends()) return 0;
    if (peers.first()) b->lowest = kExhausted;  // a block lowers it after the next barrier
    return __uint_as_float(leasts(t));
  }

  __device__ __forceinline__ void run() {
    begin();
    float low = 0;
    for (bool pulls = true;;) {
      while (!peers.late) {
        if (!any && (!pulls || window(low))) break;
        if (ends()) return;
        push();
        if (ends()) return;
      }
      if (ends() || !pulls || a.whole || !(low < Limits<float>::most())) return;
      pulls = false;
      marked = false;
      spread_all();
      all();
      float least = 0;
      for (u32 i = 1;; i++) {
        if (ends()) return;
        least = sweep(max(low, least), least, i == a.sweeps);
        if (ends() || !(least < Limits<float>::most())) return;
        if (i == a.sweeps) break;
      }
      // What changed last is pushed, along whole rows, until nothing changes.
      if (peers.first()) a.window->above = -1, a.window->high = a.most;
      any = true;
      local();
    }
  }

  // end counts the own vertices that were reached, finds the largest distance, and makes integers of distances.
  __device__ __forceinline__ void end() {
    Slot* slot = a.engine.post.slot;
    const bool late = peers.late;
    u64 reached = 0;
    u32 farthest = 0;
    const float* own = dist() + a.base;
    if (!late) {
      each(a.ints ? a.own : a.count, [&](u32 first) {
        float d[kPathsSeveral];
#pragma unroll
        for (u32 j = 0; j < kPathsSeveral; j++) {
          const u32 i = first + j * kBlock;
          d[j] = i < a.count ? *(const volatile float*)&own[i] : Limits<float>::most();
        }
#pragma unroll
        for (u32 j = 0; j < kPathsSeveral; j++) {
          const u32 i = first + j * kBlock;
          const bool in = d[j] < Limits<float>::most();
          if (in) reached++, farthest = max(farthest, __float_as_uint(d[j]));
          if (a.ints && i < a.own) a.ints[i] = in ? (long long)d[j] : -1;
        }
      });
    }
    add_up(reached, sh.totals, &slot->tail);
    farthest = fold_block<u32, kMax>(farthest, sh.totals);
    if (threadIdx.x != 0) return;
    atomicMax(&slot->counts[2], u64(farthest));
    if (late) atomicAdd(&slot->counts[7], u64(1));
    if (blockIdx.x != 0) return;
    slot->counts[0] = level;
    slot->counts[1] = sh.peers.stopped ? kStoppedBy : kEnded;
    board()->round = round;
    board()->slots[round & 3].tail = board()->slots[(round + 1) & 3].tail = 0;
  }
};

template <class Offset>
__device__ __forceinline__ void paths(const PathsArgs<Offset>& a, PathsShared<Offset>& sh) {
  Paths<Offset> s(a, sh);
  if (threadIdx.x == 0) sh.peers.stopped = 0;
  __syncthreads();
  s.run();
  s.peers.leave();
  s.end();
  report(a.engine.post);
}

}  // namespace foray
