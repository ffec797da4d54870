// This file names the ways in which a block, or a warp, shares out the rows of its vertices:
// by thread, by warp, by scan, and by scan, warp and block together (Merrill, Garland,
// Grimshaw, PPoPP 2012, 4.1), a file each. merge.cuh has merge path.
//
// Each thread brings one row, perhaps an empty one. body is called for every
// edge of all rows, by whole warps: body(active, source, edge, slot), where
// slot is the row's slot plus the edge's place in the row. Lanes without an
// edge call it with active false.
#pragma once

#include "operators/advance/row.cuh"
#include "operators/advance/scan.cuh"
#include "operators/advance/thread.cuh"
#include "operators/advance/twc.cuh"
#include "operators/advance/warp.cuh"
