// Kernels of several devices at once, for the tests of the emulator.

#include "frontier/ptx.cuh"

#include <stdint.h>

using u32 = uint32_t;
using u64 = unsigned long long;
namespace ptx = foray::ptx;

extern "C" {

// All devices meet rounds times: each tells the others, in their memory, which round it
// is at, and waits until all have told it. words has a word a device: told. bits is a word to
// which each adds its own in all rounds, data one that is written before the word is told.
struct Meeting {
  u64* told[8];
  u32* bits[8];
  u32* data[8];
  u32 mine, devices, rounds;
};

__global__ void meet(Meeting m, u32* wrong) {
  if (threadIdx.x >= m.devices) return;
  const u32 other = threadIdx.x;
  for (u32 round = 1; round <= m.rounds; round++) {
    m.data[other][(round & 1) * 8 + m.mine] = round * 100 + m.mine;
    ptx::or_system(m.bits[other] + round, 1u << m.mine);
    ptx::store_release_system(m.told[other] + m.mine, round);
    while (ptx::load_acquire_system(m.told[m.mine] + other) < round) {
    }
    if (m.data[m.mine][(round & 1) * 8 + other] != round * 100 + other) atomicAdd(wrong, 1u);
    if (!(ptx::load_acquire_system(m.bits[m.mine] + round) >> other & 1)) atomicAdd(wrong, 1u);
  }
}

// What reaches for a word in ways of which each is found out.
__global__ void touch(u32* word, u32* out, u32 way) {
  if (threadIdx.x) return;
  if (way == 0) *word = 7;
  if (way == 1) *out = *word;
  if (way == 2) atomicAdd(word, 7u);
  if (way == 3) atomicCAS(word, 0u, 7u);
  if (way == 4) *out = ptx::load_acquire_system(word);
}
}
