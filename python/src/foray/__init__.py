"""Graph algorithms on Arrow tables, by the library libforay.

Edges are a table with a row per edge: an object with ``__arrow_c_stream__``, such as a table of
pyarrow, polars, DuckDB or pandas, or a mapping of names to columns. The result is a table with a
row per vertex, in the type that the ids have.

>>> import foray
>>> edges = {"src": ["a", "a", "b"], "dst": ["b", "c", "d"]}
>>> result = foray.bfs(edges, source="a", directed=True, order="given")
>>> result.to_pydict()
{'vertex': ['a', 'b', 'c', 'd'], 'depth': [0, 1, 1, 2]}

All functions take these options:

- ``vertices``: a table of vertices, which are in the graph whether they have edges or not;
- ``vertex_id``: its column of ids (default ``id`` or ``vertex``, or the only one);
- ``properties``: names of its columns that the result has, too;
- ``src``, ``dst``: the columns of the ends of an edge (default ``src`` and ``dst``, ``source`` and
  ``target``, or ``from`` and ``to``, or the two columns of a table that has only two);
- ``directed``: edges are directed (default: they lead both ways);
- ``where``: a condition on the rows of the edges, such as ``"amount >= 100"``;
- ``nulls``: ``"skip"`` leaves out edges without an id or a weight (default ``"error"``);
- ``order``: of vertices and thereby of rows, ``"given"`` (by id), ``"degree"`` or ``"auto"``;
- ``reached_only``: leave out vertices without a value in the first column;
- ``device``: ``"host"`` (default), ``"cuda"``, ``"cuda:1"``, or ``"auto"``;
- ``workers``: threads (default one per CPU);
- ``memory_limit``: bytes that building the graph may take;
- ``cancel``: a Cancel, by which another thread ends the call. KeyboardInterrupt ends it as well.

An error is a subclass of Error. An option that isn't known is a TypeError.
"""

from __future__ import annotations

import json
import math
import numbers
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Optional, Protocol, Sequence, Union

from ._library import (
    Cancel, CanceledError, Error, InvalidError, OutOfMemoryError, StreamError, UnsupportedError, run as _run, version as _version,
)
from ._tables import Column, Columns, Result, stream_of as _stream_of

if TYPE_CHECKING:
    from typing_extensions import TypedDict, Unpack

    class Options(TypedDict, total=False):
        """The options that all functions have; see the package."""

        vertices: Table
        vertex_id: str
        properties: Sequence[str]
        src: str
        dst: str
        directed: bool
        where: str
        nulls: str
        order: str
        reached_only: bool
        device: str
        workers: int
        memory_limit: int
        cancel: Cancel


class Stream(Protocol):
    """An object that exports a struct ArrowArrayStream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Table = Union[Stream, Mapping[str, Column]]
Id = Union[int, str]
Ids = Union[Id, Iterable[Id]]

__version__ = _version()

__all__ = [
    "Cancel", "CanceledError", "Columns", "Error", "InvalidError", "OutOfMemoryError", "Result", "StreamError", "UnsupportedError",
    "bc", "bfs", "bridges", "cc", "closeness", "color", "degree", "dobfs", "edge_bc", "eigenvector", "hits", "katz", "kclique", "kcore", "ktruss", "leiden", "louvain", "lpa", "mis", "msf", "pagerank", "paths", "similar",
    "spanning", "sssp", "topo", "triangles", "walks",
]

_COMMON = frozenset(
    ("vertex_id", "properties", "src", "dst", "directed", "where", "nulls", "order", "reached_only", "device", "workers", "memory_limit")
)


def _call(algorithm: str, edges: Table, own: Mapping[str, Any], common: Mapping[str, Any]) -> Result:
    options = {k: v for k, v in own.items() if v is not None}
    vertices: Optional[Table] = None
    cancel: Optional[Cancel] = None
    for name, value in common.items():
        if name == "vertices":
            vertices = value
        elif name == "cancel":
            cancel = value
        elif name not in _COMMON:
            raise TypeError(f"{algorithm}() got an unexpected keyword argument {name!r}")
        elif value is not None:
            options[name] = list(value) if name == "properties" else value
    for name in "source", "target":
        if name in options:
            options[name] = _ids(options[name])
    if "pairs" in options:
        options["pairs"] = [_ids(pair) for pair in options["pairs"]]
    for name, value in options.items():
        if isinstance(value, numbers.Real) and not math.isfinite(value):
            raise InvalidError(f"option {name!r} is {float(value)}; want a finite number, or leave it out")
    text = json.dumps(options, default=_plain, allow_nan=False).encode()
    # A capsule stays until its stream was read.
    held = [_stream_of(edges, "edges"), _stream_of(vertices, "vertices") if vertices is not None else (None, None)]
    return Result(_run(algorithm, held[0][1], held[1][1], text, cancel))


def _ids(ids: Ids) -> List[Any]:
    if isinstance(ids, (str, bytes)) or not hasattr(ids, "__iter__"):
        ids = [ids]  # type: ignore[list-item]
    return [v if isinstance(v, (int, str)) and not isinstance(v, bool) else _text(v) for v in ids]


def _text(v: Any) -> Any:
    """Returns an id in the form that the library parses: hexadecimal for bytes, ISO 8601 for dates."""
    if isinstance(v, bytes):
        return v.hex()
    if hasattr(v, "__index__") and not isinstance(v, bool):
        return v.__index__()
    if hasattr(v, "isoformat"):
        return v.isoformat()
    raise TypeError(f"{v!r} is no id; ids are int, str, bytes or dates")


def _plain(v: Any) -> Any:
    """Returns a number of numpy as one of Python."""
    if hasattr(v, "item"):
        return v.item()
    raise TypeError(f"{v!r} is of type {type(v).__name__}, which no option has")


def bfs(
    edges: Table, *, source: Ids, target: Optional[Ids] = None, depth_limit: Optional[int] = None, parents: bool = False,
    **options: Unpack[Options],
) -> Result:
    """Searches breadth-first from source, an id or several.

    The result has the columns vertex, depth (the number of edges from the nearest source, missing
    where it wasn't reached) and, with parents, parent. target ends the search once all these ids are
    reached, depth_limit after that number of levels.
    """
    return _call("bfs", edges, {"source": source, "target": target, "depth_limit": depth_limit, "parents": parents}, options)


def dobfs(
    edges: Table, *, source: Ids, target: Optional[Ids] = None, depth_limit: Optional[int] = None, parents: bool = False,
    **options: Unpack[Options],
) -> Result:
    """Searches as bfs does, and chooses the direction of each level, which is faster on graphs with short paths."""
    return _call("dobfs", edges, {"source": source, "target": target, "depth_limit": depth_limit, "parents": parents}, options)


def sssp(
    edges: Table, *, source: Ids, weight: Optional[str] = None, target: Optional[Ids] = None, limit: Optional[float] = None,
    delta: Optional[float] = None, parents: bool = False, **options: Unpack[Options],
) -> Result:
    """Finds shortest paths from source, an id or several, by the column weight (default ``weight``).

    The result has the columns vertex, distance (missing where it wasn't reached) and, with parents,
    parent. Distances are int64 if weights are integers, else float64. target ends the search once the
    distances of all these ids are certain, limit leaves out what is farther. delta is the width of a
    stage, which affects only the time.
    """
    own = {"source": source, "weight": weight, "target": target, "limit": limit, "delta": delta, "parents": parents}
    return _call("sssp", edges, own, options)


def cc(edges: Table, *, strong: bool = False, **options: Unpack[Options]) -> Result:
    """Finds connected components, or the strongly connected ones of a directed graph.

    The result has the columns vertex and component, the smallest id of the component.
    """
    return _call("cc", edges, {"strong": strong}, options)


def pagerank(
    edges: Table, *, damping: Optional[float] = None, tolerance: Optional[float] = None, iterations: Optional[int] = None,
    weighted: bool = False, weight: Optional[str] = None, personalization: Optional[str] = None,
    personalizations: Optional[Sequence[str]] = None, start: Optional[str] = None, time: Optional[str] = None,
    decay: Optional[float] = None, reference: Optional[float] = None, **options: Unpack[Options],
) -> Result:
    """Ranks vertices by PageRank.

    The result has the columns vertex and rank. Rounds end once one changes the ranks by less than
    tolerance in sum (default 1e-6), or after iterations (default 100). damping is the probability of
    following an edge (default 0.85). weighted, or the name of a column in weight, has edges count in
    proportion to their weights. personalization is a column of vertices: where walkers jump to.
    personalizations are up to 64 such columns: the result has a column rank_NAME for each. start is a
    column of vertices with earlier ranks to begin with; a vertex without one is new. decay halves the
    weight of an edge with each so much of its age: time is the column of the edges' times, decay the
    half-life and reference the time that ages are counted back from (default the latest), in its unit.
    """
    own = {"damping": damping, "tolerance": tolerance, "iterations": iterations, "weighted": weighted, "weight": weight,
           "personalization": personalization, "personalizations": personalizations, "start": start, "time": time,
           "decay": decay, "reference": reference}
    return _call("pagerank", edges, own, options)


def lpa(edges: Table, *, iterations: Optional[int] = None, **options: Unpack[Options]) -> Result:
    """Finds communities by label propagation, in at most iterations rounds (default 10).

    The result has the columns vertex and label, the id of a vertex.
    """
    return _call("lpa", edges, {"iterations": iterations}, options)


def degree(
    edges: Table, *, direction: str = "both", weighted: bool = False, weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Counts edges: in-edges, out-edges or both, by direction.

    The result has the columns vertex, degree, centrality (the degree divided by the number of other
    vertices) and, with weighted or the name of a column in weight, strength, the sum of weights.
    """
    if direction not in ("both", "in", "out"):
        raise InvalidError(f"direction is {direction!r}; want 'both', 'in' or 'out'")
    own = {"in": direction == "in", "out": direction == "out", "weighted": weighted, "weight": weight}
    return _call("degree", edges, own, options)


def eigenvector(
    edges: Table, *, tolerance: Optional[float] = None, iterations: Optional[int] = None, weighted: bool = False,
    weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds eigenvector centrality.

    The result has the columns vertex and centrality, whose L2 norm is 1. Rounds end once one changes
    the values by less than tolerance (default 1e-6) times the number of vertices in sum, or after
    iterations (default 100). weighted, or the name of a column in weight, multiplies by weights.
    """
    own = {"tolerance": tolerance, "iterations": iterations, "weighted": weighted, "weight": weight}
    return _call("eigenvector", edges, own, options)


def hits(
    edges: Table, *, tolerance: Optional[float] = None, iterations: Optional[int] = None, weighted: bool = False,
    weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds hubs and authorities.

    The result has the columns vertex, hub and authority, each of which adds up to 1. Rounds end once
    one changes hubs by less than tolerance in sum (default 1e-8), or after iterations (default 100).
    weighted, or the name of a column in weight, multiplies by weights.
    """
    own = {"tolerance": tolerance, "iterations": iterations, "weighted": weighted, "weight": weight}
    return _call("hits", edges, own, options)


def katz(
    edges: Table, *, alpha: Optional[float] = None, beta: Optional[float] = None, tolerance: Optional[float] = None,
    iterations: Optional[int] = None, weighted: bool = False, weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds Katz centrality: beta (default 1), and alpha (default 0.1) times what in-neighbors have.

    The result has the columns vertex and centrality, whose L2 norm is 1. Rounds end once one changes
    the values by less than tolerance (default 1e-6) times the number of vertices in sum, or after
    iterations (default 1000). weighted, or the name of a column in weight, multiplies by weights.
    """
    own = {"alpha": alpha, "beta": beta, "tolerance": tolerance, "iterations": iterations, "weighted": weighted, "weight": weight}
    return _call("katz", edges, own, options)


def mis(edges: Table, *, seed: Optional[int] = None, **options: Unpack[Options]) -> Result:
    """Finds a maximal independent set, by random priorities that seed selects (default 0).

    The result has the columns vertex and member, which is 1 in the set and 0 outside.
    """
    return _call("mis", edges, {"seed": seed}, options)


def color(edges: Table, *, largest_first: bool = False, seed: Optional[int] = None, **options: Unpack[Options]) -> Result:
    """Colors vertices greedily so that neighbors differ, by random priorities that seed selects (default 0).

    The result has the columns vertex and color, from 0 without gaps. largest_first colors vertices of
    larger degree first.
    """
    return _call("color", edges, {"largest_first": largest_first, "seed": seed}, options)


def louvain(
    edges: Table, *, weighted: bool = False, weight: Optional[str] = None, resolution: Optional[float] = None, seed: Optional[int] = None,
    levels: bool = False, initial: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds communities of high modularity by Louvain's method. A larger resolution (default 1) finds more and smaller ones.

    The result has the columns vertex and community, from 0 without gaps. levels adds level1, level2 and
    so on: coarser and coarser communities. weighted, or the name of a column in weight, counts weights.
    initial is a column of vertices, of integers or strings: the communities to begin with.
    """
    own = {"weighted": weighted, "weight": weight, "resolution": resolution, "seed": seed, "levels": levels, "initial": initial}
    return _call("louvain", edges, own, options)


def leiden(
    edges: Table, *, weighted: bool = False, weight: Optional[str] = None, resolution: Optional[float] = None, seed: Optional[int] = None,
    levels: bool = False, initial: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds connected communities of high modularity by Leiden's method. Options and columns are those of louvain."""
    own = {"weighted": weighted, "weight": weight, "resolution": resolution, "seed": seed, "levels": levels, "initial": initial}
    return _call("leiden", edges, own, options)


def topo(edges: Table, *, weighted: bool = False, weight: Optional[str] = None, **options: Unpack[Options]) -> Result:
    """Finds the topological levels of a directed acyclic graph. A cycle is an error that lists its ids.

    The result has the columns vertex and level. weighted, or the name of a column in weight, adds
    length, that of the heaviest path to the vertex.
    """
    return _call("topo", edges, {"weighted": weighted, "weight": weight}, options)


def msf(edges: Table, *, maximum: bool = False, weight: Optional[str] = None, **options: Unpack[Options]) -> Result:
    """Finds the minimum spanning forest, or the maximum one. weight names the column of weights.

    The result has a row for each edge of the forest, with the columns src, dst, weight and tree, the
    smallest id of its tree.
    """
    return _call("msf", edges, {"maximum": maximum, "weight": weight}, options)


def bridges(edges: Table, **options: Unpack[Options]) -> Result:
    """Finds bridges and biconnected components, whatever the directions of edges.

    The result has a row for each edge, with the columns src, dst, component and bridge, which is 1 for
    a bridge and 0 for others. A component is named by the id of one of its vertices.
    """
    return _call("bridges", edges, {}, options)


def ktruss(edges: Table, **options: Unpack[Options]) -> Result:
    """Finds the trussness of edges, whatever their directions.

    The result has a row for each edge, with the columns src, dst and trussness: the largest k for which
    the edge is in a subgraph whose edges are each in at least k-2 triangles.
    """
    return _call("ktruss", edges, {}, options)


def kclique(edges: Table, *, k: int = 3, **options: Unpack[Options]) -> Result:
    """Counts the cliques of k vertices that each vertex is in. The result has the columns vertex and cliques."""
    return _call("kclique", edges, {"k": k}, options)


def spanning(edges: Table, **options: Unpack[Options]) -> Result:
    """Finds a spanning forest, whatever the weights of edges.

    The result has a row for each edge of the forest, with the columns src, dst and tree, the smallest
    id of its tree.
    """
    return _call("spanning", edges, {}, options)


def kcore(edges: Table, **options: Unpack[Options]) -> Result:
    """Finds core numbers. The result has the columns vertex and core."""
    return _call("kcore", edges, {}, options)


def triangles(edges: Table, **options: Unpack[Options]) -> Result:
    """Counts triangles. The result has the columns vertex, triangles and coefficient, the local clustering coefficient."""
    return _call("triangles", edges, {}, options)


def closeness(edges: Table, *, source: Optional[Ids] = None, lanes: Optional[int] = None, **options: Unpack[Options]) -> Result:
    """Finds how near vertices are to all others, or only those of source.

    The result has the columns vertex, closeness, harmonic and eccentricity. lanes is the number of
    simultaneous searches, 512 at most.
    """
    return _call("closeness", edges, {"source": source, "lanes": lanes}, options)


def bc(
    edges: Table, *, source: Optional[Ids] = None, samples: Optional[int] = None, seed: Optional[int] = None,
    unnormalized: bool = False, weighted: bool = False, weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds betweenness centrality, from all vertices, from those of source, or from samples at random.

    The result has the columns vertex and betweenness, divided by the number of pairs unless
    unnormalized is set. weighted, or the name of a column in weight, has paths be as long as the sum of
    their weights, which must be above 0.
    """
    own = {"source": source, "samples": samples, "seed": seed, "unnormalized": unnormalized, "weighted": weighted, "weight": weight}
    return _call("bc", edges, own, options)


def edge_bc(
    edges: Table, *, source: Optional[Ids] = None, samples: Optional[int] = None, seed: Optional[int] = None,
    unnormalized: bool = False, weighted: bool = False, weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds the betweenness of edges, with the options of bc.

    The result has a row for each edge, with the columns src, dst, weight if edges have one, and betweenness.
    """
    own = {"source": source, "samples": samples, "seed": seed, "unnormalized": unnormalized, "weighted": weighted, "weight": weight, "edges": True}
    return _call("bc", edges, own, options)


def similar(
    edges: Table, *, measure: Optional[str] = None, top: Optional[int] = None, source: Optional[Ids] = None,
    pairs: Optional[Iterable[Iterable[Id]]] = None, weighted: bool = False, weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Finds the vertices with the most similar neighborhoods: top (default 10) of each vertex, or of those of source.

    The result has a row for each pair, with the columns vertex, neighbor and score. measure is
    "jaccard" (default), "overlap", "cosine" or "adamic-adar". With pairs, the scores of these pairs are
    found instead. weighted, or the name of a column in weight, takes the cosine of weights.
    """
    own = {"measure": measure, "top": top, "source": source, "pairs": pairs, "weighted": weighted, "weight": weight}
    return _call("similar", edges, own, options)


def walks(
    edges: Table, *, source: Optional[Ids] = None, length: Optional[int] = None, count: Optional[int] = None, seed: Optional[int] = None,
    p: Optional[float] = None, q: Optional[float] = None, weighted: bool = False, weight: Optional[str] = None, **options: Unpack[Options],
) -> Result:
    """Makes random walks: count (default 1) from each vertex, or from those of source, of length steps (default 80).

    The result has a row for each walk, with the columns vertex and walk, a list of ids. seed selects the
    walks. p and q are node2vec's parameters. weighted, or the name of a column in weight, chooses edges
    in proportion to their weights. A walk ends early where no edge leads on.
    """
    own = {"source": source, "length": length, "count": count, "seed": seed, "p": p, "q": q, "weighted": weighted, "weight": weight}
    return _call("walks", edges, own, options)


def paths(
    edges: Table, *, source: Optional[Ids] = None, target: Optional[Ids] = None, pairs: Optional[Iterable[Iterable[Id]]] = None,
    top: Optional[int] = None, shortest: bool = False, limit: Optional[float] = None, weighted: bool = False, weight: Optional[str] = None,
    **options: Unpack[Options],
) -> Result:
    """Finds the top shortest paths (default 1) from each of source to each of target, or of pairs.

    The result has a row for each path, with the columns source, target, number (from 1), depth (the
    number of edges), path (a list of ids) and, with weighted or the name of a column in weight,
    distance. shortest finds only paths of the least length, limit leaves out longer ones.
    """
    own = {"source": source, "target": target, "pairs": pairs, "top": top, "shortest": shortest, "limit": limit, "weighted": weighted,
           "weight": weight}
    return _call("paths", edges, own, options)
