// The kernel that adds the bits of several bitmaps to one.
namespace foray {

typedef unsigned int u32;
typedef unsigned long long u64;

struct UniteArgs {
  u64* into;
  const u64* from;  // bitmaps side by side, stride words each
  u64 words, stride;
  u32 count, skip;  // skip is one of them that isn't looked at, or count
};

}  // namespace foray

extern "C" __global__ void __launch_bounds__(256) nccl_unite(foray::UniteArgs a) {
  using namespace foray;
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < a.words; i += u64(gridDim.x) * blockDim.x) {
    u64 x = a.into[i];
    for (u32 k = 0; k < a.count; k++) {
      if (k != a.skip) x |= a.from[k * a.stride + i];
    }
    a.into[i] = x;
  }
}
