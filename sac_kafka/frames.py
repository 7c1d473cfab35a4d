"""Functions that stand in for others: who looks at the stack sees the functions that they stand for.

PySpark names a job by the line that has called the outermost function of its own files, and error trackers group errors
by their frames. A function of ours between the user's line and PySpark's would change both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import CodeType, FunctionType
from typing import Any

_LONGEST_RUN = {"pairs": 254, "entries": 8}
"""Of a table of lines: bytes that one pair covers (Python 3.10), and units of code that one entry covers (since 3.11)."""


def stand_in(known: Callable[..., Any] | CodeType, own: Callable[..., Any]) -> Callable[..., Any]:
    """Return `own` with the file and names of `known` at the one line where that begins, and with its globals.

    `own` must use neither globals nor defaults: what it needs it takes from the function that defines it. Where `known`
    is no function of Python only what `functools.wraps` sets is set.
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


def followed(known: Callable[..., Any], then: Callable[..., object]) -> Callable[..., Any]:
    """Return `known` as a function that calls `then` with the same arguments after each call that raised nothing."""
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
    """Take the frame that has caught an error out of its traceback; the caller goes on with a bare `raise`.

    On Python 3.10 a bare `raise` ignores this: the frame stays, and looks like one of what it stands in for.
    """
    traceback = error.__traceback__
    if traceback is not None:
        BaseException.with_traceback(error, traceback.tb_next)  # a class may forbid to set its attributes


def _one_line(length: int) -> bytes:
    """Return a table of lines that says of `length` bytes of code that they are all of the first line."""
    if not hasattr(CodeType, "co_positions"):  # Python 3.10: pairs of a number of bytes and a step in lines
        whole, rest = divmod(length, _LONGEST_RUN["pairs"])
        return bytes([_LONGEST_RUN["pairs"], 0] * whole + [rest, 0])
    whole, rest = divmod(length // 2, _LONGEST_RUN["entries"])  # since 3.11: a line without columns is 0x80 | 13 << 3
    return bytes([0xE8 | 7, 0] * whole + ([0xE8 | (rest - 1), 0] if rest else []))
