"""A table of rows as one test, which fails with all rows that are wrong.

Thousands of items of `parametrize` take longer to collect, to set up and to report than their rows to check. This is for
rows that need no separate fixture and are never run alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]
_MOST = 200
"""Characters of a row that a failure shows."""


def every_row(
    names: str | tuple[str, ...], rows: Iterable[Any], label: Callable[[Any], object] = repr
) -> Callable[[Test], Test]:
    """Run a test for every row, in place of `pytest.mark.parametrize`.

    Args:
        names: The parameter that a row is, or the parameters that its parts are.
        rows: The rows; there must be some.
        label: What a failure calls a row.
    """
    table = tuple(rows)
    assert table, "a table without rows proves nothing"
    parameters = (names,) if isinstance(names, str) else names

    def decorated(test: Test) -> Test:
        @functools.wraps(test)
        def every(**fixtures: Any) -> None:
            wrong: list[str] = []
            first: Exception | None = None
            for row in table:
                parts = (row,) if isinstance(names, str) else row
                try:
                    test(**fixtures, **dict(zip(parameters, parts, strict=True)))
                except pytest.skip.Exception:
                    continue
                except Exception as error:  # noqa: BLE001 every row is tried, and every error reported
                    first = first or error
                    wrong.append(f"  {str(label(row))[:_MOST]}: {type(error).__name__}: {error}")
            if wrong:
                raise AssertionError(f"{len(wrong)} of {len(table)} rows:\n" + "\n".join(wrong)) from first

        own = inspect.signature(test)
        assert set(parameters) <= set(own.parameters), f"{test.__name__} does not take {parameters}"
        left = [each for name, each in own.parameters.items() if name not in parameters]
        every.__signature__ = own.replace(parameters=left)  # type: ignore[attr-defined]
        return every

    return decorated
