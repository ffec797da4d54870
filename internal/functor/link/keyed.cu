// The kernels of reduces by key: with holes (holes.cuh), as skeletons.cu has them.
#include "internal/functor/link/holes.cuh"
#include "operators/reduce/keyed.cuh"

namespace foray {

template <class T>
struct KeyHoles;
#ifdef FORAY_EMULATED
__device__ __forceinline__ u32 hole_key(const Edge& e) { return u32(emu::hole(emu::kHoleKey, e.source, e.target, e.level, e.index)); }
__device__ __forceinline__ bool hole_scored() { return emu::hole(emu::kHoleScored) != 0; }
#define FORAY_KEY_HOLES(T, width, c)                                                                                                            \
  template <>                                                                                                                                   \
  struct KeyHoles<T> {                                                                                                                          \
    __device__ static u64 score(u32 v, T total, u32 level, u32 key) { return emu::hole(emu::kHoleScore##width, v, total, level, key); }         \
    __device__ static u64 apply(u32 v, T total, u32 level, u32 key) { return emu::hole(emu::kHoleApplyKey##width, v, total, level, key); }      \
  };
#else
__device__ __forceinline__ u32 hole_key(const Edge& e) {
  u32 x;
  asm volatile("FORAY_KEY %0, %1, %2, %3, %4;" : "=r"(x) : "r"(e.source), "r"(e.target), "r"(e.level), "l"(e.index));
  return x;
}
__device__ __forceinline__ bool hole_scored() {
  u32 x;
  asm volatile("FORAY_SCORED %0;" : "=r"(x));
  return x != 0;
}
#define FORAY_KEY_HOLES(T, width, c)                                                                                                          \
  template <>                                                                                                                                 \
  struct KeyHoles<T> {                                                                                                                        \
    __device__ __forceinline__ static u64 score(u32 v, T total, u32 level, u32 key) {                                                         \
      u64 x;                                                                                                                                  \
      asm volatile("FORAY_SCORE" #width " %0, %1, %2, %3, %4;" : "=l"(x) : "r"(v), c(total), "r"(level), "r"(key));                           \
      return x;                                                                                                                               \
    }                                                                                                                                         \
    __device__ __forceinline__ static u64 apply(u32 v, T total, u32 level, u32 key) {                                                         \
      u64 x;                                                                                                                                  \
      asm volatile("FORAY_APPLYKEY" #width " %0, %1, %2, %3, %4;" : "=l"(x) : "r"(v), c(total), "r"(level), "r"(key) : "memory");             \
      return x;                                                                                                                               \
    }                                                                                                                                         \
  };
#endif
FORAY_KEY_HOLES(u32, 32, "r")
FORAY_KEY_HOLES(u64, 64, "l")

// HoleKeyed is a functor with Key, Gather and Apply, and perhaps Score: then Apply takes the score of the chosen key.
template <class T>
struct HoleKeyed : GatherFunctor<T, kByGather, u64, kByApply> {
  __device__ __forceinline__ u32 key(const Edge& e) const { return hole_key(e); }
  __device__ __forceinline__ T gather(const Edge& e) const { return Holes<T>::gather(e); }
  __device__ __forceinline__ bool scored() const { return hole_scored(); }
  __device__ __forceinline__ double score(u32 v, u32 key, T total, u32 level) const { return __longlong_as_double((long long)KeyHoles<T>::score(v, total, level, key)); }
  __device__ __forceinline__ u64 choose(u32 v, u32 key, double score, u32 level) const { return KeyHoles<u64>::apply(v, u64(__double_as_longlong(score)), level, key); }
  __device__ __forceinline__ u64 apply(u32 v, u32 key, T total, u32 level) const { return KeyHoles<T>::apply(v, total, level, key); }
};
}  // namespace foray

#define FORAY_KEYED(name, bits, T, width, Offset)                                                                                      \
  FORAY_KERNEL foray_keyed_##name##bits##_##width(const __grid_constant__ foray::KeyedArgs<Offset> a, FORAY_BLOCK_PARAM) {              \
    FORAY_SELECT(GATHER, 0u);                                                                                                           \
    foray::enter_keyed_##name(a, foray::HoleKeyed<T>());                                                                                \
  }
#define FORAY_KEYED_ALL(bits, T, width, Offset)   \
  FORAY_KEYED(rows, bits, T, width, Offset)       \
  FORAY_KEYED(tables, bits, T, width, Offset)     \
  FORAY_KEYED(hubs, bits, T, width, Offset)

FORAY_KEYED_ALL(32, foray::u32, o32, foray::u32)
FORAY_KEYED_ALL(64, foray::u64, o32, foray::u32)
FORAY_KEYED_ALL(32, foray::u32, o64, foray::u64)
FORAY_KEYED_ALL(64, foray::u64, o64, foray::u64)
