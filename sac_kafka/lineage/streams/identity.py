"""What a streaming query is called, whatever the run: by its name and its checkpoint, where these last."""

from __future__ import annotations

from sac_kafka.lineage.datasets.paths import without_run
from sac_kafka.lineage.streams.united_flow import UnitedFlow

_STATE = "/state"
_OF_PIPELINES = "/_checkpoints/"
"""Where the flows of Declarative Pipelines have their checkpoints, each with a number that a full refresh counts up."""


def lasting_name(name: str | None) -> str | None:
    """A query's name; None for one with a date, a UUID or the like in it, which another run has not.

    >>> lasting_name("orders"), lasting_name("q-1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa")
    ('orders', None)
    """
    return name if name and without_run(name) == name else None


def lasting_checkpoint(state_location: str | None) -> str | None:
    """The checkpoint whose folder for states this is; None for a place that was made for one run.

    >>> lasting_checkpoint("s3a://lake/checkpoints/orders/state")
    's3a://lake/checkpoints/orders'
    >>> lasting_checkpoint("file:/tmp/temporary-1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa/state") is None
    True
    >>> lasting_checkpoint("s3a://lake/storage/_checkpoints/spark_catalog/default/raw/load/3/state")
    's3a://lake/storage/_checkpoints/spark_catalog/default/raw/load'
    """
    if not state_location or not state_location.endswith(_STATE):
        return None
    place = state_location.removesuffix(_STATE)
    of_flow, _, number = place.rpartition("/")
    if _OF_PIPELINES in of_flow and number.isdecimal():
        place = of_flow
    return place if without_run(place) == place else None


def identity_of(name: str | None, checkpoint: str | None, flow: UnitedFlow) -> tuple[str, ...]:
    """What names a query: its lasting name and checkpoint; where it has no checkpoint what it wrote and read first, too.

    A query without a checkpoint that lasts begins anew with each start: one that then flows elsewhere is another process.
    """
    if checkpoint is not None:
        return name or "", checkpoint
    keys = (*(f"output {d.key}" for d in flow.outputs), *(f"input {d.key}" for d in flow.inputs))
    return name or "", "", *keys
