/* tables.h makes streams of tables for the tests, in memory of the heap, and counts what is released. */
#ifndef TABLES_H
#define TABLES_H

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foray.h"

#define CHECK(ok)                                                                 \
	do {                                                                          \
		if (!(ok)) {                                                              \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, __func__, #ok); \
			exit(1);                                                              \
		}                                                                         \
	} while (0)

/* What was made and not released yet. */
static atomic_int streams, schemas, arrays;

enum { most = 3 };

/* A table of up to three columns of one type. Values of strings are single letters, in bytes. */
struct table {
	const char *format;   /* of all columns: "l", "i", "I", "L", "g", "u" */
	const char *names[most];
	const void *values[most];
	const uint8_t *valid; /* a bitmap for the first column, or NULL */
	int columns, batches; /* every batch has the same rows */
	int64_t rows;
	int fail_schema, fail_at; /* fail_at is the number of the batch that fails, from 1 */
	int given;
};

static size_t width(const char *format) { return strchr("lLg", *format) ? 8 : *format == 'u' ? 1 : 4; }

static void release_schema(struct ArrowSchema *s) {
	CHECK(s->release);
	for (int64_t i = 0; i < s->n_children; i++) {
		if (s->children[i]->release) s->children[i]->release(s->children[i]);
		free(s->children[i]);
	}
	free(s->children);
	s->release = NULL;
	schemas--;
}

static void make_schema(struct ArrowSchema *s, const char *format, const char *name, int children) {
	memset(s, 0, sizeof *s);
	s->format = format;
	s->name = name;
	s->flags = ARROW_FLAG_NULLABLE;
	s->n_children = children;
	s->children = children ? calloc(children, sizeof *s->children) : NULL;
	for (int i = 0; i < children; i++) s->children[i] = calloc(1, sizeof *s);
	s->release = release_schema;
	schemas++;
}

static void release_array(struct ArrowArray *a) {
	CHECK(a->release);
	for (int64_t i = 0; i < a->n_buffers; i++) free((void *)a->buffers[i]);
	free(a->buffers);
	for (int64_t i = 0; i < a->n_children; i++) {
		if (a->children[i]->release) a->children[i]->release(a->children[i]);
		free(a->children[i]);
	}
	free(a->children);
	a->release = NULL;
	arrays--;
}

static void make_array(struct ArrowArray *a, int64_t rows, int buffers, int children) {
	memset(a, 0, sizeof *a);
	a->length = rows;
	a->n_buffers = buffers;
	a->buffers = calloc(buffers, sizeof *a->buffers);
	a->n_children = children;
	a->children = children ? calloc(children, sizeof *a->children) : NULL;
	for (int i = 0; i < children; i++) a->children[i] = calloc(1, sizeof *a);
	a->release = release_array;
	arrays++;
}

static void *copy(const void *from, size_t n) {
	void *to = malloc(n ? n : 1);
	if (n) memcpy(to, from, n);
	return to;
}

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
	struct table *t = s->private_data;
	if (t->fail_schema) return EIO;
	make_schema(out, "+s", "", t->columns);
	for (int i = 0; i < t->columns; i++) make_schema(out->children[i], t->format, t->names[i], 0);
	return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
	struct table *t = s->private_data;
	memset(out, 0, sizeof *out);
	if (t->given == t->batches) return 0;
	if (++t->given == t->fail_at) return EIO;
	make_array(out, t->rows, 1, t->columns);
	for (int i = 0; i < t->columns; i++) {
		struct ArrowArray *c = out->children[i];
		int strings = *t->format == 'u';
		make_array(c, t->rows, strings ? 3 : 2, 0);
		if (i == 0 && t->valid) {
			c->buffers[0] = copy(t->valid, (t->rows + 7) / 8);
			c->null_count = -1;
		}
		if (strings) {
			int32_t *offsets = malloc((t->rows + 1) * sizeof *offsets);
			for (int64_t k = 0; k <= t->rows; k++) offsets[k] = (int32_t)k;
			c->buffers[1] = offsets;
		}
		c->buffers[strings ? 2 : 1] = copy(t->values[i], t->rows * width(t->format));
	}
	return 0;
}

static const char *last_error(struct ArrowArrayStream *s) {
	(void)s;
	return "the disk is on fire";
}

static void release_stream(struct ArrowArrayStream *s) {
	CHECK(s->release);
	free(s->private_data);
	s->release = NULL;
	streams--;
}

/* make_stream makes a stream of a copy of the table. */
static void make_stream(struct ArrowArrayStream *s, struct table t) {
	if (!t.batches) t.batches = 1;
	*s = (struct ArrowArrayStream){get_schema, get_next, last_error, release_stream, copy(&t, sizeof t)};
	streams++;
}

/* count returns the number of rows of a result, and adds up its column of int32. */
static int64_t count(struct ArrowArrayStream *s, int column, int64_t *sum) {
	struct ArrowArray a;
	int64_t rows = 0;
	*sum = 0;
	for (;;) {
		CHECK(s->get_next(s, &a) == 0);
		if (!a.release) return rows;
		const int32_t *values = a.children[column]->buffers[1];
		for (int64_t i = 0; i < a.length; i++) *sum += values[a.offset + i];
		rows += a.length;
		a.release(&a);
	}
}

#endif
