// Kernels with holes, for the tests of the interpreter of functors' texts.

#include <stdint.h>

using u32 = uint32_t;
using u64 = unsigned long long;

struct Block {
  u64 words[128];
};

extern "C" {

// Every thread is a vertex.
__global__ void vertices(u64* out, u32 n, const Block functors) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = emu::hole(emu::kHoleVertex, i, 7);
}

// A hole is called once, with the operands that are behind the place of the result.
__global__ void call(u64* io, u32 hole, const Block functors) { io[0] = emu::hole(emu::Hole(hole), io[1], io[2], io[3], io[4]); }

// Every thread comes to every hole, with numbers that say which operand they are.
__global__ void all_holes(u64* out, u32 n, const Block functors) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64* to = out + 12 * i;
  emu::select(emu::kEdges, i % 2);
  const u64 index = (u64(i) << 33) + 5, wide = (u64(i) << 40) + 6;
  to[0] = emu::hole(emu::kHoleEdge, i, 2, 3, index);
  to[1] = emu::hole(emu::kHoleGather32, i, 2, 3, index);
  to[2] = emu::hole(emu::kHoleGather64, i, 2, 3, index);
  to[3] = emu::hole(emu::kHoleApply32, i, 2, 3);
  to[4] = emu::hole(emu::kHoleApply64, i, wide, 3);
  emu::select(emu::kVertices, 3);
  to[5] = emu::hole(emu::kHoleVertex, i, 2);
  to[6] = emu::hole(emu::kHoleFold32, i, 2);
  to[7] = emu::hole(emu::kHoleFold64, wide, 2);
  to[8] = emu::hole(emu::kHoleZero32);
  to[9] = emu::hole(emu::kHoleZero64);
  to[10] = emu::hole(emu::kHoleVFold, wide, 2);
  to[11] = emu::hole(emu::kHoleVZero);
}
}
