// This file holds the devices' memory, as the driver's functions use it.
#pragma once

#include "engine.h"

namespace emu {

enum class Kind { device, pool, host, mapped };  // mapped: of another process

// get allocates on a device or, by kind, on the host; the address is 0 if it is
// full. The contents are undefined.
uintptr_t get(size_t bytes, Kind kind, u32 device);
// adopt_host has kernels read memory of the program, until disown_host. They report false for memory that is known already, and that isn't.
bool adopt_host(uintptr_t p, size_t bytes);
bool disown_host(uintptr_t p);
// put frees what begins there, of the host's or not. It returns 0 or the driver's
// code.
int put(uintptr_t p, bool host);
// Shared names memory to other processes. share names what begins at p, map_shared makes it memory that a device reaches,
// unmap_shared ends that. They return 0 or the driver's code.
struct Shared {
  u32 magic;
  int process, file;
  u32 device;
  u64 bytes, room, pages;
  char pad[24];
};
static_assert(sizeof(Shared) == 64, "CUipcMemHandle");
int share(uintptr_t p, Shared* s);
int map_shared(const Shared& s, u32 device, uintptr_t* p);
int unmap_shared(uintptr_t p);
// known reports whether all of the bytes are in one allocation.
bool known(uintptr_t p, size_t bytes);
// range returns the allocation that contains an address, and whether there is one.
bool range(uintptr_t p, unsigned long long* base, size_t* bytes);
// owner returns the device whose memory it is, -1 for the host's memory and for unknown addresses; reachable
// reports whether work with such a reach may use it.
int owner(uintptr_t p);
bool reachable(uintptr_t p, u32 reach);
// adopt makes memory known that is a variable of a module.
void adopt(uintptr_t p, size_t bytes);
size_t used(u32 device);
size_t used_of_pool(u32 device);

// An error of a kernel stays: all later calls for its device return it, until mend_device. tell prints the
// error.
void break_device(u32 device, int code, const std::string& why, bool tell = true);
void mend_device(u32 device);
int broken(u32 device);
std::string broken_why(u32 device);

}  // namespace emu
