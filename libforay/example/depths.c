/*
 * This program searches a graph of five edges and prints the depth of each vertex.
 *
 *   cc -o depths depths.c $(pkg-config --cflags --libs foray)
 *
 * The edges are arrays of the program. A program with an Arrow library exports a stream by that
 * library instead: ExportRecordBatchReader in C++, ArrowArrayStream of nanoarrow in C.
 */
#include <foray.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t sources[] = {1, 1, 2, 3, 4}, targets[] = {2, 3, 4, 4, 5};

/* The stream of edges: a schema of two columns, and one record. Its memory is static, so that
 * release only marks a structure as released. */

static void release_schema(struct ArrowSchema *s) { s->release = NULL; }
static void release_array(struct ArrowArray *a) { a->release = NULL; }
static void release_stream(struct ArrowArrayStream *s) { s->release = NULL; }
static const char *last_error(struct ArrowArrayStream *s) { (void)s; return NULL; }

static int schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
	static struct ArrowSchema columns[2];
	static struct ArrowSchema *list[] = {&columns[0], &columns[1]};
	(void)s;
	columns[0] = (struct ArrowSchema){.format = "l", .name = "src", .release = release_schema};
	columns[1] = (struct ArrowSchema){.format = "l", .name = "dst", .release = release_schema};
	*out = (struct ArrowSchema){.format = "+s", .name = "", .n_children = 2, .children = list, .release = release_schema};
	return 0;
}

static int next(struct ArrowArrayStream *s, struct ArrowArray *out) {
	static const void *source_buffers[] = {NULL, sources}, *target_buffers[] = {NULL, targets}, *none[] = {NULL};
	static struct ArrowArray columns[2];
	static struct ArrowArray *list[] = {&columns[0], &columns[1]};
	int *given = s->private_data;
	if (*given) {
		memset(out, 0, sizeof *out); /* the end */
		return 0;
	}
	*given = 1;
	columns[0] = (struct ArrowArray){.length = 5, .n_buffers = 2, .buffers = source_buffers, .release = release_array};
	columns[1] = (struct ArrowArray){.length = 5, .n_buffers = 2, .buffers = target_buffers, .release = release_array};
	*out = (struct ArrowArray){.length = 5, .n_buffers = 1, .buffers = none, .n_children = 2, .children = list, .release = release_array};
	return 0;
}

int main(void) {
	int given = 0;
	struct ArrowArrayStream edges = {schema, next, last_error, release_stream, &given}, result;
	char *error;
	if (foray_run("bfs", &edges, NULL, "{\"source\": 1, \"directed\": true, \"order\": \"given\"}", &result, NULL, &error) != FORAY_OK) {
		fprintf(stderr, "depths: %s\n", error);
		foray_free(error);
		return 1;
	}
	struct ArrowArray record;
	int failed;
	while ((failed = result.get_next(&result, &record)) == 0 && record.release) {
		const int64_t *vertex = record.children[0]->buffers[1];
		const int32_t *depth = record.children[1]->buffers[1];
		for (int64_t i = 0; i < record.length; i++) printf("vertex %" PRId64 " is at depth %" PRId32 "\n", vertex[i], depth[i]);
		record.release(&record);
	}
	if (failed) fprintf(stderr, "depths: %s\n", result.get_last_error(&result));
	result.release(&result);
	return failed != 0;
}
