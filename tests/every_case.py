"""Every module of cases for an ordinary session, imported so that all stand in `CASES`."""

from __future__ import annotations

from tests import (
    cases_caches,
    cases_conversions,
    cases_expressions,
    cases_files,
    cases_ml,
    cases_names,
    cases_operators,
    cases_operators_expressions,
    cases_operators_functions,
    cases_operators_python,
    cases_pandas_api,
    cases_rdds,
    cases_runs,
    cases_shapes,
    cases_streams,
    cases_v2,
    cases_variables,
    cases_views,
    cases_writes,
)
from tests.cases import CASES, NOT_ON, SINCE

__all__ = [
    "cases_caches",
    "cases_conversions",
    "cases_expressions",
    "cases_files",
    "cases_ml",
    "cases_names",
    "cases_operators",
    "cases_operators_expressions",
    "cases_operators_functions",
    "cases_operators_python",
    "cases_pandas_api",
    "cases_rdds",
    "cases_runs",
    "cases_shapes",
    "cases_streams",
    "cases_v2",
    "cases_variables",
    "cases_views",
    "cases_writes",
    "names",
]


def names(spark_version: str) -> list[str]:
    """The cases that a Spark of this version can run."""
    return [
        name
        for name in CASES
        if _parts(SINCE.get(name, "0")) <= _parts(spark_version) and not spark_version.startswith(NOT_ON.get(name, ()))
    ]


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")[:2] if part.isdigit()]
