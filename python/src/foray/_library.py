"""Loads libforay and calls it."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import threading
from typing import Callable, Optional


class Error(Exception):
    """A call of the library failed. The subclasses say why."""


class InvalidError(Error, ValueError):
    """An argument, an option or a column is wrong: the same call fails again."""


class StreamError(Error):
    """The stream of a table failed. The message is its own."""


class CanceledError(Error):
    """The run was canceled by a Cancel."""


class OutOfMemoryError(Error, MemoryError):
    """The graph or the algorithm needs more memory than there is."""


class UnsupportedError(Error, NotImplementedError):
    """This machine or this build lacks a device or a feature."""


_ERRORS = {1: InvalidError, 2: StreamError, 3: CanceledError, 4: OutOfMemoryError, 5: UnsupportedError}


class ArrowSchema(ctypes.Structure):
    """struct ArrowSchema of the Arrow C data interface."""


class ArrowArray(ctypes.Structure):
    """struct ArrowArray of the Arrow C data interface."""


class ArrowArrayStream(ctypes.Structure):
    """struct ArrowArrayStream of the Arrow C stream interface."""


SchemaRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
ArrayRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
StreamRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))
GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowSchema))
GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowArray))
LastError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ArrowArrayStream))

ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", SchemaRelease),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ArrayRelease),
    ("private_data", ctypes.c_void_p),
]
ArrowArrayStream._fields_ = [
    ("get_schema", GetSchema),
    ("get_next", GetNext),
    ("get_last_error", LastError),
    ("release", StreamRelease),
    ("private_data", ctypes.c_void_p),
]


def check_size(struct: type, size: int) -> None:
    """Refuses a Python whose ctypes lay a structure out in another way than C does on the platforms of the library."""
    if ctypes.sizeof(struct) != size:
        raise ImportError(f"{struct.__name__} takes {ctypes.sizeof(struct)} bytes in this Python, not {size}: use CPython of 64 bits")


check_size(ArrowSchema, 72)
check_size(ArrowArray, 80)
check_size(ArrowArrayStream, 40)


def _load() -> ctypes.CDLL:
    inside = pathlib.Path(__file__).with_name("libforay.so")
    path = os.environ.get("FORAY_LIBRARY") or (str(inside) if inside.exists() else ctypes.util.find_library("foray"))
    if not path:
        raise ImportError("libforay.so is missing: install a wheel of foray, or set FORAY_LIBRARY to the file")
    lib = ctypes.CDLL(path)
    pointer = ctypes.POINTER(ArrowArrayStream)
    lib.foray_run.argtypes = [
        ctypes.c_char_p, pointer, pointer, ctypes.c_char_p, pointer, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p),
    ]
    lib.foray_run.restype = ctypes.c_int
    lib.foray_free.argtypes = [ctypes.c_void_p]
    lib.foray_free.restype = None
    lib.foray_version.restype = ctypes.c_char_p
    lib.foray_cancel_new.restype = ctypes.c_void_p
    for name in "foray_cancel_request", "foray_cancel_free":
        getattr(lib, name).argtypes = [ctypes.c_void_p]
        getattr(lib, name).restype = None
    return lib


_lib = _load()
_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


# The threads of Go don't exist in a child of fork, where a call would wait for them forever.
os.register_at_fork(after_in_child=_note_fork)


def usable() -> bool:
    """Returns whether the library may be called in this process."""
    return not _forked


def version() -> str:
    """Returns the version of the library."""
    return _lib.foray_version().decode()


class Cancel:
    """Lets another thread end runs that it was passed to.

    >>> import foray, threading
    >>> cancel = foray.Cancel()
    >>> threading.Timer(60, cancel.request).start()  # doctest: +SKIP
    >>> foray.bc(edges, cancel=cancel)  # doctest: +SKIP
    """

    def __init__(self) -> None:
        self._address = _lib.foray_cancel_new()
        if not self._address:
            raise MemoryError

    def request(self) -> None:
        """Ends the runs, those that begin later included. Each raises CanceledError."""
        _lib.foray_cancel_request(self._address)

    def __del__(self) -> None:
        address, self._address = getattr(self, "_address", None), None
        if address:
            _lib.foray_cancel_free(address)


_raised = threading.local()


def note_raised(error: BaseException) -> None:
    """Keeps the first exception of a callback for the call of the library in this thread, if there is one."""
    if getattr(_raised, "calling", False) and _raised.error is None:
        _raised.error = error


def run(algorithm: str, edges: int, vertices: Optional[int], options: bytes, cancel: Optional[Cancel]) -> ArrowArrayStream:
    """Runs an algorithm. edges and vertices are addresses of streams, which it takes over."""
    if not usable():
        raise Error("foray was imported before this process was forked; use the start method spawn of multiprocessing")
    cancel = cancel or Cancel()
    result = ArrowArrayStream()
    message = ctypes.c_void_p()
    pointer = ctypes.POINTER(ArrowArrayStream)

    def call() -> int:
        _raised.calling, _raised.error = True, None
        status = _lib.foray_run(
            algorithm.encode(), ctypes.cast(edges, pointer), ctypes.cast(vertices, pointer), options,
            ctypes.byref(result), cancel._address, ctypes.byref(message),
        )
        error, _raised.calling, _raised.error = _raised.error, False, None
        if error is not None:  # of a callback, which C can't pass on
            raise error
        return status

    try:
        status = _interruptible(call, cancel.request)
    except BaseException:
        if result.release:
            result.release(ctypes.byref(result))
        _lib.foray_free(message)
        raise
    if status == 0:
        return result
    try:
        text = ctypes.string_at(message.value).decode("utf-8", "replace")
    finally:
        _lib.foray_free(message)
    raise _ERRORS.get(status, Error)(text)


def _interruptible(call: Callable[[], int], cancel: Callable[[], None]) -> int:
    """Returns what call returns. KeyboardInterrupt ends the call.

    Python runs handlers of signals in its main thread, between two steps of its own, so the call is
    made in another thread meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    status, errors = [], []
    ended = threading.Event()

    def work() -> None:
        try:
            status.append(call())
        except BaseException as error:
            errors.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=work, name="foray")
    try:
        thread.start()
        ended.wait()
    except BaseException:
        cancel()
        # The call uses memory of the caller: it must end first, also if there are more interrupts.
        while thread.ident is not None and not ended.is_set():
            try:
                ended.wait()
            except KeyboardInterrupt:
                pass
        raise
    if errors:
        raise errors[0]
    return status[0]
