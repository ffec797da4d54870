#!/usr/bin/env python3
"""Times algorithms of networkx on a graph file, for bench/rivals.

usage: networkx_bench.py ALGORITHM FILE.sg|FILE.wsg [ROUNDS]

FILE is an undirected graph in GAP's format, as foray convert writes it: .sg without weights, .wsg with integers.
Each round prints a line "Time: N ms", and with it a number of the result, to compare. The time is that of the
call. It excludes reading the file and building networkx' graph.
"""

import sys
import time

import networkx
import numpy

weight = None  # the attribute of edges, if the file has weights


def load(name):
    """Read the header (directed, edges, vertices), the offsets of rows, and the rows."""
    global weight
    data = numpy.fromfile(name, dtype=numpy.uint8)
    if data[0]:
        sys.exit("networkx_bench: the graph is directed; want an undirected one")
    _, n = data[1:17].view(numpy.int64)
    offsets = data[17 : 17 + 8 * (n + 1)].view(numpy.int64)
    rows = data[17 + 8 * (n + 1) :].view(numpy.int32)
    sources = numpy.repeat(numpy.arange(n), numpy.diff(offsets))
    graph = networkx.Graph()
    graph.add_nodes_from(range(n))
    if name.endswith(".wsg"):
        weight = "weight"
        rows = rows.reshape(-1, 2)
        once = sources < rows[:, 0]
        graph.add_weighted_edges_from(zip(sources[once].tolist(), rows[once, 0].tolist(), rows[once, 1].tolist()))
    else:
        once = sources < rows
        graph.add_edges_from(zip(sources[once].tolist(), rows[once].tolist()))
    return graph


ALGORITHMS = {
    "degree": lambda g: max(d for _, d in g.degree()),
    "cc": networkx.number_connected_components,
    "pagerank": lambda g: max(networkx.pagerank(g).values()),
    "eigenvector": lambda g: max(networkx.eigenvector_centrality(g, max_iter=1000).values()),
    "hits": lambda g: max(networkx.hits(g)[0].values()),
    "katz": lambda g: max(networkx.katz_centrality(g, alpha=1e-7).values()),
    "kcore": lambda g: max(networkx.core_number(g).values()),
    "triangles": lambda g: sum(networkx.triangles(g).values()) // 3,
    "louvain": lambda g: networkx.community.modularity(g, networkx.community.louvain_communities(g, weight=weight, seed=1), weight=weight),
    "lpa": lambda g: sum(1 for _ in networkx.community.asyn_lpa_communities(g, weight=weight, seed=1)),
    "msf": lambda g: sum(d.get("weight", 1) for _, _, d in networkx.minimum_spanning_edges(g, data=True)),
    "bridges": lambda g: sum(1 for _ in networkx.bridges(g)),
    "ktruss": lambda g: networkx.k_truss(g, 4).number_of_edges(),  # the truss of one k, the only call that there is
    "color": lambda g: max(networkx.greedy_color(g).values()) + 1,
    "mis": lambda g: len(networkx.maximal_independent_set(g, seed=1)),
}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ALGORITHMS:
        sys.exit(__doc__ + "\nALGORITHM is one of " + ", ".join(ALGORITHMS))
    graph = load(sys.argv[2])
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
        began = time.perf_counter()
        result = ALGORITHMS[sys.argv[1]](graph)
        print(f"Time: {(time.perf_counter() - began) * 1e3:.4g} ms, result {result:.9g}", flush=True)


main()
