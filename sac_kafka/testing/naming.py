"""Match the names of datasets and columns that a test uses; replace temporary folders in them by placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path

from sac_kafka.names.paths import root
from sac_kafka.tools.graph.flows import Flow
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
_FILE = "file:"
_BOUNDARIES = ("/", "#", ".", "")
"""Characters that may follow a folder in a name."""


def as_list(names: DatasetNames) -> list[DatasetName]:
    """Return the names as a list."""
    return [names] if isinstance(names, (str, PathLike)) else list(names)


def are_named(seen: Iterable[str], expected: Sequence[str], forms: Callable[[str], Sequence[str]]) -> bool:
    """Return whether the names match exactly the captured datasets or columns, one to one; `forms` returns what one is called."""
    there = list(dict.fromkeys(seen))
    meant = [matches(each, there, forms) for each in expected]
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
            owners, others = dataset_names(split["dataset"]), "#." if mark == "#" else "#"
            forms += [f"{owner}{other}{form}" for owner in owners for other in others for form in (name, plain)]
    return tuple(dict.fromkeys(forms))


class Shortening:
    """Placeholders of folders: `file:/tmp/pytest-of-me/pytest-7/test_x0/out` becomes `{tmp_path}/out`.

    `folders` has a folder by placeholder; the longest matching one counts.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._names: dict[str, str] = {}
        for name, folder in folders.items():
            self.add(name, folder)

    def add(self, name: str, folder: str | PathLike[str]) -> None:
        """Add a placeholder for a folder; a remote folder has its name in Atlas, `s3a://bucket/data`."""
        whole = fspath(folder)
        if "://" in whole and not whole.startswith(_FILE):
            self._register(whole.rstrip("/"), name)
            return
        folder = whole.removeprefix(f"{_FILE}//").removeprefix(_FILE)
        for each in (Path(folder).absolute(), Path(folder).resolve()):
            self._register(str(each), name)

    def _register(self, folder: str, name: str) -> None:
        """Add the folder itself, and its form in dataset names, in which dates and the like are placeholders."""
        within = root(f"{folder}/x")
        self._names[within.removesuffix("/x") if within.endswith("/x") else folder] = name
        self._names[folder] = name

    def short(self, name: str | PathLike[str]) -> str:
        """Return the name of a dataset or a column with its folder replaced."""
        whole = fspath(name)
        is_local = whole.startswith((_FILE, "/"))
        place = f"/{whole.removeprefix(_FILE).lstrip('/')}" if is_local else whole
        for folder, placeholder in self._longest_first():
            if place.startswith(folder) and place[len(folder) : len(folder) + 1] in _BOUNDARIES:
                return f"{placeholder}{place[len(folder) :]}"
        return f"{_FILE}{place}" if is_local else whole

    def root(self, name: str | PathLike[str]) -> str:
        """Return the name of the dataset at a path: without partitions, part files and parts that vary between runs."""
        whole = fspath(name)
        is_path = "://" in whole or whole.startswith((_FILE, "/"))
        return self.short(root(whole) if is_path else whole)

    def flow(self, flow: Flow) -> Flow:
        """Return a flow with short names."""
        return Flow(
            self._all(flow.inputs),
            self._all(flow.outputs),
            self._columns(flow.columns),
            self._columns(flow.influences),
            flow.missing,
            self._all(flow.decided_by),
            self._expressions(flow.expressions),
            self._expressions(flow.constants),
            self._text(flow.rows),
        )

    def _expressions(self, columns: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return dict(sorted((self.short(column), tuple(map(self._text, each))) for column, each in columns.items()))

    def _text(self, text: str) -> str:
        """Return a text with the folders in it replaced."""
        for folder, placeholder in self._longest_first():
            text = text.replace(f"{_FILE}{folder}", placeholder).replace(folder, placeholder)
        return text

    def _longest_first(self) -> list[tuple[str, str]]:
        return sorted(self._names.items(), key=lambda each: -len(each[0]))

    def _all(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(map(self.short, names)))

    def _columns(self, columns: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return dict(sorted((self.short(column), self._all(sources)) for column, sources in columns.items()))
