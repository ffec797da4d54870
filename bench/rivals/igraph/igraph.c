// Times algorithms of the C library igraph on a graph file, for bench/rivals.
//
//	cc -O2 -o igraph-bench bench/rivals/igraph/igraph.c $(pkg-config --cflags --libs igraph)
//	igraph-bench ALGORITHM FILE.sg|FILE.wsg [ROUNDS]
//
// FILE is an undirected graph in GAP's format, as foray convert writes it: .sg without weights, .wsg with integers.
// Each round prints a line "Time: N ms", and with it a number of the result, to compare.
// The time is that of the library's call. It excludes reading the file and building igraph's graph.
#include <igraph.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static igraph_t graph;
static igraph_vector_t weights;
static int weighted;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
  fprintf(stderr, "igraph-bench: %s\n", what);
  exit(1);
}

static void get(void *into, size_t bytes, FILE *f) {
  if (fread(into, 1, bytes, f) != bytes) fail("the file ends too early");
}

// load reads a file of GAP: whether it is directed, its edges, its vertices, the offsets of rows, the rows.
static void load(const char *name) {
  FILE *f = fopen(name, "rb");
  if (!f) fail("the file can't be opened");
  size_t length = strlen(name);
  weighted = length > 4 && !strcmp(name + length - 4, ".wsg");
  char directed;
  int64_t edges, vertices;
  get(&directed, 1, f);
  get(&edges, 8, f);
  get(&vertices, 8, f);
  if (directed) fail("the graph is directed; want an undirected one");
  int64_t *offsets = malloc((vertices + 1) * 8);
  if (!offsets) fail("out of memory");
  get(offsets, (vertices + 1) * 8, f);
  int64_t entries = offsets[vertices];
  int32_t *rows = malloc(entries * (weighted ? 8 : 4));
  if (!rows) fail("out of memory");
  get(rows, entries * (weighted ? 8 : 4), f);
  fclose(f);
  igraph_vector_int_t ends;
  igraph_vector_int_init(&ends, entries);
  igraph_vector_init(&weights, weighted ? entries / 2 : 0);
  int64_t at = 0;
  for (int64_t v = 0; v < vertices; v++) {
    for (int64_t i = offsets[v]; i < offsets[v + 1]; i++) {
      int64_t u = weighted ? rows[2 * i] : rows[i];
      if (u < v) continue; // each edge is in two rows
      if (at + 2 > entries) fail("the graph has self-loops");
      if (weighted) VECTOR(weights)[at / 2] = rows[2 * i + 1];
      VECTOR(ends)[at++] = v;
      VECTOR(ends)[at++] = u;
    }
  }
  if (at != entries) fail("the rows of the graph aren't symmetric");
  free(offsets);
  free(rows);
  igraph_create(&graph, &ends, vertices, IGRAPH_UNDIRECTED);
  igraph_vector_int_destroy(&ends);
}

// run runs an algorithm once, and returns its time in ms and a number of its result.
static double run(const char *algorithm, double *result) {
  igraph_vector_t *w = weighted ? &weights : NULL;
  igraph_vector_t values;
  igraph_vector_int_t list;
  igraph_vector_init(&values, 0);
  igraph_vector_int_init(&list, 0);
  igraph_real_t real = 0;
  igraph_integer_t count = 0;
  *result = 0;
  double began = now(), ended = 0;
  if (!strcmp(algorithm, "degree")) {
    igraph_degree(&graph, &list, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS);
    ended = now();
    *result = igraph_vector_int_max(&list);
  } else if (!strcmp(algorithm, "cc")) {
    igraph_connected_components(&graph, &list, NULL, &count, IGRAPH_WEAK);
    ended = now();
    *result = count;
  } else if (!strcmp(algorithm, "pagerank")) {
    igraph_pagerank(&graph, IGRAPH_PAGERANK_ALGO_PRPACK, &values, &real, igraph_vss_all(), 0, 0.85, NULL, NULL);
    ended = now();
    *result = igraph_vector_max(&values);
  } else if (!strcmp(algorithm, "eigenvector")) {
    igraph_eigenvector_centrality(&graph, &values, &real, 0, 1, NULL, NULL);
    ended = now();
    *result = real;
  } else if (!strcmp(algorithm, "kcore")) {
    igraph_coreness(&graph, &list, IGRAPH_ALL);
    ended = now();
    *result = igraph_vector_int_max(&list);
  } else if (!strcmp(algorithm, "triangles")) {
    igraph_adjacent_triangles(&graph, &values, igraph_vss_all());
    ended = now();
    *result = igraph_vector_sum(&values) / 3;
  } else if (!strcmp(algorithm, "louvain")) {
    igraph_rng_seed(igraph_rng_default(), 1);
    igraph_vector_t quality;
    igraph_vector_init(&quality, 0);
    began = now();
    igraph_community_multilevel(&graph, w, 1, &list, NULL, &quality);
    ended = now();
    *result = igraph_vector_max(&quality);
    igraph_vector_destroy(&quality);
  } else if (!strcmp(algorithm, "leiden")) {
    igraph_rng_seed(igraph_rng_default(), 1);
    igraph_vector_t strength;
    igraph_vector_init(&strength, 0);
    began = now();
    igraph_strength(&graph, &strength, igraph_vss_all(), IGRAPH_ALL, IGRAPH_LOOPS, w);
    double total = igraph_vector_sum(&strength);
    igraph_community_leiden(&graph, w, &strength, 1 / total, 0.01, 0, 2, &list, &count, NULL);
    ended = now();
    igraph_modularity(&graph, &list, w, 1, 0, &real);
    *result = real;
    igraph_vector_destroy(&strength);
  } else if (!strcmp(algorithm, "lpa")) {
    igraph_rng_seed(igraph_rng_default(), 1);
    igraph_community_label_propagation(&graph, &list, IGRAPH_ALL, w, NULL, NULL);
    ended = now();
    *result = igraph_vector_int_max(&list) + 1;
  } else if (!strcmp(algorithm, "msf")) {
    igraph_minimum_spanning_tree(&graph, &list, w);
    ended = now();
    for (igraph_integer_t i = 0; i < igraph_vector_int_size(&list); i++) *result += w ? VECTOR(*w)[VECTOR(list)[i]] : 1;
  } else if (!strcmp(algorithm, "bridges")) {
    igraph_bridges(&graph, &list);
    ended = now();
    *result = igraph_vector_int_size(&list);
  } else if (!strcmp(algorithm, "biconnected")) {
    igraph_biconnected_components(&graph, &count, NULL, NULL, NULL, NULL);
    ended = now();
    *result = count;
  } else if (!strcmp(algorithm, "ktruss")) {
    igraph_trussness(&graph, &list);
    ended = now();
    *result = igraph_vector_int_size(&list) ? igraph_vector_int_max(&list) : 0;
  } else if (!strcmp(algorithm, "kclique")) { // of all sizes
    igraph_clique_size_hist(&graph, &values, 0, 0);
    ended = now();
    *result = igraph_vector_sum(&values);
  } else if (!strcmp(algorithm, "color")) {
    igraph_vertex_coloring_greedy(&graph, &list, IGRAPH_COLORING_GREEDY_COLORED_NEIGHBORS);
    ended = now();
    *result = igraph_vector_int_max(&list) + 1;
  } else if (!strcmp(algorithm, "walks")) { // 1,000 walks of 1,000 steps
    igraph_rng_seed(igraph_rng_default(), 1);
    igraph_integer_t n = igraph_vcount(&graph);
    began = now();
    for (int i = 0; i < 1000; i++) {
      igraph_random_walk(&graph, w, &list, NULL, (igraph_integer_t)((uint64_t)i * 2654435761u % (uint64_t)n), IGRAPH_ALL, 1000, IGRAPH_RANDOM_WALK_STUCK_RETURN);
      *result += igraph_vector_int_size(&list);
    }
    ended = now();
  } else {
    fail("no such algorithm: want degree, cc, pagerank, eigenvector, kcore, triangles, louvain, leiden, lpa, msf, bridges, biconnected, ktruss, kclique, color or walks");
  }
  igraph_vector_destroy(&values);
  igraph_vector_int_destroy(&list);
  return ended - began;
}

int main(int argc, char **argv) {
  if (argc < 3) fail("usage: igraph-bench ALGORITHM FILE.sg|FILE.wsg [ROUNDS]");
  load(argv[2]);
  int rounds = argc > 3 ? atoi(argv[3]) : 3;
  for (int i = 0; i < rounds; i++) {
    double result, ms = run(argv[1], &result);
    printf("Time: %.4g ms, result %.9g\n", ms, result);
    fflush(stdout);
  }
  return 0;
}
