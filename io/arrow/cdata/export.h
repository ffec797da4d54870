// What export.c has for export.go.

#ifndef FORAY_CDATA_EXPORT_H
#define FORAY_CDATA_EXPORT_H

#include "abi.h"

// Each makes an empty structure whose release frees everything attached to it.
void foray_own_schema(struct ArrowSchema *s, int64_t children);
void foray_own_array(struct ArrowArray *a, int64_t buffers, int64_t children);
void foray_own_stream(struct ArrowArrayStream *stream, uintptr_t handle);

// foray_buffer makes buffer i of an array.
void *foray_buffer(struct ArrowArray *a, int64_t i, int64_t bytes);

#endif
