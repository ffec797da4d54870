/* check.c calls the library as programs do, and as they shouldn't. Each argument is the name of a check. */
#include <pthread.h>
#include <unistd.h>

#include "tables.h"

static const int64_t src[] = {1, 1, 2, 3, 4}, dst[] = {2, 3, 4, 4, 5};
static const struct table square = {.format = "l", .names = {"src", "dst"}, .values = {src, dst}, .columns = 2, .rows = 5};

/* fails runs an algorithm that fails, looks at what foray_run promises, and that the text contains a word. */
static void fails(int status, const char *algorithm, const struct table *t, const struct table *v, const char *options, const char *word) {
	struct ArrowArrayStream edges, vertices, result;
	char *error = NULL;
	if (t) make_stream(&edges, *t);
	if (v) make_stream(&vertices, *v);
	memset(&result, 0xff, sizeof result);
	int got = foray_run(algorithm, t ? &edges : NULL, v ? &vertices : NULL, options, &result, NULL, &error);
	if (got != status || !error || !strstr(error, word)) {
		fprintf(stderr, "%s, %.100s: status %d, %s; want %d, %s\n", algorithm ? algorithm : "NULL", options ? options : "NULL", got, error ? error : "no error", status, word);
		exit(1);
	}
	foray_free(error);
	CHECK(!t || !edges.release);
	CHECK(!v || !vertices.release);
	CHECK(!result.release);
	CHECK(streams == 0 && schemas == 0 && arrays == 0);
}

/* depths searches from vertex 1 and returns the sum of all depths. */
static int64_t depths(struct table t, const char *options) {
	struct ArrowArrayStream edges, result;
	char *error;
	int64_t sum;
	make_stream(&edges, t);
	if (foray_run("bfs", &edges, NULL, options, &result, NULL, &error) != FORAY_OK) {
		fprintf(stderr, "%s: %s\n", options, error);
		exit(1);
	}
	CHECK(!error && !edges.release);
	count(&result, 1, &sum);
	result.release(&result);
	CHECK(!result.release);
	return sum;
}

static void searches(void) {
	CHECK(depths(square, "{\"source\": 1}") == 1 + 1 + 2 + 3);
	CHECK(depths(square, "{\"source\": [5, 1], \"directed\": true}") == 1 + 1 + 2);
	CHECK(strcmp(foray_version(), FORAY_VERSION) == 0);
	struct table many = square;
	many.batches = 1000;
	CHECK(depths(many, "{\"source\": \"1\", \"parents\": true}") == 7);
	CHECK(streams == 0 && schemas == 0 && arrays == 0);
}

/* Each type of ids comes back as it came in. */
static void types(void) {
	static const int32_t a32[] = {1, 2}, b32[] = {2, 3};
	static const uint64_t a64[] = {1, UINT64_MAX}, b64[] = {UINT64_MAX, 3};
	static const struct { const char *format; const void *from, *to; const char *options; } all[] = {
		{"i", a32, b32, "{\"source\": 1}"}, {"I", a32, b32, "{\"source\": 1}"},
		{"L", a64, b64, "{\"source\": 18446744073709551615, \"target\": [1]}"}, {"u", "ab", "bc", "{\"source\": \"a\"}"},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct table t = {.format = all[i].format, .names = {"src", "dst"}, .values = {all[i].from, all[i].to}, .columns = 2, .rows = 2};
		struct ArrowArrayStream edges, result;
		struct ArrowSchema schema;
		char *error;
		make_stream(&edges, t);
		int failed = foray_run("dobfs", &edges, NULL, all[i].options, &result, NULL, &error);
		if (failed) {
			fprintf(stderr, "%s: %s\n", all[i].format, error);
			exit(1);
		}
		CHECK(result.get_schema(&result, &schema) == 0);
		CHECK(strcmp(schema.children[0]->name, "vertex") == 0 && strcmp(schema.children[0]->format, all[i].format) == 0);
		CHECK(strcmp(schema.children[1]->name, "depth") == 0 && strcmp(schema.children[1]->format, "i") == 0);
		schema.release(&schema);
		result.release(&result); /* before it was read */
	}
}

static void vertices(void) {
	static const int64_t ids[] = {9, 5};
	static const double jumps[] = {1, 3};
	struct table v = {.format = "l", .names = {"id"}, .values = {ids}, .columns = 1, .rows = 2};
	struct ArrowArrayStream edges, more, result;
	char *error;
	int64_t sum;
	make_stream(&edges, square);
	make_stream(&more, v);
	CHECK(foray_run("kcore", &edges, &more, NULL, &result, NULL, &error) == FORAY_OK);
	CHECK(count(&result, 1, &sum) == 6 && sum == 9 && !more.release);
	result.release(&result);
	fails(FORAY_INVALID, "cc", &square, NULL, "{\"vertex_id\": \"id\"}", "missing");
	v.format = "g";
	v.values[0] = jumps;
	fails(FORAY_INVALID, "cc", &square, &v, NULL, "vertices");
	v.fail_at = 1;
	fails(FORAY_STREAM, "cc", &square, &v, NULL, "vertices: the stream failed: the disk is on fire");
}

static void arguments(void) {
	struct ArrowArrayStream edges, result;
	char *error = "unset";
	fails(FORAY_INVALID, NULL, &square, NULL, NULL, "algorithm is NULL");
	fails(FORAY_INVALID, "bsf", &square, &square, NULL, "no algorithm \"bsf\"; the algorithms are bc, bfs, bridges, cc");
	fails(FORAY_INVALID, "bfs", NULL, &square, NULL, "edges is NULL");
	fails(FORAY_INVALID, "bfs", &square, NULL, NULL, "\"source\" is missing");
	make_stream(&edges, square);
	CHECK(foray_run("cc", &edges, NULL, NULL, NULL, NULL, &error) == FORAY_INVALID && strstr(error, "result is NULL"));
	foray_free(error);
	CHECK(foray_run("cc", &edges, NULL, NULL, &result, NULL, &error) == FORAY_INVALID && strstr(error, "released"));
	foray_free(error);
	struct ArrowArrayStream released = edges;
	make_stream(&edges, square);
	CHECK(foray_run("cc", &edges, &released, NULL, &result, NULL, &error) == FORAY_INVALID && strstr(error, "vertices: ArrowArrayStream"));
	foray_free(error);
	CHECK(!edges.release);
	CHECK(foray_run("cc", NULL, NULL, NULL, NULL, NULL, NULL) == FORAY_INVALID);
	make_stream(&edges, square);
	CHECK(foray_run("cc", &edges, NULL, NULL, &result, NULL, NULL) == FORAY_OK);
	result.release(&result);
	foray_free(NULL);
	foray_cancel_request(NULL);
	foray_cancel_free(NULL);
	CHECK(streams == 0);
}

static void options(void) {
	static const struct { const char *text, *word; } all[] = {
		{"{\"sorce\": 1}", "bfs has no option \"sorce\"; its options are depth_limit, device, directed"},
		{"{\"source\": 1, \"source\": 1}", "\"source\" is there twice"},
		{"{\"source\": 1}}", "more text"}, {"{\"source\": 1", "not valid JSON"}, {"[]", "not a JSON object"}, {"\xff", "not valid JSON"},
		{"{\"source\": true}", "\"source\" is true; want an id or an array of ids"}, {"{\"source\": [[1]]}", "want an id"},
		{"{\"source\": null}", "leave it out"}, {"{\"source\": []}", "\"source\" is missing"},
		{"{\"source\": 7}", "option \"source\": \"7\""}, {"{\"source\": 1.5}", "1.5"}, {"{\"source\": \"x\"}", "\"x\""},
		{"{\"source\": 1, \"directed\": 1}", "\"directed\" is 1; want true or false"},
		{"{\"source\": 1, \"src\": 5}", "\"src\" is 5; want a string"}, {"{\"source\": 1, \"src\": \"from\"}", "\"from\""},
		{"{\"source\": 1, \"depth_limit\": -1}", "option \"depth_limit\" is -1"}, {"{\"source\": 1, \"depth_limit\": 1.5}", "whole number"},
		{"{\"source\": 1, \"workers\": -1}", "workers"}, {"{\"source\": 1, \"nulls\": \"x\"}", "\"nulls\""},
		{"{\"source\": 1, \"order\": \"x\"}", "\"order\""}, {"{\"source\": 1, \"device\": \"abacus\"}", "abacus"},
		{"{\"source\": 1, \"where\": \"src <\"}", "where"}, {"{\"source\": 1, \"memory_limit\": -5}", "memory_limit"},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) fails(FORAY_INVALID, "bfs", &square, NULL, all[i].text, all[i].word);
	fails(FORAY_INVALID, "pagerank", &square, NULL, "{\"tolerance\": -1}", "tolerance");
	fails(FORAY_INVALID, "pagerank", &square, NULL, "{\"damping\": 0}", "option \"damping\" is 0");
	fails(FORAY_INVALID, "pagerank", &square, NULL, "{\"damping\": 5}", "option \"damping\" is 5");
	fails(FORAY_INVALID, "lpa", &square, NULL, "{\"iterations\": 0}", "option \"iterations\" is 0");
	fails(FORAY_INVALID, "closeness", &square, NULL, "{\"lanes\": -1}", "option \"lanes\" is -1");
	fails(FORAY_INVALID, "bc", &square, NULL, "{\"samples\": 1, \"source\": 1}", "don't go together");
	fails(FORAY_INVALID, "sssp", &square, NULL, "{\"source\": 1}", "weight");
	fails(FORAY_MEMORY, "cc", &square, NULL, "{\"memory_limit\": 1}", "memory");
}

static void tables(void) {
	static const uint8_t valid[] = {0x1d};
	struct table t = square;
	t.batches = 3;
	for (t.fail_at = 1; t.fail_at <= 3; t.fail_at++) fails(FORAY_STREAM, "cc", &t, NULL, NULL, "the stream failed: the disk is on fire");
	t = square;
	t.fail_schema = 1;
	fails(FORAY_STREAM, "cc", &t, NULL, NULL, "edges: the stream failed");
	t = square;
	t.valid = valid;
	fails(FORAY_INVALID, "cc", &t, NULL, NULL, "an edge without source; \"nulls\": \"skip\" leaves such edges out");
	CHECK(depths(t, "{\"source\": 1, \"nulls\": \"skip\"}") > 0);
	t = square;
	t.format = "g";
	fails(FORAY_INVALID, "cc", &t, NULL, NULL, "src");
	t.format = "+l";
	fails(FORAY_INVALID, "cc", &t, NULL, NULL, "src");
	t = square;
	t.rows = 0;
	fails(FORAY_INVALID, "cc", &t, NULL, NULL, "empty");
	t.columns = 1;
	fails(FORAY_INVALID, "cc", &t, NULL, NULL, "column");
}

/* A list of a million ids, a text of ten megabytes, and a million brackets. */
static void large_options(void) {
	enum { n = 1000000 };
	char *text = malloc(10 * n + 100), *end = text + sprintf(text, "{\"source\": [1");
	for (int i = 0; i < n; i++) end += sprintf(end, ",%d", 1 + i % 5);
	strcpy(end, "]}");
	CHECK(depths(square, text) == 0);
	end = text + sprintf(text, "{\"source\": \"");
	memset(end, 'x', 10 * n);
	strcpy(end + 10 * n, "\"}");
	fails(FORAY_INVALID, "bfs", &square, NULL, text, "xxx");
	memset(text, '[', n);
	text[n] = 0;
	fails(FORAY_INVALID, "bfs", &square, NULL, text, "not a JSON object");
	end = text + sprintf(text, "{\"source\": ");
	memset(end, '[', n);
	end[n] = 0;
	fails(FORAY_INVALID, "bfs", &square, NULL, text, "not valid JSON");
	free(text);
}

static void *many(void *runs) {
	for (int i = 0; i < *(int *)runs; i++) CHECK(depths(square, "{\"source\": 1, \"workers\": 2}") == 7);
	return NULL;
}

static void threads(void) {
	pthread_t all[4];
	int runs = 20;
	for (int i = 0; i < 4; i++) CHECK(pthread_create(&all[i], NULL, many, &runs) == 0);
	for (int i = 0; i < 4; i++) CHECK(pthread_join(all[i], NULL) == 0);
	CHECK(streams == 0 && schemas == 0 && arrays == 0);
}

static void *soon(void *cancel) {
	usleep(200 * 1000);
	foray_cancel_request(cancel);
	return NULL;
}

/* Betweenness of a random graph with 100,000 edges takes long enough to be canceled. */
static void cancels(void) {
	enum { n = 100000 };
	int64_t *from = malloc(n * sizeof *from), *to = malloc(n * sizeof *to);
	uint64_t x = 1;
	for (int i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		from[i] = x >> 33 & 0x7fff;
		to[i] = x >> 48 & 0x7fff;
	}
	struct table t = {.format = "l", .names = {"src", "dst"}, .values = {from, to}, .columns = 2, .rows = n};
	struct ArrowArrayStream edges, result;
	foray_cancel *cancel = foray_cancel_new();
	pthread_t other;
	char *error;
	CHECK(cancel);
	for (int again = 0; again < 2; again++) { /* it stays requested */
		make_stream(&edges, t);
		if (!again) CHECK(pthread_create(&other, NULL, soon, cancel) == 0);
		CHECK(foray_run("bc", &edges, NULL, NULL, &result, cancel, &error) == FORAY_CANCELED);
		CHECK(strstr(error, "canceled"));
		foray_free(error);
		CHECK(!edges.release && !result.release);
	}
	CHECK(pthread_join(other, NULL) == 0);
	foray_cancel_free(cancel);
	free(from);
	free(to);
	CHECK(streams == 0 && schemas == 0 && arrays == 0);
}

int main(int n, char **names) {
	static const struct { const char *name; void (*check)(void); } all[] = {
		{"searches", searches}, {"types", types}, {"vertices", vertices}, {"arguments", arguments}, {"options", options},
		{"tables", tables}, {"large_options", large_options}, {"threads", threads}, {"cancels", cancels},
	};
	for (int i = 1; i < n; i++) {
		size_t k = 0;
		while (k < sizeof all / sizeof *all && strcmp(names[i], all[k].name)) k++;
		CHECK(k < sizeof all / sizeof *all);
		all[k].check();
		printf("%s: ok\n", names[i]);
		fflush(stdout);
	}
	return 0;
}
