// A driver for tests: NVIDIA's functions over the host's memory. It checks what
// it is given (contexts on threads, handles, addresses) and can be told to
// fail. Signatures are those of the driver's documentation.

#ifndef FORAY_FAKE_H
#define FORAY_FAKE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct fake_context *CUcontext;
typedef struct fake_stream *CUstream;
typedef struct fake_event *CUevent;
typedef struct fake_module *CUmodule;
typedef struct fake_function *CUfunction;
typedef struct fake_pool *CUmemoryPool;
typedef struct { char bytes[16]; } CUuuid;

enum { DEVICES = 3, MAGIC_STREAM = 11, MAGIC_EVENT = 12, MAGIC_MODULE = 13, MAGIC_FUNCTION = 14 };

struct fake_context { int dev, retained; unsigned peers; };
struct fake_stream { int magic, dev; unsigned flags; };
struct fake_event { int magic, dev, recorded; unsigned flags; uint64_t at; };
struct fake_module { int magic, dev, functions; };
struct fake_function { int magic; struct fake_module *mod; int kernel; int attr[16]; struct fake_function *next; };
struct fake_pool { int dev; uint64_t keep, reserved, used; };

struct fake_launch {
  int kind; // 0 plain, 1 cooperative, 2 with attributes
  unsigned grid[3], block[3], shared, cluster[3], cooperative;
};

// enter counts a call and says with which code it must fail at once; 0: none.
// bound says that it needs a context, which current returns.
CUresult enter(const char *name, int bound);
CUcontext current(void);
// known says whether n bytes at p lie in device memory.
int known(CUdeviceptr p, size_t n);
void fake_break(int dev, int code);
extern struct fake_launch last;
extern uint64_t ticks;
// run runs a kernel on the host; its arguments are the driver's array.
CUresult run(int kernel, const struct fake_launch *l, void **args);
int kernel_by_name(const char *name);
CUresult check_function(CUfunction f);
CUresult check_stream(CUstream s);

#define ENTER(bound) do { CUresult fake_r = enter(__func__, bound); if (fake_r) return fake_r; } while (0)
#endif
