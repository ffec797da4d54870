// This file holds the change of stacks, and the hooks that the compiler puts
// before every access to memory in a kernel (-fsanitize=thread, without its
// library): there a thread may lose its turn, wherever it is.
#include <sched.h>
#include <time.h>

#include "engine.h"

namespace emu {

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl emu_switch
.hidden emu_switch
.type emu_switch, @function
emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emu_switch, .-emu_switch
)");
constexpr int kSaved = 6;
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.globl emu_switch
.hidden emu_switch
.type emu_switch, @function
emu_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size emu_switch, .-emu_switch
)");
#else
#error "the emulator knows x86-64 and arm64"
#endif

static void fiber_main() {
  Thread& t = self();
  const Launch& l = *t.block->launch;
  l.code->kernel->run(const_cast<char**>(l.args.data()));
  ended(t);
}

// first_frame readies a stack whose thread begins in fiber_main.
void* first_frame(void* top) {
  void** sp = (void**)(uintptr_t(top) & ~uintptr_t(15));
#if defined(__x86_64__)
  *--sp = nullptr;
  *--sp = (void*)fiber_main;
  for (int i = 0; i < kSaved; i++) *--sp = nullptr;
#else
  sp -= 20;
  for (int i = 0; i < 20; i++) sp[i] = nullptr;
  sp[11] = (void*)fiber_main;
#endif
  return sp;
}

u64 clock_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return u64(t.tv_sec) * 1000000000 + t.tv_nsec;
}

// How fast ticks go by, up to 2^clock times as fast as nanoseconds, is each
// launch's own: what a kernel does every so many of them it does now and then in
// some, and all the time in others.
u64 ticks() { return clock_ns() << (self().block->launch->seed >> 20) % (settings().clock + 1); }

// overdue gives up a kernel that runs for too long.
static void overdue(Thread& t) {
  const Launch& l = *t.block->launch;
  if (clock_ns() - l.began > u64(settings().limit_s) * 1000000000) {
    const char* what = t.spins > 2 ? "waits for a word in memory to change, still" : "still runs";
    give_up(t, kTimeout, std::string(what) + " after " + std::to_string(settings().limit_s) + " s");
  }
}

// turn ends a thread's turn: another thread of this worker continues.
static __attribute__((noinline)) void turn(Thread& t) {
  Worker& w = *t.block->worker;
  t.budget = 1 + w.random.below(2 * settings().turn);
  if (w.random.below(1024) == 0) overdue(t);
  yield(t);
}

static inline void access(const void* p, size_t n) {
  Thread& t = self();
  if (uintptr_t(p) & (n - 1)) {
    char text[80];
    snprintf(text, sizeof text, "reads or writes %zu bytes at %p, which isn't a multiple", n, p);
    give_up(t, kMisaligned, text);
  }
  reach(t, p);
  if (__builtin_expect(--t.budget == 0, 0)) turn(t);
}

// A thread that reads the same volatile again and again waits for another one.
static inline void spin(const void* p, size_t n) {
  access(p, n);
  Thread& t = self();
  if (t.spun != p) {
    t.spun = p, t.spins = 0;
    return;
  }
  if (++t.spins < 3) return;
  Worker& w = *t.block->worker;
  if (++w.idle % 16 == 0) sched_yield();
  if (t.spins % 4096 == 0) overdue(t);
  yield(t);
}

void breathe() { access(nullptr, 1); }

}  // namespace emu

#define HOOK extern "C" __attribute__((visibility("hidden"))) void
#define HOOKS(n)                                              \
  HOOK __tsan_read##n(void* p) { emu::access(p, n); }         \
  HOOK __tsan_write##n(void* p) { emu::access(p, n); }        \
  HOOK __tsan_volatile_read##n(void* p) { emu::spin(p, n); }  \
  HOOK __tsan_volatile_write##n(void* p) { emu::access(p, n); } \
  HOOK __tsan_unaligned_read##n(void* p) { emu::access(p, 1); } \
  HOOK __tsan_unaligned_write##n(void* p) { emu::access(p, 1); }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
HOOK __tsan_read_range(void* p, size_t) { emu::access(p, 1); }
HOOK __tsan_write_range(void* p, size_t) { emu::access(p, 1); }
HOOK __tsan_func_entry(void*) {}
HOOK __tsan_func_exit() {}
HOOK __tsan_init() {}
