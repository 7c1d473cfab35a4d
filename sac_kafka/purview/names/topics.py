"""Name Kafka topics and event hubs like Atlas' own hooks, as no scan covers them."""

from __future__ import annotations

from sac_kafka.lineage.model import TopicDataset
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.naming_context import NamingContext


def asset(dataset: TopicDataset, naming_context: NamingContext, *, is_output: bool) -> Asset:
    """Return `<topic>@<cluster>` with the topic in lower case; the cluster defaults to the namespace."""
    del is_output
    return Asset(
        type_name="kafka_topic",
        qualified_name=f"{dataset.topic.lower()}@{dataset.cluster or naming_context.namespace}",
        name=dataset.topic,
        rule="Kafka topic, as Atlas names it",
    )
