// This file holds the arguments of a search in windows over rows in any order. windows.cuh has the rounds.
#pragma once

#include "internal/layout/byweight/rows.cuh"
#include "operators/functor.cuh"
#include "traverse/engine.cuh"

namespace foray {

// Tuning: the longest row that a group of lanes reads, and how many edges of a longer row a warp takes at a time. The
// lanes of a group, and how many edges each of them has under way.
constexpr u32 kWindowRow = 128;
constexpr u32 kWindowPart = 512;
constexpr u32 kWindowLanes = 8;
constexpr u32 kWindowAhead = 4;

// Of rows that ascend the part within the window: the longest that a group of lanes reads, and how many edges of a longer one a
// warp takes at a time. All of these edges are visited, 64 at a time.
constexpr u32 kWindowCut = 32;
constexpr u32 kWindowCutPart = 128;
constexpr u32 kWindowFront = 4;  // edges of a row that ascends which a sweep looks at first

// kWindowFew: vertices whose edges are fewer than one in so many push them all before a sweep, which then need not look for
// paths that short.
constexpr float kWindowFew = 128;

// kWindowLight is how many times as many edges as the lightest of a row a sweep looks at first: those give a bound on the
// distance, by which most others need no look.
constexpr float kWindowLight = 4;
constexpr u32 kWindowShort = 8;  // rows of up to so many edges are looked at in whole, those of 32 vertices together
constexpr u32 kWindowList = 256;
constexpr u32 kWindowVisits = 64;  // edges that a warp looks at together, two a lane

constexpr u32 kUnpushed = 0x7fffffffu;  // note of a vertex that wasn't pushed
constexpr u32 kNoKey = 0x7f800000u;     // +Inf: no key

// WindowPart is a part of a long row, put aside for any warp.
struct WindowPart {
  u64 edges;  // from bit 48 on how many, below that the first one
  u32 v;
  float key;  // of v
};

// WindowsState is what the blocks share, behind the state of the grid.
struct WindowsState {
  u64 settled;   // edges out of vertices that were pushed
  u32 least[4];  // the least key of a pass, used in turn; kNoKey before
  u32 pad[26];
};
static_assert(sizeof(WindowsState) == 128, "the host has the same layout");


// WindowsArgs is what the kernel takes.
template <class Offset>
struct WindowsArgs {
  EngineArgs engine;
  Csr<Offset> out;
  Csr<Offset> in;  // the same rows if the graph is undirected
  const float* weights;
  const float* in_weights;
  float* dist;        // 0 for sources, +Inf for other vertices
  u32* notes;         // of vertices. Windows: the least key that an edge beyond the window leads to; sweeps: the lightest edge
  u32* marks[2];      // bitmaps of vertices, used in turn
  WindowPart* aside;  // parts of long rows
  WindowsState* state;
  long long* ints;  // distances as integers, -1: not reached; or null
  u64 edges;
  float width, most, full, cost;  // of windows; the largest distance; twice the mean weight; of an edge of a pull
  u32 rounds;                     // after so many behind the sweeps the host continues
  u32 pad;
};

// WindowPending are edges that may lower a distance, in shared memory: a warp looks at kWindowVisits at a time.
template <class Offset>
struct WindowPending {
  static constexpr u32 kRoom = kWindowVisits + 32 * kWindowAhead;
  Offset edge[kRoom];
  float key[kRoom];  // of a push: what the edge leads to; of a pull: its weight
  u8 row[kRoom];     // of a pull: the lane that has the row
};

// WindowWarp is what a warp has.
template <class Offset>
struct WindowWarp {
  WindowPending<Offset> pending;
  unsigned short list[kWindowList];  // places of the marked vertices among those of 32 words
  u8 owner[32 * kWindowShort];       // of the edges of short rows: which lane has the row
  u32 best[32];                      // of short rows
  u32 light[32];
};

template <class Offset>
struct WindowsShared {
  EngineShared engine;
  u64 totals[kWarps];
  u32 parts;  // that the block has put aside since the last barrier
  WindowWarp<Offset> warps[kWarps];
};

// SumsArgs is what the sums of all edges take: equal sums say that the reverse has the same weights.
template <class Offset>
struct SumsArgs {
  Csr<Offset> rows;
  const float* weights;
  u64* sums;  // as they are, and turned; zero before
};

}  // namespace foray
