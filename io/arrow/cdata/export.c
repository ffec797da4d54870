//go:build cdata && cgo

// This file holds the callbacks of what is exported. Those of streams go on in
// Go; schemas and arrays are memory of C's through and through.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "abi.h"
#include "export.h"

static void release_schema(struct ArrowSchema *s) {
	for (int64_t i = 0; i < s->n_children; i++) {
		if (s->children[i]->release) s->children[i]->release(s->children[i]);
		free(s->children[i]);
	}
	free(s->children);
	free((void *)s->format);
	free((void *)s->name);
	free((void *)s->metadata);
	s->release = NULL;
}

void foray_own_schema(struct ArrowSchema *s, int64_t children) {
	memset(s, 0, sizeof *s);
	s->n_children = children;
	if (children > 0) s->children = calloc(children, sizeof *s->children);
	for (int64_t i = 0; i < children; i++) s->children[i] = calloc(1, sizeof *s);
	s->release = release_schema;
}

static void release_array(struct ArrowArray *a) {
	for (int64_t i = 0; i < a->n_buffers; i++) free((void *)a->buffers[i]);
	free(a->buffers);
	for (int64_t i = 0; i < a->n_children; i++) {
		if (a->children[i]->release) a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	free(a->children);
	a->release = NULL;
}

void foray_own_array(struct ArrowArray *a, int64_t buffers, int64_t children) {
	memset(a, 0, sizeof *a);
	a->n_buffers = buffers;
	a->buffers = calloc(buffers > 0 ? buffers : 1, sizeof *a->buffers);
	a->n_children = children;
	if (children > 0) a->children = calloc(children, sizeof *a->children);
	for (int64_t i = 0; i < children; i++) a->children[i] = calloc(1, sizeof *a);
	a->release = release_array;
}

void *foray_buffer(struct ArrowArray *a, int64_t i, int64_t bytes) {
	return (void *)(a->buffers[i] = malloc(bytes > 0 ? bytes : 1));
}

// A stream's private data.
struct source {
	uintptr_t handle;
	char *error; // the last one
};

static int report(struct source *s, char *error) {
	free(s->error);
	s->error = error;
	return error ? EIO : 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
	struct source *s = stream->private_data;
	memset(out, 0, sizeof *out);
	return report(s, forayStreamSchema(s->handle, out));
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
	struct source *s = stream->private_data;
	memset(out, 0, sizeof *out);
	return report(s, forayStreamNext(s->handle, out));
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
	return ((struct source *)stream->private_data)->error;
}

static void release_stream(struct ArrowArrayStream *stream) {
	struct source *s = stream->private_data;
	forayStreamRelease(s->handle);
	free(s->error);
	free(s);
	stream->private_data = NULL;
	stream->release = NULL;
}

void foray_own_stream(struct ArrowArrayStream *stream, uintptr_t handle) {
	struct source *s = calloc(1, sizeof *s);
	s->handle = handle;
	stream->get_schema = get_schema;
	stream->get_next = get_next;
	stream->get_last_error = get_last_error;
	stream->private_data = s;
	stream->release = release_stream;
}
