"""Read datasets as a flow or a registration states them: names, or tables with a name, columns and descriptions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sac_kafka.errors import FlowError
from sac_kafka.model import Column, Dataset, DatasetDescribed, PathDataset, RdbmsDataset, TableDataset
from sac_kafka.model.merging import merge
from sac_kafka.names.files import format_name
from sac_kafka.names.jdbc_urls import name_parts
from sac_kafka.names.paths import Patterns
from sac_kafka.names.stated_names import named_dataset
from sac_kafka.settings.content import WORD, WORD_LENGTH
from sac_kafka.settings.declarations.values import did_you_mean

_NAMES = ("dataset", "namespace", "name", "url", "table")
_KEYS = (*_NAMES, "alias", "columns", "description", "owner", "format", "tags")
_COLUMN_KEYS = ("name", "type", "description", "nullable")
MAX_DATASETS = 10_000
"""Limit of the inputs, or outputs, of a flow, and of the datasets of one registration."""
MAX_TEXT = 4_000
"""Limit of a description; a longer one is truncated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDataset:
    """A dataset, and how the statement refers to it: by its alias, its name as written, or the last part of this."""

    dataset: Dataset
    alias: str = ""
    names: tuple[str, ...] = ()
    description: str = ""
    owner: str = ""
    labels: tuple[str, ...] = ()

    def described(self) -> DatasetDescribed:
        """Return the description as a change."""
        return DatasetDescribed(
            dataset=self.dataset, description=self.description, owner=self.owner, labels=self.labels
        )

    @property
    def is_described(self) -> bool:
        """Whether it states more than the names and types of columns."""
        return bool(self.description or self.owner or self.labels)


def read_datasets(value: object, place: str, patterns: Patterns = ()) -> tuple[StatedDataset, ...]:
    """Return the datasets of a list, of a mapping from aliases, or of one name.

    Args:
        value: What is stated.
        place: The place of it, for errors (`inputs`).
        patterns: The user's patterns of path segments.

    Raises:
        FlowError: A dataset is not named, or one of its facts is wrong.
    """
    return tuple(_dataset(facts, at, patterns) for facts, at in _list(value, place))


def list_datasets(value: object, place: str) -> list[Mapping[object, object]]:
    """Return what is stated of each dataset, to be read again; arguments and errors as of `read_datasets`."""
    listed = _list(value, place)
    for facts, at in listed:
        _dataset(facts, at, ())
    return [_fix_path(facts) for facts, _ in listed]


def _fix_path(facts: Mapping[object, object]) -> Mapping[object, object]:
    """Return facts whose local path depends on the working directory no more; columns still name it as written."""
    path = facts.get("dataset")
    if not isinstance(path, Path):
        return facts
    return {**facts, "dataset": path.absolute(), "alias": facts.get("alias", str(path))}


def _list(value: object, place: str) -> list[tuple[Mapping[object, object], str]]:
    found = _located(value, place)
    if len(found) > MAX_DATASETS:
        raise FlowError(f"{place}: {len(found)} datasets, more than {MAX_DATASETS}; divide the flow")
    return found


def _located(value: object, place: str) -> list[tuple[Mapping[object, object], str]]:
    """Return what is stated of each dataset, with its place."""
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)) or (isinstance(value, Mapping) and not value.keys().isdisjoint(_NAMES)):
        return [(_facts(value), place)]
    if isinstance(value, Mapping):
        return [({**_facts(each), "alias": alias}, f"{place}.{alias}") for alias, each in value.items()]
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return [(_facts(each), f"{place}[{number}]") for number, each in enumerate(value)]
    raise FlowError(f"{place}: a {type(value).__name__}; state a list of datasets")


def _facts(value: object) -> Mapping[object, object]:
    return value if isinstance(value, Mapping) else {"dataset": value}


def _dataset(facts: Mapping[object, object], place: str, patterns: Patterns) -> StatedDataset:
    reject_unknown(facts, _KEYS, place)
    name = _name(facts, place)
    columns = read_columns(facts.get("columns"), f"{place}.columns")
    try:
        dataset = named_dataset(name, columns, patterns)
    except FlowError as error:
        raise FlowError(f"{place}: {error}") from None
    description, owner = (
        text_of(facts.get(key, ""), f"{place}.{key}", is_empty_ok=True) for key in ("description", "owner")
    )
    if isinstance(dataset, (RdbmsDataset, TableDataset)):
        dataset = replace(dataset, comment=description[:MAX_TEXT] or None, owner=owner or None)
    if isinstance(dataset, PathDataset):
        dataset = replace(
            dataset, format=format_name(text_of(facts.get("format", ""), f"{place}.format", is_empty_ok=True))
        )
    elif "format" in facts:
        raise FlowError(f"{place}.format: only a path has one; remove it")
    return StatedDataset(
        dataset=dataset,
        alias=text_of(facts["alias"], f"{place}.alias") if "alias" in facts else "",
        names=tuple(dict.fromkeys(_short_names(name, dataset))),
        description=description[:MAX_TEXT],
        owner=owner,
        labels=_labels(facts.get("tags"), place),
    )


def _name(facts: Mapping[object, object], place: str) -> object:
    given = {key for key in _NAMES if key in facts}
    if given == {"dataset"}:
        return facts["dataset"]
    for first, second in (("namespace", "name"), ("url", "table")):
        if given == {first, second}:
            return text_of(facts[first], f"{place}.{first}"), text_of(facts[second], f"{place}.{second}")
    raise FlowError(f"{place}: state dataset, or namespace and name, or url and table")


def _short_names(name: object, dataset: Dataset) -> Iterator[str]:
    """Yield the names by which columns may refer to the dataset: as written, by its table or the end of its path."""
    written = str(name[1] if isinstance(name, (tuple, list)) else name).strip()
    yield written
    if isinstance(dataset, TableDataset):
        yield f"{dataset.database}.{dataset.name}"
        yield dataset.name
    elif isinstance(dataset, RdbmsDataset):
        yield f"{dataset.schema}.{dataset.table}"
        yield dataset.table
    elif isinstance(name, (tuple, list)):
        yield name_parts(written)[-1]
    else:
        yield written.rstrip("/").replace("\\", "/").rpartition("/")[2]


def read_columns(value: object, place: str) -> tuple[Column, ...]:
    """Return the columns of a dataset: names, a mapping from names to types, or mappings with `type` and `description`.

    Raises:
        FlowError: A column occurs twice, or a fact is wrong.
    """
    if value is None:
        return ()
    if isinstance(value, Mapping):
        pairs = [(text_of(name, f"{place}: name"), each) for name, each in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        pairs = [_named_column(each, f"{place}[{number}]") for number, each in enumerate(value)]
    else:
        raise FlowError(f"{place}: a {type(value).__name__}; state names, or a table of names and types")
    found: dict[str, Column] = {}
    for name, each in pairs:
        if name in found:
            raise FlowError(f"{place}: {name!r} occurs twice; state it once")
        found[name] = _column(name, each, f"{place}.{name}")
    return tuple(found.values())


def _named_column(value: object, place: str) -> tuple[str, object]:
    if not isinstance(value, Mapping):
        return text_of(value, place), ""
    return text_of(value.get("name"), f"{place}.name"), {key: each for key, each in value.items() if key != "name"}


def _column(name: str, value: object, place: str) -> Column:
    facts: Mapping[object, object] = value if isinstance(value, Mapping) else {"type": value}
    reject_unknown(facts, _COLUMN_KEYS, place)
    nullable = facts.get("nullable", True)
    if not isinstance(nullable, bool):
        raise FlowError(f"{place}.nullable: {nullable!r}; write true or false")
    return Column(
        name=name,
        type=text_of(facts.get("type", ""), f"{place}.type", is_empty_ok=True),
        nullable=nullable,
        comment=text_of(facts.get("description", ""), f"{place}.description", is_empty_ok=True)[:MAX_TEXT] or None,
    )


def _labels(value: object, place: str) -> tuple[str, ...]:
    tags = [value] if isinstance(value, str) else value or ()
    if not isinstance(tags, (list, tuple, set, frozenset)):
        raise FlowError(f"{place}.tags: a {type(tags).__name__}; state a list of words")
    for tag in tags:
        if not isinstance(tag, str) or not re.fullmatch(WORD, tag):
            raise FlowError(f"{place}.tags: {tag!r} must have 1 to {WORD_LENGTH} letters, digits, _ or -")
    return tuple(dict.fromkeys(sorted(tags) if isinstance(tags, (set, frozenset)) else tags))


def unite(stated: Iterable[StatedDataset], more: Iterable[StatedDataset] = ()) -> tuple[Dataset, ...]:
    """Return datasets sorted by key, each once, with what `more` states of the same ones."""
    known: dict[str, Dataset] = {}
    for each in stated:
        key = each.dataset.key
        known[key] = merge(known[key], each.dataset) if key in known else each.dataset
    for each in more:
        key = each.dataset.key
        if key in known:
            known[key] = merge(each.dataset, known[key])
    return tuple(known[key] for key in sorted(known))


def text_of(value: object, place: str, *, is_empty_ok: bool = False) -> str:
    """Return a text without blanks around it.

    Raises:
        FlowError: It is no text, or is empty.
    """
    if not isinstance(value, str):
        raise FlowError(f"{place}: {_brief(value)} is a {type(value).__name__}; write a text")
    if not value.strip() and not is_empty_ok:
        raise FlowError(f"{place}: empty; write a text")
    return value.strip()


def reject_unknown(facts: Mapping[Any, object], known: Sequence[str], place: str) -> None:
    """Check the keys of a mapping.

    Raises:
        FlowError: A key is unknown.
    """
    for key in facts:
        if key not in known:
            hint = did_you_mean(str(key), known)
            raise FlowError(f"{place}: unknown key {_brief(key)}{hint}; known are {', '.join(filter(None, known))}")


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
