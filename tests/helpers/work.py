"""Count the work that code does instead of timing it: a count is the same on every machine, however busy it is.

`steps` counts lines of Python and calls of C; a `Text` counts the characters that are read or copied of it. Together they
grow with the square of the input exactly where the time would.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, SupportsIndex

TOLERANCE = 1.4
"""Work on an input of n times the size may grow by n times this: sorting, and what is done in blocks."""

_visited = 0


class Text(str):
    """A text that counts the characters that its methods read or copy; what they return counts, too."""

    __slots__ = ()

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        return _counted(str.__getitem__(self, key))

    def __contains__(self, part: object) -> bool:
        return self.find(part) >= 0  # type: ignore[arg-type]

    def __add__(self, other: str) -> str:
        return _counted(str.__add__(self, other))

    def __radd__(self, other: str) -> str:
        return _counted(str.__add__(other, self))

    def __iter__(self) -> Iterator[str]:
        visit(len(self))
        return str.__iter__(self)

    def find(self, part: str, *bounds: Any) -> int:
        at = str.find(self, part, *bounds)
        start = bounds[0] or 0 if bounds else 0
        visit((at if at >= 0 else len(self)) - start)
        return at

    def index(self, part: str, *bounds: Any) -> int:
        if (at := self.find(part, *bounds)) < 0:
            raise ValueError("substring not found")
        return at


def _reading(name: str) -> Callable[..., Any]:
    method = getattr(str, name)

    def counted(self: Text, *args: Any, **kwargs: Any) -> Any:
        visit(len(self))
        found = method(self, *args, **kwargs)
        if isinstance(found, str):
            return Text(found)
        if isinstance(found, (list, tuple)):
            return type(found)(Text(each) for each in found)
        return found

    return counted


for _name in (
    *("rfind", "rindex", "count", "replace", "translate", "encode", "lower", "upper", "casefold", "title", "swapcase"),
    *("strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "partition", "rpartition", "isdigit", "isalnum"),
    *("isalpha", "isascii", "isspace", "isdecimal", "isidentifier", "isprintable", "islower", "isupper", "expandtabs"),
    *("removeprefix", "removesuffix", "capitalize"),
):
    setattr(Text, _name, _reading(_name))


def visit(characters: int) -> None:
    """Count characters that something else reads, as a regular expression does."""
    global _visited
    _visited += max(0, characters)


def _counted(text: str) -> Text:
    visit(len(text))
    return Text(text)


def steps(call: Callable[[], object]) -> int:
    """Return how many lines of Python and calls of C `call` executes in this thread, and characters of `Text` it visits."""
    count, visited = 0, _visited

    def entered(frame: FrameType, event: str, value: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename == __file__:  # the counting itself
            return None
        count += 1
        return traced

    def traced(frame: FrameType, event: str, value: object) -> Any:
        nonlocal count
        count += 1
        return traced

    def profiled(frame: FrameType, event: str, value: object) -> None:
        nonlocal count
        if event == "c_call" and frame.f_code.co_filename != __file__:
            count += 1

    tracing, profiling = sys.gettrace(), sys.getprofile()
    sys.settrace(entered)
    sys.setprofile(profiled)
    try:
        call()
    finally:
        sys.settrace(tracing)
        sys.setprofile(profiling)
    return count + _visited - visited


def assert_linear(prepared: Callable[[int], Callable[[], object]], size: int, times: int = 4) -> None:
    """Fail if work grows faster than its input.

    Args:
        prepared: Makes the input of a size, and returns the call that works on it; only that call is counted.
        size: The smaller of two sizes.
        times: How many times larger the other one is.
    """
    little, much = steps(prepared(size)), steps(prepared(size * times))
    assert much <= little * times * TOLERANCE, f"{little} steps for {size}, {much} for {size * times}"
