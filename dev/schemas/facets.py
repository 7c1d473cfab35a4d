"""Schemas of the facets of this product in OpenLineage events (`sac_kafka.openlineage.own_facets`).

No public address exists, so their names are URNs: `_schemaURL` of a facet is the `$id` of its schema.
"""

from __future__ import annotations

from collections.abc import Mapping

from dev.schemas.values import DIALECT, Schema
from sac_kafka.model import Dependency
from sac_kafka.model.facts import COMPLETE, PARTIAL
from sac_kafka.openlineage.own_facets import COMPLETENESS, DATASET, FLOW, IDENTITY, RUN, schema_of

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer", "minimum": 0}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_BY_TEXT: Schema = {"type": "object", "additionalProperties": _TEXT}


def _object(properties: Mapping[str, Schema], *required: str, text: str = "") -> Schema:
    described = {"description": text} if text else {}
    return {**described, "type": "object", "required": [*required], "properties": dict(properties),
            "additionalProperties": False}  # fmt: skip


_FIELDS = sorted({name for names in IDENTITY.values() for name in names})
_IDENTITY = _object(
    {
        "kind": {"enum": sorted(kind.__name__ for kind in IDENTITY)},
        **{name: {"type": ["string", "integer", "boolean", "array"]} for name in _FIELDS},
    },
    "kind",
    text="what identifies a dataset, by its kind",
)
_NAME = {"namespace": _TEXT, "name": _TEXT, "dataset": _IDENTITY}
_STREAM = _object(
    {
        **dict.fromkeys(("name", "checkpoint", "queryId", "runId", "outputMode"), _TEXT),
        "identity": _TEXTS,
        "batches": _NUMBER,
        "lastBatch": _NUMBER,
        "rowsRead": {"type": "object", "additionalProperties": _NUMBER},
    }
)
_CLAUSE = _object({"type": {"enum": [kind.name for kind in Dependency]}, "text": _TEXT}, "type", "text")
_VALUES: Mapping[str, tuple[str, Mapping[str, Schema]]] = {
    COMPLETENESS: (
        "whether the lineage is complete, the reasons if it is not, and what was omitted because of the event's size",
        {
            "lineage": {"enum": [COMPLETE, PARTIAL]},
            "reasons": _TEXTS,
            "omitted": _TEXTS,
            **dict.fromkeys(("writes", "writesWithTableLineage", "writesWithColumnLineage"), _NUMBER),
        },
    ),
    RUN: (
        "the application and user of a run, and the facts of the run by their names",
        {
            **dict.fromkeys(("job", "application", "applicationId", "attempt", "user"), _TEXT),
            "platform": _BY_TEXT,
            "facts": {"type": "object"},
        },
    ),
    FLOW: (
        "what a flow into this output has beyond OpenLineage's facets",
        {
            "isReplaced": _FLAG,
            "definesView": _FLAG,
            **dict.fromkeys(("part", "columnsOmitted", "of", "failure"), _TEXT),
            "otherSources": _TEXTS,
            "gaps": _TEXTS,
            "throughDriver": {"type": "array", "items": _object({**_NAME, "how": _TEXT}, "namespace", "name", "how")},
            "decidedBy": {"type": "array", "items": _object(_NAME, "namespace", "name")},
            "inputs": {"type": "array", "items": _object(_NAME, "namespace", "name")},
            "inputsExcluded": _NUMBER,
            "expressions": _BY_TEXT,
            "clauses": {"type": "array", "items": _CLAUSE},
            "stream": _STREAM,
        },
    ),
    DATASET: (
        "the identity of a dataset whose name does not lead back to it, and others that have the same name",
        {**_IDENTITY["properties"], "others": {"type": "array", "items": _IDENTITY}},
    ),
}


def facet(name: str) -> Schema:
    """Return the schema of a facet."""
    text, values = _VALUES[name]
    stated = {"_producer": {"type": "string", "format": "uri"}, "_schemaURL": {"const": schema_of(name)}}
    schema = _object({**stated, **values}, *stated, text=text)
    return {"$schema": DIALECT, "$id": schema_of(name), "title": name, **schema}
