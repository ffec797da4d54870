// This file holds what connects the ranks of an emulated communicator: a file in shared
// memory with a ring of bytes from each rank to each, for ranks of one process and of several.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace nccl {

typedef uint32_t u32;
typedef uint64_t u64;

constexpr u32 kMostRanks = 16, kMagic = 0x4E63636D, kKinds = 4;
constexpr size_t kRing = 64 << 10;

struct Ring {
  alignas(64) std::atomic<u64> head;  // bytes that were written
  alignas(64) std::atomic<u64> tail;  // bytes that were read
  char data[kRing];

  size_t write(const char* p, size_t n);
  size_t read(char* p, size_t n);
};

struct Wires {
  std::atomic<u32> magic;  // kMagic once the rest is laid out
  u32 ranks;
  int creator;  // process
  std::atomic<u32> attached[kMostRanks], here;
  u64 gpu[kMostRanks];
  std::atomic<u32> links[kKinds][kMostRanks][kMostRanks];  // of a kind of call, from a rank to one: 1 if the one is there, 2 the other
  Ring rings[1];  // of rank a to b: [a * ranks + b]

  Ring& ring(u32 from, u32 to) { return rings[from * ranks + to]; }
  static size_t bytes(u32 ranks) { return sizeof(Wires) + ranks * ranks * sizeof(Ring); }
};

// create makes the file, open_wires waits for it; null if stop said so. An error is a text.
Wires* create(const std::string& path, u32 ranks, std::string& error);
Wires* open_wires(const std::string& path, u32 ranks, const std::atomic<bool>& stop, std::string& error);
void close_wires(Wires* w);
std::string path_of(const unsigned char* id);

// pause waits a little, the longer the more often it was called in vain.
void pause(u32& waits);

}  // namespace nccl
