// This file stands in for CUDA's header: the group of the whole grid and that of
// a cluster.
#pragma once

#include "device.h"

namespace cooperative_groups {

struct grid_group {
  void sync() const { emu::grid_meet(); }
};
inline grid_group this_grid() { return {}; }

struct cluster_group {
  void sync() const {
    emu::cluster_arrive();
    emu::cluster_wait();
  }
  unsigned block_rank() const { return emu::cluster_rank(); }
  unsigned num_blocks() const { return emu::cluster_size(); }
  template <class T>
  T* map_shared_rank(T* p, unsigned rank) const { return (T*)emu::in_cluster(p, rank); }
};
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
