// What the tests of this package take apart.
#include <cstdint>

namespace foray {

constexpr unsigned kSome = 12;

struct Inner {
  const uint32_t* items;
  uint32_t n;
  uint32_t pad;
};

template <class Offset>
struct Args {
  Inner in[2];
  Offset* by_id;
  unsigned long long first, second;
  int32_t depth;
  float even;
  uint8_t code;  // and a hole
  uint32_t last;
};

struct Functor {
  uint64_t words[3];
};

}  // namespace foray

extern "C" __global__ void __launch_bounds__(foray::kSome) one_o32(const __grid_constant__ foray::Args<uint32_t> a, foray::Functor f) {
  __shared__ foray::Inner inner;
  extern __shared__ __align__(16) unsigned char dynamic[];
  inner = a.in[f.words[0]];
  dynamic[0] = 1;
}
extern "C" __global__ __launch_bounds__(foray::kSome) void two(uint64_t* to, uint32_t count) { to[0] = count; }
