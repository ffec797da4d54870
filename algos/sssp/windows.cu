// The search over one GPU's rows in any order, in windows of distance. See windows.cuh.
#include "algos/sssp/windows.cuh"

// Blocks of a multiprocessor: over rows that ascend a sweep's loads need the registers.
#define FORAY_WINDOWS extern "C" __global__ __launch_bounds__(foray::kBlock, 4) void
#define FORAY_WINDOWS_SORTED extern "C" __global__ __launch_bounds__(foray::kBlock, 3) void

FORAY_WINDOWS sssp_windows_o32(const __grid_constant__ foray::WindowsArgs<foray::u32> a) {
  __shared__ foray::WindowsShared<foray::u32> sh;
  foray::windows<false>(a, sh);
}

FORAY_WINDOWS sssp_windows_o64(const __grid_constant__ foray::WindowsArgs<foray::u64> a) {
  __shared__ foray::WindowsShared<foray::u64> sh;
  foray::windows<false>(a, sh);
}

FORAY_WINDOWS_SORTED sssp_windows_sorted_o32(const __grid_constant__ foray::WindowsArgs<foray::u32> a) {
  __shared__ foray::WindowsShared<foray::u32> sh;
  foray::windows<true>(a, sh);
}

FORAY_WINDOWS_SORTED sssp_windows_sorted_o64(const __grid_constant__ foray::WindowsArgs<foray::u64> a) {
  __shared__ foray::WindowsShared<foray::u64> sh;
  foray::windows<true>(a, sh);
}

FORAY_WINDOWS sssp_sums_o32(const __grid_constant__ foray::SumsArgs<foray::u32> a) { foray::sums_of(a); }

FORAY_WINDOWS sssp_sums_o64(const __grid_constant__ foray::SumsArgs<foray::u64> a) { foray::sums_of(a); }
