"""Times of hostile texts: every pattern of the package, and every function that reads texts, with all of them.

    python -m benchmarks.hostile_texts [--shown N] [NAME …]

A NAME restricts it to places that contain it. Prints CPU time of the slowest texts, and how it grows when a text is twice
as long: 2 is linear, 4 is quadratic. Returns 1 if anything grows faster than its text. `tests/project/test_hostile_texts.py`
counts
the same work on short texts; this also sees what C code does within one call, and what a constant is worth.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tests.helpers.backtracking import made_for
from tests.helpers.hostile import FILLERS, fillers, texts
from tests.helpers.text_readers import BOUNDED, BY_HAND, METHODS, caches, patterns, readers

LENGTH = 100_000
"""Characters of a text for what is named by hand; the many others are given a fifth."""
PART = 5
MAX_GROWTH = 3.0
"""Between linear and quadratic."""
_FIRST_LENGTHS = (30, 300, 3_000)
_CALM_MS = 40.0
"""Less is too little to compare."""
_ENDLESS_MS = 1_000.0
"""What takes so long is not tried with a longer text."""
_RUNS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """Time of a text, and its ratio to that of half of it; 0 if that is too short to measure."""

    name: str
    text: str
    length: int
    milliseconds: float
    growth: float


def measured(name: str, read: Callable[[str], object], text: tuple[str, str, str], length: int) -> Measured:
    """Measure a text, from short to long, so that one that grows too fast is found before it takes hours."""
    taken, growth = 0.0, 0.0
    for each in (*_FIRST_LENGTHS, length):
        taken = _milliseconds(read, _made(*text, each), 1)
        if taken > _ENDLESS_MS:
            length = each
            break
    for _ in range(_RUNS):
        if taken < _CALM_MS:
            growth = 0.0
            break
        growth = taken / _milliseconds(read, _made(*text, length // 2), _RUNS)
        if growth < MAX_GROWTH or taken > _ENDLESS_MS:
            break
        taken = min(taken, _milliseconds(read, _made(*text, length), 1))
    head, unit, end = text
    return Measured(name, f"{head!r} + n * {unit!r} + {end!r}", length, taken, growth)


def _made(head: str, unit: str, end: str, length: int) -> str:
    return head + unit * ((length - len(head) - len(end)) // len(unit) + 1) + end


def _milliseconds(read: Callable[[str], object], text: str, runs: int) -> float:
    """Return the least CPU time of several runs."""
    least = float("inf")
    for _ in range(runs):
        for each in caches():
            each.cache_clear()
        gc.disable()  # it would look through all that other texts have left
        start = time.thread_time()
        with contextlib.suppress(Exception):  # what it makes of the text does not matter
            read(text)
        least = min(least, (time.thread_time() - start) * 1000)
        gc.enable()
        if least > _ENDLESS_MS:
            break
    return least


def tried() -> Iterator[tuple[str, Callable[[str], object], list[tuple[str, str, str]], int]]:
    """Yield what reads, the heads, units and ends of the texts that it is given, and how long they are."""
    every = [("", unit, "") for unit in FILLERS]
    for name, (pattern, methods) in patterns().items():
        if not name.startswith((*BOUNDED,)):
            units = [*made_for(pattern), *(("", unit, "") for unit in fillers(pattern.pattern)), *every[::8]]
            for method in sorted(methods):
                yield f"{method} of {name}", partial(METHODS[method], pattern), units, LENGTH // PART
    for name, read in readers().items():
        yield name, read, every, LENGTH // PART
    for name, read in BY_HAND.items():
        yield name, read, [*((head, unit, "") for head, unit in texts()), *every], LENGTH


def main() -> int:
    """Print the slowest texts, and all that grow too fast; return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile_texts")
    parser.add_argument("--shown", type=int, default=20, help="how many of the slowest are shown (default: 20)")
    parser.add_argument("name", nargs="*", help="part of the name of what reads")
    options = parser.parse_args()
    count, slowest = 0, []
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):  # noqa: PTH123 no file
        for name, read, given, length in tried():
            if options.name and not any(each in name for each in options.name):
                continue
            worst = Measured(name, "", 0, 0.0, 0.0)
            for text in dict.fromkeys(given):
                count += 1
                worst = max(worst, measured(name, read, text, length), key=lambda each: each.milliseconds)
                if worst.growth > MAX_GROWTH:
                    break  # one is enough, and the others would take long, too
            slowest.append(worst)
    slowest.sort(key=lambda each: each.milliseconds, reverse=True)
    worse = [each for each in slowest if each.growth > MAX_GROWTH]
    print(f"{count:,} texts; the slowest of each pattern and function:")
    print("\n".join(map(_line, slowest[: options.shown])))
    print(f"faster than linear: {len(worse)}")
    print("\n".join(map(_line, worse)), end="\n" * bool(worse))
    return 1 if worse else 0


def _line(each: Measured) -> str:
    growth = f"x {each.growth:.1f}" if each.growth else "calm"
    return f"{each.milliseconds:8.1f} ms  {growth:6}  {each.length:,} characters of {each.text}: {each.name[:120]}"


if __name__ == "__main__":
    sys.exit(main())
