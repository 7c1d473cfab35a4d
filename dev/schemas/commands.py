"""Schema of what commands print with `--json`: the keys of each, with their meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dev.schemas.values import DIALECT, Schema

Keys = Mapping[str, Any]
"""A description by key, `{…}` for an object, `[{…}]` for a list of objects."""

LINES = " A line each."
_PLACE = {"dataset": "its name", "column": "absent for a dataset"}
_COLUMN = {
    "output": "the column",
    "sources": "columns that flow into it",
    "expression": 'as SQL; "" for a copy',
    "influences": "whether the sources only decide its value",
}
_PROCESS = {
    "id": "its qualified name",
    "name": "its short name",
    "inputs": "names of datasets",
    "outputs": "names of datasets",
    "columns": [_COLUMN],
    "rows": "joins, filters, grouping and sorting, as a sentence",
    "attributes": "of the last run, by name; with the user and the query",
}
_CHANGE = {
    "verb": "defined, altered or dropped",
    "type": "of the entity",
    "name": "of the object",
    "details": "what changed",
}
_SPENT = {
    "entities": "created, updated and deleted ones",
    "messages": "number of them",
    "records": "number of them; a long message has several",
    "bytes": "of the records",
    "creates": "entities created or replaced",
    "updates": "entities updated partially",
    "deletes": "entities deleted",
    "relationships": "references that become edges",
    "processes": "entities that are processes",
    "columns": "entities that are columns",
}
_COMPLETE = {
    "flows": "number of them",
    "with_table_lineage": "flows whose inputs are all known",
    "with_column_lineage": "flows whose columns are all known",
    "percent_with_table_lineage": "null without a flow",
    "percent_with_column_lineage": "null without a flow",
    "reasons": "number of flows by reason",
}
_ACCESS = {
    "job": "its name",
    "process": "its short name",
    "process_id": "its qualified name",
    "status": "of the last run; null if unknown",
    "failure": "of the last run; null if unknown",
    "ended_ms": "of the last run; null if unknown",
    "rows_written": "by the last run; null if unknown",
}
_TYPE_DIFFERENCES = [
    {
        "kind": "what differs",
        "type": "its name",
        "place": "attribute or relationship",
        "text": "as a sentence",
        "fix": "create, update or none",
    }
]
_DESTINATIONS = " With several destinations: such an object for each, by its name, in `destinations`."
_SEGMENTS = {"messages": "number of them", "files": "number of them"}

COMMANDS: Mapping[str, tuple[str, Keys]] = {
    "bridge": (
        "What became of the events.",
        {
            "flows": "processes that were sent",
            "counts": "events, and what is no lineage, by reason",
            "messages": "number of messages by state",
        },
    ),
    "emit": (
        "What became of the flows.",
        {
            "flows": "flows that were stated",
            "datasets": "datasets that were described",
            "skipped": "what of a dbt project is no flow, by reason",
            "messages": "number of messages by state, and the problem; empty with --check",
        },
    ),
    "config": (
        "The active settings.",
        {
            "is_enabled": "whether a hook would start",
            "configuration": "where it is from",
            "summary": "as a sentence",
            "destination": "name of the one that is printed; empty for the first",
            "also": "the summary of each further destination, by name",
            "settings": [{"key": "of the file", "value": "secrets are masked", "origin": "where it is set"}],
            "client": {"title": "of the client", "settings": "its settings by key"},
            "warnings": "texts",
        },
    ),
    "config --explain": (
        "What rules do with a name." + LINES,
        {
            "asked": "the given name",
            "kind": "of dataset that it may be",
            "name": "as rules see it",
            "is_kept": "whether it is captured",
            "rule": 'that decides; "" without one',
            "setting": "that has the rule",
            "text": "as a sentence",
        },
    ),
    "cost": (
        "Entities by job.",
        {
            "all": _SPENT,
            "jobs": {"*": _SPENT},
            "most_expensive": [
                {"type": "of the entity", "name": "of the dataset or process", "entities": "number of them"}
            ],
        },
    ),
    "coverage": ("Completeness of writes.", {**_COMPLETE, "jobs": {"*": _COMPLETE}}),
    "diff": (
        "Differences of two states.",
        {
            "differences": [
                {
                    "kind": "of difference",
                    "name": "of the dataset, column or process",
                    "source": "of an edge; absent without one",
                    "before": "absent if new",
                    "after": "absent if removed",
                    "number": "of edges between columns",
                }
            ],
            "failed_on": "kinds of --fail-on that were found",
        },
    ),
    "doctor": (
        "The checks.",
        {
            "verdict": "ok, warn, fail, skipped or unknown",
            "steps": [{"step": "name of the check", "verdict": "of this check", "text": "result and fix"}],
        },
    ),
    "impact": (
        "What depends on a dataset or column.",
        {
            "start": _PLACE,
            "direction": "downstream or upstream",
            "is_cut": "whether --depth left something out",
            "omitted_edges": "edges between the same places that are not listed",
            "places": [
                {
                    **_PLACE,
                    "type": "of the dataset",
                    "is_dropped": "whether it was dropped",
                    "depth": "least number of processes in between",
                }
            ],
            "edges": [
                {
                    "from": _PLACE,
                    "to": _PLACE,
                    "kind": "dataset, direct, indirect or rows",
                    "how": "expression or row clause",
                    "process": "its short name",
                    "process_id": "its qualified name",
                }
            ],
        },
    ),
    "jar": ("The jar of drivers without Python.", {"path": "of the jar", "listener": "for spark.extraListeners"}),
    "map check": (
        "The rules of a file.",
        {
            "path": "of the file",
            "rules": "number of them",
            "mounts": "number of them",
            "locations": "number of them",
            "ignored": "mappings that the accelerator ships",
            "warnings": "texts",
        },
    ),
    "map explain": (
        "The name of a dataset in Purview." + LINES,
        {
            "dataset": "what was asked",
            "side": "input or output",
            "behind_mount": "the path behind a mount",
            "fields": "that rules may use, by name",
            "rule": "that named it",
            "is_by_user": "whether a rule of the user named it",
            "is_known": "whether Purview scans such assets",
            "location": "of a table's files, the same object; null without one",
            "type": "of the asset",
            "qualified_name": "of the asset",
            "name": "of the asset",
            "is_resource_set": "whether it stands for several files",
            "normalised_by": "rules of Purview that were applied",
        },
    ),
    "pack": (
        "The archive.",
        {
            "path": "of the archive",
            "bytes": "its size",
            "prefix": "the packed environment",
            "interpreter": "that every node needs",
            "python": "its version",
            "submit": "the command of a Python job",
            "submit_jar": "the command of a main in Scala or Java",
            "notes": "what the commands leave to you, one sentence each",
        },
    ),
    "replay": ("The messages themselves." + LINES + " With --column as `show --column`.", {}),
    "replay --to": (
        "What was sent.",
        {
            "to": "the destination",
            "delivered": "number of messages",
            "lost": [{"messages": "number of them", "what": "they are", "why": "they were not delivered"}],
        },
    ),
    "runner": ("The runner.", {"path": "of the file for spark-submit"}),
    "show": ("A process or a change." + LINES, {"process": _PROCESS, "change": _CHANGE}),
    "show --column": (
        "The origins of a column.",
        {"column": _PLACE, "paths": "lists of columns, each from this one back to an origin", "columns": [{**_COLUMN}]},
    ),
    "show --dataset": (
        "The jobs of a dataset.",
        {"dataset": "its name", "writers": [_ACCESS], "readers": [_ACCESS]},
    ),
    "spool list": (
        "The files of a spool." + _DESTINATIONS,
        {
            "directory": "the spool",
            "files": [
                {
                    "file": "its name",
                    "messages": "number of them",
                    "damaged": "messages that cannot be read",
                    "bytes": "its size",
                    "started_ms": "of the first message",
                    "state": "waiting, in use or rejected",
                    "topic": "they are for",
                    "is_for_another": "destination than the configured one; null where no configuration says",
                }
            ],
        },
    ),
    "spool purge": (
        "What was removed; no prompt, so --yes is required." + _DESTINATIONS,
        {"removed": _SEGMENTS, "left": _SEGMENTS},
    ),
    "spool replay": (
        "What was sent." + _DESTINATIONS,
        {
            "delivered": "number of messages",
            "dropped": "number of messages",
            "rejected": "number of messages",
            "left": "number of messages",
            "reasons": "number of messages by reason",
            "problem": "the current failure",
            "for_another": {**_SEGMENTS, "topics": "they are for"},
            "in_use": _SEGMENTS,
            "files_in_use": "names of files that other processes hold",
        },
    ),
    "tail": (
        "A message." + LINES,
        {
            "place": "where it was",
            "time_ms": "when",
            "key": "of the record",
            "records": "number of them",
            "bytes": "of the records",
            "type": "of the notification",
            "user": "who sent it",
            "created_ms": "when it was made",
            "job": "its name",
            "hook": "that sent it",
            "types": "number of entities by type",
            "processes": [_PROCESS],
            "changes": [_CHANGE],
        },
    ),
    "types apply": (
        "What was created.",
        {"created": "names of types", "updated": "names of types", "differences": _TYPE_DIFFERENCES},
    ),
    "types diff": ("What the server lacks.", {"differences": _TYPE_DIFFERENCES}),
    "validate": (
        "Violations and doubts.",
        {
            "model": "of types",
            "messages": "number of them",
            "entities": "number of them",
            "wrong": "number of violations",
            "doubts": "number of them",
            "violations": [
                {
                    "place": "of the message",
                    "problem": "what is wrong",
                    "fix": "for it",
                    "entity": "type and name",
                    "attribute": "of the entity",
                    "value": "secrets are masked",
                    "rule": "of docs/sender-rules.md",
                    "is_doubt": "whether a server accepts it",
                }
            ],
        },
    ),
    "verify": (
        "What the server stored.",
        {
            "stored": "number of entities",
            "shell": "number of entities known by reference only",
            "rejected": "number of entities",
            "pending": "number of entities",
            "unchecked": "number of entities",
            "problem": "why it could not be checked",
            "entities": [
                {"type": "of the entity", "name": "its qualified name", "state": "one of the above", "reason": "for it"}
            ],
        },
    ),
    "view": (
        "The picture.",
        {
            "path": "of the file",
            "format": "html, mermaid or dot",
            "datasets": "number of them",
            "processes": "number of them",
            "column_edges": "number of them",
        },
    ),
}


def commands() -> Schema:
    """Return the schema with a definition for each command."""
    return {
        "$schema": DIALECT,
        "title": "Output of sac-kafka with --json",
        "description": (
            "`…_ms` is epoch milliseconds, `is_…` true or false, an empty text unknown. Keys stay; further ones may come."
        ),
        "$defs": {name: {"description": about, **_schema(keys)} for name, (about, keys) in COMMANDS.items()},
    }


def _schema(keys: Keys | list[Keys] | str) -> Schema:
    if isinstance(keys, str):
        return {"description": keys}
    if isinstance(keys, list):
        return {"type": "array", "items": _schema(keys[0])}
    if keys.keys() == {"*"}:
        return {"type": "object", "additionalProperties": _schema(keys["*"])}
    return {"type": "object", "properties": {name: _schema(each) for name, each in keys.items()}}
