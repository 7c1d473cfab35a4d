"""List the types of sent entities; all other types are only their supertypes and dependencies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from sac_kafka.model import KINDS_OF_DATASET, SPARK, Engine


class FlowTypes(NamedTuple):
    """The types of an engine's flows."""

    application: str
    process: str
    column_lineage: str


SPARK_TYPES = FlowTypes("spark_application", "spark_process", "spark_column_lineage")
_FLOW_TYPES: Mapping[str, FlowTypes] = MappingProxyType({SPARK: SPARK_TYPES})


def flow_types(engine: Engine) -> FlowTypes:
    """Return the types of an engine's flows.

    Of the types that Atlas ships only those of Spark have column lineage and facts, so an engine without its own has these.
    """
    return _FLOW_TYPES.get(engine.name, SPARK_TYPES)


_OF_DATASETS = tuple(name for kind in KINDS_OF_DATASET for name in kind.types)
SENT = (
    *_OF_DATASETS,
    "avro_schema",
    "avro_field",
    *SPARK_TYPES,
)
"""Types of sent entities; types precede those that reference them."""

LATER = frozenset({"gcp_storage_bucket", "gcp_storage_virtual_directory"})
"""Types that a stock Atlas 2.1 lacks (added in 2.2). Atlas drops a whole message because of an unknown type, so a message has
entities of these types only if its process itself reads or writes such a dataset."""
