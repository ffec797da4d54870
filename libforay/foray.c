// This file holds the functions of foray.h. foray_run goes on in Go.

#include <stdatomic.h>
#include <stdlib.h>

#include "_cgo_export.h"
#include "foray.h"

struct foray_cancel {
	atomic_int requested;
};

foray_cancel *foray_cancel_new(void) { return calloc(1, sizeof(foray_cancel)); }

void foray_cancel_request(foray_cancel *cancel) {
	if (cancel) atomic_store(&cancel->requested, 1);
}

int forayRequested(const foray_cancel *cancel) {
	return cancel && atomic_load(&((foray_cancel *)cancel)->requested);
}

void foray_cancel_free(foray_cancel *cancel) { free(cancel); }

int foray_run(const char *algorithm, struct ArrowArrayStream *edges, struct ArrowArrayStream *vertices, const char *options,
	struct ArrowArrayStream *result, const foray_cancel *cancel, char **error) {
	return forayRun((char *)algorithm, edges, vertices, (char *)options, result, (foray_cancel *)cancel, error);
}

void foray_free(void *text) { free(text); }

const char *foray_version(void) { return FORAY_VERSION; }
