"""Find the job of a process in Purview: an attribute of our types, or the owner of a process of the built-in types."""

from __future__ import annotations

import re
from urllib.parse import unquote

from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.tools.messages.entities import ends

_NAMED = re.compile(r"(?:\Aspark://[^/]+|/applications|/spark)/([^/]+)/(?:processes|streams)/")
"""qualifiedName of a process without an owner; it contains the job (see `purview.flows.chain`)."""
_OWNERS = ("task", "job")


def job_of(process: AtlasEntity, entities: tuple[AtlasEntity, ...]) -> str:
    """Return the job of a process; "" if it has none, as the definition of a view.

    Args:
        process: The process.
        entities: All entities of its message, which contains Databricks' task and job, too.
    """
    job_name = process.attributes.get("jobName")
    if job_name:
        return str(job_name)
    by_id = {each.id: each for each in entities}
    owner = process
    for role in _OWNERS:
        owner = next((by_id[id_] for id_ in ends(owner, role) if id_ in by_id), owner)
    if owner is not process:
        return str(owner.attributes.get("name") or "")
    named = _NAMED.search(process.id.qualified_name)
    return unquote(named[1]) if named else ""
