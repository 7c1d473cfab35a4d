"""Programs that fetch something are run to their end, and what went wrong is said."""

from __future__ import annotations

import sys

import pytest

from stack import clients
from stack.errors import FetchError

FOUR_LINES = "print('one\\n\\ntwo\\n three\\nfour'); raise SystemExit(3)"


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def test_a_program_that_ends_well_says_nothing() -> None:
    clients.run(python("print('done')"), "client", 60, telling=slice(3))


@pytest.mark.parametrize(
    ("command", "seconds", "telling", "said"),
    [
        (python(FOUR_LINES), 60, slice(3), "client ended with 3: one / two / three"),
        (python(FOUR_LINES), 60, slice(-3, None), "client ended with 3: two / three / four"),
        (python("input()"), 60, slice(-1, None), "client ended with 1: EOFError: EOF when reading a line"),
        (python("import time; time.sleep(60)"), 0.2, slice(3), "client did not end within 0.2 s"),
        (["/no/such/program"], 60, slice(3), "client cannot be run: "),
    ],
)
def test_what_went_wrong_is_said(command: list[str], seconds: float, telling: slice, said: str) -> None:
    with pytest.raises(FetchError) as caught:
        clients.run(command, "client", seconds, telling)
    assert str(caught.value).startswith(said)
