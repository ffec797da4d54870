// This file holds what compiled kernels and the emulator know of each other: a
// CUDA thread, and the calls that a kernel makes into the emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#define EMU_DRIVER extern "C" __attribute__((visibility("default")))

namespace emu {

using u8 = uint8_t;
using u32 = uint32_t;
using u64 = uint64_t;

struct Dim {
  u32 x, y, z;
};

// Shape is what all threads of a block have alike.
struct Shape {
  Dim block_idx, block_dim, grid_dim;
};

// A thread is a fiber whose descriptor is at the low end of its stack. A stack is
// kStack bytes long and begins at a multiple of kStack, so that the address of
// any local variable leads to it. Descriptors begin in different cache lines.
constexpr uintptr_t kStack = 1 << 16;
constexpr uintptr_t kLines = 128;

struct Block;
struct Text;

struct Thread {
  Dim idx;
  u32 index;  // in the block
  const Shape* shape;
  Block* block;
  void* sp;  // while it doesn't run
  u32 wait;  // Op; 0: it runs, or could
  u32 mask;  // lanes that take part
  u64 value, argument;
  u64 result;
  const volatile void* spun;  // what it read last as a volatile, so many times
  u32 spins;
  u32 budget;      // accesses to memory until another thread has its turn
  u64 phases[2];   // arrivals at the cluster's barrier, and at the grid's
  bool between;    // arrived at the cluster's, and hasn't waited
  u64* registers;  // of texts in holes; null before the first hole
  const Text* text;  // that runs
  u32 step;          // of it
  u32 selected[4];   // functors of a kind: see select
};

inline Thread& self() {
  const uintptr_t base = uintptr_t(__builtin_frame_address(0)) & ~(kStack - 1);
  return *(Thread*)(base + (base / kStack % kLines) * 64);
}

// What threads wait for together.
enum Op : u32 {
  kNone,
  kBarrier, kBarrierOr, kBarrierAnd, kBarrierCount,
  kSyncWarp, kShfl, kShflUp, kShflDown, kShflXor, kBallot, kAny, kAllOf, kReduceAdd, kReduceOr, kReduceAnd, kReduceMin, kReduceMax,
  kCluster, kGrid, kDone,
};

// Each of these functions may let other threads run first.
u64 meet_block(Op op, u64 value);
u64 meet_warp(Op op, u32 mask, u64 value, u64 argument);
void cluster_arrive();
void cluster_wait();
void grid_meet();
void breathe();  // before an atomic operation
u32 cluster_rank();
u32 cluster_size();
void* in_cluster(const void* p, u32 rank);
void* shared_static(const void* which, size_t bytes, const char* name);
void* shared_dynamic();
u64 clock_ns();
u64 ticks();  // of a multiprocessor
void fail(const char* what);

// The atomic operations of n bytes, 4 or 8.
enum Atomic : u32 { kAdd, kOr, kAnd, kXor, kExch, kMin, kMax, kMinSigned, kMaxSigned };
u64 atomic(Atomic op, void* p, u64 x, size_t bytes);
u64 compare_swap(void* p, u64 expected, u64 x, size_t bytes);
void fence();

// Hole is a place in a kernel where the text of a functor goes: PTX that the host's side
// writes into a copy of the module. The emulator runs that text here. Operands are as in
// the names' comments; those of 32 bits are zero-extended, as the result is.
enum Hole : u32 {
  kHoleEdge,                   // source, target, level, index
  kHoleGather32, kHoleGather64,  // source, target, level, index
  kHoleApply32, kHoleApply64,  // vertex, total, level
  kHoleVertex,                 // vertex, level
  kHoleFold32, kHoleFold64,    // a, b
  kHoleZero32, kHoleZero64,
  kHoleVFold,                  // a, b
  kHoleVZero,
  kHoleGFold,                  // a, b: of the values that gathers apply
  kHoleGZero,
  kHoleHit,                    // source, target, level, index
  kHolePure,
  kHoleWiden32, kHoleWiden64,  // a value of 32 bits
  kHoleNarrow32, kHoleNarrow64,
  kHoleKey,                    // source, target, level, index
  kHoleScored,
  kHoleScore32, kHoleScore64,        // vertex, total, level, key
  kHoleApplyKey32, kHoleApplyKey64,  // vertex, total or score, level, key
  kHoleHas,
  kHoles,
};
u64 hole(Hole h, u64 a = 0, u64 b = 0, u64 c = 0, u64 d = 0);

// select chooses which of several functors of a kind the thread's next holes call.
enum Functors : u32 { kEdges, kVertices, kGathers, kNoFunctors };
void select(Functors kind, u32 number);

// Entry calls a kernel with arguments that lie where args points.
template <auto K>
struct Entry;
template <class... A, void (*K)(A...)>
struct Entry<K> {
  static constexpr u32 sizes[sizeof...(A) + 1] = {sizeof(A)...};
  template <size_t... I>
  static void call(char** args, std::index_sequence<I...>) {
    K(*(std::remove_const_t<A>*)args[I]...);
  }
  static void run(char** args) { call(args, std::index_sequence_for<A...>{}); }
};

// Kernel is an entry of a module's table, Global a variable in it.
struct Kernel {
  const char* name;
  void (*run)(char** args);
  const u32* sizes;  // of its parameters, up to a zero
  u32 most;          // threads of a block; 0: not given
  u32 least;         // blocks of a multiprocessor; 0: not given
};
struct Global {
  const char* name;
  void* at;
  size_t bytes;
};

// Module is one of the project's fatbins, as it is compiled here.
struct Module {
  const char* name;
  u64 hash;    // of the fatbin, or of the skeleton's PTX
  u64 packed;  // of the file that holds it
  u32 arch;
  const Kernel* kernels;  // up to one without a name
  const Global* globals;
};
extern const Module modules[];  // up to one without a name

}  // namespace emu
