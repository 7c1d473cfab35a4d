"""List the types of sent entities; all other types are only their supertypes and dependencies."""

from __future__ import annotations

from sac_kafka.atlas.model import OWN_PROCESS as OWN_PROCESS
from sac_kafka.atlas.model import SPARK_TYPES as SPARK_TYPES
from sac_kafka.model import KINDS_OF_DATASET

_OF_DATASETS = tuple(name for kind in KINDS_OF_DATASET for name in kind.types)
SENT = (
    *_OF_DATASETS,
    "avro_schema",
    "avro_field",
    *SPARK_TYPES,
    OWN_PROCESS,
)
"""Types of sent entities; types precede those that reference them."""

LATER = frozenset({"gcp_storage_bucket", "gcp_storage_virtual_directory"})
"""Types that a stock Atlas 2.1 lacks (added in 2.2). Atlas drops a whole message because of an unknown type, so a message has
entities of these types only if its process itself reads or writes such a dataset."""
