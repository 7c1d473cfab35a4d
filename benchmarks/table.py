"""The table of benchmarks/README.md: what each benchmark measured, in pairs, with its date; and the machine."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from typing import Any

PAGE = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- figures: written by `make bench` -->", "<!-- end of figures -->"
_HEAD = "| | with | without | difference (half of the pairs) | pairs |\n|---|---|---|---|---|"
_SPLIT = re.compile(rf"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """Measured values of one thing, in turns with the hook and `without` it; without the latter if it is the hook's alone."""

    what: str
    unit: str
    values: Sequence[float]
    without: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The rows of one benchmark, and the day, machine and load of the run."""

    rows: Sequence[Row]
    date: str
    machine: str
    load: float


def result_of(rows: Iterable[Row]) -> Result:
    """Run a benchmark."""
    return Result(
        (*rows,), datetime.datetime.now(datetime.timezone.utc).date().isoformat(), machine(), os.getloadavg()[2]
    )


def machine() -> str:
    """Describe this machine and the versions that are measured."""
    import pyspark

    processor = next((line.partition(":")[2] for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "")
    kilobytes = next((line.split()[1] for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), "0")
    return (
        f"{' '.join(processor.split()) or platform.machine()}, {os.cpu_count()} cores, {int(kilobytes) / 2**20:.0f} GB, "
        f"Python {platform.python_version()}, PySpark {pyspark.__version__}"
    )


def _lines(path: str) -> list[str]:
    return Path(path).read_text("utf-8").splitlines() if Path(path).exists() else []


def together(earlier: Result, later: Result) -> Result:
    """Return a result with the pairs of both, which have the same rows."""
    rows = [
        replace(row, values=(*old.values, *row.values), without=(*old.without, *row.without))
        for old, row in zip(earlier.rows, later.rows, strict=True)
    ]
    return replace(later, rows=rows, load=max(earlier.load, later.load))


def load(path: Path) -> dict[str, Result]:
    """Read the results of earlier commands by the names of their benchmarks; those of other machines or versions are gone."""
    if not path.exists():
        return {}
    found = {
        name: Result(**{**each, "rows": tuple(Row(**row) for row in each["rows"])})
        for name, each in json.loads(path.read_text("utf-8")).items()
    }
    return {name: each for name, each in found.items() if each.machine == machine()}


def save(path: Path, results: Mapping[str, Result]) -> None:
    """Keep results for a later command."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({name: asdict(each) for name, each in results.items()}), "utf-8")


def table(results: Sequence[Result]) -> str:
    """Return the results as a table, with a line about days and machine above."""
    dates, loads = sorted({each.date for each in results}), sorted(each.load for each in results)
    days = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    about = f"Measured {days} on: {results[0].machine}; load {loads[0]:.1f} to {loads[-1]:.1f}."
    return "\n".join((about, "", _HEAD, *(_line(row) for each in results for row in each.rows))) + "\n"


def _line(row: Row) -> str:
    with_hook = _text(median(row.values), row.unit)
    if not row.without:
        return f"| {row.what} | {with_hook}{_half(row.values)} | | | {len(row.values)} |"
    differences = [one - other for one, other in zip(row.values, row.without, strict=True)]
    difference = f"{_text(median(differences), row.unit)}{_half(differences)}"
    return f"| {row.what} | {with_hook} | {_text(median(row.without), row.unit)} | {difference} | {len(differences)} |"


def _half(values: Sequence[float]) -> str:
    """Return the quartiles, between which half of the values are."""
    if len(values) == 1:
        return ""
    first, _, third = quantiles(values, n=4, method="inclusive")
    return f" ({_number(first)} to {_number(third)})"


def _text(value: float, unit: str) -> str:
    return f"{_number(value)} {unit}"


def _number(value: float) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", "−")


def written(page: str, figures: str) -> str:
    """Return the page with other figures between its markers.

    Raises:
        ValueError: The page has no markers.
    """
    if not _SPLIT.search(page):
        raise ValueError(f"no {BEGIN} … {END}")
    return _SPLIT.sub(lambda _: f"\n{figures}\n", page)


def in_turns(pairs: int, measure: Callable[[bool], Mapping[str, float]]) -> dict[str, tuple[list[float], list[float]]]:
    """Measure with the hook and without, in turns, and return all figures by their names."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for number in range(pairs):
        for has_hook in (True, False) if number % 2 else (False, True):
            for name, value in measure(has_hook).items():
                found.setdefault(name, ([], []))[not has_hook].append(value)
    return found


def rows_of(found: Mapping[str, tuple[Sequence[float], Sequence[float]]], units: Mapping[str, Any]) -> Iterable[Row]:
    """Return a row for each unit, in this order."""
    return [Row(name, unit, *found[name]) for name, unit in units.items()]
