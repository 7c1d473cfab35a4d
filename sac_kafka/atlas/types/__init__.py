"""The types of everything that we send, with all that they are made of.

A server that lacks them, or starts empty, can be given them (`sac-kafka types`). Every type that Atlas ships is as in
its release 2.5.0; names, kinds and cardinalities are tested against its model files. The same declarations say which
relationship stands behind an attribute (`relationships`) and what `schemas/` demands.
"""

from __future__ import annotations

from sac_kafka.atlas.types.avro import AVRO
from sac_kafka.atlas.types.aws import AWS
from sac_kafka.atlas.types.azure import AZURE
from sac_kafka.atlas.types.base import BASE
from sac_kafka.atlas.types.declaration import Family
from sac_kafka.atlas.types.fs import FS
from sac_kafka.atlas.types.gcp import GCP
from sac_kafka.atlas.types.glossary import GLOSSARY
from sac_kafka.atlas.types.hbase import HBASE
from sac_kafka.atlas.types.hive import HIVE
from sac_kafka.atlas.types.kafka import KAFKA
from sac_kafka.atlas.types.ozone import OZONE
from sac_kafka.atlas.types.rdbms import RDBMS
from sac_kafka.atlas.types.server import SERVER
from sac_kafka.atlas.types.spark import SPARK

FAMILIES: tuple[Family, ...] = (
    BASE,
    SERVER,
    GLOSSARY,
    FS,
    HIVE,
    HBASE,
    AVRO,
    KAFKA,
    SPARK,
    RDBMS,
    AWS,
    AZURE,
    OZONE,
    GCP,
)
"""In the order in which a server has to be given them."""
