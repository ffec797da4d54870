// This file holds the strategy by which a block packs the edges of its rows by a scan, whatever
// their lengths: scan-based gathering, alone (Merrill, Garland, Grimshaw, PPoPP 2012, 4.1).
#pragma once

#include "operators/advance/row.cuh"

namespace foray {

// kGather is how many edges of short rows the scan packs at a time.
constexpr u32 kGather = 2 * kBlock;

// Owner is the number of a thread.
template <bool Narrow>
struct OwnerOf {
  using type = u8;
};
template <>
struct OwnerOf<false> {
  using type = uint16_t;
};
using Owner = OwnerOf<(kBlock <= 256)>::type;

// GatherShared is what gather_scan and gather_twc need of shared memory.
template <class Offset>
struct GatherShared {
  Row<Offset> wide;        // the row that the whole block walks
  u32 winner;              // the thread that brought it
  u32 totals[kWarps];
  Row<Offset> rows[kBlock];  // short rows, by thread
  u32 starts[kBlock];        // of each in the packed edges
  Owner owners[kGather];     // whose edge a packed one is
};

// gather_short: a block-wide scan packs the remaining edges of the rows, so that
// every thread gets one edge at a time.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void gather_short(const Row<Offset>& r, GatherShared<Offset>& sh, Body&& body, Between&& between) {
  __syncthreads();
  const u32 size = u32(r.size());
  u32 total, start = block_exclusive(size, sh.totals, total);
  sh.rows[threadIdx.x] = r;
  sh.starts[threadIdx.x] = start;
  for (u32 window = 0; window < total; window += kGather) {
    __syncthreads();
    const u32 lo = max(start, window), hi = min(start + size, window + kGather);
    for (u32 i = lo; i < hi; i++) sh.owners[i - window] = Owner(threadIdx.x);
    __syncthreads();
#pragma unroll
    for (u32 part = 0; part < kGather; part += kBlock) {
      const u32 i = window + part + threadIdx.x;
      const bool active = i < total;
      const u32 owner = active ? sh.owners[part + threadIdx.x] : 0;
      const Offset k = active ? i - sh.starts[owner] : 0;
      const Row<Offset>& o = sh.rows[owner];
      body(active, o.source, o.begin + k, o.slot + k);
    }
    between();
  }
}

// kSlice is how much of a row the scan takes at a time, so that what a block packs can be
// counted in 32 bits.
constexpr u32 kSlice = 1 << 20;

// gather_scan: all rows by scan.
template <class Offset, class Body, class Between>
__device__ __forceinline__ void gather_scan(Row<Offset> r, GatherShared<Offset>& sh, Body&& body, Between&& between) {
  do {
    Row<Offset> part = r;
    if (part.size() > kSlice) part.end = part.begin + kSlice;
    gather_short(part, sh, body, between);
    r.slot += part.size();
    r.begin = part.end;
  } while (__syncthreads_or(r.size() > 0));
}

struct ByScan {
  template <class Offset, class F, class Body>
  static __device__ void tile(const Row<Offset>& r, PushShared<Offset, F>& sh, Body& body, Emitter<Offset>& out) {
    gather_scan(r, sh.gather, body, [&] { out.relieve(); });
  }
};

}  // namespace foray
