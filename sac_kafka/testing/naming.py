"""Match the names of datasets and columns that a test uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from os import PathLike

from sac_kafka.tools.graph.name_lookup import dataset_names, matches

DatasetName = str | PathLike[str]
"""Dataset in a test: its name, the end of its name, or a local path."""
DatasetNames = Iterable[DatasetName] | DatasetName
"""One or several datasets; a string is one name."""
_OF_COLUMNS = tuple(
    (mark, re.compile(rf"(?P<dataset>.+){re.escape(mark)}(?P<name>`(?P<quoted>(?:[^`]|``)*)`|[^{mark}`]*)", re.DOTALL))
    for mark in "#."
)
"""Patterns of column names by separator: `#` for files and topics, a dot for tables."""


def listed(names: DatasetNames) -> list[DatasetName]:
    """Return the names as a list."""
    return [names] if isinstance(names, (str, PathLike)) else list(names)


def are_datasets(expected: Sequence[str], seen: Iterable[str]) -> bool:
    """Return whether the names match exactly the captured datasets, one to one."""
    there = list(dict.fromkeys(seen))
    return _are([matches(each, there, dataset_names) for each in expected], there)


def are_columns(expected: Sequence[str], seen: Iterable[str]) -> bool:
    """Return whether the names match exactly the captured columns, one to one."""
    there = list(dict.fromkeys(seen))
    return _are([matches(each, there, column_forms) for each in expected], there)


def _are(meant: Sequence[Sequence[str]], there: Sequence[str]) -> bool:
    return all(len(each) == 1 for each in meant) and {name for each in meant for name in each} == set(there)


def column_forms(column: str) -> Sequence[str]:
    """Return the names by which a column may be called: after a dot or `#`; after `#` also without quotes.

    >>> column_forms("s3a://lake/out/#c")
    ('s3a://lake/out/#c', 's3a://lake/out/.c', 's3a://lake/out#c', 's3a://lake/out.c')
    >>> column_forms("sales.report.`a.b`")
    ('sales.report.`a.b`', 'sales.report#`a.b`', 'sales.report#a.b')
    """
    forms = [column]
    for mark, pattern in _OF_COLUMNS:
        if split := pattern.fullmatch(column):
            name, quoted = split["name"], split["quoted"]
            plain = name if quoted is None else quoted.replace("``", "`")
            of, others = dataset_names(split["dataset"]), "#." if mark == "#" else "#"
            forms += [f"{each}{other}{form}" for each in of for other in others for form in (name, plain)]
    return tuple(dict.fromkeys(forms))
