// This file holds what the kernels of a search as one share with each other and
// with the host (fused_gpu.go).
#pragma once

#include "operators/advance/gather.cuh"
#include "traverse/engine.cuh"

namespace foray {

// kPlanes is how many bitmaps there are. When they run out, the depths that
// they stand for are written.
constexpr u32 kPlanes = 15;

// kManyBeyond is how many vertices of in-degree 0 are worth a separate loop.
constexpr u32 kManyBeyond = 1 << 19;

// FusedState is a search between two kernels, which stands before a level whose
// frontier is in a queue; the queue's length is in the grid's slot.
struct FusedState {
  u32 next;    // which kernel continues
  u32 level;   // of the frontier
  u32 levels;  // that have a vertex, as far as is known
  u32 k;
  u32 q;
  u32 marked;
  u64 visited;
  i32 depth_of[kPlanes + 1];
  u32 asides[3];  // of the cluster's loop
  u32 local;      // the first pull found few of the candidates
  u32 pad[4];
};

// A depth as a code is a byte: it stands for itself, kNoCode of gather.cuh for not
// reached. A search of more levels than there are codes for is run again without.

// kTargets is how many targets a search as one kernel takes.
constexpr u32 kTargets = 32;

// FusedArgs is what fused takes.
template <class Offset>
struct FusedArgs {
  EngineArgs engine;
  Csr<Offset> out;
  Csr<Offset> in;     // targets null: never pull
  const u32* first;   // for pulls, as PullArgs has them
  const u32* none;
  u32* lost;          // bitmap: takes the vertices not reached; or null
  u32* planes;        // kPlanes bitmaps; the first is zero before and after
  u32* written;       // bitmap; zero before and after
  u32* items[2];      // queues
  Offset* prefix[2];
  FusedState* state;
  i32* depths;        // or null
  u32* parents;       // or null
  u8* codes;          // null, or depths as codes (see kNoCode), and none in depths
  u32* pushed;        // bitmap, for pulls; zero before and after
  const u32* sources; // null: the only one is source
  u64 heavy;          // a push over more edges is heavy
  u64 begin, end;     // the row of the only source, if row_ready
  float mean_in_degree; // mean degree of candidates
  u32 enter;          // a frontier of fewer vertices is for one cluster; 0: none is
  u32 leave;          // one of more vertices is for the whole grid
  u32 sends;          // so is one that will send more, by its growth
  u32 candidates;     // vertices that a pull may find
  u32 words;          // of bitmaps that have a candidate
  u32 stride;         // words from one bitmap to the next
  u32 source;
  u32 count;
  u32 shift;
  u32 ones;
  u32 limit;          // the largest depth that is assigned
  u32 bound;          // no vertex from here on is reached
  u32 row_ready;      // 1: the row has no vertex twice, nor the source, and no more than kBlock
  u32 stop_at_component; // not 0: every candidate is reached, if the depth isn't limited
  u32 uniform_degree; // not 0: rows are about as long as a warp is wide, most of them
  float alpha;        // of the direction; 0: the kernel's own rule
  float beta;
  u32 targets;        // how many there are; 0: none
  u32 target[kTargets];  // the search ends once all of them are reached
  float push_cost;    // of an edge that is pushed before a pull, in probes of the pull
};

}  // namespace foray
