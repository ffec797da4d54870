"""Tests of the package. They need nothing but Python and the library; those of numpy and pandas need these."""

import contextlib
import ctypes
import datetime
import doctest
import gc
import io
import os
import random
import signal
import subprocess
import sys
import threading
import unittest
import unittest.mock

import foray
from foray import _library, _tables

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pyarrow
except ImportError:
    pyarrow = None

SQUARE = {"src": [1, 1, 2, 3, 4], "dst": [2, 3, 4, 4, 5]}


class Stream:
    """A table whose record may fail, and which notes how often it was asked for a stream."""

    def __init__(self, columns, fail=False):
        self.columns, self.fail, self.asked = foray.Columns(columns), fail, 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.asked += 1
        exported = _tables._Exported(self.columns)
        if self.fail:
            exported.stream.get_next = _fails
            exported.stream.get_last_error = _says
        return _tables.capsule(exported.stream)


@_library.GetNext
def _fails(stream, out):
    return 5


_TEXT = ctypes.create_string_buffer("the disk is on fire, ü".encode())


@_library.LastError
def _says(stream):
    return ctypes.addressof(_TEXT)


class Released(unittest.TestCase):
    """After each test all that was exported has been released."""

    def tearDown(self):
        gc.collect()
        self.assertEqual((_tables._kept, _tables._held), ({}, {}))


class Algorithms(Released):
    def table(self, result):
        columns = result.to_pydict()
        return {v: list(rest) if len(rest) > 1 else rest[0] for v, *rest in zip(*columns.values())}

    def test_search(self):
        for search in foray.bfs, foray.dobfs:
            result = search(SQUARE, source=1, directed=True, parents=True)
            self.assertEqual(self.table(result), {1: [0, 1], 2: [1, 1], 3: [1, 1], 4: [2, 2], 5: [3, 4]})
        self.assertEqual(self.table(foray.bfs(SQUARE, source=[5, 1])), {1: 0, 2: 1, 3: 1, 4: 1, 5: 0})
        self.assertEqual(self.table(foray.bfs(SQUARE, source=1, depth_limit=1)), {1: 0, 2: 1, 3: 1, 4: None, 5: None})
        self.assertEqual(self.table(foray.bfs(SQUARE, source=1, target=2, reached_only=True)), {1: 0, 2: 1, 3: 1})

    def test_paths(self):
        edges = {"a": [1, 1, 2], "b": [2, 3, 3], "km": [1, 5, 2]}
        result = foray.sssp(edges, source=1, src="a", dst="b", weight="km", parents=True)
        self.assertEqual(self.table(result), {1: [0, 1], 2: [1, 1], 3: [3, 2]})
        edges["km"] = [1.5, 5, 2]
        self.assertEqual(self.table(foray.sssp(edges, source=1, src="a", dst="b", weight="km", limit=2)), {1: 0.0, 2: 1.5, 3: None})

    def test_others(self):
        two = {"src": [7, 8, 1], "dst": [8, 9, 2]}
        self.assertEqual(self.table(foray.cc(two)), {1: 1, 2: 1, 7: 7, 8: 7, 9: 7})
        self.assertEqual(self.table(foray.cc(two, directed=True, strong=True)), {v: v for v in (1, 2, 7, 8, 9)})
        self.assertEqual(self.table(foray.kcore(SQUARE)), {1: 2, 2: 2, 3: 2, 4: 2, 5: 1})
        self.assertEqual(self.table(foray.triangles({"src": [1, 2, 3, 3], "dst": [2, 3, 1, 4]})), {1: [1, 1.0], 2: [1, 1.0], 3: [1, 1 / 3], 4: [0, 0.0]})
        self.assertEqual(self.table(foray.lpa({"src": [1, 2], "dst": [2, 3]}, iterations=1)), {1: 2, 2: 1, 3: 2})
        self.assertIn(self.table(foray.mis({"src": [1, 2], "dst": [2, 3]}, seed=4)), ({1: 1, 2: 0, 3: 1}, {1: 0, 2: 1, 3: 0}))
        self.assertEqual(self.table(foray.color({"src": [1, 2], "dst": [2, 3]}, largest_first=True)), {1: 1, 2: 0, 3: 1})
        pairs = {"src": [1, 2, 1, 4, 5, 4, 3], "dst": [2, 3, 3, 5, 6, 6, 4], "w": [1, 1, 1, 1, 1, 1, 9]}
        for call in foray.louvain, foray.leiden:
            self.assertEqual(self.table(call(pairs, seed=2)), {1: 0, 2: 0, 3: 0, 4: 1, 5: 1, 6: 1})
            self.assertEqual(set(self.table(call(pairs, resolution=50.0)).values()), set(range(6)))
            weighted = self.table(call(pairs, weight="w"))
            self.assertEqual(weighted[3], weighted[4])
            self.assertEqual(call(pairs, levels=True).to_pydict()["level1"][:1], [0])
        tasks = {"src": [1, 1, 2], "dst": [2, 3, 3], "hours": [1, 1, 4]}
        self.assertEqual(self.table(foray.topo(tasks)), {1: 0, 2: 1, 3: 2})
        self.assertEqual(self.table(foray.topo(tasks, weight="hours")), {1: [0, 0.0], 2: [1, 1.0], 3: [2, 5.0]})
        with self.assertRaisesRegex(foray.Error, "a cycle of 1 vertex: 7 -> 7"):
            foray.topo({"src": [7], "dst": [7]})
        links = {"src": [1, 2, 3, 7], "dst": [2, 3, 1, 9], "km": [4, 1, 2, 5]}
        forest = foray.msf(links, weight="km", order="given").to_pydict()
        self.assertEqual(forest, {"src": [1, 2, 7], "dst": [3, 3, 9], "weight": [2, 1, 5], "tree": [1, 1, 7]})
        self.assertEqual(foray.msf(links, weight="km", maximum=True, order="given").to_pydict()["weight"], [4, 2, 5])
        self.assertEqual(foray.bridges(links, order="given").to_pydict()["bridge"], [0, 0, 0, 1])
        self.assertEqual(foray.ktruss(links, order="given").to_pydict()["trussness"], [3, 3, 3, 2])
        self.assertEqual(self.table(foray.kclique(links, k=3)), {1: 1, 2: 1, 3: 1, 7: 0, 9: 0})
        self.assertEqual(foray.spanning(links, order="given").to_pydict(), {"src": [1, 1, 7], "dst": [2, 3, 9], "tree": [1, 1, 7]})
        self.assertEqual(self.table(foray.bc({"src": [1, 2], "dst": [2, 3]})), {1: 0, 2: 1, 3: 0})
        self.assertEqual(self.table(foray.bc({"src": [1, 2], "dst": [2, 3]}, samples=2, seed=7, unnormalized=True))[1], 0)
        square = {"src": [1, 2, 3, 4], "dst": [2, 3, 4, 1], "km": [1, 1, 1, 5]}
        self.assertEqual(foray.edge_bc(square, unnormalized=True, order="given").to_pydict()["betweenness"], [2, 2, 2, 2])
        self.assertEqual(foray.bc(square, weight="km", unnormalized=True, order="given").to_pydict()["betweenness"], [0, 2, 2, 0])
        self.assertEqual(foray.similar(square, source=1).to_pydict(), {"vertex": [1], "neighbor": [3], "score": [1]})
        self.assertEqual(foray.similar(square, pairs=[(1, 2), (2, 4)], measure="cosine").to_pydict()["score"], [0, 1])
        walks = foray.walks(square, source=[1, 3], length=2, directed=True)
        self.assertEqual(walks.to_pydict(), {"vertex": [1, 3], "walk": [[1, 2, 3], [3, 4, 1]]})
        names = {"src": ["a", "b", "a", "ü"], "dst": ["b", "c", "ü", "c"], "km": [1, 2, 4, 4]}
        ways = foray.paths(names, source="a", target="c", top=5, weight="km").to_pydict()
        self.assertEqual(ways, {"source": ["a", "a"], "target": ["c", "c"], "number": [1, 2], "depth": [2, 2], "distance": [3.0, 8.0],
                                "path": [["a", "b", "c"], ["a", "ü", "c"]]})
        self.assertEqual(foray.paths(names, pairs=[["c", "c"], ["c", "b"]]).to_pydict()["path"], [["c"], ["c", "b"]])
        self.assertEqual(foray.paths(names, source="a", target="b", directed=True, limit=0.5).to_pydict()["path"], [])
        groups = {"id": [1, 2, 3, 4], "group": ["x", "x", "y", "y"]}
        split = self.table(foray.leiden({"src": [1, 3], "dst": [2, 4]}, vertices=groups, initial="group"))
        self.assertEqual([split[1] == split[2], split[3] == split[4], split[1] == split[3]], [True, True, False])
        self.assertEqual(self.table(foray.closeness({"src": [1, 2], "dst": [2, 3]}, source=2)), {1: [None] * 3, 2: [1, 2, 1], 3: [None] * 3})
        ranks = self.table(foray.pagerank(SQUARE, damping=0.5, tolerance=0, iterations=30))
        self.assertAlmostEqual(sum(ranks.values()), 1)

    def test_vertices(self):
        people = {"id": [2, 9, 1], "name": ["b", "ü", None], "jump": [0.0, 2.0, 0.0]}
        result = foray.bfs({"src": [1], "dst": [2]}, source=1, vertices=people, properties=["name"])
        self.assertEqual(self.table(result), {1: [0, None], 2: [1, "b"], 9: [None, "ü"]})
        ranks = self.table(foray.pagerank({"src": [1], "dst": [2]}, vertices=people, personalization="jump"))
        self.assertEqual([round(ranks[v], 6) for v in (1, 2, 9)], [0, 0, 1])
        people["other"], people["rank"] = [1.0, 0.0, 1.0], [0.5, None, 0.5]
        several = self.table(foray.pagerank({"src": [1], "dst": [2]}, vertices=people, personalizations=["jump", "other"], start="rank"))
        self.assertEqual([round(several[v][0], 6) for v in (1, 2, 9)], [0, 0, 1])
        self.assertEqual(len(several[1]), 2)
        calls = {"src": [1, 1, 2, 3], "dst": [2, 3, 1, 1], "at": [40, 10, 0, 0]}
        ranks = self.table(foray.pagerank(calls, directed=True, time="at", decay=30, tolerance=1e-12, iterations=500))
        self.assertAlmostEqual((ranks[2] - 0.05) / (ranks[3] - 0.05), 2)
        self.assertEqual(self.table(foray.cc({"src": [], "dst": []}, vertices={"id": [3, 4]})), {3: 3, 4: 4})

    def test_centralities(self):
        edges = {"src": [1, 2, 3], "dst": [2, 3, 3], "weight": [2, 4, 8]}
        self.assertEqual(foray.degree(edges, order="given").to_pydict(), {"vertex": [1, 2, 3], "degree": [1, 2, 3], "centrality": [0.5, 1.0, 1.5]})
        self.assertEqual(foray.degree(edges, directed=True, direction="in", weight="weight", order="given").to_pydict()["strength"], [0.0, 2.0, 12.0])
        star = {"src": [1, 1, 1, 1], "dst": [2, 3, 4, 5]}
        for call, want in ((foray.eigenvector, 0.5**0.5), (foray.katz, 0.5368754921)):  # 1.4 / 0.96, and leaves 1.1 / 0.96, divided by their norm
            self.assertAlmostEqual(self.table(call(star, tolerance=1e-9))[1], want)
        self.assertAlmostEqual(self.table(foray.hits({"src": [1, 2], "dst": [3, 3]}, directed=True))[3][1], 1)
        with self.assertRaises(ValueError):
            foray.degree(star, direction="up")
        with self.assertRaises(ValueError):
            foray.katz(star, alpha=5)

    def test_gpu(self):
        r = random.Random(1)
        edges = {name: [r.randrange(1, top) for _ in range(20_000)] for name, top in (("src", 5_000), ("dst", 5_000), ("weight", 9))}
        try:
            foray.cc(edges, device="cuda")
        except foray.UnsupportedError as error:
            self.skipTest(f"needs a GPU: {error}")
        for call, options in (
            (foray.bfs, {"source": 1}), (foray.dobfs, {"source": 1, "directed": True}), (foray.cc, {}), (foray.sssp, {"source": 1}),
            (foray.pagerank, {"iterations": 20, "tolerance": 0}), (foray.lpa, {}), (foray.mis, {"seed": 3}), (foray.louvain, {"seed": 3}), (foray.leiden, {"weighted": True}), (foray.color, {"seed": 3}), (foray.kcore, {}), (foray.triangles, {}),
            (foray.closeness, {"source": [1, 2]}), (foray.bc, {"samples": 4}), (foray.degree, {"weighted": True}),
            (foray.eigenvector, {}), (foray.hits, {"weighted": True}), (foray.katz, {"alpha": 1e-3}),
        ):
            host, gpu = (self.table(call(edges, device=device, **options)) for device in ("host", "cuda"))
            with self.subTest(call=call.__name__):
                self.assertEqual(host.keys(), gpu.keys())
                for v, values in host.items():
                    for x, y in zip(*(v if isinstance(v, list) else [v] for v in (values, gpu[v]))):
                        (self.assertAlmostEqual if isinstance(x, float) else self.assertEqual)(x, y)

    def test_ids(self):
        top = 2**64 - 1
        for ids, source in ([1, 2, 3], 1), ([-5, 0, 2**40], -5), ([1, 2, top], top), (["a", "ü", ""], "ü"):
            result = foray.bfs({"src": ids[::2], "dst": ids[:0:-1]}, source=source, where="src is not null").to_pydict()
            self.assertEqual(sorted(result["vertex"]), sorted(ids))
        edges = {"src": [1, None, 3], "dst": [2, 3, None]}
        self.assertEqual(self.table(foray.cc(edges, nulls="skip")), {1: 1, 2: 1})
        with self.assertRaisesRegex(foray.InvalidError, "an edge without source"):
            foray.cc(edges)


class Tables(Released):
    def test_read_once(self):
        result = foray.cc(SQUARE)
        self.assertEqual(sorted(result.to_pydict()["vertex"]), [1, 2, 3, 4, 5])
        for again in result.to_pydict, result.__arrow_c_stream__:
            with self.assertRaisesRegex(foray.Error, "was read already"):
                again()

    def test_read_by_threads(self):
        for _ in range(20):
            result, got = foray.bfs({"src": list(range(5000)), "dst": list(range(1, 5001))}, source=0), []

            def read():
                try:
                    got.append(len(result.to_pydict()["vertex"]))
                except foray.Error as e:
                    got.append(str(e))

            threads = [threading.Thread(target=read) for _ in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(got.count(5001), 1)
            self.assertEqual(len([g for g in got if g != 5001 and "read already" in g]), 3)

    def test_results_are_tables(self):
        edges = foray.cc(SQUARE)  # columns vertex and component
        depths = foray.bfs(edges, src="component", dst="vertex", source=1).to_pydict()
        self.assertEqual(dict(zip(*depths.values())), {1: 0, 2: 1, 3: 1, 4: 1, 5: 1})

    def test_unread(self):
        foray.cc(SQUARE)
        foray.cc(SQUARE).__arrow_c_stream__()  # a capsule that isn't used

    def test_many_records(self):
        n = 200_000
        result = foray.bfs({"src": range(n), "dst": range(1, n + 1)}, source=0).to_pydict()
        self.assertEqual((len(result["vertex"]), max(result["depth"])), (n + 1, n))

    def test_columns(self):
        with self.assertRaisesRegex(foray.InvalidError, "different lengths"):
            foray.cc({"src": [1], "dst": [1, 2]})
        for bad, error in (
            ([1, "a"], TypeError), ([1.5, None, "a"], TypeError), ("ab", TypeError), (5, TypeError), ([True], TypeError),
            ([2**64], foray.InvalidError), ([-1, 2**63], foray.InvalidError), ([b"x"], TypeError), ([[1]], TypeError), (b"xy", TypeError),
        ):
            with self.subTest(bad=bad), self.assertRaises(error):
                foray.cc({"src": bad, "dst": [1] * (len(bad) if hasattr(bad, "__len__") else 1)}, src="src", dst="nowhere")
        with self.assertRaisesRegex(TypeError, "no __arrow_c_stream__"):
            foray.cc([(1, 2)])

    def test_buffers(self):
        import array

        for code in "iIlLqQ":
            edges = {"src": array.array(code, [1, 1]), "dst": array.array(code, [2, 3])}
            with self.subTest(code=code):
                self.assertEqual(sorted(foray.cc(edges).to_pydict()["vertex"]), [1, 2, 3])
        read_only = memoryview(bytes(array.array("q", [1, 2]))).cast("q")
        self.assertEqual(sorted(foray.cc({"src": read_only, "dst": array.array("q", [3, 3])}).to_pydict()["vertex"]), [1, 2, 3])
        every_second = memoryview(array.array("q", [1, 9, 2, 9]))[::2]
        self.assertEqual(sorted(foray.cc({"src": every_second, "dst": array.array("q", [3, 3])}).to_pydict()["vertex"]), [1, 2, 3])

    def test_failing_stream(self):
        for vertices in None, {"id": [1]}:
            with self.assertRaisesRegex(foray.StreamError, "the disk is on fire, ü"):
                foray.cc(Stream(SQUARE, fail=True), vertices=vertices)
        with self.assertRaises(foray.StreamError):
            foray.cc(SQUARE, vertices=Stream({"id": [1]}, fail=True))
        stream = Stream(SQUARE)
        foray.cc(stream)
        self.assertEqual(stream.asked, 1)

    def test_exceptions_of_callbacks(self):
        class Enough(BaseException):
            pass

        def enough(*_):
            raise Enough("enough")

        def search():
            """Returns what a search raises in the thread that calls it."""
            try:
                foray.cc(SQUARE, vertices={"id": [1]})
            except BaseException as error:
                return error

        with self.assertRaises(UnicodeEncodeError):  # the name of a column
            foray.cc({"src": [1], "dst": [2], "\ud800": [3]})
        for method in "_schema", "_array":
            with self.subTest(method=method), unittest.mock.patch.object(foray.Columns, method, enough):
                errors = io.StringIO()
                with contextlib.redirect_stderr(errors), unittest.mock.patch("sys.unraisablehook", lambda u: errors.write(str(u))):
                    self.assertIsInstance(search(), Enough)
                    found = []
                    thread = threading.Thread(target=lambda: found.append(search()))
                    thread.start()
                    thread.join()
                    self.assertIsInstance(found[0], Enough)
                    # Another library gets the text of the exception.
                    with self.assertRaisesRegex(foray.StreamError, "Enough: enough"):
                        list(foray.Result(_tables._Exported(foray.Columns(SQUARE)).stream)._records())
                self.assertEqual(errors.getvalue(), "")
        self.assertEqual(foray.cc({"src": [1], "dst": [2]}).to_pydict()["component"], [1, 1])

    def test_layout(self):
        for struct, size, offsets in (
            (_library.ArrowSchema, 72, {"format": 0, "flags": 24, "children": 40, "release": 56, "private_data": 64}),
            (_library.ArrowArray, 80, {"length": 0, "n_children": 32, "buffers": 40, "dictionary": 56, "release": 64, "private_data": 72}),
            (_library.ArrowArrayStream, 40, {"get_schema": 0, "get_last_error": 16, "release": 24, "private_data": 32}),
        ):
            self.assertEqual(ctypes.sizeof(struct), size)
            self.assertEqual({name: getattr(struct, name).offset for name in offsets}, offsets)

        class Packed(ctypes.Structure):
            _fields_ = [("a", ctypes.c_char)]

        with self.assertRaisesRegex(ImportError, "Packed takes 1 bytes in this Python, not 8"):
            _library.check_size(Packed, 8)

    def test_dates(self):
        days = _tables._values("tdD", self.int_array([0, 19000]))
        self.assertEqual(days[0], [datetime.date(1970, 1, 1), datetime.date(2022, 1, 8)])
        with self.assertRaisesRegex(foray.Error, "'tsu:' aren't read here"):
            _tables._values("tsu:", self.int_array([0]))

    def int_array(self, values):
        self.values = (ctypes.c_int32 * len(values))(*values)
        self.buffers = (ctypes.c_void_p * 2)(None, ctypes.addressof(self.values))
        return _library.ArrowArray(length=len(values), n_buffers=2, buffers=self.buffers)

    @unittest.skipUnless(numpy, "needs numpy")
    def test_numpy(self):
        for kind in "int32", "int64", "uint32", "uint64":
            edges = {"src": numpy.array([1, 2], kind), "dst": numpy.array([2, 3], kind)}
            result = foray.bfs(edges, source=numpy.int32(1), target=numpy.array([3]), order="given").to_numpy()
            self.assertEqual(result["vertex"].dtype, numpy.dtype(kind))
            self.assertEqual((result["vertex"].tolist(), result["depth"].tolist()), ([1, 2, 3], [0, 1, 2]))
        result = foray.bfs({"src": ["a", "x"], "dst": ["b", "y"]}, source="a", order="given", depth_limit=numpy.int64(5)).to_numpy()
        self.assertEqual(result["depth"].tolist(), [0, 1, None, None])
        self.assertEqual(result["vertex"].tolist(), ["a", "b", "x", "y"])
        self.assertEqual(foray.pagerank(edges).to_numpy()["rank"].dtype, numpy.float64)
        with self.assertRaisesRegex(ValueError, "option 'damping' is nan; want a finite number"):
            foray.pagerank(edges, damping=numpy.float32("nan"))
        scalars = {"src": list(numpy.array([1, 2])), "dst": [numpy.int32(2), None]}
        self.assertEqual(sorted(foray.cc(scalars, nulls="skip").to_pydict()["vertex"]), [1, 2])

    @unittest.skipUnless(pyarrow, "needs pyarrow")
    def test_pyarrow(self):
        table = pyarrow.table(foray.bfs(pyarrow.table(SQUARE), source=1))
        self.assertEqual(table.column_names, ["vertex", "depth"])


class Errors(Released):
    def test_options(self):
        for call, error, text in (
            (lambda: foray.bfs(SQUARE, source=1, sorce=2), TypeError, "unexpected keyword argument 'sorce'"),
            (lambda: foray.bfs(SQUARE, source=[]), foray.InvalidError, '"source" is missing'),
            (lambda: foray.bfs(SQUARE, source=17), foray.InvalidError, '"17"'),
            (lambda: foray.bfs(SQUARE, source=1.5), TypeError, "1.5 is no id"),
            (lambda: foray.sssp(SQUARE, source=1, limit=float("nan")), ValueError, "option 'limit' is nan; want a finite number, or leave it out"),
            (lambda: foray.sssp(SQUARE, source=1, delta=float("inf")), foray.InvalidError, "option 'delta' is inf"),
            (lambda: foray.pagerank(SQUARE, damping=-float("inf")), ValueError, "option 'damping' is -inf"),
            (lambda: foray.cc(SQUARE, workers=float("nan")), ValueError, "option 'workers' is nan"),
            (lambda: foray.cc(SQUARE, properties=[float("nan")]), ValueError, ""),
            (lambda: foray.cc(SQUARE, device="abacus"), ValueError, "abacus"),
            (lambda: foray.cc(SQUARE, src="from"), foray.InvalidError, '"from"'),
            (lambda: foray.cc(SQUARE, memory_limit=1), MemoryError, "memory"),
            (lambda: foray.cc(SQUARE, where=object()), TypeError, "object"),
            (lambda: foray.cc({"src": [0.5], "dst": [1.5]}), foray.InvalidError, "src"),
            (lambda: foray.cc({"src": [], "dst": []}), foray.InvalidError, "empty"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(error, text):
                call()

    def test_threads(self):
        found = []

        def search():
            for _ in range(20):
                found.append(dict(zip(*foray.bfs(SQUARE, source=1).to_pydict().values())))

        threads = [threading.Thread(target=search) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [{1: 0, 2: 1, 3: 1, 4: 2, 5: 3}] * 80)

    def random_graph(self):
        r = random.Random(7)
        return {name: [r.randrange(30_000) for _ in range(100_000)] for name in ("src", "dst")}

    def test_cancel(self):
        cancel, edges = foray.Cancel(), self.random_graph()
        threading.Timer(0.2, cancel.request).start()
        with self.assertRaisesRegex(foray.CanceledError, "canceled"):
            foray.bc(edges, cancel=cancel)

    def test_interrupt(self):
        edges = self.random_graph()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            foray.bc(edges)

    def test_fork(self):
        code = (
            "import os, foray; r = foray.cc({'src': [1], 'dst': [2]})\n"
            "if os.fork() == 0:\n"
            "  try: foray.cc({'src': [1], 'dst': [2]})\n"
            "  except foray.Error as e: print(e, flush=True)\n"
            "else: os.wait(); print(len(r.to_pydict()['vertex']))\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(foray.__file__))}
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env=environment)
        self.assertEqual((out.stdout.split("\n")[1:], out.stderr), (["2", ""], ""))
        self.assertIn("before this process was forked", out.stdout)

    def test_example(self):
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "example", "search.py")
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(foray.__file__))}
        out = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300, env=environment)
        self.assertEqual(out.stdout.split("\n"), [
            "JFK 2", "LIS 1", "OSL 1", "VIE 0", "['OSL', 'VIE', 'VIE', 'VIE']",
            "[('US', 2), ('PT', 2), ('NO', 2), ('AT', 2), ('CH', 0)]",
            'option "source": "ABC": vertex ABC is not in the graph', "",
        ], out.stderr)

    def test_docs(self):
        self.assertEqual(doctest.testmod(foray).failed + doctest.testmod(_tables).failed + doctest.testmod(_library).failed, 0)
        self.assertEqual(foray.__version__.count("."), 2)


if __name__ == "__main__":
    unittest.main()
