// This file holds the device's memory, as the driver's functions use it.
#pragma once

#include "engine.h"

namespace emu {

enum class Kind { device, pool, host };

// get allocates; the address is 0 where there is no room. What it holds nobody
// knows.
uintptr_t get(size_t bytes, Kind kind);
// put frees what begins there, of the host's or not. It returns 0 or the driver's
// code.
int put(uintptr_t p, bool host);
// known says whether all of the bytes lie in one allocation.
bool known(uintptr_t p, size_t bytes);
// adopt makes memory known that is a variable of a module.
void adopt(uintptr_t p, size_t bytes);
size_t used();
size_t used_of_pool();

// An error of a kernel stays: all later calls return it.
void break_device(int code, const std::string& why);
int broken();
std::string broken_why();

}  // namespace emu
