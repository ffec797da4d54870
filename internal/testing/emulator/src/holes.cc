// This file runs the texts of functors at the holes of kernels.
#include <cstring>

#include "engine.h"
#include "ptx.h"

// What the compiler puts before the accesses of kernels: see fiber.cc.
#define HOOKS(n)                                  \
  extern "C" void __tsan_read##n(void* p);        \
  extern "C" void __tsan_write##n(void* p);       \
  extern "C" void __tsan_volatile_read##n(void* p); \
  extern "C" void __tsan_volatile_write##n(void* p);
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)

namespace emu {
namespace {

template <class T>
u64 load_as(const void* p, const Step& s) {
  const T x = s.order == Order::strong ? __atomic_load_n((const T*)p, __ATOMIC_RELAXED) : *(const T*)p;
  if (!s.sign) return x;
  return u32(int32_t(std::make_signed_t<T>(x)));
}

#define HOOKED(n, what) (s.order == Order::strong ? __tsan_volatile_##what##n(p) : __tsan_##what##n(p))

u64 load(void* p, const Step& s) {
  switch (s.bytes) {
    case 1: return HOOKED(1, read), load_as<u8>(p, s);
    case 2: return HOOKED(2, read), load_as<uint16_t>(p, s);
    case 4: return HOOKED(4, read), load_as<u32>(p, s);
  }
  return HOOKED(8, read), load_as<u64>(p, s);
}

template <class T>
void store_as(void* p, u64 x, const Step& s) {
  if (s.order == Order::strong) {
    __atomic_store_n((T*)p, T(x), __ATOMIC_RELAXED);
  } else {
    *(T*)p = T(x);
  }
}

void store(void* p, u64 x, const Step& s) {
  switch (s.bytes) {
    case 1: return HOOKED(1, write), store_as<u8>(p, x, s);
    case 2: return HOOKED(2, write), store_as<uint16_t>(p, x, s);
    case 4: return HOOKED(4, write), store_as<u32>(p, x, s);
  }
  HOOKED(8, write), store_as<u64>(p, x, s);
}

template <class T>
u64 change(void* p, u64 x, const Step& s) {
  T had = __atomic_load_n((T*)p, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n((T*)p, &had, T(s.fn(had, x, 0)), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return had;
}

void aligned(Thread& t, void* p, const Step& s) {
  breathe();
  reach(t, p);
  if (uintptr_t(p) % s.bytes) give_up(t, kMisaligned, "an atomic operation where the address isn't a multiple of the size");
}

u64 parameter(Thread& t, const Spliced& module, const Text& text, const Step& s) {
  const Launch& l = *t.block->launch;
  const u64 at = text.base + u64(s.offset);
  if (module.parameter >= l.args.size() || at + s.bytes > l.code->kernel->sizes[module.parameter]) {
    give_up(t, kLaunchFailed, "reads byte " + std::to_string(at) + " of parameter " + std::to_string(module.parameter) + ", past its end");
  }
  u64 x = 0;
  memcpy(&x, l.args[module.parameter] + at, s.bytes);
  if (s.sign) x = s.bytes == 1 ? u32(int32_t(int8_t(x))) : u32(int32_t(int16_t(x)));
  return x;
}

// local returns where the bytes at an address of a text's arrays are.
u8* local(Thread& t, const Text& text, u8* arrays, u64 at, const Step& s) {
  if (at < kLocalBase || at - kLocalBase > text.locals || at - kLocalBase + s.bytes > text.locals) give_up(t, kIllegalAddress, "accesses local memory outside of the functor's arrays");
  if (at % s.bytes) give_up(t, kMisaligned, "accesses local memory where the address isn't a multiple of the size");
  return arrays + (at - kLocalBase);
}

u64 load_local(const u8* p, const Step& s) {
  u64 x = 0;
  memcpy(&x, p, s.bytes);
  if (s.sign) x = s.bytes == 1 ? u32(int32_t(int8_t(x))) : u32(int32_t(int16_t(x)));
  return x;
}

// row returns the thread's registers, with the constants in their places.
u64* row(Thread& t, const Spliced& module) {
  Block& b = *t.block;
  const size_t constants = module.constants.size(), each = constants + module.registers;
  if (!b.registers) b.registers.reset(new u64[each * b.threads]);
  u64* r = b.registers.get() + each * t.index + constants;
  for (size_t i = 0; i < constants; i++) r[-1 - int64_t(i)] = module.constants[i];
  return t.registers = r;
}

}  // namespace

void select(Functors kind, u32 number) { self().selected[kind] = number; }

u64 hole(Hole h, u64 a, u64 b, u64 c, u64 d) {
  Thread& t = self();
  const Spliced* module = t.block->launch->spliced.get();
  const HoleForm& form = hole_forms[h];
  const u32 number = t.selected[form.functors];
  if (!module || number >= module->texts[h].size() || module->texts[h][number].source.empty()) {
    give_up(t, kLaunchFailed, std::string("comes to the hole FORAY_") + form.name + ", where functor " + std::to_string(number) + " has no text");
  }
  const Text& text = module->texts[h][number];
  u64* const r = t.registers ? t.registers : row(t, *module);
  r[0] = kUnset, r[1] = a, r[2] = b, r[3] = c, r[4] = d;
  t.text = &text;
  const Step* const steps = text.steps.data();
  const u32 n = u32(text.steps.size());
  u64 arrays[kLocalsMost / 8];
  if (text.locals) memset(arrays, 0xdb, text.locals);  // what nothing was written to
  for (u32 i = 0; i < n;) {
    const Step& s = steps[i];
    t.step = i++;
    if (s.guard != kNowhere && bool(r[s.guard]) == s.unless) continue;
    u64 x;
    switch (s.act) {
      case Act::pure: x = s.fn(r[s.a], r[s.b], r[s.c]); break;
      case Act::compare: {
        const u64 is = s.fn(r[s.a], r[s.b], 0);
        const u64 other = s.c == kNowhere ? 0 : r[s.c] ^ u64(s.negate);
        auto combined = [&](u64 y) { return s.combine == Combine::both ? y & other : s.combine == Combine::either ? y | other : s.combine == Combine::one ? y ^ other : y; };
        x = combined(is);
        if (s.d2 != kNowhere) r[s.d2] = combined(is ^ 1);
        break;
      }
      case Act::pack: x = u64(u32(r[s.a])) | r[s.b] << 32; break;
      case Act::unpack: {
        const u64 both = r[s.a];
        if (s.d2 != kNowhere) r[s.d2] = both >> 32;
        x = u32(both);
        break;
      }
      case Act::thread: x = s.offset ? t.shape->block_idx.x : t.idx.x; break;
      case Act::param: x = parameter(t, *module, text, s); break;
      case Act::load: x = load((void*)(r[s.a] + u64(s.offset)), s); break;
      case Act::load_local: x = load_local(local(t, text, (u8*)arrays, r[s.a] + u64(s.offset), s), s); break;
      case Act::store_local: memcpy(local(t, text, (u8*)arrays, r[s.a] + u64(s.offset), s), &r[s.b], s.bytes); continue;
      case Act::store: store((void*)(r[s.a] + u64(s.offset)), r[s.b], s); continue;
      case Act::atomic: {
        void* p = (void*)(r[s.a] + u64(s.offset));
        aligned(t, p, s);
        x = s.bytes == 4 ? change<u32>(p, r[s.b], s) : change<u64>(p, r[s.b], s);
        break;
      }
      case Act::swap: {
        void* p = (void*)(r[s.a] + u64(s.offset));
        aligned(t, p, s);
        x = compare_swap(p, r[s.b], r[s.c], s.bytes);
        break;
      }
      case Act::branch:
        // A loop may run for ever without an access to memory.
        if (s.target < i) breathe();
        i = s.target;
        continue;
      default: fence(); continue;
    }
    if (s.d != kNowhere) r[s.d] = x;
  }
  t.text = nullptr;
  return width(form.types[0]) == 32 ? u32(r[0]) : r[0];
}

std::string where_in(const Text& text, u32 step) {
  const u32 line = text.steps[step].line;
  size_t from = 0;
  for (u32 i = 1; i < line; i++) from = text.source.find('\n', from) + 1;
  std::string words = text.source.substr(from, text.source.find('\n', from) - from);
  words.erase(0, words.find_first_not_of(" \t"));
  return "functor " + std::to_string(text.number) + " of FORAY_" + hole_forms[text.hole].name + ", line " + std::to_string(line) + " (" + words.substr(0, 100) + ")";
}

}  // namespace emu
