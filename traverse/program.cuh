// This file holds what a program is: a list of operations, each with the functor that it calls,
// by number, and that functor's fields.
#pragma once

#include "operators/functor.cuh"

namespace foray {

// Operations of a program.
constexpr u32 kOpPush = 0;
constexpr u32 kOpEach = 1;
constexpr u32 kOpReduce = 2;
constexpr u32 kOpKeep = 3;
constexpr u32 kOpBelow = 4;   // ends the traversal if the scalar is below the bound
constexpr u32 kOpAtMost = 5;  // or after so many rounds
constexpr u32 kOpSegments = 6;  // of a reduce: the parts that a kernel each does
constexpr u32 kOpHubs = 7;      //   where the host launches them
constexpr u32 kOpVisit = 8;
constexpr u32 kOpRefill = 9;    // of the frontier from a pile, if it is empty
constexpr u32 kOpLeast = 10;    // the parts of a refill before and after that,
constexpr u32 kOpTurn = 11;     //   where the host launches them
constexpr u32 kOpLight = 12;    // a push within a window; words are weights, keys, the Window
constexpr u32 kOpWindow = 13;   // the next window, if the frontier is empty; words[0] is the Window
constexpr u32 kOpLightest = 14; // a reduce by rising weight; words are weights, keys, where the least value is
constexpr u32 kOpRecord = 15;   // of the frontier, behind those that a trail has
constexpr u32 kOpBack = 16;     // takes the last one off the trail and makes it the frontier
constexpr u32 kOpWide = 17;     // ends the traversal if the frontier has more vertices than number

// A kernel whose functors are known learns as a constant what its program has (hole_has): bit c is operation c, these
// bits are kinds of functors, and whether rows are short. The compiler drops all else.
constexpr u32 kHasPushes = 24, kHasVisits = 25, kHasSorts = 26, kHasGathers32 = 27, kHasGathers64 = 28;
constexpr u32 kHasShortRows = 29, kHasLongRows = 30;

// How a Repeat ended, in addition to the engine's ways.
constexpr u64 kNoRoom = 7;  // a trail had none

// Flags of an operation.
constexpr u32 kAllVertices = 1;  // not those of the frontier
constexpr u32 kInEdges = 2;
constexpr u32 kDedupe = 4;       // by a bitmap that is cleared between rounds
constexpr u32 kDoubleScalar = 8;  // else unsigned
constexpr u32 kIfAbove = 16;      // ends the traversal if the scalar is above the bound, not below
constexpr u32 kBeside = 32;       // the next operation may begin before this one has ended

struct Op {
  u32 code;
  u32 functor;  // its number among those of its kind
  u32 flags;
  u32 number;   // of rounds, or vertices: after which the traversal ends; that blocks run ahead in a push
  u64 words[kFieldWords];  // the functor's fields
  u32* seen;    // for a push: bitmap of visited vertices, or null; for one that sorts, and for a refill: the Pile; for a trail: its vertices
  Scalar scalar;
  u64 bound;    // the bits of a double or of an unsigned integer; of a trail: where its frontiers end
};

constexpr u32 kOps = 12;

// RepeatState is a traversal between two kernels, which stands before a round whose frontier
// is in a queue; the queue's length is in the grid's slot.
struct RepeatState {
  u32 next;   // which kernel continues
  u32 level;
  u32 q;
  u32 turn;
  u32 asides[3];  // of the cluster's loop
  u32 pad[9];
};

}  // namespace foray
