"""The job of a process as Purview has it: its own types say it, the built-in ones only by what a process belongs to."""

from __future__ import annotations

import re
from urllib.parse import unquote

from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.readable.entities import ends

_NAMED = re.compile(r"(?:\Aspark://[^/]+|/applications|/spark)/([^/]+)/(?:processes|streams)/")
"""A process that belongs to nothing, by its qualifiedName: the job stands in it (`purview.flows.chain`)."""
_OWNERS = ("task", "job")


def job_of(process: AtlasEntity, entities: tuple[AtlasEntity, ...]) -> str:
    """Give the job, "" where nothing says it, as of a view's definition.

    Args:
        process: The process.
        entities: All of its message: Databricks' chain of task and job is sent with it.
    """
    said = process.attributes.get("jobName")
    if said:
        return str(said)
    by_id = {each.id: each for each in entities}
    owner = process
    for role in _OWNERS:
        owner = next((by_id[id_] for id_ in ends(owner, role) if id_ in by_id), owner)
    if owner is not process:
        return str(owner.attributes.get("name") or "")
    named = _NAMED.search(process.id.qualified_name)
    return unquote(named[1]) if named else ""
