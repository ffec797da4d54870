// This file reads what the environment says about the devices:
//
//   FORAY_EMULATOR_SEED      of the order in which threads take turns; 1
//   FORAY_EMULATOR_SM        compute capability, 70, 80 or 90; 90
//   FORAY_EMULATOR_SMS       multiprocessors; 2
//   FORAY_EMULATOR_MEMORY    bytes of a device; 1 GiB
//   FORAY_EMULATOR_DEVICES   how many of these there are, up to 8; 1
//   FORAY_EMULATOR_PEERS     0: they can't reach one another's memory; 1
//   FORAY_EMULATOR_WORKERS   threads of the host for a kernel; 2
//   FORAY_EMULATOR_TURN      accesses to memory that a thread makes at a time, in
//                            the mean; 300
//   FORAY_EMULATOR_CLOCK     how many times the ticks of a multiprocessor are twice as
//                            fast as nanoseconds, at most; 0
//   FORAY_EMULATOR_APART     1: the blocks of a cooperative launch don't all run at
//                            once, as they do on a GPU; 0
//   FORAY_EMULATOR_LINK      1: cuLinkComplete returns machine code, the PTX behind the name of
//                            the architecture; 0: no call of linking is supported; 0
//   FORAY_EMULATOR_LIMIT     seconds that a kernel may take; 60
//   FORAY_EMULATOR_WATCH     seconds without any call of the driver, but those that only ask,
//                            and without the begin or end of a kernel or copy, after which what
//                            streams and kernels do is printed and the process gets SIGQUIT,
//                            with which a Go program prints its goroutines and ends; 0: never
//   FORAY_EMULATOR_KERNELS   a file that gets the name of every kernel launched
//   FORAY_EMULATOR_CALLS     a file that gets the name of every call of the driver
#include <cstdlib>

#include "engine.h"

namespace emu {

static u64 number(const char* name, u64 otherwise, u64 least, u64 most) {
  const char* text = getenv(name);
  if (!text || !*text) return otherwise;
  char* end;
  const u64 x = strtoull(text, &end, 10);
  if (*end || x < least || x > most) {
    fprintf(stderr, "emulator: %s=%s isn't a number from %llu to %llu\n", name, text, (unsigned long long)least, (unsigned long long)most);
    exit(2);
  }
  return x;
}

const Settings& settings() {
  static const Settings s = [] {
    Settings s;
    s.seed = number("FORAY_EMULATOR_SEED", 1, 0, ~u64(0));
    s.arch = u32(number("FORAY_EMULATOR_SM", 90, 70, 90)) * 10;
    s.sms = u32(number("FORAY_EMULATOR_SMS", 2, 1, 64));
    s.memory = number("FORAY_EMULATOR_MEMORY", 1 << 30, 1 << 20, u64(1) << 36);
    s.devices = u32(number("FORAY_EMULATOR_DEVICES", 1, 1, kDevices));
    s.peers = number("FORAY_EMULATOR_PEERS", 1, 0, 1) != 0;
    s.workers = u32(number("FORAY_EMULATOR_WORKERS", 2, 1, 64));
    s.turn = u32(number("FORAY_EMULATOR_TURN", 300, 1, 1 << 30));
    s.clock = u32(number("FORAY_EMULATOR_CLOCK", 0, 0, 20));
    s.apart = number("FORAY_EMULATOR_APART", 0, 0, 1) != 0;
    s.link = number("FORAY_EMULATOR_LINK", 0, 0, 1) != 0;
    s.limit_s = u32(number("FORAY_EMULATOR_LIMIT", 60, 1, 1 << 20));
    s.watch_s = u32(number("FORAY_EMULATOR_WATCH", 0, 0, 1 << 20));
    s.counts = getenv("FORAY_EMULATOR_KERNELS");
    s.calls = getenv("FORAY_EMULATOR_CALLS");
    return s;
  }();
  return s;
}

}  // namespace emu
