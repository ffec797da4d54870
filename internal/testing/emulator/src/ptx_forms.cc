// This file holds the instructions of PTX that functors' texts may have, as the PTX ISA
// defines them. Arithmetic on floats is only there with its rounding written out: without it
// a driver may contract.
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "engine.h"
#include "ptx.h"

namespace emu {
namespace {

using i32 = int32_t;
using i64 = int64_t;

template <class T>
T as(u64 x) {
  T y;
  memcpy(&y, &x, sizeof y);
  return y;
}
template <class T>
u64 bits(T x) {
  u64 y = 0;
  memcpy(&y, &x, sizeof x);
  return y;
}
// Arithmetic of float32 makes one NaN, on devices; that of float64 keeps the bits of an
// operand's, as processors do.
u64 bits(float x) {
  if (x != x) return 0x7fffffff;
  u64 y = 0;
  memcpy(&y, &x, sizeof x);
  return y;
}

template <class T> constexpr u32 kBits = sizeof(T) * 8;
template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T> using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;

template <class T> Type type_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Type::f32 : Type::f64;
  return sizeof(T) == 4 ? Type::i32 : Type::i64;
}
template <class T> std::string name_of() {
  return (std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "s" : "u") + std::to_string(sizeof(T) * 8);
}

using Forms = std::unordered_map<std::string, Form>;
Forms forms;

void add(const std::string& name, const Form& f) { forms[name] = f; }
void pure(const std::string& name, Function fn, Type d, Type a, Type b = Type::none, Type c = Type::none) {
  add(name, {Act::pure, fn, d, a, b, c, 0, false, Order::plain, Combine::none});
}

#define PURE(expression) [](u64 ra, u64 rb, u64 rc) -> u64 { \
    const T a = as<T>(ra), b = as<T>(rb), c = as<T>(rc); \
    (void)a, (void)b, (void)c; \
    return bits(expression); \
  }

template <class T>
T divide(T a, T b, bool rest) {
  if (b == 0) fail(rest ? "takes the remainder of a division by zero" : "divides by zero");
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return rest ? 0 : T(Unsigned<T>(0) - Unsigned<T>(a));
  }
  return rest ? T(a % b) : T(a / b);
}

template <class T>
u32 find_bit(T x) {  // bfind: the highest bit that isn't the sign
  Unsigned<T> u = Unsigned<T>(x);
  if (x < 0) u = ~u;
  return u ? u32(63 - __builtin_clzll(u64(u))) : ~0u;
}

template <class T>
void integers() {
  using U = Unsigned<T>;
  const Type t = type_of<T>();
  const std::string n = "." + name_of<T>();
  pure("add" + n, PURE(T(U(a) + U(b))), t, t, t);
  pure("sub" + n, PURE(T(U(a) - U(b))), t, t, t);
  pure("mul.lo" + n, PURE(T(U(a) * U(b))), t, t, t);
  pure("mul.hi" + n, PURE(T((Wide<T>(a) * Wide<T>(b)) >> kBits<T>)), t, t, t);
  pure("mad.lo" + n, PURE(T(U(a) * U(b) + U(c))), t, t, t, t);
  if (sizeof(T) == 4) {
    using W = std::conditional_t<std::is_signed_v<T>, i64, u64>;
    pure("mul.wide" + n, PURE(W(a) * W(b)), Type::i64, t, t);
    pure("mad.wide" + n, [](u64 a, u64 b, u64 c) -> u64 { return u64(W(as<T>(a)) * W(as<T>(b))) + c; }, Type::i64, t, t, Type::i64);
  }
  pure("div" + n, PURE(divide(a, b, false)), t, t, t);
  pure("rem" + n, PURE(divide(a, b, true)), t, t, t);
  pure("min" + n, PURE(a < b ? a : b), t, t, t);
  pure("max" + n, PURE(a < b ? b : a), t, t, t);
  if (std::is_signed_v<T>) {
    pure("neg" + n, PURE(T(U(0) - U(a))), t, t);
    pure("abs" + n, PURE(a < 0 ? T(U(0) - U(a)) : a), t, t);
  }
  pure("bfind" + n, PURE(find_bit(a)), Type::i32, t);
  // A shift by the width and more leaves nothing but, to the right, the sign.
  pure("shr" + n, [](u64 a, u64 b, u64) -> u64 {
    const u32 by = u32(b);
    const T x = as<T>(a);
    return bits(by < kBits<T> ? T(x >> by) : T(x < 0 ? -1 : 0));
  }, sizeof(T) == 4 ? Type::b32 : Type::b64, sizeof(T) == 4 ? Type::b32 : Type::b64, Type::b32);
}

template <class U>
void words() {
  const Type t = sizeof(U) == 4 ? Type::b32 : Type::b64;
  const std::string n = ".b" + std::to_string(kBits<U>);
  using T = U;
  pure("mov" + n, PURE(a), t, t);
  pure("and" + n, PURE(T(a & b)), t, t, t);
  pure("or" + n, PURE(T(a | b)), t, t, t);
  pure("xor" + n, PURE(T(a ^ b)), t, t, t);
  pure("not" + n, PURE(T(~a)), t, t);
  pure("popc" + n, PURE(u32(__builtin_popcountll(a))), Type::b32, t);
  pure("clz" + n, PURE(a ? u32(__builtin_clzll(a)) - (64 - kBits<T>) : kBits<T>), Type::b32, t);
  pure("brev" + n, [](u64 a, u64, u64) -> u64 {
    u64 y = 0;
    for (u32 i = 0; i < kBits<U>; i++) y |= (a >> i & 1) << (kBits<U> - 1 - i);
    return y;
  }, t, t);
  pure("shl" + n, [](u64 a, u64 b, u64) -> u64 { return u32(b) < kBits<U> ? bits(U(U(a) << u32(b))) : 0; }, t, t, Type::b32);
  pure("shr" + n, [](u64 a, u64 b, u64) -> u64 { return u32(b) < kBits<U> ? bits(U(U(a) >> u32(b))) : 0; }, t, t, Type::b32);
}

template <class T>
T less_of(T a, T b, bool most) {  // min and max: a number rather than NaN, and -0 is below 0
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) != most ? a : b;
  return (a < b) != most ? a : b;
}

template <class T>
void floats() {
  const Type t = type_of<T>();
  const std::string n = "." + name_of<T>();
  constexpr u64 sign = u64(1) << (kBits<T> - 1);
  pure("add.rn" + n, PURE(a + b), t, t, t);
  pure("sub.rn" + n, PURE(a - b), t, t, t);
  pure("mul.rn" + n, PURE(a * b), t, t, t);
  pure("div.rn" + n, PURE(a / b), t, t, t);
  pure("fma.rn" + n, PURE(std::fma(a, b, c)), t, t, t, t);
  pure("sqrt.rn" + n, PURE(std::sqrt(a)), t, t);
  pure("min" + n, PURE(less_of(a, b, false)), t, t, t);
  pure("max" + n, PURE(less_of(a, b, true)), t, t, t);
  pure("neg" + n, [](u64 a, u64, u64) -> u64 { return a ^ sign; }, t, t);
  pure("abs" + n, [](u64 a, u64, u64) -> u64 { return a & ~sign; }, t, t);
  pure("testp.notanumber" + n, PURE(u32(a != a)), Type::pred, t);
}

// moves are of any type.
void moves() {
  for (Type t : {Type::i32, Type::f32, Type::i64, Type::f64}) {
    const bool f = t == Type::f32 || t == Type::f64;
    for (const char* n : {f ? ".f" : ".u", f ? ".f" : ".s", ".b"}) {
      const std::string name = n + std::to_string(width(t));
      const Type b = n[1] == 'b' ? width(t) == 32 ? Type::b32 : Type::b64 : t;
      pure("mov" + name, [](u64 a, u64, u64) -> u64 { return a; }, b, b);
      pure("selp" + name, [](u64 a, u64 b, u64 c) -> u64 { return c ? a : b; }, b, b, b, Type::pred);
    }
  }
  const Type p = Type::pred;
  pure("mov.pred", [](u64 a, u64, u64) -> u64 { return a; }, p, p);
  pure("and.pred", [](u64 a, u64 b, u64) -> u64 { return a & b; }, p, p, p);
  pure("or.pred", [](u64 a, u64 b, u64) -> u64 { return a | b; }, p, p, p);
  pure("xor.pred", [](u64 a, u64 b, u64) -> u64 { return a ^ b; }, p, p, p);
  pure("not.pred", [](u64 a, u64, u64) -> u64 { return a ^ 1; }, p, p);
  pure("prmt.b32", [](u64 a, u64 b, u64 c) -> u64 {
    const u64 all = a | b << 32;
    u64 y = 0;
    for (u32 i = 0; i < 4; i++) {
      const u32 which = c >> 4 * i & 15;
      u64 byte = all >> 8 * (which & 7) & 0xff;
      if (which & 8) byte = byte >> 7 ? 0xff : 0;
      y |= byte << 8 * i;
    }
    return y;
  }, Type::b32, Type::b32, Type::b32, Type::b32);
  // shf: both words as one, shifted by the number modulo 32, or at most 32.
  auto funnel = [](const char* name, Function fn) { pure(name, fn, Type::b32, Type::b32, Type::b32, Type::b32); };
  funnel("shf.l.wrap.b32", [](u64 a, u64 b, u64 c) -> u64 { return u32((a | b << 32) << (c & 31) >> 32); });
  funnel("shf.r.wrap.b32", [](u64 a, u64 b, u64 c) -> u64 { return u32((a | b << 32) >> (c & 31)); });
  funnel("shf.l.clamp.b32", [](u64 a, u64 b, u64 c) -> u64 { return c >= 32 ? u32(a) : u32((a | b << 32) << c >> 32); });
  funnel("shf.r.clamp.b32", [](u64 a, u64 b, u64 c) -> u64 { return c >= 32 ? u32(b) : u32((a | b << 32) >> c); });
}

void compare(const std::string& name, const std::string& type, Function fn, Type t) {
  const std::pair<const char*, Combine> all[] = {{"", Combine::none}, {".and", Combine::both}, {".or", Combine::either}, {".xor", Combine::one}};
  for (auto& [word, combine] : all) {
    add("setp." + name + word + "." + type, {Act::compare, fn, Type::pred, t, t, combine == Combine::none ? Type::none : Type::pred, 0, false, Order::plain, combine});
  }
}

template <class T>
void compares(const std::string& n, Type t) {
  compare("eq", n, PURE(u32(a == b)), t);
  if (std::is_floating_point_v<T>) {
    compare("ne", n, PURE(u32(a < b || a > b)), t);
    compare("equ", n, PURE(u32(!(a < b || a > b))), t);
    compare("neu", n, PURE(u32(a != b)), t);
    compare("ltu", n, PURE(u32(!(a >= b))), t);
    compare("leu", n, PURE(u32(!(a > b))), t);
    compare("gtu", n, PURE(u32(!(a <= b))), t);
    compare("geu", n, PURE(u32(!(a < b))), t);
    compare("num", n, PURE(u32(a == a && b == b)), t);
    compare("nan", n, PURE(u32(a != a || b != b)), t);
  } else {
    compare("ne", n, PURE(u32(a != b)), t);
  }
  if (t == Type::b32 || t == Type::b64) return;
  compare("lt", n, PURE(u32(a < b)), t);
  compare("le", n, PURE(u32(a <= b)), t);
  compare("gt", n, PURE(u32(a > b)), t);
  compare("ge", n, PURE(u32(a >= b)), t);
  if (std::is_signed_v<T>) return;
  compare("lo", n, PURE(u32(a < b)), t);
  compare("ls", n, PURE(u32(a <= b)), t);
  compare("hi", n, PURE(u32(a > b)), t);
  compare("hs", n, PURE(u32(a >= b)), t);
}

template <class F>
F round_to(char how, F x) {
  switch (how) {
    case 'n': return std::nearbyint(x);
    case 'z': return std::trunc(x);
    case 'm': return std::floor(x);
  }
  return std::ceil(x);
}

// to_integer clamps what is out of range; NaN becomes 0, of 64 bits on either side the
// highest bit alone, as devices have it.
template <class I, class F, char How>
u64 to_integer(u64 r, u64, u64) {
  const F x = round_to(How, as<F>(r));
  if (x != x) return sizeof(I) == 8 || sizeof(F) == 8 ? u64(1) << (kBits<I> - 1) : 0;
  const F end = std::ldexp(F(1), int(kBits<I>) - int(std::is_signed_v<I>));
  if (x >= end) return bits(std::numeric_limits<I>::max());
  if (x < F(std::numeric_limits<I>::min())) return bits(std::numeric_limits<I>::min());
  return bits(I(x));
}

template <class D, class S>
void convert() {
  const std::string to = "." + name_of<D>(), from = "." + name_of<S>();
  const Type d = type_of<D>(), s = type_of<S>();
  constexpr bool fd = std::is_floating_point_v<D>, fs = std::is_floating_point_v<S>;
  if constexpr (!fd && !fs) {
    pure("cvt" + to + from, [](u64 a, u64, u64) -> u64 { return bits(D(as<S>(a))); }, d, s);
  } else if constexpr (fd && !fs) {
    pure("cvt.rn" + to + from, [](u64 a, u64, u64) -> u64 { return bits(D(as<S>(a))); }, d, s);
  } else if constexpr (!fd && fs) {
    pure("cvt.rni" + to + from, to_integer<D, S, 'n'>, d, s);
    pure("cvt.rzi" + to + from, to_integer<D, S, 'z'>, d, s);
    pure("cvt.rmi" + to + from, to_integer<D, S, 'm'>, d, s);
    pure("cvt.rpi" + to + from, to_integer<D, S, 'p'>, d, s);
  } else if constexpr (std::is_same_v<D, S>) {
    pure("cvt" + to + from, [](u64 a, u64, u64) -> u64 { return bits(as<S>(a)); }, d, s);
    pure("cvt.rni" + to + from, [](u64 a, u64, u64) -> u64 { return bits(round_to('n', as<S>(a))); }, d, s);
    pure("cvt.rzi" + to + from, [](u64 a, u64, u64) -> u64 { return bits(round_to('z', as<S>(a))); }, d, s);
    pure("cvt.rmi" + to + from, [](u64 a, u64, u64) -> u64 { return bits(round_to('m', as<S>(a))); }, d, s);
    pure("cvt.rpi" + to + from, [](u64 a, u64, u64) -> u64 { return bits(round_to('p', as<S>(a))); }, d, s);
  } else {
    pure((sizeof(D) < sizeof(S) ? "cvt.rn" : "cvt") + to + from, [](u64 a, u64, u64) -> u64 { return bits<D>(D(as<S>(a))); }, d, s);
  }
}
template <class D>
void converts() {
  convert<D, i32>(), convert<D, u32>(), convert<D, i64>(), convert<D, u64>(), convert<D, float>(), convert<D, double>();
}

void memory() {
  const struct {
    const char* name;
    Type type;
    u8 bytes;
    bool sign;
  } types[] = {{"b32", Type::b32, 4, false}, {"u32", Type::i32, 4, false}, {"s32", Type::i32, 4, false}, {"f32", Type::f32, 4, false},
               {"b64", Type::b64, 8, false}, {"u64", Type::i64, 8, false}, {"s64", Type::i64, 8, false}, {"f64", Type::f64, 8, false},
               {"b8", Type::b32, 1, false}, {"u8", Type::i32, 1, false}, {"s8", Type::i32, 1, true}, {"u16", Type::i32, 2, false}, {"s16", Type::i32, 2, true}};
  const Type none = Type::none, at = Type::i64;
  for (auto& t : types) {
    const std::string n = std::string(".") + t.name;
    add("ld.param" + n, {Act::param, nullptr, t.type, none, none, none, t.bytes, t.sign, Order::plain, Combine::none});
    add("ld.local" + n, {Act::load_local, nullptr, t.type, at, none, none, t.bytes, t.sign, Order::plain, Combine::none});
    add("st.local" + n, {Act::store_local, nullptr, none, at, t.type, none, t.bytes, false, Order::plain, Combine::none});
    for (const char* how : {"global", "global.nc", "weak.global"}) {
      add(std::string("ld.") + how + n, {Act::load, nullptr, t.type, at, none, none, t.bytes, t.sign, Order::plain, Combine::none});
    }
    for (const char* how : {"volatile.global", "relaxed.gpu.global", "acquire.gpu.global", "relaxed.sys.global"}) {
      add(std::string("ld.") + how + n, {Act::load, nullptr, t.type, at, none, none, t.bytes, t.sign, Order::strong, Combine::none});
    }
    for (const char* how : {"global", "weak.global"}) {
      add(std::string("st.") + how + n, {Act::store, nullptr, none, at, t.type, none, t.bytes, false, Order::plain, Combine::none});
    }
    for (const char* how : {"volatile.global", "relaxed.gpu.global", "release.gpu.global", "relaxed.sys.global"}) {
      add(std::string("st.") + how + n, {Act::store, nullptr, none, at, t.type, none, t.bytes, false, Order::strong, Combine::none});
    }
  }
  for (const char* n : {"membar.gl", "membar.cta", "membar.sys", "fence.acq_rel.gpu", "fence.sc.gpu"}) {
    add(n, {Act::fence, nullptr, none, none, none, none, 0, false, Order::plain, Combine::none});
  }
  for (const char* n : {"bra", "bra.uni"}) add(n, {Act::branch, nullptr, none, none, none, none, 0, false, Order::plain, Combine::none});
}

const char* const atomic_orders[] = {"", ".relaxed.gpu", ".acq_rel.gpu", ".acquire.gpu", ".release.gpu", ".gpu"};

void atomic_form(const std::string& name, Function fn, Type t) {
  const u8 bytes = u8(width(t) / 8);
  for (const char* order : atomic_orders) {
    // .gpu alone stands behind the space.
    const bool behind = std::string(order) == ".gpu";
    const std::string how = behind ? ".global.gpu." : std::string(order) + ".global.";
    add("atom" + how + name, {fn ? Act::atomic : Act::swap, fn, t, Type::i64, t, fn ? Type::none : t, bytes, false, Order::strong, Combine::none});
    if (fn) add("red" + how + name, {Act::atomic, fn, Type::none, Type::i64, t, Type::none, bytes, false, Order::strong, Combine::none});
  }
}

// Devices flush what is subnormal in atom.add.f32 on global memory.
float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

template <class T>
void atomics() {
  const Type t = type_of<T>();
  const std::string n = "." + name_of<T>();
  if constexpr (std::is_integral_v<T>) {
    if (!std::is_same_v<T, i64>) atomic_form("add" + n, PURE(T(Unsigned<T>(a) + Unsigned<T>(b))), t);
    atomic_form("min" + n, PURE(a < b ? a : b), t);
    atomic_form("max" + n, PURE(a < b ? b : a), t);
  } else if constexpr (sizeof(T) == 4) {
    atomic_form("add" + n, PURE(flushed(flushed(a) + flushed(b))), t);
  } else {
    atomic_form("add" + n, PURE(a + b), t);
  }
}

void all_forms() {
  integers<i32>(), integers<u32>(), integers<i64>(), integers<u64>();
  words<u32>(), words<u64>();
  floats<float>(), floats<double>();
  moves();
  compares<i32>("s32", Type::i32), compares<u32>("u32", Type::i32), compares<i64>("s64", Type::i64), compares<u64>("u64", Type::i64);
  compares<u32>("b32", Type::b32), compares<u64>("b64", Type::b64), compares<float>("f32", Type::f32), compares<double>("f64", Type::f64);
  converts<i32>(), converts<u32>(), converts<i64>(), converts<u64>(), converts<float>(), converts<double>();
  memory();
  atomics<i32>(), atomics<u32>(), atomics<i64>(), atomics<u64>(), atomics<float>(), atomics<double>();
  for (Type t : {Type::b32, Type::b64}) {
    const std::string n = ".b" + std::to_string(width(t));
    atomic_form("and" + n, [](u64 a, u64 b, u64) -> u64 { return a & b; }, t);
    atomic_form("or" + n, [](u64 a, u64 b, u64) -> u64 { return a | b; }, t);
    atomic_form("xor" + n, [](u64 a, u64 b, u64) -> u64 { return a ^ b; }, t);
    atomic_form("exch" + n, [](u64, u64 b, u64) -> u64 { return b; }, t);
    atomic_form("cas" + n, nullptr, t);
  }
}

}  // namespace

const Form* find_form(const std::string& name) {
  static const bool made = (all_forms(), true);
  (void)made;
  auto i = forms.find(name);
  return i == forms.end() ? nullptr : &i->second;
}

}  // namespace emu
