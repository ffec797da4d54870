"""Tables that go into the library and come out of it, by the Arrow C stream interface."""

from __future__ import annotations

import array
import ctypes
import datetime
import errno
import itertools
import threading
from typing import Any, Iterator, Mapping, Sequence, Tuple, Union

from ._library import (
    ArrayRelease, ArrowArray, ArrowArrayStream, ArrowSchema, Error, GetNext, GetSchema, InvalidError, LastError, SchemaRelease,
    StreamError, StreamRelease, check_size, note_raised, usable,
)

_CAPSULE = b"arrow_array_stream"

_python = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _python))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
# The destructor gets the capsule as an address: counting references to it would destroy it again.
_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))

_held: dict = {}  # streams that capsules hold, by address


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _destroy(capsule: int) -> None:
    release(_held.pop(_address(capsule, _CAPSULE)))


def release(stream: ArrowArrayStream) -> None:
    """Releases a stream, unless its contents were moved elsewhere."""
    if stream.release and usable():
        stream.release(ctypes.byref(stream))


def capsule(stream: ArrowArrayStream) -> Any:
    """Returns a PyCapsule with the contents of a stream, which it takes over."""
    moved = ArrowArrayStream()
    ctypes.memmove(ctypes.byref(moved), ctypes.byref(stream), ctypes.sizeof(stream))
    stream.release = StreamRelease()
    at = ctypes.addressof(moved)
    _held[at] = moved
    return _new(at, _CAPSULE, ctypes.cast(_destroy, ctypes.c_void_p))


def stream_of(table: Any, name: str) -> Tuple[Any, int]:
    """Returns the capsule of a table, and the address of the stream in it."""
    if isinstance(table, Mapping):
        table = Columns(table)
    export = getattr(table, "__arrow_c_stream__", None)
    if export is None:
        raise TypeError(
            f"{name} is of type {type(table).__name__}, which has no __arrow_c_stream__; "
            "give a table of pyarrow, polars or DuckDB, or a mapping of names to columns"
        )
    found = export()
    return found, _pointer(found, _CAPSULE)


Column = Union[Sequence[Any], Any]  # Any: what has the buffer protocol, such as an array of numpy

# Formats of Arrow's by the type codes of the buffer protocol. Those of integers depend on the width.
_SIGNED, _UNSIGNED, _FLOATS = {1: b"c", 2: b"s", 4: b"i", 8: b"l"}, {1: b"C", 2: b"S", 4: b"I", 8: b"L"}, {4: b"f", 8: b"g"}


class Columns:
    """A table of columns in the memory of Python.

    A column is a one-dimensional array with the buffer protocol, such as an array of numpy, which
    is not copied, or a sequence of int, float or str, with None for a missing value.

    >>> t = Columns({"src": [1, 2], "dst": [2, None]})
    >>> t.rows
    2
    """

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = [(str(name), *_buffers(name, values)) for name, values in columns.items()]
        lengths = {length for _, _, length, _, _ in self._columns}
        if len(lengths) > 1:
            raise InvalidError(f"the columns have different lengths: {sorted(lengths)}")
        self.rows = lengths.pop() if lengths else 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns a PyCapsule with a struct ArrowArrayStream."""
        return capsule(_Exported(self).stream)

    def _schema(self, out: ArrowSchema) -> None:
        children = [ArrowSchema(format=f, name=n.encode(), flags=2, release=_keep_schema) for n, f, *_ in self._columns]
        list_ = (ctypes.POINTER(ArrowSchema) * max(len(children), 1))(*map(ctypes.pointer, children))
        out.format, out.name, out.metadata, out.flags = b"+s", b"", None, 0
        out.n_children, out.children, out.dictionary = len(children), list_, None
        out.private_data = _keep(children, list_, self)
        out.release = _release_schema

    def _array(self, out: ArrowArray) -> None:
        children, kept = [], []
        for _, _, length, nulls, buffers in self._columns:
            addresses = (ctypes.c_void_p * len(buffers))(*(at for at, _ in buffers))
            children.append(ArrowArray(length=length, null_count=nulls, n_buffers=len(buffers), buffers=addresses, release=_keep_array))
            kept.append(addresses)
        list_ = (ctypes.POINTER(ArrowArray) * max(len(children), 1))(*map(ctypes.pointer, children))
        none = (ctypes.c_void_p * 1)(None)
        out.length, out.null_count, out.offset, out.n_buffers, out.buffers = self.rows, 0, 0, 1, none
        out.n_children, out.children, out.dictionary = len(children), list_, None
        out.private_data = _keep(children, kept, list_, none, self)
        out.release = _release_array


def _buffers(name: str, values: Column) -> Tuple[bytes, int, int, list]:
    """Returns the format of a column, its length, its nulls, and its buffers: addresses and owners."""
    view = None
    if not isinstance(values, (str, bytes, bytearray)):
        try:
            view = memoryview(values)
        except TypeError:
            pass  # a sequence
    if view is not None:
        return _view_buffers(name, view)
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        values = list(values) if hasattr(values, "__iter__") and not isinstance(values, (str, bytes)) else None
    if values is None:
        raise TypeError(f"column {name!r} is neither a sequence nor an array")
    nulls = sum(v is None for v in values)
    kinds = {_kind(v) for v in values if v is not None}
    bits = [(None, None)]
    if nulls:
        valid = bytearray((len(values) + 7) // 8)
        for i, v in enumerate(values):
            if v is not None:
                valid[i // 8] |= 1 << i % 8
        bits = [_owned(valid)]
    if kinds <= {str}:
        if not kinds:
            return b"l", len(values), nulls, bits + [_owned(array.array("q", [0]) * len(values))]
        data = [(v or "").encode() for v in values]
        ends = array.array("q", itertools.accumulate(map(len, data), initial=0))
        return b"U", len(values), nulls, bits + [_owned(ends), _owned(bytearray(b"".join(data)))]
    if kinds <= {int}:
        numbers = [v or 0 for v in values]
        try:
            return b"l", len(values), nulls, bits + [_owned(array.array("q", numbers))]
        except OverflowError:
            pass
        try:
            return b"L", len(values), nulls, bits + [_owned(array.array("Q", numbers))]
        except OverflowError:
            raise InvalidError(f"column {name!r} has integers of more than 64 bits, or both negative ones and ones past int64") from None
    if kinds <= {int, float}:
        return b"g", len(values), nulls, bits + [_owned(array.array("d", (v or 0 for v in values)))]
    raise TypeError(f"column {name!r} has values of {', '.join(sorted(k.__name__ for k in kinds))}; want int, float or str, all of one type")


def _kind(v: Any) -> type:
    """Returns the type that a value is read as."""
    if isinstance(v, bool):
        return bool
    for kind in (str, float):
        if isinstance(v, kind):
            return kind
    return int if hasattr(v, "__index__") else type(v)


def _view_buffers(name: str, view: memoryview) -> Tuple[bytes, int, int, list]:
    if view.ndim != 1:
        raise InvalidError(f"column {name!r} has {view.ndim} dimensions; want 1")
    code = view.format.lstrip("@=<")
    table = _SIGNED if code in "bhilqn" else _UNSIGNED if code in "BHILQN" else _FLOATS if code in "fd" else {}
    if view.itemsize not in table:
        raise TypeError(f"column {name!r} is an array of type {view.format!r}; want integers or floats, or a list of str")
    if not view.c_contiguous:
        view = memoryview(view.tobytes()).cast(code)
    return table[view.itemsize], len(view), 0, [(None, None), _owned(view)]


def _owned(buffer: Any) -> Tuple[int, Any]:
    """Returns the address of a buffer, and what keeps it there."""
    view = memoryview(buffer).cast("B")
    if not len(view):
        return _owned(bytearray(8))
    if not view.readonly:
        owner = (ctypes.c_char * len(view)).from_buffer(view)
        return ctypes.addressof(owner), owner
    held = _PyBuffer()
    _get_buffer(view, ctypes.byref(held), 0)
    return held.buf, _Held(held)


class _PyBuffer(ctypes.Structure):
    """Py_buffer of CPython."""

    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    ]


check_size(_PyBuffer, 80)
_get_buffer = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)(("PyObject_GetBuffer", _python))
_free_buffer = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyBuffer_Release", _python))


class _Held:
    """Keeps a read-only buffer."""

    def __init__(self, buffer: _PyBuffer) -> None:
        self._buffer = buffer

    def __del__(self) -> None:
        _free_buffer(ctypes.byref(self._buffer))


# What exported structures need until they are released, by a number that is their private data.
_kept: dict = {}
_numbers = itertools.count(1)


def _keep(*things: Any) -> int:
    number = next(_numbers)
    _kept[number] = things
    return number


def _guarded(callback: Any) -> Any:
    """Returns a callback that passes an exception on to the call of the library, which ctypes would print and drop."""

    def guarded(*args: Any) -> int:
        try:
            callback(*args)
            return 0
        except BaseException as error:
            note_raised(error)
            return errno.EIO

    return guarded


@SchemaRelease
@_guarded
def _release_schema(schema: Any) -> None:
    _kept.pop(schema.contents.private_data, None)
    schema.contents.release = SchemaRelease()


@SchemaRelease
@_guarded
def _keep_schema(schema: Any) -> None:
    schema.contents.release = SchemaRelease()


@ArrayRelease
@_guarded
def _release_array(arr: Any) -> None:
    _kept.pop(arr.contents.private_data, None)
    arr.contents.release = ArrayRelease()


@ArrayRelease
@_guarded
def _keep_array(arr: Any) -> None:
    arr.contents.release = ArrayRelease()


class _Exported:
    """The stream of Columns: one record."""

    def __init__(self, columns: Columns) -> None:
        self.columns, self.given = columns, False
        self.text: Any = None  # of an exception
        self.stream = ArrowArrayStream(
            get_schema=_get_schema, get_next=_get_next, get_last_error=_last_error, release=_release_stream, private_data=_keep(self)
        )

    def next(self, out: ArrowArray) -> None:
        if not self.given:
            self.given = True
            self.columns._array(out)


def _exported(stream: Any) -> _Exported:
    return _kept[stream.contents.private_data][0]


def _filled(stream: Any, fill: Any) -> None:
    """Calls fill, and keeps the text of its exception for other libraries, which ask the stream for it."""
    e = _exported(stream)
    try:
        fill(e)
    except BaseException as error:
        e.text = ctypes.create_string_buffer(f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
        raise


@GetSchema
@_guarded
def _get_schema(stream: Any, out: Any) -> None:
    out.contents.release = SchemaRelease()
    _filled(stream, lambda e: e.columns._schema(out.contents))


@GetNext
@_guarded
def _get_next(stream: Any, out: Any) -> None:
    out.contents.release = ArrayRelease()
    _filled(stream, lambda e: e.next(out.contents))


@LastError
def _last_error(stream: Any) -> Any:
    e = _kept.get(stream.contents.private_data, (None,))[0]
    return ctypes.addressof(e.text) if e is not None and e.text is not None else None


@StreamRelease
@_guarded
def _release_stream(stream: Any) -> None:
    _kept.pop(stream.contents.private_data, None)
    stream.contents.release = StreamRelease()


class Result:
    """A table with a row for each vertex. It is read once.

    pyarrow, polars, DuckDB and pandas read it by ``__arrow_c_stream__``: ``pyarrow.table(result)``,
    ``polars.DataFrame(result)``. Without them, ``to_pydict`` and ``to_numpy`` return its columns.
    """

    def __init__(self, stream: ArrowArrayStream) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if getattr(self, "_stream", None) is not None:
            release(self._stream)

    def _take(self) -> ArrowArrayStream:
        """Moves the stream out of the result, so that one thread reads it."""
        taken = ArrowArrayStream()
        with self._lock:
            self._check()
            ctypes.memmove(ctypes.byref(taken), ctypes.byref(self._stream), ctypes.sizeof(taken))
            self._stream.release = StreamRelease()
        return taken

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns a PyCapsule with a struct ArrowArrayStream. The schema is the result's own."""
        return capsule(self._take())

    def to_pydict(self) -> "dict[str, list]":
        """Returns the columns as lists, with None for a missing value."""
        out: "dict[str, list]" = {}
        for names, columns in self._records():
            for name, (values, valid) in zip(names, columns):
                values = values.tolist() if isinstance(values, memoryview) else values
                if valid is not None:
                    values = [v if ok else None for v, ok in zip(values, valid)]
                out.setdefault(name, []).extend(values)
        return out

    def to_numpy(self) -> "dict[str, Any]":
        """Returns the columns as arrays of numpy. Those with missing values are masked arrays, and those of strings have objects."""
        import numpy

        parts: "dict[str, list]" = {}
        for names, columns in self._records():
            for name, (values, valid) in zip(names, columns):
                data = numpy.empty(len(values), dtype=object) if values and isinstance(values[0], list) else \
                    numpy.array(values, dtype=None if isinstance(values, memoryview) else object)
                if data.dtype == object:
                    data[:] = values
                if valid is not None:
                    data = numpy.ma.masked_array(data, mask=[not ok for ok in valid])
                parts.setdefault(name, []).append(data)
        return {name: _concatenated(numpy, list_) for name, list_ in parts.items()}

    def _check(self) -> None:
        if not self._stream.release:
            raise Error("the result was read already; run the algorithm again, or keep what was read")

    def _records(self) -> "Iterator[tuple[list[str], list]]":
        """Reads all records. The first has no rows, so that each column is there."""
        stream = self._take()
        try:
            schema = ArrowSchema()
            _ask(stream, stream.get_schema, schema)
            try:
                children = [schema.children[i].contents for i in range(schema.n_children)]
                names = [c.name.decode() for c in children]
                formats = [_format(c) for c in children]
            finally:
                schema.release(ctypes.byref(schema))
            empty = ArrowArray()
            yield names, [_values(f, empty) for f in formats]
            while True:
                record = ArrowArray()
                _ask(stream, stream.get_next, record)
                if not record.release:
                    return
                try:
                    yield names, [_values(f, record.children[i].contents) for i, f in enumerate(formats)]
                finally:
                    record.release(ctypes.byref(record))
        finally:
            release(stream)


def _ask(stream: ArrowArrayStream, call: Any, out: Any) -> None:
    code = call(ctypes.byref(stream), ctypes.byref(out))
    if code:
        text = stream.get_last_error(ctypes.byref(stream))
        raise StreamError(ctypes.string_at(text).decode("utf-8", "replace") if text else f"error {code}")


def _concatenated(numpy: Any, parts: list) -> Any:
    if any(isinstance(p, numpy.ma.MaskedArray) for p in parts):
        return numpy.ma.concatenate(parts)
    return numpy.concatenate(parts)


# Type codes of memoryview by formats of Arrow's.
_CODES = {"c": "b", "s": "h", "i": "i", "l": "q", "C": "B", "S": "H", "I": "I", "L": "Q", "f": "f", "g": "d"}


def _copied(address: int, offset: int, size: int) -> bytes:
    return ctypes.string_at(address + offset, size) if size else b""


def _bits(address: int, offset: int, n: int) -> "list[bool]":
    first = offset // 8
    data = _copied(address, first, (offset + n + 7) // 8 - first)
    return [bool(data[i // 8] >> i % 8 & 1) for i in range(offset - 8 * first, offset - 8 * first + n)]


def _format(schema: Any) -> str:
    """Returns the format of a column. That of the elements follows that of lists."""
    format = schema.format.decode()
    return format + _format(schema.children[0].contents) if format == "+l" else format


def _lists(format: str, a: ArrowArray) -> list:
    """Returns copies of lists."""
    n = a.length
    if not n:
        return []
    ends = memoryview(_copied(a.buffers[1], a.offset * 4, (n + 1) * 4)).cast("i")
    values, _ = _values(format, a.children[0].contents)
    values = values.tolist() if isinstance(values, memoryview) else values
    return [values[ends[i]:ends[i + 1]] for i in range(n)]


def _values(format: str, a: ArrowArray) -> Tuple[Any, Any]:
    """Returns copies of the values of an array, and which are there, None for all."""
    n, offset = a.length, a.offset
    valid = _bits(a.buffers[0], offset, n) if n and a.null_count and a.buffers[0] else None
    if format in _CODES:
        code = _CODES[format]
        size = array.array(code).itemsize
        return memoryview(_copied(a.buffers[1], offset * size, n * size) if n else b"").cast(code), valid
    if format.startswith("+l"):
        return _lists(format[2:], a), valid
    if format == "b":
        return _bits(a.buffers[1], offset, n) if n else [], valid
    if format in ("u", "U", "z", "Z"):
        code = "i" if format in "uz" else "q"
        size = array.array(code).itemsize
        ends = memoryview(_copied(a.buffers[1], offset * size, (n + 1) * size)).cast(code) if n else [0]
        data = _copied(a.buffers[2], ends[0], ends[-1] - ends[0]) if n else b""
        cut = [data[ends[i] - ends[0]:ends[i + 1] - ends[0]] for i in range(n)]
        return [c.decode() for c in cut] if format in "uU" else cut, valid
    if format == "tdD":
        days, _ = _values("i", a)
        return [datetime.date(1970, 1, 1) + datetime.timedelta(d) for d in days], valid
    raise Error(f"columns of the Arrow format {format!r} aren't read here; pass the result to pyarrow or another library")
