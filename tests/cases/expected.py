"""Expected lineage of cases: `fixtures/lineage/<module of the cases>.txt`, for each case the output of `lineage_lines`.

    == join
    path:file:{work}/out/join <= table:spark_catalog.cases.orders
      id <- table:spark_catalog.cases.orders id identity

A case over Hive tables stands there as `hive_<case>`, one over Kafka topics as `kafka_<case>`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "lineage"
_HEAD = "== "


def expected(name: str) -> list[str]:
    """Return the lines of a case.

    Raises:
        LookupError: there are none yet.
    """
    if name in (found := _of_all_files(FOLDER)):
        return found[name]
    raise LookupError(f"{name} has no expectation in {FOLDER}: run python -m tests.cases.record {name}")


@cache
def _of_all_files(folder: Path) -> dict[str, list[str]]:
    return {name: lines for file in folder.iterdir() for name, lines in _sections(file).items()}


def sections(file: Path) -> dict[str, list[str]]:
    """Return the lines of all cases of a file, by their names."""
    return dict(_sections(file)) if file.exists() else {}


@cache
def _sections(file: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in file.read_text("utf-8").splitlines():
        if line.startswith(_HEAD):
            name = line.removeprefix(_HEAD)
            assert name not in found, f"{file}: {name} stands there twice"
            lines = found[name] = []
        elif line:
            lines.append(line)
    return found


def text(found: dict[str, list[str]]) -> str:
    """Return the text of a file: the cases by name, an empty line between them."""
    return "\n".join("".join(f"{line}\n" for line in (f"{_HEAD}{name}", *found[name])) for name in sorted(found))


def file_of(case: Any) -> Path:
    """Return the file of the module that has the case."""
    return FOLDER / f"{case.__module__.rpartition('.')[2]}.txt"


def expect(name: str, case: Any, lines: Iterable[str]) -> None:
    """Write what a case means, in place of what it meant."""
    file = file_of(case)
    file.write_text(text({**sections(file), name: list(lines)}), "utf-8")
    _sections.cache_clear()
    _of_all_files.cache_clear()
