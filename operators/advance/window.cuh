// This file holds where a push in windows of distance stands, and what it notes (within.cuh).
#pragma once

#include "frontier/queue.cuh"

namespace foray {

// Tuning: how many lanes read a row, how many times they continue before they check whether the rest of the
// row is long, from which length on it is, and how many edges of a long row a warp takes at a
// time. Most rows end for the window within the first edges, however long they are. Visits take
// turns within a warp, each of them some loads and atomic operations that wait for one another.
constexpr u32 kLightLanes = 8;
constexpr u32 kLightRounds = 2;
constexpr u32 kLightRow = 128;
constexpr u32 kLightPart = 128;

// Of a note: the vertex wasn't pushed yet; all of its row was visited.
constexpr u32 kUntouched = 0x7fffffffu;
constexpr u32 kExhausted = 0x7f800000u;

// LightPart is a part of a long row, put aside for any warp.
struct LightPart {
  u64 begin;
  u32 source, size;
};

// Window is where a traversal in windows stands, in device memory.
struct Window {
  float low;    // all windows up to here are over; +Inf: no vertex has an edge left
  float above;  // the window under way is what is above this
  float high;   // and at most this
  float width;  // of windows
  float most;   // no key is larger
  float full;   // an edge is lighter than a key x with a probability of about x / full
  float cost;   // of an edge of a pull; that of a push is 1
  u32 turn;       // which of these is next
  u32 least[4];   // key that an edge beyond the window leads to, used in turn; kExhausted before
  u32 parts[2];   // how many parts are put aside; zero before
  u64 all;        // edges
  u64 settled;    // edges out of pushed vertices
  u64* notes;     // of each vertex: what the next edge would lead to, kUntouched before; the cursor above
  LightPart* aside;  // null: no row is long
};

// LightRow is the row of a lane's vertex, from the first edge on that is to be visited.
template <class Offset>
struct LightRow {
  Offset first, begin, end;  // first is the row's
  float key;
  u32 v;
};

}  // namespace foray
