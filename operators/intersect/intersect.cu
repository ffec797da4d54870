// The kernels of intersect that need no custom functor: those of Count,
// Corners and Opposite, and the list of tables.
#include "operators/intersect/entries.cuh"

namespace foray {

// Count is the functor that counts per edge.
struct Count {
  u32* per;  // or null
};

// Counted is its sink.
struct Counted {
  Count f;
  __device__ __forceinline__ void found(u32, u32, u32, u64) const {}
  __device__ __forceinline__ void add(u64 edge, u32 n) const {
    if (f.per) atomicAdd(f.per + edge, n);
  }
};

// Corners counts at all three vertices.
struct Corners {
  u32* at;
  __device__ __forceinline__ void common(u32 u, u32 v, u32 w, u64) const {
    atomicAdd(at + u, 1u);
    atomicAdd(at + v, 1u);
    atomicAdd(at + w, 1u);
  }
};

// Opposite counts at the third vertex.
struct Opposite {
  u64* at;
  const u64* twice;  // a bit of every edge that counts twice, or null
  __device__ __forceinline__ void common(u32, u32, u32 w, u64 edge) const {
    atomicAdd(at + w, twice ? 1ull + (twice[edge >> 6] >> (edge & 63) & 1) : 1ull);
  }
};

}  // namespace foray

FORAY_INTERSECT(corners, foray::Corners)
FORAY_INTERSECT(opposite, foray::Opposite)
FORAY_INTERSECT_WIDTH(count, foray::Count, foray::Counted, o32, foray::u32)
FORAY_INTERSECT_WIDTH(count, foray::Count, foray::Counted, o64, foray::u64)

FORAY_KERNEL tasks_o32(foray::IntersectArgs<foray::u32> a) { foray::list_tasks(a); }
FORAY_KERNEL tasks_o64(foray::IntersectArgs<foray::u64> a) { foray::list_tasks(a); }
