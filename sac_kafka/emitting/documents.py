"""Read files of flows: TOML or JSON, with one flow, several flows, or only descriptions of datasets."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sac_kafka.emitting.stated_datasets import list_datasets, reject_unknown
from sac_kafka.emitting.stated_flows import FLOW_KEYS, StatingProcess, read_descriptions, read_flow
from sac_kafka.errors import FlowError
from sac_kafka.model import Outcome

MAX_CHARACTERS = 64 * 1024 * 1024
_FLOWS, _DATASETS = "flows", "datasets"


def read_document(text: str, by: StatingProcess, place: str) -> tuple[tuple[Outcome, ...], ...]:
    """Return the outcomes of each statement of a file: all of them, or an error.

    Args:
        text: TOML, or JSON, which begins with `{` or `[`. Keys are those of a flow; or `flows`, a list of flows, and
            `datasets`, descriptions for all of them. A list is one of flows.
        by: What states them.
        place: The name of the file, for errors.

    Raises:
        FlowError: The file cannot be parsed, or a statement is wrong.
    """
    if len(text) > MAX_CHARACTERS:
        raise FlowError(f"{place}: has more than {MAX_CHARACTERS:,} characters; divide it")
    whole = _parse(text.removeprefix("\ufeff"), place)
    document = {_FLOWS: whole} if isinstance(whole, list) else whole
    if not isinstance(document, Mapping):
        raise FlowError(f"{place}: a {type(document).__name__}; state a flow, or a list of flows")
    found = tuple(_statements(document, by, place))
    if not found:
        raise FlowError(f"{place}: empty; state a flow (job, inputs, outputs), or datasets")
    return found


def _statements(document: Mapping[str, Any], by: StatingProcess, place: str) -> Iterator[tuple[Outcome, ...]]:
    if _FLOWS not in document and document.keys() != {_DATASETS}:
        if document:
            reject_unknown(document, (*FLOW_KEYS, _FLOWS), place)
            yield read_flow(document, by, place)
        return
    reject_unknown(document, (_FLOWS, _DATASETS), place)
    flows, described = document.get(_FLOWS, ()), document.get(_DATASETS)
    if not isinstance(flows, (list, tuple)):
        raise FlowError(f"{place}: flows: a {type(flows).__name__}; write [[flows]], a list of flows")
    if described is not None:
        yield _placed(described, by, place)
    shared = list_datasets(described, _DATASETS)
    for number, flow in enumerate(flows, 1):
        at = f"{place}: flow {number}"
        if not isinstance(flow, Mapping):
            raise FlowError(f"{at}: a {type(flow).__name__}; state a table with {', '.join(FLOW_KEYS[:3])}")
        own = _datasets_of(flow, at)
        yield read_flow({**flow, _DATASETS: [*own, *({**each, **_NOT_AGAIN} for each in shared)]}, by, at)


_NOT_AGAIN = {"owner": "", "description": "", "tags": ()}
"""Shared descriptions are sent once; each flow needs the columns only."""


def _datasets_of(flow: Mapping[str, Any], place: str) -> list[Mapping[object, object]]:
    try:
        return list_datasets(flow.get(_DATASETS), _DATASETS)
    except FlowError as error:
        raise FlowError(f"{place}: {error}") from None


def _placed(described: object, by: StatingProcess, place: str) -> tuple[Outcome, ...]:
    try:
        return read_descriptions(described, by.patterns)
    except FlowError as error:
        raise FlowError(f"{place}: {error}") from None


def _parse(text: str, place: str) -> object:
    """Parse a text.

    Raises:
        FlowError: It is neither TOML nor JSON.
    """
    is_json = re.match(r"\s*(?:\{|\[\s*[{\]])", text) is not None
    try:
        return json.loads(text, object_pairs_hook=_unique) if is_json else _toml(text)
    except RecursionError:
        raise FlowError(f"{place}: nested too deeply; simplify it") from None
    except ValueError as error:
        kind = "JSON" if is_json else "TOML"
        raise FlowError(f"{place}: not valid {kind}: {error}; correct it") from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object whose keys differ, as TOML requires.

    Raises:
        ValueError: A key occurs twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in names if names.count(key) > 1)!r} occurs twice")
    return found


def _toml(text: str) -> Mapping[str, object]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    loaded: Mapping[str, object] = tomllib.loads(text)
    return loaded
