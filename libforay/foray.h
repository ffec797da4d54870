/*
 * foray.h: graph algorithms on Arrow data.
 *
 * foray_run reads edges from an Arrow C stream, runs an algorithm and returns an Arrow C stream
 * with a row for each vertex. docs/libforay.md describes algorithms and options.
 *
 *   cc program.c $(pkg-config --cflags --libs foray)
 *
 * All functions may be called from any thread, and any number of calls may run at once.
 */
#ifndef FORAY_H
#define FORAY_H

#include <stdint.h>

/* FORAY_VERSION is the version of this header; foray_version returns that of the library. */
#define FORAY_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The structures of the Arrow C data interface and the Arrow C stream interface. The guards are
 * Arrow's, so that the definitions of another header are used where there is one. */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif

/* What foray_run returns. */
enum foray_status {
	FORAY_OK = 0,
	FORAY_INVALID = 1,     /* an argument, an option or a column: calling again fails again */
	FORAY_STREAM = 2,      /* a stream of the caller failed; the error has its message */
	FORAY_CANCELED = 3,    /* foray_cancel_request was called */
	FORAY_MEMORY = 4,      /* the graph or the algorithm needs more memory than there is */
	FORAY_UNSUPPORTED = 5, /* a device or a feature that this machine or this build lacks */
	FORAY_FAILED = 6       /* all else: a device that fails, an internal error */
};

/* foray_cancel lets another thread end a run. */
typedef struct foray_cancel foray_cancel;

/* foray_cancel_new returns a foray_cancel, or NULL if there is no memory. The caller frees it. */
foray_cancel *foray_cancel_new(void);

/* foray_cancel_request ends the runs that were given this foray_cancel, those that begin later
 * included. It is safe in a signal handler. NULL does nothing. */
void foray_cancel_request(foray_cancel *cancel);

/* foray_cancel_free frees a foray_cancel, which no run may use any more. NULL does nothing. */
void foray_cancel_free(foray_cancel *cancel);

/*
 * foray_run runs an algorithm and waits for its end.
 *
 * algorithm  "bfs", "dobfs", "cc", "sssp", "pagerank", "lpa", "louvain", "leiden", "mis", "color",
 *            "topo", "msf", "spanning", "bridges", "ktruss", "kclique", "kcore", "triangles", "closeness", "bc", "degree",
 *            "eigenvector", "hits", "katz", "similar", "walks" or "paths".
 * edges      A stream of records with a row for each edge.
 * vertices   A stream of records with a row for each vertex, or NULL. Vertices without edges are
 *            in the graph then.
 * options    A JSON object in UTF-8, such as {"source": 1, "directed": true}, or NULL.
 * result     Where the stream of results is put. Its contents are overwritten.
 * cancel     Ends the run from another thread, or NULL. It is not used after the return.
 * error      Where the text of an error is put, or NULL.
 *
 * foray_run takes both streams over. It releases them before it returns, also if it fails: their
 * release is NULL then. They are read in the thread of the caller.
 *
 * If it succeeds, it returns FORAY_OK, and the caller releases *result. The stream is independent
 * of the arguments. Threads may take turns in using it.
 *
 * If it fails, it returns another foray_status, result->release is NULL, and *error is a text in
 * UTF-8, which the caller frees once, with foray_free. After success *error is NULL.
 */
int foray_run(const char *algorithm, struct ArrowArrayStream *edges, struct ArrowArrayStream *vertices, const char *options,
	struct ArrowArrayStream *result, const foray_cancel *cancel, char **error);

/* foray_free frees the text of an error. NULL does nothing. */
void foray_free(void *text);

/* foray_version returns the version of the library. The text stays valid. */
const char *foray_version(void);

#ifdef __cplusplus
}
#endif

#endif
