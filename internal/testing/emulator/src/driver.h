// This file holds the driver's handles. Numbers and layouts are from the
// driver's documentation.
#pragma once

#include <deque>
#include <functional>

#include "memory.h"

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct EmuContext* CUcontext;
typedef struct EmuStream* CUstream;
typedef struct EmuEvent* CUevent;
typedef struct EmuModule* CUmodule;
typedef struct EmuFunction* CUfunction;
typedef struct EmuPool* CUmemoryPool;

// A device has one context, its primary one.
struct EmuContext {
  std::atomic<int> retained{0};
  std::atomic<emu::u32> reach{0};  // whose memory its kernels may use: see stretch_of

  emu::u32 device() const;
  int broken() const { return emu::broken(device()); }
};

struct EmuPool {
  size_t keep;
};

// A stream runs its enqueued work in order, on a separate thread.
struct EmuStream {
  unsigned magic;
  CUcontext context;
  std::mutex mu;
  std::condition_variable more, less;
  int watched = 0;  // by so many who wait for it, even while it is destroyed
  std::deque<std::function<void()>> work;
  bool busy = false, closed = false;

  void enqueue(std::function<void()> f);
  void wait();
  bool idle(int within_ms);
};
constexpr unsigned kStreamMagic = 0x57AEA111, kEventMagic = 0xE7E27222, kModuleMagic = 0x40D01333, kFunctionMagic = 0xF11C7444;

struct EmuEvent {
  unsigned magic, flags;
  CUcontext context;
  std::mutex mu;
  std::condition_variable reached;
  emu::u64 recorded = 0, passed = 0, at = 0;

  // newest is the number of the last recording, another that of one more.
  emu::u64 newest() {
    std::lock_guard<std::mutex> hold(mu);
    return recorded;
  }
  emu::u64 another() {
    std::lock_guard<std::mutex> hold(mu);
    return ++recorded;
  }
};

struct EmuModule {
  unsigned magic;
  CUcontext context;
  const emu::Module* module;
  std::shared_ptr<const emu::Spliced> spliced;  // null for a fatbin
  std::vector<CUfunction> functions;
};

struct EmuFunction {
  unsigned magic;
  EmuModule* module;
  emu::Compiled code;
  int attributes[16];
  bool launched;
};

namespace emu {
// enter says with which code a call must fail at once; 0: none. bound says that
// it needs a context, call is its name.
CUresult enter(bool bound, const char* call);
CUcontext current();  // of a call that needs one
extern std::atomic<u64> steps;  // that the driver has made: calls, but those that only ask, and what streams did
void watch();                   // begins to look whether there are any
void drain(CUcontext c);  // waits for the streams of a context; null: for all of them
void note(const char* file, const std::string& line);  // appends a line to a file
CUresult take_stream(CUstream& s);
}  // namespace emu

#define ENTER(bound)                         \
  do {                                       \
    CUresult emu_r = emu::enter(bound, __func__);  \
    if (emu_r) return emu_r;                 \
  } while (0)
// What frees does so in a broken context, too, and returns its code.
#define ENTER_TO_FREE()                                         \
  const CUresult emu_broken = emu::enter(true, __func__);       \
  if (emu_broken == 3 || emu_broken == 201) return emu_broken
#define STREAM(s)                            \
  do {                                       \
    CUresult emu_s = emu::take_stream(s);    \
    if (emu_s) return emu_s;                 \
  } while (0)
#define CU extern "C" __attribute__((visibility("default"))) CUresult
