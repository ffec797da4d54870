// The kernels that make the parts of a generated graph. See made.cuh.
#include "internal/cluster/engine/made.cuh"

extern "C" __global__ void __launch_bounds__(foray::kBlock) cluster_degrees(foray::SplitArgs a) { foray::count_degrees(a); }

extern "C" __global__ void __launch_bounds__(foray::kBlock) cluster_split(foray::SplitArgs a) {
  __shared__ foray::SplitShared sh;
  foray::split(a, sh);
}

extern "C" __global__ void __launch_bounds__(foray::kBlock) cluster_pack_rows(foray::PackArgs a) { foray::pack(a); }

extern "C" __global__ void __launch_bounds__(foray::kBlock) cluster_lengths(foray::OrderArgs a) { foray::lengths(a); }

extern "C" __global__ void __launch_bounds__(foray::kBlock) cluster_reorder(foray::OrderArgs a) { foray::reorder(a); }

extern "C" __global__ void __launch_bounds__(foray::kBlock) cluster_renumber(foray::RenumberArgs a) { foray::renumber(a); }
