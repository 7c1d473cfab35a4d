"""What the names that a test asks with may mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from os import PathLike

from sac_kafka.readable.name_lookup import dataset_names, matches

DatasetName = str | PathLike[str]
"""A dataset as a test names it: its name, the end of it, or a local path."""
DatasetNames = Iterable[DatasetName] | DatasetName
"""Several of them, or one: a text is one name, and never its letters."""
_OF_COLUMNS = tuple(
    (mark, re.compile(rf"(?P<dataset>.+){re.escape(mark)}(?P<name>`(?P<quoted>(?:[^`]|``)*)`|[^{mark}`]*)", re.DOTALL))
    for mark in "#."
)
"""How the names of columns end, by what stands before them: of files and topics `#`, of tables a dot."""


def listed(names: DatasetNames) -> list[DatasetName]:
    """Give the names one by one."""
    return [names] if isinstance(names, (str, PathLike)) else list(names)


def are_datasets(expected: Sequence[str], seen: Iterable[str]) -> bool:
    """Whether the names mean all datasets that were seen, each another one."""
    there = list(dict.fromkeys(seen))
    return _are([matches(each, there, dataset_names) for each in expected], there)


def are_columns(expected: Sequence[str], seen: Iterable[str]) -> bool:
    """The same of columns."""
    there = list(dict.fromkeys(seen))
    return _are([matches(each, there, column_forms) for each in expected], there)


def _are(meant: Sequence[Sequence[str]], there: Sequence[str]) -> bool:
    return all(len(each) == 1 for each in meant) and {name for each in meant for name in each} == set(there)


def column_forms(column: str) -> Sequence[str]:
    """How a column may be named: behind a dot or `#`, whatever its dataset is; behind `#` also without quotes.

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
            forms += [f"{each}{other}{said}" for each in of for other in others for said in (name, plain)]
    return tuple(dict.fromkeys(forms))
