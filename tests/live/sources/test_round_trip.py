"""Written, read, joined, merged, updated and deleted through a real Kafka: the flows of a job, all of them and no other."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import pytest

from sac_kafka.tools.graph.flows import flows as flows_of
from stack.properties import atlas_properties
from tests.helpers.broker import Broker
from tests.helpers.messages import validated
from tests.live.server.server_job import PATIENT
from tests.live.sources import round_trips
from tests.live.sources.families import FAMILIES
from tests.live.sources.family import spark_jars

pytestmark = [pytest.mark.spark, pytest.mark.sources, pytest.mark.kafka]
CHOSEN = os.environ.get("SAC_KAFKA_TEST_SOURCE", "")

LAKES = {"delta": "lake", "iceberg": "ic.lake", "hudi": "lake"}
"""By family the database of the job's tables."""

DATABASES = {"derby": ("jdbc:derby:memory:trip;create=true", "derby:memory:trip/")}
"""By family a URL, and how the names of its tables begin."""


@pytest.mark.skipif(CHOSEN not in {*LAKES, *DATABASES}, reason="no round trip: it is in the family's cases")
def test_a_round_trip_has_its_flows(broker: Broker, tmp_path: Path) -> None:
    topic = f"round-trip-{CHOSEN}"
    broker.create_topic(topic)
    family = FAMILIES[CHOSEN]
    properties = {
        "atlas.kafka.bootstrap.servers": broker.bootstrap,
        "atlas.kafka.security.protocol": "PLAINTEXT",
        "atlas.notification.hook.topic.name": topic,
        "atlas.metadata.namespace": "trip",
        "atlas.hook.spool.dir": str(tmp_path / "spool"),
        **PATIENT,
    }
    (tmp_path / "atlas-application.properties").write_text(atlas_properties(properties))
    kind, at = DATABASES.get(CHOSEN, (CHOSEN, LAKES.get(CHOSEN, "")))
    jars = spark_jars([family.list_of_jars(version("pyspark"))])
    round_trips.run(kind, tmp_path, {**jars, **family.conf(str(tmp_path))})
    values = broker.read_all(topic)
    validated(values)
    files = f"file:{tmp_path}"
    if CHOSEN in DATABASES:
        assert list(flows_of(values)) == round_trips.database_flows(at, files)
    else:
        # Hudi's commands name the columns they assign, and run without a plan of the rows that they write.
        assert list(flows_of(values)) == round_trips.lake_flows(at, files, shows_kept=CHOSEN != "hudi")
