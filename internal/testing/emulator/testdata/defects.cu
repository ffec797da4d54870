// Kernels with a defect each, for the tests of the emulator: each does what its
// name says where sound is 0, and the right thing where it isn't.

#include "frontier/ptx.cuh"

#include <cooperative_groups.h>
#include <stdint.h>

using u32 = uint32_t;
constexpr u32 kAll = 0xffffffffu;

extern "C" {

// Every thread writes a word and reads its neighbor's.
__global__ void missing_barrier(u32* out, u32 sound) {
  __shared__ u32 words[256];
  words[threadIdx.x] = threadIdx.x;
  if (sound) __syncthreads();
  out[threadIdx.x] = words[(threadIdx.x + 1) % blockDim.x];
}

// So do lanes of a warp.
__global__ void missing_warp_barrier(u32* out, u32 sound) {
  __shared__ u32 words[256];
  words[threadIdx.x] = threadIdx.x;
  if (sound) __syncwarp();
  const u32 next = (threadIdx.x & ~31u) + (threadIdx.x + 1) % 32;
  out[threadIdx.x] = words[next];
  if (sound) out[threadIdx.x] = (threadIdx.x + 1) % blockDim.x;
}

// Threads of all blocks count in one word.
__global__ void lost_update(u32* out, u32 sound) {
  for (u32 i = 0; i < 50; i++) {
    if (sound) {
      atomicAdd(out, 1u);
    } else {
      out[0] = out[0] + 1;
    }
  }
}

__global__ void divergent_barrier(u32* out, u32 sound) {
  if (sound || threadIdx.x < 100) {
    __syncthreads();
  } else {
    __syncthreads_or(1);
  }
  out[threadIdx.x] = 1;
}

// One lane stays away from a vote of all.
__global__ void missing_lane(u32* out, u32 sound) {
  if (threadIdx.x == 37 && !sound) {
    __syncthreads();
    return;
  }
  out[threadIdx.x] = __ballot_sync(kAll, 1);
  __syncthreads();
}

__global__ void ended_lane(u32* out, u32 sound) {
  if (threadIdx.x == 3 && !sound) return;
  out[threadIdx.x] = __shfl_sync(kAll, threadIdx.x, 3);
}

// 256 words are there.
__global__ void past_the_end(u32* out, u32 sound) { out[threadIdx.x + (sound ? 0 : 1)] = 1; }
__global__ void before_the_beginning(u32* out, u32 sound) { out[int(threadIdx.x) - (sound ? 0 : 1)] = 1; }

__global__ void misaligned(u32* out, u32 sound) { *(uint64_t*)(out + (sound ? 0 : 1)) = 1; }

__global__ void shared_overflow(u32* out, u32 sound) {
  __shared__ u32 words[100];
  if (threadIdx.x < (sound ? 100 : 101)) words[threadIdx.x] = 1;
  out[threadIdx.x] = 1;
}

__global__ void dynamic_overflow(u32* out, u32 sound) {
  extern __shared__ u32 words[];  // 1,024 bytes
  words[threadIdx.x + (sound ? 0 : 1)] = 1;
  out[threadIdx.x] = 1;
}

// Shared memory that nobody wrote to isn't zero.
__global__ void unwritten(u32* out, u32 sound) {
  __shared__ u32 words[256];
  if (sound) words[threadIdx.x] = 0;
  out[threadIdx.x] = words[threadIdx.x];
}

// A word that never changes is waited for.
__global__ void never(u32* out, u32 sound) {
  out[0] = sound;
  __syncthreads();
  while (*(volatile u32*)out == 0) {
  }
}

// One block of a cluster doesn't come to its barrier.
__global__ void absent_block(u32* out, u32 sound) {
  if (blockIdx.x == 1 && !sound) return;
  foray::ptx::cluster_arrive();
  foray::ptx::cluster_wait();
  out[threadIdx.x] = 1;
}

// Every block writes into the next one's shared memory, and reads its own.
__global__ void missing_cluster_barrier(u32* out, u32 sound) {
  __shared__ unsigned long long word;
  if (threadIdx.x == 0) word = 99;
  foray::ptx::cluster_arrive();
  foray::ptx::cluster_wait();
  if (threadIdx.x == 0) foray::ptx::store_in_cluster(&word, (blockIdx.x + 1) % gridDim.x, blockIdx.x);
  if (sound) foray::ptx::cluster_arrive();
  if (sound) foray::ptx::cluster_wait();
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = u32(word);
  foray::ptx::cluster_arrive();
  foray::ptx::cluster_wait();
}

__global__ void grid_of_a_plain_launch(u32* out, u32 sound) {
  if (!sound) cooperative_groups::this_grid().sync();
  out[threadIdx.x] = 1;
}

__global__ void freed(u32* out, u32 sound) { out[threadIdx.x] = 1; }
}
