"""Columns and flows of tests: `dataset.column` as one text."""

from __future__ import annotations

from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn


def c(name: str) -> LineageColumn:
    dataset, _, column = name.partition(".")
    return LineageColumn(dataset, column)


def flow(output: str, *sources: str, how: str = "", influences: bool = False) -> ColumnFlow:
    return ColumnFlow(c(output), tuple(map(c, sources)), how, influences)
