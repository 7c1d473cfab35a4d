"""Identify Kafka topics by the options of Spark's Kafka source and sink."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sac_kafka.lineage.datasets.reading import Reading
from sac_kafka.lineage.datasets.systems.source import Source, SourceOptions
from sac_kafka.model import Column, Dataset, TopicDataset
from sac_kafka.plan.systems.stores import KafkaRelation

KAFKA = "org.apache.spark.sql.kafka010."
"""The package of Spark's Kafka source."""
RECORD = frozenset({"key", "value", "headers"})
"""Columns of a sink that become part of a record; the others (topic, partition) determine its destination."""


def topics_read(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the topics of `subscribe` ("a,b") or `assign` ('{"a":[0,1]}'); () if only a pattern is given."""
    if "subscribe" in options:
        return tuple(dict.fromkeys(t.strip() for t in options["subscribe"].split(",") if t.strip()))
    try:
        assigned = json.loads(options.get("assign", "{}"))
    except ValueError:
        return ()
    return tuple(assigned) if isinstance(assigned, dict) else ()


def topics(names: Sequence[str], options: Mapping[str, str], columns: tuple[Column, ...]) -> tuple[TopicDataset, ...]:
    """Return the datasets of topics on the servers in the options."""
    servers = ",".join(s.strip() for s in options.get("kafka.bootstrap.servers", "").split(",") if s.strip())
    cluster = options.get("kafka.atlas.cluster.name") or None
    return tuple(TopicDataset(topic=t, servers=servers, cluster=cluster, columns=columns) for t in names)


def _identify(options: SourceOptions, columns: tuple[Column, ...]) -> Dataset | None:
    datasets = topics((options["topic"],), options, columns) if "topic" in options else ()
    return datasets[0] if datasets else None


def topics_reading(options: Mapping[str, str], columns: tuple[Column, ...], known: Sequence[str] = ()) -> Reading:
    """Return the reading of the topics in `known`, else of those that the options name."""
    names = known or topics_read(options)
    reasons = () if names else ("topics not known: they are read by a pattern",)
    return Reading(datasets=topics(names, options, columns), counts=reasons)


SOURCES = (
    Source(
        names=frozenset({"kafka", "org.apache.spark.sql.kafka010"}),
        classes=(KAFKA,),
        reads={KafkaRelation: lambda found, columns: topics_reading(found.options or {}, columns)},
        dataset=_identify,
        columns=RECORD,
        unnamed="topics not known: each row names its own",
    ),
)
