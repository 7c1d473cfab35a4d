"""Make wrapper functions whose stack frames look like those of the wrapped functions.

PySpark names a job by the line that called the outermost function in PySpark's files, and error trackers group errors by their
frames. A visible frame of the hook between the user's code and PySpark would change both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import CodeType, FunctionType
from typing import Any

_MAX_RUN = {"pairs": 254, "entries": 8}
"""Limits of a line table: bytes covered by one pair (Python 3.10), and code units covered by one entry (since 3.11)."""


def stand_in(known: Callable[..., Any] | CodeType, own: Callable[..., Any]) -> Callable[..., Any]:
    """Return `own` with the globals, file and names of `known`, all of it at the first line of `known`.

    `own` must use neither globals nor defaults, only variables of the enclosing function. If `known` is not a Python function,
    only the attributes of `functools.wraps` are set.
    """
    if isinstance(known, CodeType):
        return _of_code(known, own, {}) if isinstance(own, FunctionType) else own
    if not (isinstance(known, FunctionType) and isinstance(own, FunctionType)):
        return update_wrapper(own, known)
    return update_wrapper(_of_code(known.__code__, own, known.__globals__), known)


def _of_code(code: CodeType, own: FunctionType, its_globals: dict[str, Any]) -> FunctionType:
    names = {name: getattr(code, name) for name in ("co_name", "co_qualname") if hasattr(code, name)}
    changed = own.__code__.replace(
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_linetable=_one_line(len(own.__code__.co_code)),
        **names,
    )
    made = FunctionType(changed, its_globals, code.co_name, None, own.__closure__)
    made.__qualname__ = getattr(code, "co_qualname", code.co_name)
    return made


def call_after(known: Callable[..., Any], then: Callable[..., object]) -> Callable[..., Any]:
    """Return a wrapper of `known` that calls `then` with the same arguments after each successful call."""
    leave_out = leave_out_caller

    def own(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 any function
        try:
            given = known(*args, **kwargs)
        except BaseException as error:
            leave_out(error)
            raise
        then(*args, **kwargs)
        return given

    return stand_in(known, own)


def leave_out_caller(error: BaseException) -> None:
    """Remove the frame that caught an error from its traceback; the caller continues with a bare `raise`.

    On Python 3.10 a bare `raise` ignores this; the frame stays and looks like one of the wrapped function.
    """
    traceback = error.__traceback__
    if traceback is not None:
        # Called on BaseException, because a subclass may forbid setting attributes.
        BaseException.with_traceback(error, traceback.tb_next)


def _one_line(length: int) -> bytes:
    """Return a line table that maps `length` bytes of code to the first line."""
    if not hasattr(CodeType, "co_positions"):  # Python 3.10: pairs of a number of bytes and a step in lines
        whole, rest = divmod(length, _MAX_RUN["pairs"])
        return bytes([_MAX_RUN["pairs"], 0] * whole + [rest, 0])
    whole, rest = divmod(length // 2, _MAX_RUN["entries"])  # since 3.11: a line without columns is 0x80 | 13 << 3
    return bytes([0xE8 | 7, 0] * whole + ([0xE8 | (rest - 1), 0] if rest else []))
