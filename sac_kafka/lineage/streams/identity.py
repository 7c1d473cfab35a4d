"""Identify a streaming query across runs, by its name and checkpoint if these do not change from run to run."""

from __future__ import annotations

from sac_kafka.lineage.datasets.paths import without_run
from sac_kafka.lineage.streams.united_flow import UnitedFlow

_STATE = "/state"
_PIPELINE_CHECKPOINTS = "/_checkpoints/"
"""Checkpoint directory of Declarative Pipelines; each flow has one directory per full refresh, named by a number."""


def lasting_name(name: str | None) -> str | None:
    """Return the name of a query; None if it contains a date, a UUID or the like, which differ from run to run.

    >>> lasting_name("orders"), lasting_name("q-1b4f5bd0-34f5-4d6c-b6b2-7b1fb4b5f0aa")
    ('orders', None)
    """
    return name if name and without_run(name) == name else None


def lasting_checkpoint(state_location: str | None) -> str | None:
    """Return the checkpoint directory of a state directory; None for a temporary one, made for a single run.

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
    if _PIPELINE_CHECKPOINTS in of_flow and number.isdecimal():
        place = of_flow
    return place if without_run(place) == place else None


def identity_of(name: str | None, checkpoint: str | None, flow: UnitedFlow) -> tuple[str, ...]:
    """Return the identity of a query: its lasting name and checkpoint; without a checkpoint, also its outputs and inputs.

    A query without a lasting checkpoint starts from scratch each time; with other inputs or outputs it is another process.
    """
    if checkpoint is not None:
        return name or "", checkpoint
    keys = (*(f"output {d.key}" for d in flow.outputs), *(f"input {d.key}" for d in flow.inputs))
    return name or "", "", *keys
