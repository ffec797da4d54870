// Kernels for the tests of this package: one for each way of launching, and
// for each kind of argument. fake/kernels.h does the same on the host.

#include "frontier/ptx.cuh"

#include <cooperative_groups.h>
#include <stdint.h>

namespace cg = cooperative_groups;

extern "C" {

__device__ uint32_t global_words[4] = {1, 2, 3, 4};

__global__ void fill(uint32_t *out, uint32_t v, uint64_t n) {
  uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = v;
}

__global__ void add(uint32_t *out, const uint32_t *a, const uint32_t *b, uint64_t n) {
  uint64_t step = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) out[i] = a[i] + b[i];
}

// args stores its arguments, widened to 8 bytes with their sign.
__global__ void args(int64_t *out, int32_t i32, uint32_t u32, int64_t i64, uint64_t u64, float f32, double f64) {
  out[0] = i32;
  out[1] = u32;
  out[2] = i64;
  out[3] = int64_t(u64);
  out[4] = int64_t(f32 * 4);
  out[5] = int64_t(f64 * 4);
}

// A structure with a hole, and one of the size of many arguments.
struct Mixed { uint8_t a; uint64_t b; uint16_t c; };
struct Wide { uint64_t words[40]; };

// structs stores what is in structures, and an argument between them.
__global__ void structs(int64_t *out, Mixed m, uint32_t u32, Wide w) {
  out[0] = m.a, out[1] = int64_t(m.b), out[2] = m.c, out[3] = u32;
  int64_t sum = 0;
  for (int i = 0; i < 40; i++) sum += int64_t(w.words[i]) * (i + 1);
  out[4] = sum;
}

// shape stores the launch's dimensions, one thread doing so.
__global__ void shape(uint32_t *out) {
  if (blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x + threadIdx.y + threadIdx.z) return;
  out[0] = gridDim.x, out[1] = gridDim.y, out[2] = gridDim.z;
  out[3] = blockDim.x, out[4] = blockDim.y, out[5] = blockDim.z;
}

// grid_rounds lets all blocks meet in every round: each counts itself, and
// after the barrier all must have. bad counts those that saw too few.
__global__ void grid_rounds(uint32_t *counter, uint32_t *bad, uint32_t rounds) {
  cg::grid_group grid = cg::this_grid();
  for (uint32_t r = 1; r <= rounds; r++) {
    if (threadIdx.x == 0) atomicAdd(counter, 1);
    grid.sync();
    if (threadIdx.x == 0 && *(volatile uint32_t *)counter != gridDim.x * r) atomicAdd(bad, 1);
    grid.sync();
  }
}

// dynamic_shared reverses words through dynamic shared memory; one block.
__global__ void dynamic_shared(uint32_t *data, uint32_t words) {
  extern __shared__ uint32_t buffer[];
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) buffer[i] = data[i];
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) data[i] = buffer[words - 1 - i];
}

// cluster_ring lets each block of a cluster read the next one's shared memory:
// out[block] becomes the number of the next block in the cluster, times 1000,
// plus the cluster's size.
__global__ void cluster_ring(uint32_t *out) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint32_t mine[];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine[0] = blockIdx.x;
  cluster.sync();
  uint32_t next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(mine, next) * 1000 + cluster.num_blocks();
  cluster.sync();
#else
  if (threadIdx.x == 0) out[blockIdx.x] = 0xffffffff;
#endif
}

// busy keeps one thread going for that many nanoseconds.
__global__ void busy(uint64_t nanoseconds) {
  uint64_t start = foray::ptx::globaltimer(), now;
  do {
    now = foray::ptx::globaltimer();
  } while (now - start < nanoseconds);
}

__global__ void nothing() {}
}
