"""Every recorded Kafka batch, of every Spark version, gives the expected lineage of its case. No Java, no broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.model import TopicDataset
from tests.cases.expected import expected
from tests.cases.kafka_cases import WORK, names
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions

BATCHES = Path(__file__).resolve().parents[1] / "fixtures" / "kafka"
RECORDED = sorted(BATCHES.glob("*/*.txt"))


@pytest.mark.parametrize("batch", [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in RECORDED])
def test_a_recorded_batch_has_the_lineage_of_its_case(batch: Path) -> None:
    lines = lineage_lines(Capture.processes_of(batch.read_text("utf-8")), WORK)
    assert lines == expected(f"kafka_{batch.stem}")


@pytest.mark.parametrize("version", sorted(p.name for p in BATCHES.iterdir()))
def test_every_case_is_recorded(version: str) -> None:
    assert {p.stem for p in (BATCHES / version).glob("*.txt")} == set(names(version))


@pytest.mark.parametrize("version", sorted(p.name for p in BATCHES.iterdir()))
@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("topics_that_rows_name", "topics not known: each row names its own"),
        ("topics_by_pattern", "topics not known: they are read by a pattern"),
    ],
)
def test_unknown_topics_are_counted(version: str, case: str, reason: str) -> None:
    actions = Actions(APPLICATION)
    Capture.outcomes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"), actions)
    assert actions.counts[reason] == 1


@pytest.mark.parametrize("version", sorted(p.name for p in BATCHES.iterdir()))
def test_a_topic_has_the_used_columns(version: str) -> None:
    def topics(case: str) -> dict[str, set[str]]:
        (process,) = Capture.processes_of((BATCHES / version / f"{case}.txt").read_text("utf-8"))
        of = [d for d in (*process.inputs, *process.outputs) if isinstance(d, TopicDataset)]
        return {t.topic: {c.name for c in t.columns} for t in of}

    assert topics("topic_written") == {"cases.one": {"key", "value"}}
    assert topics("topic_of_a_column") == {"cases.two": {"value"}}
    assert topics("topics_read") == {topic: {"key", "value", "offset"} for topic in ("cases.one", "cases.two")}
    assert topics("topic_assigned") == {"cases.one": {"value", "headers"}}


def test_streams_name_the_cluster_of_their_topics() -> None:
    (batch,) = BATCHES.glob("3.*/stream_of_a_topic_into_a_topic.txt")
    processes = Capture.processes_of(batch.read_text("utf-8"))
    assert {d.cluster for p in processes for d in p.inputs if isinstance(d, TopicDataset)} == {"prod"}
