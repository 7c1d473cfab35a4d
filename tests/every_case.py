"""Every module of cases for an ordinary session, imported so that all stand in `CASES`."""

from __future__ import annotations

import cases_files
import cases_operators
import cases_operators_expressions
import cases_operators_functions
import cases_operators_python
import cases_v2
import cases_writes
from cases import CASES, SINCE

__all__ = [
    "cases_files",
    "cases_operators",
    "cases_operators_expressions",
    "cases_operators_functions",
    "cases_operators_python",
    "cases_v2",
    "cases_writes",
    "names",
]


def names(spark_version: str) -> list[str]:
    """The cases that a Spark of this version can run."""
    return [name for name in CASES if _parts(SINCE.get(name, "0")) <= _parts(spark_version)]


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")[:2] if part.isdigit()]
