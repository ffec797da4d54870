// This file holds the gathering of a result into another order of the vertices.
#pragma once

#include "frontier/ptx.cuh"
#include "frontier/queue.cuh"

namespace foray {

// kNoCode is the code of a depth that stands for not reached.
constexpr u32 kNoCode = 255;

struct GatherArgs {
  const i32* depths;     // by vertex; or null
  const u8* codes;       // the same as codes; or null
  const u32* parents;    // or null
  const u32* order;      // the vertex of each place
  const u32* place;      // of each vertex, for parents
  i32* depths_out;       // by place
  u32* parents_out;
  u32 n;
  u32 unreached;         // no vertex from here on was reached
};

// gather takes four places a thread; arrays have room for whole steps.
__device__ __forceinline__ void gather(const GatherArgs& a) {
  for (u64 i = (u64(blockIdx.x) * kBlock + threadIdx.x) * 4; i < a.n; i += u64(gridDim.x) * kBlock * 4) {
    const uint4 o = ptx::load_once((const uint4*)(a.order + i));
    const u32 v[4] = {o.x, o.y, o.z, o.w};
    if (a.codes || a.depths) {
      i32 d[4];
      if (a.codes) {
#pragma unroll
        for (u32 j = 0; j < 4; j++) d[j] = v[j] < a.unreached ? i32(a.codes[v[j]]) : i32(kNoCode);
#pragma unroll
        for (u32 j = 0; j < 4; j++) d[j] = d[j] == i32(kNoCode) ? -1 : d[j];
      } else {
#pragma unroll
        for (u32 j = 0; j < 4; j++) d[j] = v[j] < a.unreached ? a.depths[v[j]] : -1;
      }
      ptx::store_once((int4*)(a.depths_out + i), make_int4(d[0], d[1], d[2], d[3]));
    }
    if (a.parents) {
      u32 p[4];
#pragma unroll
      for (u32 j = 0; j < 4; j++) {
        p[j] = v[j] < a.unreached ? a.parents[v[j]] : kNoVertex;
        if (p[j] != kNoVertex) p[j] = a.place[p[j]];
      }
      *(uint4*)(a.parents_out + i) = make_uint4(p[0], p[1], p[2], p[3]);
    }
  }
}

}  // namespace foray
