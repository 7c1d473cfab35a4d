"""Whether two executions say the same, told by their records before anything is made of them.

Ids of expressions are new with each plan, and so are the times, counts and files of each run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

OF_A_RUN = frozenset(
    {
        "execution_id",
        "time",
        "jobs",
        "batch_id",
        "rdd_id",
        "create_time",
        "rows_written",
        "files_written",
        "bytes_written",
        "scans",
    }
)
"""Fields that differ from run to run, whatever the class."""
_IDS = frozenset({"expr_id", "id", "cte_id", "loop_id"})
"""Fields that hold the id of an expression or of a plan; elsewhere it is a negative number or the first part of a column."""
_COLUMN_PARTS = 4
_FIGURES = "sackafka.ScanFigures"
_RELATION = "org.apache.spark.sql.execution.datasources.LogicalRelation"

Records = list[list[Any]]


def digest(records: Records) -> bytes:
    """What an event says, without what differs from run to run: equal where two say the same."""
    return blake2b(json.dumps(list(_said(records))).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def fields_of(records: Records, record: list[Any] | None) -> dict[str, Any]:
    """The values of the record of an object by the names of their fields; nothing of None."""
    if record is None:
        return {}
    classes = [each for each in records if each[0] == "c"]
    return dict(zip(classes[record[1]][2], record[2], strict=False))


def _said(records: Records) -> Iterator[object]:
    ids: dict[str, int] = {}
    classes: list[tuple[str, list[str]]] = []
    watched = _files_of_streams(records)
    number = -1
    for record in records:
        kind = record[0]
        if kind == "c":
            classes.append((record[1], record[2]))
        if kind in ("c", "n"):
            continue
        number += 1
        name, fields = classes[record[1]]
        if name == _FIGURES:
            continue
        at = {"o": 2, "e": 3}.get(kind, 4)
        values = [
            _value(field, value, ids)
            for field, value in zip(fields, record[at] if len(record) > at else (), strict=False)
            if field not in OF_A_RUN and not (field == "root_paths" and number in watched)
        ]
        yield [kind, name, number, [_same(each, ids) for each in record[2:at]], values, len(record) > at + 1]


def _files_of_streams(records: Records) -> frozenset[int]:
    """The relations whose files are those of one batch, by the directory that is watched."""
    classes = [each for each in records if each[0] == "c"]
    found = []
    for record in records:
        if record[0] == "p" and classes[record[1]][1] == _RELATION:
            values = dict(zip(classes[record[1]][2], record[4], strict=False))
            if values.get("is_streaming") and values.get("stream_path"):
                found.append(values.get("relation"))
    return frozenset(each for each in found if isinstance(each, int))


def _value(field: str, value: object, ids: dict[str, int]) -> object:
    if field in _IDS and isinstance(value, str) and value.isdecimal():
        return _id(value, ids)
    return _same(value, ids)


def _same(value: object, ids: dict[str, int]) -> object:
    if type(value) is int:
        return value if value >= 0 else [_id(str(-value - 1), ids)]
    if not isinstance(value, list):
        return value
    if len(value) == _COLUMN_PARTS and type(value[3]) is bool and isinstance(value[0], str):
        return [_id(value[0], ids), *value[1:]]
    return [_same(each, ids) for each in value]


def _id(text: str, ids: dict[str, int]) -> str:
    return f"id {ids.setdefault(text, len(ids))}"
