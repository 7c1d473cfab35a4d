"""Topics of Kafka and event hubs: no scan makes them, so they have the names that Atlas' own hooks give."""

from __future__ import annotations

from sac_kafka.lineage.model import TopicDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.surroundings import AssetSurroundings


def asset(dataset: TopicDataset, surroundings: AssetSurroundings, *, is_output: bool) -> Asset:
    """`<topic>@<cluster>` in small letters; the cluster is the one that the job names, else the namespace."""
    del is_output
    return Asset(
        type_name="kafka_topic",
        qualified_name=f"{dataset.topic.lower()}@{dataset.cluster or surroundings.namespace}",
        name=dataset.topic,
        rule="Kafka topic, as Atlas names it",
    )
