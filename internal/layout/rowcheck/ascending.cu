// The kernel that looks at all rows of a graph: whether they ascend, and whether they have
// entries twice or self-loops.
#include "operators/intersect/choose.cuh"

namespace foray {

// Counters of the slot.
constexpr u32 kDescents = 0;  // within rows
constexpr u32 kTwice = 1;     // entries that are the one before
constexpr u32 kLoops = 2;     // right where rows ascend

// Each entry is compared with the previous entry, even if that is in another row; pairs that cross a row's
// start are subtracted again. So rows of any length are divided evenly.
template <class Offset>
__device__ __forceinline__ void look(const Csr<Offset>& g, const Post& post, u64* totals) {
  const u64 edges = g.offsets[g.n], step = u64(gridDim.x) * kBlock, first = u64(blockIdx.x) * kBlock + threadIdx.x;
  u64 descents = 0, twice = 0, loops = 0;
  for (u64 e = first + 1; e < edges; e += step) {
    const u32 before = g.targets[e - 1], x = g.targets[e];
    descents += before > x;
    twice += before == x;
  }
  for (u64 v = first; v < g.n; v += step) {
    const Span<Offset> row{g.offsets[v], g.offsets[v + 1]};
    if (row.begin == row.end) continue;
    if (row.begin > 0) {
      const u32 before = g.targets[row.begin - 1], x = g.targets[row.begin];
      descents -= before > x;
      twice -= before == x;
    }
    const Offset at = lower_bound(g.targets, row, u32(v));
    loops += at < row.end && g.targets[at] == v;
  }
  add_up(descents, totals, &post.slot->counts[kDescents]);
  add_up(twice, totals, &post.slot->counts[kTwice]);
  add_up(loops, totals, &post.slot->counts[kLoops]);
  report(post);
}

}  // namespace foray

#define FORAY_ASCENDING(width, Offset)                                                                                  \
  extern "C" __global__ void __launch_bounds__(foray::kBlock) ascending_##width(foray::Csr<Offset> g, foray::Post post) { \
    __shared__ foray::u64 totals[foray::kWarps];                                                                        \
    foray::look(g, post, totals);                                                                                       \
  }
FORAY_ASCENDING(o32, foray::u32)
FORAY_ASCENDING(o64, foray::u64)
