"""Every module of cases for an ordinary session, imported so that all stand in `CASES`."""

from __future__ import annotations

from tests.cases import (
    caches,
    conversions,
    dataset_names,
    expressions,
    files,
    ml,
    operators,
    operators_expressions,
    operators_functions,
    operators_python,
    pandas_api,
    rdds,
    runs,
    shapes,
    streams,
    v2,
    variables,
    views,
    writes,
)
from tests.cases.all_cases import CASES, NOT_ON, SINCE

__all__ = [
    "caches",
    "conversions",
    "dataset_names",
    "expressions",
    "files",
    "ml",
    "names",
    "operators",
    "operators_expressions",
    "operators_functions",
    "operators_python",
    "pandas_api",
    "rdds",
    "runs",
    "shapes",
    "streams",
    "v2",
    "variables",
    "views",
    "writes",
]


def names(spark_version: str) -> list[str]:
    """Return the cases that a Spark of this version can run."""
    return [
        name
        for name in CASES
        if _parts(SINCE.get(name, "0")) <= _parts(spark_version) and not spark_version.startswith(NOT_ON.get(name, ()))
    ]


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")[:2] if part.isdigit()]
